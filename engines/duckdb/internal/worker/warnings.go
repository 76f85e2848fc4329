package worker

import (
	"fmt"
	"strings"

	"ambit/datasets"
)

// mostlyMissing is the share of missing values from which a column is reported.
const mostlyMissing = 0.5

// warnings says what a user should know before using the table.
func warnings(p datasets.Profile) []datasets.Warning {
	out := []datasets.Warning{}
	add := func(code, fix, format string, args ...any) {
		out = append(out, datasets.Warning{Code: code, Message: fmt.Sprintf(format, args...), Fix: fix})
	}
	if p.DuplicateRows > 0 {
		add("duplicate_rows", "Keep them if repeats are real; else remove them before training.",
			"%d of %d rows repeat an earlier row exactly.", p.DuplicateRows, p.Rows)
	}
	for _, c := range p.Columns {
		switch {
		case c.Missing == p.Rows:
			add("all_missing", "Leave the column out.", "Column %q has no values.", c.Name)
		case c.Semantic == datasets.Constant:
			add("constant_column", "Leave the column out.", "Column %q has one value only.", c.Name)
		case float64(c.Missing) > mostlyMissing*float64(p.Rows):
			add("mostly_missing", "Check whether the column was filled in at all, and when.",
				"Column %q is missing in %.0f%% of the rows.", c.Name, 100*float64(c.Missing)/float64(p.Rows))
		}
		if len(c.Disguised) > 0 {
			add("disguised_missing", "Leave missing values empty, and send the file again.",
				"Column %q: %s may stand for missing values.", c.Name, listLevels(c.Disguised))
		}
		if c.Nonfinite > 0 {
			add("nonfinite", "Leave missing values empty.", "Column %q has %d values that are NaN or infinite.", c.Name, c.Nonfinite)
		}
	}
	for _, pair := range p.Pairs {
		add("related_columns", "One of them may be enough; if one is the target, the other may give it away.",
			"Columns %q and %q say nearly the same (%s %.2f).", pair.A, pair.B, pair.Measure, pair.Value)
	}
	return out
}

func listLevels(levels []datasets.Level) string {
	parts := make([]string, len(levels))
	for i, l := range levels {
		parts[i] = fmt.Sprintf("%q (%d)", l.Value, l.Count)
	}
	return strings.Join(parts, ", ")
}
