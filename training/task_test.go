package training

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ambit/datasets"
	"ambit/internal/fault"
	"ambit/plans"
)

// valuesOf counts values written as "text:rows".
func valuesOf(pairs string) Values {
	v := Values{Classes: []plans.Class{}}
	for _, p := range strings.Fields(pairs) {
		var c plans.Class
		text, rows, _ := strings.Cut(p, ":")
		fmt.Sscan(rows, &c.Rows)
		c.Value = text
		v.Classes = append(v.Classes, c)
		v.Present += c.Rows
	}
	slices.SortFunc(v.Classes, func(a, b plans.Class) int { return strings.Compare(a.Value, b.Value) })
	return v
}

// many counts n values of rows each, numbered from 1.
func many(n, rows int) Values {
	pairs := ""
	for i := range n {
		pairs += fmt.Sprintf("%d:%d ", i+1, rows)
	}
	return valuesOf(pairs)
}

func TestInferTask(t *testing.T) {
	tests := []struct {
		name, typ string
		values    Values
		want      plans.Task
		warning   string
	}{
		{"two texts", "VARCHAR", valuesOf("bad:300 good:700"), plans.Binary, ""},
		{"a boolean", "BOOLEAN", valuesOf("false:9 true:6"), plans.Binary, ""},
		{"two numbers", "BIGINT", valuesOf("0:500 1:268"), plans.Binary, ""},
		{"two fractions", "DOUBLE", valuesOf("0.0:500 1.0:268"), plans.Binary, ""},
		{"three texts", "VARCHAR", valuesOf("a:5 b:50 c:50"), plans.Multiclass, ""},
		{"twenty texts", "VARCHAR", many(20, 10), plans.Multiclass, ""},
		{"codes of classes", "BIGINT", valuesOf("0:50 1:50 2:50"), plans.Multiclass, "task_ambiguous"},
		{"codes of classes, uneven", "INTEGER", valuesOf("1:59 2:71 3:48"), plans.Multiclass, "task_ambiguous"},
		{"grades", "BIGINT", valuesOf("3:10 4:53 5:681 6:638 7:199 8:18"), plans.Regression, "task_ambiguous"},
		{"grades beyond 9 in the order of numbers", "BIGINT", valuesOf("8:11 9:30 10:70 11:40 12:12"), plans.Regression, "task_ambiguous"},
		{"few numbers, some rare", "BIGINT", valuesOf("1:50 2:50 3:9"), plans.Regression, "task_ambiguous"},
		{"many numbers", "BIGINT", many(21, 10), plans.Regression, ""},
		{"too many numbers to count", "BIGINT", Values{Present: 1000}, plans.Regression, ""},
		{"few fractions", "DECIMAL(18,3)", many(5, 100), plans.Regression, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings, err := InferTask(datasets.Column{Name: "y", Type: tt.typ}, tt.values)
			if err != nil || got != tt.want {
				t.Fatalf("InferTask = %q, %v, want %q", got, err, tt.want)
			}
			code := ""
			if len(warnings) > 0 {
				code = warnings[0].Code
			}
			if code != tt.warning {
				t.Errorf("warning = %q, want %q", code, tt.warning)
			}
		})
	}
}

func TestInferTaskRefuses(t *testing.T) {
	tests := []struct {
		name, typ string
		values    Values
		detail    string
	}{
		{"all missing", "VARCHAR", Values{Classes: []plans.Class{}}, "target: has no value in any row."},
		{"constant", "BIGINT", valuesOf("7:100"), "target: has the same value in every row."},
		{"too few rows", "VARCHAR", valuesOf("a:5 b:4"), "target: has a value in 9 rows only; 10 are the least to learn from."},
		{"too many texts", "VARCHAR", many(21, 10), "target: has 21 distinct texts, which are too many to be taken for classes."},
		{"dates", "DATE", many(15, 10), "target: must hold numbers, texts or booleans."},
		{"lists", "BIGINT[]", many(3, 10), "target: must hold numbers, texts or booleans."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := InferTask(datasets.Column{Name: "y", Type: tt.typ}, tt.values)
			f := fault.From(err)
			if f.Code != fault.Invalid || f.Detail != tt.detail {
				t.Errorf("fault = %s %q, want invalid %q", f.Code, f.Detail, tt.detail)
			}
			if len(f.Fields) != 1 || f.Fields[0].Path != "target" || f.Fix == "" {
				t.Errorf("fields %v, fix %q: want the field target and a fix", f.Fields, f.Fix)
			}
		})
	}
}

func TestCheckTask(t *testing.T) {
	number, text := datasets.Column{Type: "BIGINT"}, datasets.Column{Type: "VARCHAR"}
	tests := []struct {
		name   string
		task   plans.Task
		column datasets.Column
		values Values
		want   string // of the field that is wrong; "" is none
	}{
		{"numbers as amounts", plans.Regression, number, many(3, 50), ""},
		{"two numbers as amounts", plans.Regression, number, many(2, 50), ""},
		{"thirty texts as classes", plans.Multiclass, text, many(30, 5), ""},
		{"two of two", plans.Binary, text, many(2, 5), ""},
		{"texts as amounts", plans.Regression, text, many(3, 50), "task"},
		{"three of two", plans.Binary, text, many(3, 5), "task"},
		{"uncounted as two", plans.Binary, number, Values{Present: 900}, "task"},
		{"two as several", plans.Multiclass, text, many(2, 50), "task"},
		{"too many classes", plans.Multiclass, text, many(101, 5), "task"},
		{"constant", plans.Regression, number, many(1, 50), "target"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if err := checkTask(tt.task, tt.column, tt.values); err != nil {
				got = fault.From(err).Fields[0].Path
			}
			if got != tt.want {
				t.Errorf("wrong field = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPositiveClass(t *testing.T) {
	tests := []struct{ values, asked, want string }{
		{"bad:300 good:700", "", "bad"},
		{"no:700 yes:300", "", "yes"},
		{"no:500 yes:500", "", "yes"}, // of equals the last in text order
		{"no:700 yes:300", "no", "no"},
		{"no:700 yes:300", "maybe", ""},
	}
	for _, tt := range tests {
		got, err := positiveClass(valuesOf(tt.values).Classes, tt.asked)
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("positiveClass(%s, %q) = %q, %v, want %q", tt.values, tt.asked, got, err, tt.want)
		}
	}
}

func TestDropRare(t *testing.T) {
	kept, warnings := valuesOf("a:50 b:1 c:2 d:1").dropRare()
	if want := valuesOf("a:50 c:2"); !slices.Equal(kept.Classes, want.Classes) || kept.Present != 52 {
		t.Errorf("kept %v, %d rows, want %v, 52", kept.Classes, kept.Present, want.Classes)
	}
	if len(warnings) != 1 || warnings[0].Code != "class_dropped" {
		t.Errorf("warnings = %v, want class_dropped", warnings)
	}
	if _, warnings := valuesOf("a:50 b:2").dropRare(); warnings != nil {
		t.Errorf("nothing to drop: warnings = %v, want none", warnings)
	}
}
