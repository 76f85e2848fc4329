package worker

import (
	"fmt"
	"strings"

	duck "github.com/duckdb/duckdb-go-bindings"
)

var typeNames = map[duck.Type]string{
	duck.TypeBoolean: "BOOLEAN", duck.TypeTinyInt: "TINYINT", duck.TypeSmallInt: "SMALLINT", duck.TypeInteger: "INTEGER",
	duck.TypeBigInt: "BIGINT", duck.TypeUTinyInt: "UTINYINT", duck.TypeUSmallInt: "USMALLINT", duck.TypeUInteger: "UINTEGER",
	duck.TypeUBigInt: "UBIGINT", duck.TypeHugeInt: "HUGEINT", duck.TypeUHugeInt: "UHUGEINT", duck.TypeFloat: "FLOAT",
	duck.TypeDouble: "DOUBLE", duck.TypeVarchar: "VARCHAR", duck.TypeBlob: "BLOB", duck.TypeBit: "BIT", duck.TypeUUID: "UUID",
	duck.TypeDate: "DATE", duck.TypeTime: "TIME", duck.TypeTimeNS: "TIME_NS", duck.TypeTimeTZ: "TIME WITH TIME ZONE",
	duck.TypeTimestamp: "TIMESTAMP", duck.TypeTimestampS: "TIMESTAMP_S", duck.TypeTimestampMS: "TIMESTAMP_MS",
	duck.TypeTimestampNS: "TIMESTAMP_NS", duck.TypeTimestampTZ: "TIMESTAMP WITH TIME ZONE", duck.TypeInterval: "INTERVAL",
	duck.TypeSQLNull: "NULL", duck.TypeBigNum: "BIGNUM", duck.TypeVariant: "VARIANT", duck.TypeGeometry: "GEOMETRY", duck.TypeEnum: "ENUM",
}

// typeName writes a type as the engine does.
func typeName(t duck.LogicalType) string {
	if alias := duck.LogicalTypeGetAlias(t); alias != "" {
		return alias
	}
	switch id := duck.GetTypeId(t); id {
	case duck.TypeDecimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", duck.DecimalWidth(t), duck.DecimalScale(t))
	case duck.TypeList:
		return childName(duck.ListTypeChildType(t)) + "[]"
	case duck.TypeArray:
		return fmt.Sprintf("%s[%d]", childName(duck.ArrayTypeChildType(t)), duck.ArrayTypeArraySize(t))
	case duck.TypeMap:
		return "MAP(" + childName(duck.MapTypeKeyType(t)) + ", " + childName(duck.MapTypeValueType(t)) + ")"
	case duck.TypeStruct:
		fields := make([]string, duck.StructTypeChildCount(t))
		for i := range fields {
			fields[i] = quoteName(duck.StructTypeChildName(t, duck.IdxT(i))) + " " + childName(duck.StructTypeChildType(t, duck.IdxT(i)))
		}
		return "STRUCT(" + strings.Join(fields, ", ") + ")"
	case duck.TypeUnion:
		return "UNION"
	default:
		return typeNames[id]
	}
}

func childName(t duck.LogicalType) string {
	defer duck.DestroyLogicalType(&t)
	return typeName(t)
}
