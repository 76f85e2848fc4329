package worker

import (
	"encoding/base64"
	"encoding/binary"
	"math/big"
	"strconv"
	"unsafe"

	duck "github.com/duckdb/duckdb-go-bindings"

	"ambit/internal/fault"
)

// column reads the values of one column, chunk by chunk, out of the engine's memory.
type column struct {
	name   string
	typ    duck.Type
	scale  int       // of a DECIMAL
	stored duck.Type // how a DECIMAL or ENUM is stored
	size   int       // of an ARRAY
	levels []string  // of an ENUM
	kids   []*column

	data  unsafe.Pointer
	valid *uint64
}

func columnsOf(r *duck.Result) ([]*column, error) {
	columns := make([]*column, duck.ColumnCount(r))
	for i := range columns {
		t := duck.ColumnLogicalType(r, duck.IdxT(i))
		c, err := newColumn(duck.ColumnName(r, duck.IdxT(i)), t)
		duck.DestroyLogicalType(&t)
		if err != nil {
			return nil, err
		}
		columns[i] = c
	}
	return columns, nil
}

func newColumn(name string, t duck.LogicalType) (*column, error) {
	c := &column{name: name, typ: duck.GetTypeId(t)}
	switch c.typ {
	case duck.TypeDecimal:
		c.scale, c.stored = int(duck.DecimalScale(t)), duck.DecimalInternalType(t)
	case duck.TypeEnum:
		c.stored = duck.EnumInternalType(t)
		for i := range duck.EnumDictionarySize(t) {
			c.levels = append(c.levels, duck.EnumDictionaryValue(t, duck.IdxT(i)))
		}
	case duck.TypeList:
		return c, c.nest("", duck.ListTypeChildType(t))
	case duck.TypeArray:
		c.size = int(duck.ArrayTypeArraySize(t))
		return c, c.nest("", duck.ArrayTypeChildType(t))
	case duck.TypeMap:
		if err := c.nest("key", duck.MapTypeKeyType(t)); err != nil {
			return nil, err
		}
		return c, c.nest("value", duck.MapTypeValueType(t))
	case duck.TypeStruct:
		for i := range duck.StructTypeChildCount(t) {
			if err := c.nest(duck.StructTypeChildName(t, i), duck.StructTypeChildType(t, i)); err != nil {
				return nil, err
			}
		}
	case duck.TypeUnion:
		for i := range duck.UnionTypeMemberCount(t) {
			if err := c.nest(duck.UnionTypeMemberName(t, i), duck.UnionTypeMemberType(t, i)); err != nil {
				return nil, err
			}
		}
	default:
		return c, c.readable()
	}
	return c, nil
}

func (c *column) nest(name string, t duck.LogicalType) error {
	defer duck.DestroyLogicalType(&t)
	kid, err := newColumn(name, t)
	c.kids = append(c.kids, kid)
	return err
}

// readable refuses types that have no form here.
func (c *column) readable() error {
	switch c.typ {
	case duck.TypeTimeTZ, duck.TypeBit, duck.TypeBigNum, duck.TypeGeometry, duck.TypeVariant, duck.TypeAny, duck.TypeInvalid:
		return fault.New(fault.Invalid, "A column has a type that cannot be shown.").WithFix("Cast it to VARCHAR.")
	}
	return nil
}

// bind points the column at the vector of a chunk.
func (c *column) bind(v duck.Vector) {
	c.data = duck.VectorGetData(v)
	c.valid = (*uint64)(duck.VectorGetValidity(v))
	switch c.typ {
	case duck.TypeList:
		c.kids[0].bind(duck.ListVectorGetChild(v))
	case duck.TypeArray:
		c.kids[0].bind(duck.ArrayVectorGetChild(v))
	case duck.TypeMap:
		entry := duck.ListVectorGetChild(v)
		c.kids[0].bind(duck.StructVectorGetChild(entry, 0))
		c.kids[1].bind(duck.StructVectorGetChild(entry, 1))
	case duck.TypeStruct:
		for i, kid := range c.kids {
			kid.bind(duck.StructVectorGetChild(v, duck.IdxT(i)))
		}
	case duck.TypeUnion:
		c.data = duck.VectorGetData(duck.StructVectorGetChild(v, 0))
		for i, kid := range c.kids {
			kid.bind(duck.StructVectorGetChild(v, duck.IdxT(i+1)))
		}
	}
}

