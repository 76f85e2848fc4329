package gate

import (
	"strings"
	"testing"

	"ambit/internal/fault"
)

// The gate as a whole is tested with the engine's own parser, in the package above.

func TestClean(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"plain", `Referenced column "x" not found`, `Referenced column "x" not found`},
		{"stack trace", "INTERNAL Error: oops\n\nStack Trace:\n\n/usr/bin/ambit(foo+0x5) [0x12ab]", "INTERNAL Error: oops"},
		{"quoted statement", "no such thing\n\nLINE 1: SELECT secret\n               ^", "no such thing"},
		{"path", `cannot open file "/data/ws/w1/t.duckdb": denied`, `cannot open file "(path)": denied`},
		{"path at the start", "/data/ws/w1 is gone", "(path) is gone"},
		{"address", "at 0x7ffe12ab34cd there", "at (address) there"},
		{"url", "cannot reach http://169.254.169.254/latest/meta-data now", "cannot reach (path) now"},
		{"division", `syntax error at or near "/"`, `syntax error at or near "/"`},
		{"fractions stay", "1/2 and 3/4/5", "1/2 and 3/4/5"},
		{"lines are joined", "a\n  b\tc", "a b c"},
		{"long", strings.Repeat("é", 400), strings.Repeat("é", 250)},
		{"not utf-8", "a\xffb", "a\ufffdb"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Clean(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNearest(t *testing.T) {
	names := []string{"sum", "sumkahan", "substring", "substr", "count", "customers", "orders", "Orders_2024"}
	tests := []struct{ name, want string }{
		{"substrin", "substr,substring"},
		{"cuont", ""},
		{"coutn", ""},
		{"counts", "count"},
		{"CUSTOMER", "customers"},
		{"orders", "orders,Orders_2024"},
		{"x", ""},
		{strings.Repeat("a", 5000), ""},
	}
	for _, tt := range tests {
		if got := strings.Join(nearest(tt.name, names), ","); got != tt.want {
			t.Errorf("%.20s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"kitten", "sitting", 3}, {"abc", "acb", 2}}
	for _, tt := range tests {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

// node returns a statement's tree around a part of it.
func node(from, where string) string {
	return `{"error":false,"statements":[{"node":{"type":"SELECT_NODE","cte_map":{"map":[]},"select_list":[{"class":"STAR","type":"STAR"}],` +
		`"from_table":` + from + `,"where_clause":` + where + `}}]}`
}

const (
	fromT  = `{"type":"BASE_TABLE","table_name":"t"}`
	isTrue = `{"class":"CONSTANT","type":"VALUE_CONSTANT","value":{"type":{"id":"BOOLEAN"},"is_null":false,"value":true}}`
)

// TestUnknownTreesAreRefused gives the gate what an engine of tomorrow might
// make of a statement: whatever is not on a list is refused.
func TestUnknownTreesAreRefused(t *testing.T) {
	catalogue := NewCatalogue(map[string][]string{"T": {"a"}})
	tests := []struct {
		name, tree string
		code       fault.Code
	}{
		{"known", node(fromT, isTrue), ""},
		{"class", node(fromT, `{"class":"ORACLE","type":"X"}`), fault.NotSelect},
		{"no class", node(fromT, `{"type":"X"}`), fault.NotSelect},
		{"member", node(fromT, strings.Replace(isTrue, `"class"`, `"reads":"file","class"`, 1)), fault.NotSelect},
		{"member that is empty", node(fromT, strings.Replace(isTrue, `"class"`, `"reads":"","class"`, 1)), ""},
		{"table", node(`{"type":"REMOTE_TABLE","table_name":"t"}`, isTrue), fault.NotSelect},
		{"member of a table", node(`{"type":"BASE_TABLE","table_name":"t","at_clause":{"unit":"X"}}`, isTrue), fault.NotSelect},
		{"type", node(fromT, `{"class":"CONSTANT","type":"VALUE_CONSTANT","value":{"type":{"id":"SECRET"},"value":1}}`), fault.FunctionNotAllowed},
		{"type behind an alias", node(fromT, `{"class":"CONSTANT","type":"VALUE_CONSTANT","value":{"type":{"id":"BLOB","type_info":{"type":"GENERIC_TYPE_INFO","alias":"SECRET"}},"value":1}}`), fault.FunctionNotAllowed},
		{"expression that is a list", node(fromT, `[]`), ""},
		{"expression that is a text", node(fromT, `"x"`), fault.NotSelect},
		{"query", `{"error":false,"statements":[{"node":{"type":"INSERT_NODE"}}]}`, fault.NotSelect},
		{"recursion outside of a cte", `{"error":false,"statements":[{"node":{"type":"RECURSIVE_CTE_NODE","left":{},"right":{}}}]}`, fault.NotSelect},
		{"member of a statement", `{"error":false,"statements":[{"node":{"type":"SELECT_NODE"},"then":{"type":"X"}}]}`, fault.NotSelect},
		{"modifier", `{"error":false,"statements":[{"node":{"type":"SELECT_NODE","modifiers":[{"type":"INTO_FILE"}]}}]}`, fault.NotSelect},
		{"no statement", `{"error":false,"statements":[]}`, fault.Invalid},
		{"two", `{"error":false,"statements":[{},{}]}`, fault.MultipleStatements},
		{"no JSON", `{`, fault.Invalid},
		{"deeper than JSON may be", strings.Repeat(`{"a":`, 20_000), fault.TooComplex},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := catalogue.Check([]byte(tt.tree)); fault.CodeOf(err) != tt.code {
				t.Errorf("got %v, want %q", err, tt.code)
			}
		})
	}
}

func TestSame(t *testing.T) {
	values := `{"type":"EXPRESSION_LIST","alias":"v","values":[]}`
	wrapped := func(extra string) string {
		return `{"type":"SUBQUERY","alias":"v","subquery":{"node":{"type":"SELECT_NODE","select_list":[{"class":"STAR","type":"STAR"}],"from_table":` + values + extra + `}}}`
	}
	tests := []struct {
		name, a, b string
		same       bool
	}{
		{"equal", `{"x":[1,{"y":"z"}]}`, `{"x":[1,{"y":"z"}]}`, true},
		{"places", `{"x":1,"query_location":5}`, `{"x":1,"query_location":9}`, true},
		{"number", `{"x":1}`, `{"x":2}`, false},
		{"digits of a number", `{"x":1.10}`, `{"x":1.1}`, false},
		{"member", `{"x":1}`, `{"x":1,"y":2}`, false},
		{"order", `{"x":[1,2]}`, `{"x":[2,1]}`, false},
		{"truth", `{"e":` + isTrue + `}`, `{"e":{"class":"CAST","type":"OPERATOR_CAST","alias":"","try_cast":false,"cast_type":{"id":"BOOLEAN"},"child":{"class":"CONSTANT","type":"VALUE_CONSTANT","alias":"","value":{"type":{"id":"VARCHAR"},"is_null":false,"value":"t"}}}}`, true},
		{"values in brackets", `{"f":` + values + `}`, `{"f":` + wrapped("") + `}`, true},
		{"values under a condition", `{"f":` + values + `}`, `{"f":` + wrapped(`,"where_clause":`+isTrue) + `}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := Same([]byte(tt.a), []byte(tt.b)); (err == nil) != tt.same {
				t.Errorf("got %v, want the same: %v", err, tt.same)
			}
		})
	}
}

func TestFamilies(t *testing.T) {
	for _, broken := range []string{"allow call: no name", "perhaps call x: y", "allow pragma x: y", "allow call x", "allow call x: y\n  f f"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q was taken", broken)
				}
			}()
			mustIndex(broken)
		}()
	}
	if f := known.calls["sum"]; f == nil || !f.Allowed {
		t.Error("sum is not allowed")
	}
	if f := known.tables["read_csv"]; f == nil || f.Allowed {
		t.Error("read_csv is not denied")
	}
}
