package worker

import (
	"encoding/json"
	"fmt"

	"ambit/datasets"
)

// shownText is how many characters of a text a profile shows.
const shownText = 200

// profileTexts profiles a column by its distinct values.
func profileTexts(c *connection, f field, p *datasets.ColumnProfile) error {
	var raw []byte
	e := &encoder{canonical: true}
	err := c.stream(textSQL(f), func(columns []*column, _ int) (bool, error) {
		raw = e.row(raw, columns, 0)
		return false, nil
	})
	if err != nil {
		return err
	}
	return readTexts(raw, f, p)
}

// textSQL gathers the figures from one count of every distinct value.
func textSQL(f field) string {
	name := quoteName(f.name)
	return fmt.Sprintf(`
		WITH f AS MATERIALIZED (SELECT CAST(%[1]s AS VARCHAR) AS v, count(*) AS n FROM %[2]s WHERE %[1]s IS NOT NULL GROUP BY 1)
		SELECT (SELECT count(*) FROM %[2]s) - coalesce(sum(n), 0)::BIGINT, count(*), left(min(v), %[3]d), left(max(v), %[3]d),
			min(length(v)), max(length(v)), sum(length(v) * n) / sum(n), sum(len(string_split_regex(trim(v), '\s+')) * n) / sum(n),
			(SELECT list({'value': left(v, %[3]d), 'count': n}) FROM (SELECT v, n FROM f ORDER BY n DESC, v LIMIT %[4]d)),
			(SELECT list({'value': v, 'count': n}) FROM (SELECT v, n FROM f WHERE lower(trim(v)) IN (%[5]s) ORDER BY n DESC, v LIMIT %[4]d))
		FROM f`, name, builtTable, shownText, maxTop, missingTextList())
}

func readTexts(raw []byte, f field, p *datasets.ColumnProfile) error {
	var lengths struct {
		min, max    *int64
		mean, words *float64
	}
	cells := []any{
		&p.Missing, &p.Distinct, &p.Min, &p.Max, &lengths.min, &lengths.max, &lengths.mean, &lengths.words, &p.Top, &p.Disguised,
	}
	if err := json.Unmarshal(raw, &cells); err != nil {
		return fmt.Errorf("reading the figures of texts: %w", err)
	}
	if typeNames[f.typ] == "VARCHAR" && lengths.min != nil {
		p.Lengths = &datasets.Lengths{Min: *lengths.min, Max: *lengths.max, Mean: *lengths.mean, Words: *lengths.words}
	}
	return nil
}
