package training

import (
	"testing"

	"ambit/datasets"
)

func TestChooseFeatures(t *testing.T) {
	tests := []struct {
		name              string
		column            datasets.Column
		missing, distinct int64
		want              string // encoding, or the reason against it
	}{
		{"number", datasets.Column{Type: "DOUBLE"}, 0, 100, "number"},
		{"decimal", datasets.Column{Type: "DECIMAL(18,3)"}, 0, 100, "number"},
		{"number, each value once", datasets.Column{Type: "BIGINT"}, 0, 100, "number"},
		{"number of few values", datasets.Column{Type: "INTEGER", Semantic: datasets.Category}, 0, 3, "number"},
		{"text", datasets.Column{Type: "VARCHAR"}, 0, 95, "one_hot"},
		{"enum", datasets.Column{Type: "ENUM('a', 'b')"}, 0, 2, "one_hot"},
		{"boolean", datasets.Column{Type: "BOOLEAN"}, 0, 2, "one_hot"},
		{"date, each once", datasets.Column{Type: "DATE"}, 0, 100, "date_parts"},
		{"time with zone", datasets.Column{Type: "TIMESTAMP WITH TIME ZONE"}, 0, 100, "date_parts"},
		{"one value and missing", datasets.Column{Type: "VARCHAR"}, 50, 1, "one_hot"},
		{"mostly present", datasets.Column{Type: "DOUBLE"}, 95, 5, "number"},

		{"constant", datasets.Column{Type: "DOUBLE"}, 0, 1, "constant"},
		{"empty", datasets.Column{Type: "VARCHAR"}, 100, 0, "constant"},
		{"mostly missing", datasets.Column{Type: "DOUBLE"}, 96, 4, "96% of it is missing"},
		{"id-like text", datasets.Column{Type: "VARCHAR"}, 0, 96, "id-like: nearly every value is another"},
		{"id-like among the present", datasets.Column{Type: "VARCHAR"}, 50, 49, "id-like: nearly every value is another"},
		{"identifier", datasets.Column{Type: "BIGINT", Semantic: datasets.ID}, 0, 100, "an identifier"},
		{"free text", datasets.Column{Type: "VARCHAR", Semantic: datasets.Text}, 0, 60, "free text"},
		{"list", datasets.Column{Type: "VARCHAR[]"}, 0, 60, "its type is not learnt from"},
		{"unknown type", datasets.Column{Type: "BLOB"}, 0, 60, "its type is not learnt from"},
		{"ignored", datasets.Column{Type: "DOUBLE"}, 0, 60, "the plan asks for it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.column.Name = "x"
			v := datasets.Version{Rows: 100, Columns: []datasets.Column{{Name: "y", Type: "BIGINT"}, tt.column}}
			v.Profile.Columns = []datasets.ColumnProfile{{Name: "x", Missing: tt.missing, Distinct: tt.distinct}}
			ignore := []string{}
			if tt.name == "ignored" {
				ignore = append(ignore, "x")
			}
			features, ignored := chooseFeatures(v, "y", ignore)
			got := ""
			for _, f := range features {
				got += f.Encoding
			}
			for _, i := range ignored {
				got += i.Reason
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNearest(t *testing.T) {
	names := []string{"age", "credit_amount", "duration", "housing", "job"}
	tests := []struct{ unknown, want string }{
		{"Age", "age"}, {"credit_amont", "credit_amount"}, {"jobs", "job"}, {"amount_credit", "credit_amount"},
	}
	for _, tt := range tests {
		if got := nearest(tt.unknown, names); len(got) != 3 || got[0] != tt.want {
			t.Errorf("nearest(%q) = %v, want %s first of 3", tt.unknown, got, tt.want)
		}
	}
	if got := nearest("x", nil); len(got) != 0 {
		t.Errorf("nearest of none = %v", got)
	}
}

func TestEditDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"same", "same", 0}}
	for _, tt := range tests {
		if got := editDistance(tt.a, tt.b); got != tt.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
