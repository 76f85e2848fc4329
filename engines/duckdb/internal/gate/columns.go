package gate

import "ambit/internal/fault"

// relation is what is known of the columns that a table or a query offers.
type relation struct {
	names map[string]bool
	open  bool // there may be more
}

func named(columns ...string) relation {
	r := relation{names: map[string]bool{}}
	for _, c := range columns {
		r.names[fold(c)] = true
	}
	return r
}

func (r relation) with(other relation) relation {
	out := relation{names: map[string]bool{}, open: r.open || other.open}
	for _, from := range []map[string]bool{r.names, other.names} {
		for name := range from {
			out.names[name] = true
		}
	}
	return out
}

// renamed adds the names of a column list. The old names stay: it is safe to
// know too many.
func (r relation) renamed(columns []string) relation {
	if len(columns) == 0 {
		return r
	}
	return r.with(named(columns...))
}

// columns returns what a table reference offers.
func (w *walker) columns(v any) relation {
	o, _ := v.(object)
	aliases := texts(o["column_name_alias"])
	switch text(o, "type") {
	case "BASE_TABLE":
		return w.baseColumns(fold(text(o, "table_name"))).renamed(aliases)
	case "SUBQUERY":
		body, _ := o["subquery"].(object)
		return w.outputs(body["node"]).renamed(aliases)
	case "JOIN":
		return w.columns(o["left"]).with(w.columns(o["right"]))
	case "TABLE_FUNCTION":
		f, _ := o["function"].(object)
		return named("ordinality", text(o, "alias"), text(f, "function_name")).renamed(aliases)
	case "EMPTY", "":
		return named()
	case "EXPRESSION_LIST":
		if len(aliases) > 0 {
			return named(aliases...)
		}
	}
	return relation{open: true}
}

func (w *walker) baseColumns(name string) relation {
	for i := len(w.ctes) - 1; i >= 0; i-- {
		if w.ctes[i].name == name {
			return w.ctes[i].columns
		}
	}
	return named(w.catalogue.tables[name]...)
}

// outputs returns what a query offers.
func (w *walker) outputs(v any) relation {
	o, _ := v.(object)
	if text(o, "type") != "SELECT_NODE" {
		if left := o["left"]; left != nil {
			return w.outputs(left).renamed(texts(o["aliases"]))
		}
		return relation{open: true}
	}
	out := named()
	if cteMap, _ := o["cte_map"].(object); len(list(cteMap, "map")) > 0 {
		out.open = true // its FROM may name a CTE that is out of scope here
	}
	for _, e := range list(o, "select_list") {
		item, _ := e.(object)
		switch parts := texts(item["column_names"]); {
		case text(item, "class") == "STAR":
			out = out.with(w.columns(o["from_table"]))
			out.open = out.open || !isEmpty(item["rename_list"]) || !isEmpty(item["expr"])
		case text(item, "alias") != "":
			out.names[fold(text(item, "alias"))] = true
		case len(parts) > 0:
			out.names[fold(parts[len(parts)-1])] = true
		default:
			out.open = true
		}
	}
	return out
}

// hidden refuses an alias that a query inside another uses as if it were a column
// of the outer one. The engine takes the alias: in
//
//	SELECT (SELECT max(v) FROM (SELECT v, DATE '2999-01-01' AS t FROM e WHERE e.ts <= t)) FROM labels
//
// the bound is not labels.t, and e is read into the future.
// Grouping and ordering by an alias are what they seem, and stay allowed.
func (w *walker) hidden(o object, own relation) error {
	aliases := map[string]bool{}
	for _, e := range list(o, "select_list") {
		item, _ := e.(object)
		name, parts := fold(text(item, "alias")), texts(item["column_names"])
		if name == "" || own.names[name] || len(parts) > 0 && fold(parts[len(parts)-1]) == name {
			continue
		}
		if w.outerColumn(name) {
			aliases[name] = true
		}
	}
	if len(aliases) == 0 {
		return nil
	}
	for _, part := range []any{o["select_list"], o["where_clause"], o["having"], o["qualify"], conditions(o["from_table"]), unplain(o["group_expressions"])} {
		if name, found := uses(part, aliases); found {
			return fault.New(fault.Invalid, "The alias %s hides a column of an outer query.", quote(name)).
				WithFix("Give the alias another name, or write the column as table.%s.", name)
		}
	}
	return nil
}

func (w *walker) outerColumn(name string) bool {
	for _, r := range w.around {
		if r.open || r.names[name] {
			return true
		}
	}
	return false
}

// conditions returns the join conditions of a FROM, in which aliases are in sight.
func conditions(v any) []any {
	o, _ := v.(object)
	if text(o, "type") != "JOIN" {
		return nil
	}
	return append(append(conditions(o["left"]), conditions(o["right"])...), o["condition"])
}

// unplain returns the expressions of a list that are more than a column.
func unplain(v any) []any {
	var out []any
	l, _ := v.([]any)
	for _, e := range l {
		if o, _ := e.(object); text(o, "class") != "COLUMN_REF" {
			out = append(out, e)
		}
	}
	return out
}

// uses returns the first name in names that a column reference under v starts with.
func uses(v any, names map[string]bool) (string, bool) {
	switch x := v.(type) {
	case object:
		if text(x, "class") == "COLUMN_REF" {
			parts := texts(x["column_names"])
			return first(parts), len(parts) > 0 && names[fold(parts[0])]
		}
		for _, c := range x {
			if name, found := uses(c, names); found {
				return name, true
			}
		}
	case []any:
		for _, c := range x {
			if name, found := uses(c, names); found {
				return name, true
			}
		}
	}
	return "", false
}

func first(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return parts[0]
}
