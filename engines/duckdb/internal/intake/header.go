package intake

import (
	"encoding/csv"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"ambit/internal/fault"
)

// maxName bounds the name of a column, in bytes.
const maxName = 256

// header reads the first record, which names the columns.
func (s *Sheet) header(r *csv.Reader, g *guard) ([]string, error) {
	fields, err := r.Read()
	if err == io.EOF {
		return nil, fault.New(fault.Invalid, "The file is empty.").WithFix("Send a file with a header line and at least one row.")
	}
	if err != nil {
		return nil, unreadable(err, 0)
	}
	names := append([]string{}, fields...)
	if err := CheckNames(names, s.limit.Columns); err != nil {
		return nil, err
	}
	if looksLikeData(names) {
		return nil, fault.New(fault.Invalid, "The first line holds numbers only, so it is no header.").
			WithFix("Add a first line with the names of the columns.")
	}
	g.record(r.InputOffset())
	return names, nil
}

// CheckNames refuses names of columns that cannot be told apart or written.
// Names differ if they differ in more than case.
// Faults: invalid.
func CheckNames(names []string, most int) error {
	if len(names) > most {
		return fault.New(fault.Invalid, "The file has %d columns; the limit is %d.", len(names), most).
			WithFix("Send fewer columns, or turn columns into rows.")
	}
	seen := map[string]int{}
	for i, name := range names {
		if err := checkName(i, name); err != nil {
			return err
		}
		key := strings.ToLower(name)
		if first, twice := seen[key]; twice {
			return fault.New(fault.Invalid, "Columns %d and %d are both named %q.", first+1, i+1, name).
				With("column", name).WithFix("Give every column a name of its own; case alone does not tell names apart.")
		}
		seen[key] = i
	}
	return nil
}

func checkName(i int, name string) error {
	switch {
	case !utf8.ValidString(name):
		return fault.New(fault.Invalid, "The name of column %d is not valid UTF-8.", i+1).WithFix("Save the file as UTF-8 and send it again.")
	case strings.TrimSpace(name) == "":
		return fault.New(fault.Invalid, "Column %d has no name.", i+1).WithFix("Write a name for every column in the first line.")
	case len(name) > maxName:
		return fault.New(fault.Invalid, "The name of column %d has %d bytes; the limit is %d.", i+1, len(name), maxName).WithFix("Shorten the name.")
	case strings.ContainsFunc(name, unprintable):
		return fault.New(fault.Invalid, "The name of column %d holds a control character.", i+1).
			WithFix("Remove line breaks, tabs and other control characters from the names of columns.")
	}
	return nil
}

func unprintable(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
}

func looksLikeData(names []string) bool {
	for _, n := range names {
		if c := classify(Trim(n)); c != integer && c != float && c != bigInteger {
			return false
		}
	}
	return true
}
