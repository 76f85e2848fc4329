package training

import (
	"fmt"
	"slices"
	"strings"

	"ambit/datasets"
	"ambit/plans"
)

// Encodings of a feature.
const (
	encodeNumber = "number"     // one float32
	encodeOneHot = "one_hot"    // one 0 or 1 a level
	encodeDate   = "date_parts" // year, month, day, weekday (Monday is 1), and hour of a datetime
)

const (
	idLikeShare  = 0.95 // of distinct values, in a column that is not a number
	missingShare = 0.95
)

// kind is what the engine's type of a column can be learnt as.
type kind int

const (
	kindOther kind = iota
	kindWhole
	kindFraction
	kindBool
	kindText
	kindDate
	kindDatetime
)

// kinds lists the types of the tables' engine; what follows a bracket or a space
// is not looked at.
var kinds = map[string]kind{
	"TINYINT": kindWhole, "SMALLINT": kindWhole, "INTEGER": kindWhole, "BIGINT": kindWhole, "HUGEINT": kindWhole,
	"UTINYINT": kindWhole, "USMALLINT": kindWhole, "UINTEGER": kindWhole, "UBIGINT": kindWhole, "UHUGEINT": kindWhole,
	"FLOAT": kindFraction, "DOUBLE": kindFraction, "DECIMAL": kindFraction,
	"BOOLEAN": kindBool, "VARCHAR": kindText, "ENUM": kindText, "UUID": kindText, "DATE": kindDate,
	"TIMESTAMP": kindDatetime, "TIMESTAMP_S": kindDatetime, "TIMESTAMP_MS": kindDatetime, "TIMESTAMP_NS": kindDatetime,
}

func kindOf(c datasets.Column) kind {
	if strings.HasSuffix(c.Type, "]") {
		return kindOther // a list of anything
	}
	name, _, _ := strings.Cut(c.Type, "(")
	name, _, _ = strings.Cut(name, " ")
	return kinds[strings.ToUpper(name)]
}

func (k kind) number() bool { return k == kindWhole || k == kindFraction }

// encoding returns how a column of the kind is encoded, "" if it cannot be.
func (k kind) encoding() string {
	switch k {
	case kindWhole, kindFraction:
		return encodeNumber
	case kindBool, kindText:
		return encodeOneHot
	case kindDate, kindDatetime:
		return encodeDate
	}
	return ""
}

// readFeature returns the form in which a feature is read.
func readFeature(f plans.Feature) datasets.ReadAs {
	if f.Encoding == encodeNumber {
		return datasets.AsFloat32
	}
	return datasets.AsLevels
}

// chooseFeatures parts the columns beside the target into what is learnt from
// and what is not, and why, both in table order.
func chooseFeatures(v datasets.Version, target string, ignore []string) ([]plans.Feature, []plans.Ignored) {
	features, ignored := []plans.Feature{}, []plans.Ignored{}
	for _, c := range v.Columns {
		if c.Name == target {
			continue
		}
		reason := reasonAgainst(c, profileOf(v, c.Name), v.Rows)
		if slices.Contains(ignore, c.Name) {
			reason = "the plan asks for it"
		}
		if reason != "" {
			ignored = append(ignored, plans.Ignored{Name: c.Name, Reason: reason})
			continue
		}
		features = append(features, plans.Feature{Name: c.Name, Type: c.Type, Encoding: kindOf(c).encoding()})
	}
	return features, ignored
}

// profileOf returns what is known of a column, or nil.
func profileOf(v datasets.Version, name string) *datasets.ColumnProfile {
	for i := range v.Profile.Columns {
		if v.Profile.Columns[i].Name == name {
			return &v.Profile.Columns[i]
		}
	}
	return nil
}

// reasonAgainst says why a column is not learnt from, "" if it is.
func reasonAgainst(c datasets.Column, p *datasets.ColumnProfile, rows int64) string {
	k := kindOf(c)
	switch {
	case k.encoding() == "":
		return "its type is not learnt from"
	case c.Semantic == datasets.ID:
		return "an identifier"
	case c.Semantic == datasets.Text:
		return "free text"
	case p == nil || rows == 0:
		return ""
	}
	present := rows - p.Missing
	switch {
	case p.Distinct == 0 || p.Distinct == 1 && p.Missing == 0:
		return "constant"
	case float64(p.Missing) > missingShare*float64(rows):
		return fmt.Sprintf("%.0f%% of it is missing", 100*float64(p.Missing)/float64(rows))
	case k == kindText && float64(p.Distinct) > idLikeShare*float64(present):
		return "id-like: nearly every value is another"
	}
	return ""
}
