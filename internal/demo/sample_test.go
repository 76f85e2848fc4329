package demo

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"time"
)

// rows reads a sample table: its header, and its rows by column.
func rows(t *testing.T, name string) []map[string]string {
	t.Helper()
	for _, s := range Sample() {
		if s.name != name {
			continue
		}
		all, err := csv.NewReader(bytes.NewReader(s.csv)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		var out []map[string]string
		for _, r := range all[1:] {
			row := map[string]string{}
			for i, column := range all[0] {
				row[column] = r[i]
			}
			out = append(out, row)
		}
		return out
	}
	t.Fatalf("no table %s", name)
	return nil
}

func TestSampleIsTheSameEveryTime(t *testing.T) {
	first, second := Sample(), Sample()
	for i := range first {
		if first[i].name != second[i].name || !bytes.Equal(first[i].csv, second[i].csv) {
			t.Errorf("%s differs", first[i].name)
		}
	}
}

func TestSampleSizes(t *testing.T) {
	for name, want := range map[string]int{"credit": 1000, "customers": 600, "labels": 600} {
		if got := len(rows(t, name)); got != want {
			t.Errorf("%s has %d rows, want %d", name, got, want)
		}
	}
	if got := len(rows(t, "events")); got < 6000 {
		t.Errorf("events has %d rows, want thousands", got)
	}
}

func moment(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02 15:04:05", s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// The label depends on complaints before its moment; a column that is filled
// after the moment gives it away.
func TestSampleLabelsDependOnThePastAndLeak(t *testing.T) {
	complaints := map[string][]time.Time{}
	for _, e := range rows(t, "events") {
		if e["kind"] == "complaint" {
			complaints[e["customer_id"]] = append(complaints[e["customer_id"]], moment(t, e["at"]))
		}
	}
	labels, before := map[string]float64{}, map[string]float64{}
	for _, l := range rows(t, "labels") {
		churned, at := l["churned"], moment(t, l["moment"])
		labels[churned]++
		for _, c := range complaints[l["customer_id"]] {
			if c.Before(at) && c.After(at.AddDate(0, 0, -horizon)) {
				before[churned]++
			}
		}
		if l["retention_call"] != "" && (churned != "yes" || l["retention_call"] <= strings.Fields(l["moment"])[0]) {
			t.Errorf("%v: a call without an end, or before it", l)
		}
	}
	yes, no := before["yes"]/labels["yes"], before["no"]/labels["no"]
	if labels["yes"] < 100 || labels["no"] < 100 || yes < 1.5*no {
		t.Errorf("labels %v, complaints before the moment %.2f and %.2f: want both labels, and more complaints before an end", labels, yes, no)
	}
}
