package gate

// kind says what a member of a node holds, and so how it is checked.
type kind int

const (
	scalar      kind = iota // text, number or flag without meaning of its own
	empty                   // must not be there: a feature that is not served
	names                   // list of names
	expression              // one expression
	expressions             // list of expressions
	rows                    // list of lists of expressions
	cases                   // list of {when_expr, then_expr}
	replaced                // list of {key, value: expression}
	orders                  // list of {type, null_order, expression}
	ordering                // {type, orders}
	typed                   // a type
	constant                // a value with its type
	statement               // {node: query}
	query                   // a query node
	table                   // a table reference
	modifiers               // ORDER BY, LIMIT, DISTINCT
	sample                  // SAMPLE
	pivots                  // what a PIVOT or UNPIVOT turns
)

type member struct {
	name string
	kind kind
}

// shape lists the members that a node may have, in the order in which they are checked.
type shape []member

// Members that every node of a sort has.
var (
	ofExpression = shape{{"class", scalar}, {"type", scalar}, {"alias", scalar}, {"query_location", scalar}}
	ofTable      = shape{{"type", scalar}, {"alias", scalar}, {"query_location", scalar}, {"sample", sample}}
	ofQuery      = shape{{"type", scalar}, {"cte_map", scalar}, {"modifiers", modifiers}}
)

// expressionShapes are the classes of expressions that are allowed.
var expressionShapes = map[string]shape{
	"BETWEEN":              {{"input", expression}, {"lower", expression}, {"upper", expression}},
	"CASE":                 {{"case_checks", cases}, {"else_expr", expression}},
	"CAST":                 {{"child", expression}, {"cast_type", typed}, {"try_cast", scalar}},
	"COLLATE":              {{"child", expression}, {"collation", scalar}},
	"COLUMN_REF":           {{"column_names", names}},
	"COMPARISON":           {{"left", expression}, {"right", expression}},
	"CONJUNCTION":          {{"children", expressions}},
	"CONSTANT":             {{"value", constant}},
	"LAMBDA":               {{"lhs", expression}, {"expr", expression}, {"syntax_type", scalar}},
	"OPERATOR":             {{"children", expressions}},
	"POSITIONAL_REFERENCE": {{"index", scalar}},
	"STAR": {
		{"relation_name", scalar}, {"exclude_list", names}, {"replace_list", replaced}, {"columns", scalar},
		{"expr", expression}, {"unpacked", scalar}, {"qualified_exclude_list", scalar}, {"rename_list", scalar},
	},
	"SUBQUERY": {{"subquery_type", scalar}, {"subquery", statement}, {"child", expression}, {"comparison_type", scalar}},
	"FUNCTION": {
		{"function_name", scalar}, {"schema", scalar}, {"catalog", scalar}, {"children", expressions},
		{"filter", expression}, {"order_bys", ordering}, {"distinct", scalar}, {"is_operator", scalar}, {"export_state", empty},
	},
	"WINDOW": {
		{"function_name", scalar}, {"schema", scalar}, {"catalog", scalar}, {"children", expressions},
		{"partitions", expressions}, {"orders", orders}, {"start", scalar}, {"end", scalar},
		{"start_expr", expression}, {"end_expr", expression}, {"offset_expr", expression}, {"default_expr", expression},
		{"ignore_nulls", scalar}, {"filter_expr", expression}, {"exclude_clause", scalar}, {"distinct", scalar}, {"arg_orders", orders},
	},
}

// tableShapes are the kinds of table references that are allowed.
var tableShapes = map[string]shape{
	"BASE_TABLE": {
		{"schema_name", empty}, {"table_name", scalar}, {"column_name_alias", names}, {"catalog_name", empty}, {"at_clause", empty},
	},
	"EMPTY":           {},
	"EXPRESSION_LIST": {{"values", rows}, {"expected_names", names}, {"expected_types", empty}},
	"JOIN": {
		{"left", table}, {"right", table}, {"condition", expression}, {"join_type", scalar}, {"ref_type", scalar},
		{"using_columns", names}, {"delim_flipped", scalar}, {"duplicate_eliminated_columns", empty},
	},
	"PIVOT": {
		{"source", table}, {"aggregates", expressions}, {"unpivot_names", names}, {"pivots", pivots},
		{"groups", names}, {"column_name_alias", names}, {"include_nulls", scalar},
	},
	"SHOW_REF":       {{"table_name", empty}, {"query", query}, {"show_type", scalar}, {"catalog_name", empty}, {"schema_name", empty}},
	"SUBQUERY":       {{"subquery", statement}, {"column_name_alias", names}},
	"TABLE_FUNCTION": {{"function", scalar}, {"column_name_alias", names}, {"with_ordinality", scalar}},
}

