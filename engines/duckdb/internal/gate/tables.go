package gate

import (
	"fmt"

	"ambit/internal/fault"
)

// cte is a common table expression that is in scope.
type cte struct {
	name     string
	columns  relation
	expanded int // references to CTEs in it, once they are written out
}

// query checks a query with the CTEs that it brings. A CTE sees those before it
// and, if it is recursive, itself in its second half only: elsewhere the engine
// takes its own name for a table of the catalogue, such as the list of settings.
func (w *walker) query(v any, depth int) error {
	o, _ := v.(object)
	s, ok := queryShapes[text(o, "type")]
	if !ok {
		return notServed("This kind of query")
	}
	outer := len(w.ctes)
	defer func() { w.ctes = w.ctes[:outer] }()
	cteMap, _ := o["cte_map"].(object)
	for _, entry := range list(cteMap, "map") {
		if err := w.cte(entry, depth+1); err != nil {
			return err
		}
	}
	s = append(ofQuery[:len(ofQuery):len(ofQuery)], s...)
	switch text(o, "type") {
	case "SELECT_NODE":
		return w.block(o, s, depth)
	case "SET_OPERATION_NODE":
		return w.object(v, s, depth)
	}
	return notServed("A recursive query outside of WITH RECURSIVE")
}

func (w *walker) cte(v any, depth int) error {
	entry, _ := v.(object)
	value, _ := entry["value"].(object)
	body, _ := value["query"].(object)
	node, _ := body["node"].(object)
	name, before := fold(text(entry, "key")), w.expanded
	w.expanded = 0
	err := w.cteBody(name, value, node, depth)
	c := cte{name: name, expanded: w.expanded}
	w.expanded = before
	if err != nil {
		return err
	}
	c.columns = w.outputs(node).renamed(texts(value["aliases"]))
	w.ctes = append(w.ctes, c)
	return nil
}

// cteBody checks what a CTE is made of.
func (w *walker) cteBody(name string, value, node object, depth int) error {
	if text(node, "type") != "RECURSIVE_CTE_NODE" {
		return w.object(value, cteShape, depth)
	}
	outer := len(w.ctes)
	defer func() { w.ctes = w.ctes[:outer] }()
	inner, _ := node["cte_map"].(object)
	for _, entry := range list(inner, "map") {
		if err := w.cte(entry, depth+1); err != nil {
			return err
		}
	}
	if err := w.query(node["left"], depth+1); err != nil {
		return err
	}
	w.ctes = append(w.ctes, cte{name: name, columns: w.outputs(node).renamed(texts(value["aliases"]))})
	if err := w.query(node["right"], depth+1); err != nil {
		return err
	}
	shape := append(ofQuery[:len(ofQuery):len(ofQuery)], queryShapes["RECURSIVE_CTE_NODE"]...)
	if err := w.object(node, without(without(shape, "left"), "right"), depth); err != nil {
		return err
	}
	return w.object(value, without(cteShape, "query"), depth)
}

// block checks one SELECT. What it selects from is in sight of the queries inside it.
func (w *walker) block(o object, s shape, depth int) error {
	own := w.columns(o["from_table"])
	if err := w.hidden(o, own); err != nil {
		return err
	}
	// The tables themselves see only what is around the block, and each other
	// from left to right; join adds that.
	if from := o["from_table"]; from != nil {
		if err := w.table(from, depth+1); err != nil {
			return err
		}
	}
	w.around = append(w.around, own)
	defer func() { w.around = w.around[:len(w.around)-1] }()
	return w.object(o, without(s, "from_table"), depth)
}

// without returns s with a member that has been checked already.
func without(s shape, name string) shape {
	out := append(shape{}, s...)
	for i := range out {
		if out[i].name == name {
			out[i].kind = scalar
		}
	}
	return out
}

func (w *walker) table(v any, depth int) error {
	o, _ := v.(object)
	s, ok := tableShapes[text(o, "type")]
	if !ok {
		return notServed("This kind of table")
	}
	s = append(ofTable[:len(ofTable):len(ofTable)], s...)
	switch text(o, "type") {
	case "BASE_TABLE":
		if err := w.base(o); err != nil {
			return err
		}
	case "TABLE_FUNCTION":
		if err := w.tableFunction(o, depth); err != nil {
			return err
		}
	case "SHOW_REF":
		if t := text(o, "show_type"); t != "DESCRIBE" && t != "SUMMARY" {
			return fault.New(fault.NotSelect, "SHOW is not available.").WithFix("Use DESCRIBE or SUMMARIZE of a table.")
		}
	case "JOIN":
		return w.join(o, s, depth)
	}
	return w.object(v, s, depth)
}

