package duckdb

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"ambit/datasets"
)

// profileFile ingests a file of testdata and returns its profile, columns by name.
func profileFile(t *testing.T, name string) (datasets.Profile, map[string]datasets.ColumnProfile) {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return profileText(t, string(raw))
}

func profileText(t *testing.T, text string) (datasets.Profile, map[string]datasets.ColumnProfile) {
	t.Helper()
	p := ingestCSV(t, newEngine(t, nil), "w", "v", text).Profile
	byName := map[string]datasets.ColumnProfile{}
	for _, c := range p.Columns {
		byName[c.Name] = c
	}
	return p, byName
}

// near compares to the digits that the figures below were written with.
func near(got *float64, want float64) bool {
	return got != nil && math.Abs(*got-want) <= 1e-9*math.Max(1, math.Abs(want))
}

// TestProfileOfCreditG compares with figures computed by another program.
func TestProfileOfCreditG(t *testing.T) {
	p, columns := profileFile(t, "credit-g.csv")
	if p.Rows != 1000 || p.DuplicateRows != 0 || len(p.Columns) != 21 {
		t.Errorf("got %d rows, %d duplicates, %d columns; want 1000, 0, 21", p.Rows, p.DuplicateRows, len(p.Columns))
	}
	numbers := []struct {
		name                            string
		mean, sd, skew                  float64
		p1, p5, p25, p50, p75, p95, p99 float64
		distinct                        int64
		min, max                        string
	}{
		{"duration", 20.903, 12.058814452756371, 1.0941841715555418, 6, 6, 12, 18, 24, 48, 60, 33, "4", "72"},
		{"age", 35.546, 11.375468574317512, 1.0207392686768317, 20, 22, 27, 33, 42, 60, 67.01, 53, "19", "75"},
		{"credit_amount", 3271.258, 2822.7368759604406, 1.949627679814364, 425.83, 708.95, 1365.5, 2319.5, 3972.25, 9162.7, 14180.39, 921, "250", "18424"},
	}
	for _, w := range numbers {
		c := columns[w.name]
		for _, figure := range []struct {
			name string
			got  *float64
			want float64
		}{{"mean", c.Mean, w.mean}, {"sd", c.SD, w.sd}, {"skew", c.Skew, w.skew}, {"p1", c.P1, w.p1}, {"p5", c.P5, w.p5}, {"p25", c.P25, w.p25},
			{"p50", c.P50, w.p50}, {"p75", c.P75, w.p75}, {"p95", c.P95, w.p95}, {"p99", c.P99, w.p99}} {
			if !near(figure.got, figure.want) {
				t.Errorf("%s %s: got %v, want %v", w.name, figure.name, value(figure.got), figure.want)
			}
		}
		if c.Distinct != w.distinct || *c.Min != w.min || *c.Max != w.max || c.Missing != 0 || c.Semantic != datasets.Number {
			t.Errorf("%s: got %d distinct, %s to %s, %d missing, %s", w.name, c.Distinct, *c.Min, *c.Max, c.Missing, c.Semantic)
		}
	}
	class := columns["class"]
	if got, want := fmt.Sprintf("%v %d %s", class.Top, class.Distinct, class.Semantic), "[{good 700} {bad 300}] 2 category"; got != want {
		t.Errorf("class: got %s, want %s", got, want)
	}
	if got := columns["own_telephone"].Disguised; fmt.Sprint(got) != "[{none 596}]" {
		t.Errorf("own_telephone: disguised %v, want none 596 times", got)
	}
}

func value(f *float64) any {
	if f == nil {
		return nil
	}
	return *f
}

func TestProfileOfTitanic(t *testing.T) {
	_, columns := profileFile(t, "titanic.csv")
	missing := map[string]int64{"age": 263, "fare": 1, "cabin": 1014, "embarked": 2, "boat": 823, "body": 1188, "home.dest": 564, "sex": 0}
	for name, want := range missing {
		if got := columns[name].Missing; got != want {
			t.Errorf("%s: %d missing, want %d", name, got, want)
		}
	}
	meaning := map[string]datasets.Semantic{
		"pclass": datasets.Number, "survived": datasets.Boolean, "name": datasets.Text, "sex": datasets.Category, "age": datasets.Number,
		"cabin": datasets.Category, "embarked": datasets.Category, "body": datasets.Number,
	}
	for name, want := range meaning {
		if got := columns[name].Semantic; got != want {
			t.Errorf("%s means %s, want %s", name, got, want)
		}
	}
}