// queryShapes are the kinds of queries that are allowed.
var queryShapes = map[string]shape{
	"SELECT_NODE": {
		{"from_table", table}, {"select_list", expressions}, {"where_clause", expression},
		{"group_expressions", expressions}, {"group_sets", scalar}, {"aggregate_handling", scalar},
		{"having", expression}, {"qualify", expression}, {"sample", sample},
	},
	"SET_OPERATION_NODE": {{"setop_type", scalar}, {"left", query}, {"right", query}, {"setop_all", scalar}},
	"RECURSIVE_CTE_NODE": {
		{"cte_name", scalar}, {"union_all", scalar}, {"left", query}, {"right", query}, {"aliases", names}, {"key_targets", expressions},
	},
}

// modifierShapes are what may follow a query.
var modifierShapes = map[string]shape{
	"DISTINCT_MODIFIER":      {{"distinct_on_targets", expressions}},
	"LIMIT_MODIFIER":         {{"limit", expression}, {"offset", expression}},
	"LIMIT_PERCENT_MODIFIER": {{"limit", expression}, {"offset", expression}},
	"ORDER_MODIFIER":         {{"orders", orders}},
}

// Shapes of the parts that are no nodes.
var (
	caseShape     = shape{{"when_expr", expression}, {"then_expr", expression}}
	replacedShape = shape{{"key", scalar}, {"value", expression}}
	orderShape    = shape{{"type", scalar}, {"null_order", scalar}, {"expression", expression}}
	orderingShape = shape{{"type", scalar}, {"orders", orders}}
	sampleShape   = shape{{"sample_size", constant}, {"is_percentage", scalar}, {"method", scalar}, {"seed", scalar}}
	nodeShape     = shape{{"node", query}, {"named_param_map", empty}}
	cteShape      = shape{{"aliases", names}, {"query", statement}, {"materialized", scalar}, {"key_targets", expressions}}
	pivotShape    = shape{{"pivot_expressions", expressions}, {"unpivot_names", names}, {"entries", scalar}, {"pivot_enum", empty}, {"subquery", empty}}
	entryShape    = shape{{"values", scalar}, {"alias", scalar}, {"expr", expression}}
)

// castTypes are the types that a query may name. VARIANT, GEOMETRY, BIT, BIGNUM
// and the states of aggregates crash or stall the engine.
var castTypes = map[string]bool{
	"NULL": true, "BOOLEAN": true, "TINYINT": true, "SMALLINT": true, "INTEGER": true, "BIGINT": true, "HUGEINT": true,
	"UTINYINT": true, "USMALLINT": true, "UINTEGER": true, "UBIGINT": true, "UHUGEINT": true,
	"FLOAT": true, "DOUBLE": true, "DECIMAL": true, "VARCHAR": true, "BLOB": true, "UUID": true,
	"DATE": true, "TIME": true, "TIME_NS": true, "INTERVAL": true,
	"TIMESTAMP": true, "TIMESTAMP_S": true, "TIMESTAMP_MS": true, "TIMESTAMP_NS": true, "TIMESTAMP WITH TIME ZONE": true,
	"LIST": true, "STRUCT": true, "MAP": true, "ARRAY": true, "ENUM": true,
}

// namedTypes are the types that the parser leaves to the binder.
var namedTypes = map[string]bool{"json": true, "enum": true}

// moments are names without brackets that stand for functions of the clock or
// the session, unless a column has the name.
var moments = map[string]bool{
	"current_catalog": true, "current_date": true, "current_schema": true, "current_role": true, "current_time": true,
	"current_timestamp": true, "current_user": true, "localtime": true, "localtimestamp": true, "session_user": true, "user": true,
}
