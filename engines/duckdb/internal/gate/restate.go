package gate

import (
	"fmt"
	"reflect"
	"slices"
)

// Same reports whether two trees mean the same statement. The engine's text for
// a tree is run only if it parses to that tree again.
func Same(a, b []byte) error {
	x, err := decode(a)
	if err != nil {
		return err
	}
	y, err := decode(b)
	if err != nil {
		return err
	}
	if reflect.DeepEqual(plain(x), plain(y)) {
		return nil
	}
	return fmt.Errorf("the statement's text parses to another tree")
}

// plain drops what has no meaning from a tree: places in the text, and two ways
// in which the parser writes the same thing.
func plain(v any) any {
	switch x := v.(type) {
	case object:
		delete(x, "query_location")
		for k, c := range x {
			x[k] = plain(c)
		}
		return unwrapped(x)
	case []any:
		for i, c := range x {
			x[i] = plain(c)
		}
	}
	return v
}

// unwrapped returns FROM (VALUES …) without the SELECT * that the parser puts
// around it on some paths only, and TRUE as the cast that it is on others.
func unwrapped(o object) object {
	if text(o, "class") == "CONSTANT" {
		return truth(o)
	}
	if text(o, "type") != "SUBQUERY" || text(o, "class") != "" || len(list(o, "column_name_alias")) > 0 {
		return o
	}
	body, _ := o["subquery"].(object)
	node, _ := body["node"].(object)
	values, _ := node["from_table"].(object)
	if text(values, "type") == "EXPRESSION_LIST" && text(values, "alias") == text(o, "alias") && starOnly(node) {
		return values
	}
	return o
}

// starOnly reports whether a query is SELECT * FROM … and nothing else.
func starOnly(node object) bool {
	items := list(node, "select_list")
	if len(items) != 1 {
		return false
	}
	star, _ := items[0].(object)
	cteMap, _ := node["cte_map"].(object)
	return text(star, "class") == "STAR" && holdsOnly(star, "class", "type") && len(list(cteMap, "map")) == 0 &&
		holdsOnly(node, "type", "select_list", "from_table", "aggregate_handling", "cte_map")
}

// holdsOnly reports whether every member but the named ones is empty.
func holdsOnly(o object, members ...string) bool {
	for name, value := range o {
		if !isEmpty(value) && !slices.Contains(members, name) {
			return false
		}
	}
	return true
}

func truth(o object) object {
	value, _ := o["value"].(object)
	b, ok := value["value"].(bool)
	if !ok {
		return o
	}
	t := always()
	t["alias"] = text(o, "alias")
	if !b {
		child := t["child"].(object)
		child["value"].(object)["value"] = "f"
	}
	return t
}