func (c *column) null(i int) bool { return !isValid(c.valid, i) || c.typ == duck.TypeSQLNull }

// at returns value i of a vector of T.
func at[T any](data unsafe.Pointer, i int) T {
	var zero T
	return *(*T)(unsafe.Add(data, i*int(unsafe.Sizeof(zero))))
}

// span is the place of a list's elements in the vector of elements.
type span struct{ offset, length uint64 }

type huge struct {
	low  uint64
	high int64
}

func (h huge) big(signed bool) *big.Int {
	n := new(big.Int)
	if signed {
		n.SetInt64(h.high)
	} else {
		n.SetUint64(uint64(h.high))
	}
	return n.Lsh(n, 64).Add(n, new(big.Int).SetUint64(h.low))
}

// appendText appends the canonical text of a value that is no list or struct.
func (c *column) appendText(dst []byte, i int) []byte {
	switch c.typ {
	case duck.TypeBoolean:
		return strconv.AppendBool(dst, at[bool](c.data, i))
	case duck.TypeFloat:
		return appendFloat(dst, float64(at[float32](c.data, i)), 32)
	case duck.TypeDouble:
		return appendFloat(dst, at[float64](c.data, i), 64)
	case duck.TypeVarchar:
		return append(dst, textAt(c.data, i)...)
	case duck.TypeBlob:
		return base64.StdEncoding.AppendEncode(dst, textAt(c.data, i))
	case duck.TypeEnum:
		return append(dst, c.levels[c.integer(c.stored, i)]...)
	case duck.TypeDecimal:
		return c.appendDecimal(dst, i)
	case duck.TypeHugeInt, duck.TypeUHugeInt:
		return at[huge](c.data, i).big(c.typ == duck.TypeHugeInt).Append(dst, 10)
	case duck.TypeUBigInt:
		return strconv.AppendUint(dst, at[uint64](c.data, i), 10)
	case duck.TypeUUID:
		return appendUUID(dst, at[huge](c.data, i))
	}
	if c.isTime() {
		return c.appendTime(dst, i)
	}
	return strconv.AppendInt(dst, c.integer(c.typ, i), 10)
}

// integer returns value i of a vector of integers of the type, of at most 64 bits.
func (c *column) integer(t duck.Type, i int) int64 {
	switch t {
	case duck.TypeTinyInt:
		return int64(at[int8](c.data, i))
	case duck.TypeSmallInt:
		return int64(at[int16](c.data, i))
	case duck.TypeInteger, duck.TypeDate:
		return int64(at[int32](c.data, i))
	case duck.TypeUTinyInt:
		return int64(at[uint8](c.data, i))
	case duck.TypeUSmallInt:
		return int64(at[uint16](c.data, i))
	case duck.TypeUInteger:
		return int64(at[uint32](c.data, i))
	}
	return at[int64](c.data, i)
}

// appendDecimal appends all digits of a DECIMAL's scale.
func (c *column) appendDecimal(dst []byte, i int) []byte {
	var digits []byte
	if c.stored == duck.TypeHugeInt {
		digits = at[huge](c.data, i).big(true).Append(nil, 10)
	} else {
		digits = strconv.AppendInt(nil, c.integer(c.stored, i), 10)
	}
	if digits[0] == '-' {
		dst, digits = append(dst, '-'), digits[1:]
	}
	for len(digits) <= c.scale {
		digits = append([]byte{'0'}, digits...)
	}
	dst = append(dst, digits[:len(digits)-c.scale]...)
	if c.scale == 0 {
		return dst
	}
	return append(append(dst, '.'), digits[len(digits)-c.scale:]...)
}

// appendUUID appends a UUID, which the engine keeps with its first bit turned so that it sorts.
func appendUUID(dst []byte, h huge) []byte {
	var raw [16]byte
	binary.BigEndian.PutUint64(raw[:], uint64(h.high)^1<<63)
	binary.BigEndian.PutUint64(raw[8:], h.low)
	const digits = "0123456789abcdef"
	for i, b := range raw {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			dst = append(dst, '-')
		}
		dst = append(dst, digits[b>>4], digits[b&15])
	}
	return dst
}
