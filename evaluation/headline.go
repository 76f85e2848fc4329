package evaluation

import (
	"fmt"
	"strings"

	"ambit/metrics"
)

// headline is one sentence of at most 140 characters.
func headline(e Evaluation) string {
	parts := []string{e.phrase(e.Primary, true)}
	switch e.Task {
	case metrics.Multiclass:
		parts = append(parts, e.phrase("accuracy", false))
	case metrics.Regression:
		parts = append(parts, e.phrase("r2", false))
	}
	text := fmt.Sprintf("%s over %s, %s.", strings.Join(parts, ", "), counted(e.Rows, "row", "rows"), sources[e.Label])
	return strings.ToUpper(text[:1]) + text[1:]
}

// sources name the labels in prose.
var sources = map[Label]string{
	OOF:      "out of fold",
	Holdout:  "sealed holdout",
	External: "predicted elsewhere",
}

// phrase is a metric and its value, with its interval if asked for.
func (e Evaluation) phrase(name string, withCI bool) string {
	m, _ := metrics.Lookup(name)
	s := e.Metrics[name]
	if !s.Value.OK {
		return m.Label() + " undefined (" + strings.ReplaceAll(string(s.Reason), "_", " ") + ")"
	}
	text := fmt.Sprintf("%s %.4g", m.Label(), s.Value.V)
	if withCI && s.CI != nil && s.CI.Low.OK && s.CI.High.OK {
		text += fmt.Sprintf(" (95%% CI %.4g to %.4g)", s.CI.Low.V, s.CI.High.V)
	}
	return text
}

// counted is a number with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