func (w *walker) base(o object) error {
	name := text(o, "table_name")
	if text(o, "schema_name") != "" || text(o, "catalog_name") != "" {
		full := text(o, "schema_name") + "." + name
		return fault.New(fault.UnknownTable, "There is no table %s: tables have no schema.", quote(full)).
			With("tables", w.catalogue.near(name)).WithFix("Write the name of a dataset by itself.")
	}
	for i := len(w.ctes) - 1; i >= 0; i-- {
		if w.ctes[i].name == fold(name) {
			return w.reference(w.ctes[i])
		}
	}
	if _, ok := w.catalogue.tables[fold(name)]; !ok {
		return w.catalogue.unknown(name)
	}
	return nil
}

// reference counts a use of a CTE, and what it comes to if the planner writes
// CTEs out: a chain of CTEs that each join the one before doubles at each step.
func (w *walker) reference(c cte) error {
	w.refs++
	w.expanded += 1 + c.expanded
	if w.refs > maxRefs || w.expanded > maxExpanded {
		return fault.New(fault.TooComplex, "The statement uses its WITH queries too often.").
			WithFix("Use each WITH query fewer times; at most %d uses, %d when they are written out.", maxRefs, maxExpanded)
	}
	return nil
}

func (w *walker) tableFunction(o object, depth int) error {
	f, _ := o["function"].(object)
	name := fold(text(f, "function_name"))
	if family := known.tables[name]; family == nil || !family.Allowed || text(f, "schema") != "" || text(f, "catalog") != "" {
		return functionRefusal(name, family, known.tables)
	}
	s := append(ofExpression[:len(ofExpression):len(ofExpression)], expressionShapes["FUNCTION"]...)
	return w.object(f, s, depth+1)
}

func (w *walker) join(o object, s shape, depth int) error {
	if w.joins++; w.joins > maxJoins {
		return fault.New(fault.TooComplex, "The statement has more than %d joins.", maxJoins).WithFix("Join fewer tables.")
	}
	if text(o, "ref_type") == "CROSS" {
		w.crossed = true
		o["ref_type"], o["condition"] = "REGULAR", always()
	}
	if err := w.table(o["left"], depth+1); err != nil {
		return err
	}
	left := w.columns(o["left"])
	w.around = append(w.around, left)
	err := w.table(o["right"], depth+1)
	w.around = w.around[:len(w.around)-1]
	if err != nil {
		return err
	}
	w.around = append(w.around, left.with(w.columns(o["right"])))
	defer func() { w.around = w.around[:len(w.around)-1] }()
	return w.object(o, without(without(s, "left"), "right"), depth)
}

// always is a condition that holds, as the parser writes TRUE.
func always() object {
	return object{
		"class": "CAST", "type": "OPERATOR_CAST", "alias": "", "try_cast": false, "cast_type": object{"id": "BOOLEAN"},
		"child": object{
			"class": "CONSTANT", "type": "VALUE_CONSTANT", "alias": "",
			"value": object{"type": object{"id": "VARCHAR"}, "is_null": false, "value": "t"},
		},
	}
}

func (w *walker) pivot(v any, depth int) error {
	o, _ := v.(object)
	entries := list(o, "entries")
	if w.nodes += len(entries); len(entries) > maxPivots {
		return fault.New(fault.TooComplex, "A PIVOT makes at most %d columns.", maxPivots)
	}
	for _, e := range entries {
		entry, _ := e.(object)
		if err := each(orEmpty(entry["values"]), func(c any) error { return constantType(c, 0) }); err != nil {
			return err
		}
		if err := w.object(e, entryShape, depth+1); err != nil {
			return err
		}
	}
	return w.object(v, pivotShape, depth)
}

func notServed(what string) error {
	return fault.New(fault.NotSelect, "%s is not available.", what).
		WithFix("Write a plain SELECT; a PIVOT needs its values in IN (…).")
}

func emptyOnly(name string, _ any) error {
	switch name {
	case "pivot_enum", "subquery":
		return fault.New(fault.NotSelect, "A PIVOT needs its values written in IN (…).").WithFix("Write PIVOT t ON column IN (value, …) USING ….")
	case "export_state":
		return fault.New(fault.FunctionNotAllowed, "EXPORT_STATE is not available.").With("function", "export_state")
	case "table_name", "schema_name", "catalog_name":
		return fault.New(fault.NotSelect, "SHOW is not available.").WithFix("Use DESCRIBE or SUMMARIZE of a table.")
	}
	return notServed(fmt.Sprintf("The %q part of SQL", name))
}

func tooDeep() *fault.Fault {
	return fault.New(fault.TooComplex, "The statement is nested deeper than %d.", maxDepth).WithFix("Simplify it, or split it with WITH.")
}