func TestProfileOfSmallTables(t *testing.T) {
	tests := []struct {
		name, file, column string
		want               string // members of the column's profile, as JSON
	}{
		{"down", "a\n3\n2\n1\n", "a", `{"monotone":"down","unique":true,"zeros":0,"negatives":0,"mean":2,"sd":1,"skew":0}`},
		{"up with equals", "a\n1\n1\n2\n", "a", `{"monotone":"up","distinct":2}`},
		{"equal all over", "a\n1\n1\n", "a", `{"semantic":"constant","sd":0,"histogram":[{"from":1,"to":1,"count":2}]}`},
		{"one row", "a\n5\n", "a", `{"mean":5,"p50":5,"min":"5","max":"5"}`},
		{"nothing there", "a,b\n,1\n,2\n", "a", `{"semantic":"constant","missing":2,"distinct":0,"type":"VARCHAR"}`},
		{"signs", "a\n-1.5\n0\n2.5\n\n" + "", "a", `{"zeros":1,"negatives":1,"min":"-1.5","max":"2.5"}`},
		{"dates", "d\n2024-01-02\n2024-01-01\n2024-01-02\n", "d", `{"min":"2024-01-01","max":"2024-01-02","distinct":2,"top":[{"value":"2024-01-02","count":2},{"value":"2024-01-01","count":1}]}`},
		{"texts", "s\nab cd\né\nab cd\n", "s", `{"lengths":{"min":1,"max":5,"mean":3.6666666666666665,"words":1.6666666666666667},"min":"ab cd","max":"é"}`},
		{"truth", "b\ntrue\nfalse\ntrue\n", "b", `{"semantic":"boolean","top":[{"value":"true","count":2},{"value":"false","count":1}]}`},
		{"yes and no", "b\nyes\nno\nyes\n", "b", `{"semantic":"boolean","type":"VARCHAR"}`},
		{"minus one for missing", "a\n" + strings.Repeat("-1\n", 5) + lines(50, func(i int) string { return fmt.Sprint(i + 10) }), "a", `{"disguised":[{"value":"-1","count":5}]}`},
		{"999 for missing", "a\n" + strings.Repeat("999\n", 5) + lines(50, func(i int) string { return fmt.Sprint(i) }), "a", `{"disguised":[{"value":"999","count":5}]}`},
		{"999 among others", "a\n" + lines(2000, func(i int) string { return fmt.Sprint(i % 1000) }), "a", `{"distinct":1000}`},
		{"1900 for missing", "d\n" + strings.Repeat("1900-01-01\n", 5) + lines(50, func(i int) string { return fmt.Sprintf("2024-01-%02d", i%28+1) }), "d", `{"disguised":[{"value":"1900-01-01","count":5}]}`},
		{"words for missing", "s\na\nUnknown\nn/a\nb\nn/a\n", "s", `{"disguised":[{"value":"n/a","count":2},{"value":"Unknown","count":1}]}`},
		{"bins", "a\n" + lines(100, func(i int) string { return fmt.Sprint(i) }), "a", `{"histogram":[{"from":0,"to":19.8,"count":20},{"from":19.8,"to":39.6,"count":20},{"from":39.6,"to":59.4,"count":20},{"from":59.4,"to":79.2,"count":20},{"from":79.2,"to":99,"count":20}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, columns := profileText(t, strings.ReplaceAll(tt.file, "\n\n", "\n"))
			raw, err := json.Marshal(columns[tt.column])
			if err != nil {
				t.Fatal(err)
			}
			var got, want map[string]any
			if err := json.Unmarshal(raw, &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			for member, w := range want {
				if g := fmt.Sprint(got[member]); g != fmt.Sprint(w) {
					t.Errorf("%s: got %s, want %v", member, g, w)
				}
			}
			if _, any := got["disguised"]; any && want["disguised"] == nil {
				t.Errorf("disguised: got %v, want none", got["disguised"])
			}
		})
	}
}

func TestRelatedColumns(t *testing.T) {
	p, _ := profileText(t, "a,twice,squared,apart,code,label,other\n"+lines(100, func(i int) string {
		return fmt.Sprintf("%d,%d,%d,%d,k%d,label %d,o%d", i, -2*i, i*i, i*7919%101, i%3, i%3, i*7919%101%4)
	}))
	var got []string
	for _, pair := range p.Pairs {
		got = append(got, fmt.Sprintf("%s~%s %s %.2f", pair.A, pair.B, pair.Measure, pair.Value))
	}
	want := "a~twice spearman -1.00, a~squared spearman 1.00, twice~squared spearman -1.00, code~label cramers_v 1.00"
	if strings.Join(got, ", ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(got, ", "), want)
	}
}
