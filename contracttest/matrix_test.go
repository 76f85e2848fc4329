package contracttest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
)

// Every served route, with every caller: the answer is the one that the law
// has. What is wrong is printed as a table.
func testMatrix(t *testing.T, w *world) {
	rows, _ := served(t)
	var wrong [][]string
	cells, refused := 0, 0
	for _, r := range rows {
		for _, name := range slices.Sorted(maps.Keys(w.callers)) {
			c := w.callers[name]
			want, got := r.verdict(c), w.try(t, r, c)
			cells++
			if want != through {
				refused++
			}
			if !want.kept(r, got) {
				wrong = append(wrong, []string{r.place(), name, want.String(), fmt.Sprintf("%d %s", got.status, got.code()), cut(got)})
			}
		}
	}
	if len(wrong) > 0 {
		t.Errorf("%d of %d cells are wrong:\n%s", len(wrong), cells, table([]string{"route", "caller", "want", "got", "answer"}, wrong))
	}
	t.Logf("%d routes, %d callers, %d cells, of which %d refusals", len(rows), len(w.callers), cells, refused)
}

// cut is the beginning of an answer.
func cut(a answer) string {
	if a.err != nil {
		return a.err.Error()
	}
	return string(a.body[:min(len(a.body), 160)])
}

func table(head []string, rows [][]string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{head}, rows...) {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	w.Flush()
	return b.String()
}

// A token needs a key on every builder route, before anything is done; a person needs none.
func testKeys(t *testing.T, w *world) {
	rows, _ := served(t)
	for _, r := range rows {
		if !r.key {
			continue
		}
		s := w.sample(t, r)
		w.send(w.callers["builder"].credential, r.method, s.path, s.body).is(t, r.place()+" without a key", 400, "malformed")
		for _, key := range []string{"", "two words", "é", strings.Repeat("k", 256)} {
			w.send(w.callers["builder"].credential, r.method, s.path, s.body, withKey(key)).is(t, fmt.Sprintf("%s with the key %.12q", r.place(), key), 400, "malformed")
		}
		if a := w.send(w.callers["operator"].credential, r.method, s.path, s.body); a.status == 400 {
			t.Errorf("%s by a person without a key: got 400: %s", r.place(), a.body)
		}
	}
}

// Planned rows answer like a route that is not there, to everybody.
func testPlanned(t *testing.T, w *world) {
	_, rows := served(t)
	var wrong [][]string
	for _, r := range rows {
		path := strings.NewReplacer("{ws}", w.a, "{id}", w.things["dataset"], "{kind}", "cost", "{probe}", "signal", "{tool}", "x", "{alias}", "prod").Replace(r.path)
		for name, c := range w.callers {
			if a := w.send(c.credential, r.method, path, nil); a.status != 404 || a.code() != "not_found" {
				wrong = append(wrong, []string{r.place(), name, fmt.Sprintf("%d %s", a.status, a.code()), cut(a)})
			}
		}
		t.Log(r.place())
	}
	if len(wrong) > 0 {
		t.Errorf("planned rows that are there:\n%s", table([]string{"route", "caller", "got", "answer"}, wrong))
	}
}
