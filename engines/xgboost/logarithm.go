package xgboost

import (
	"fmt"
	"math"
)

// margin returns the margin of a base score: its logit for binary:logistic,
// else itself. The logit is computed as the library does, in 32 bits.
func margin(objective string, score float32) (float32, error) {
	if objective != "binary:logistic" {
		return score, nil
	}
	if !(score > 0 && score < 1) {
		return 0, fmt.Errorf("base_score %g is no probability", score)
	}
	return -logarithm(1/score - 1), nil
}

// logarithm is logf of the C libraries of Linux (glibc since 2.28, musl), which
// is not always correctly rounded: one result in some hundreds differs from the
// nearest float32. x is positive. The algorithm and its table are those of Arm's
// optimized routines: x = 2^k z, ln x = k ln 2 + ln c + ln(z/c), with c near
// the middle of one of 16 intervals and a polynomial for the rest.
func logarithm(x float32) float32 {
	bits := math.Float32bits(x)
	if bits == 0x3f800000 {
		return 0
	}
	if bits < 0x00800000 { // subnormal
		bits = math.Float32bits(x*(1<<23)) - 23<<23
	}
	offset := bits - 0x3f330000
	row := logTable[offset>>19%16]
	k := float64(int32(offset) >> 23)
	z := float64(math.Float32frombits(bits - offset&0xff800000))
	r := float64(z*row.inverse) - 1
	y0 := row.log + float64(k*math.Ln2)
	y := float64(0x1.5575b0be00b6ap-2*r) - 0x1.ffffef20a4123p-2
	y += float64(-0x1.00ea348b88334p-2 * float64(r*r))
	return float32(float64(y*float64(r*r)) + (y0 + r))
}

// logTable holds 1/c and ln c for each interval.
var logTable = [16]struct{ inverse, log float64 }{
	{0x1.661ec79f8f3bep+0, -0x1.57bf7808caadep-2},
	{0x1.571ed4aaf883dp+0, -0x1.2bef0a7c06ddbp-2},
	{0x1.49539f0f010bp+0, -0x1.01eae7f513a67p-2},
	{0x1.3c995b0b80385p+0, -0x1.b31d8a68224e9p-3},
	{0x1.30d190c8864a5p+0, -0x1.6574f0ac07758p-3},
	{0x1.25e227b0b8eap+0, -0x1.1aa2bc79c81p-3},
	{0x1.1bb4a4a1a343fp+0, -0x1.a4e76ce8c0e5ep-4},
	{0x1.12358f08ae5bap+0, -0x1.1973c5a611cccp-4},
	{0x1.0953f419900a7p+0, -0x1.252f438e10c1ep-5},
	{0x1p+0, 0},
	{0x1.e608cfd9a47acp-1, 0x1.aa5aa5df25984p-5},
	{0x1.ca4b31f026aap-1, 0x1.c5e53aa362eb4p-4},
	{0x1.b2036576afce6p-1, 0x1.526e57720db08p-3},
	{0x1.9c2d163a1aa2dp-1, 0x1.bc2860d22477p-3},
	{0x1.886e6037841edp-1, 0x1.1058bc8a07ee1p-2},
	{0x1.767dcf5534862p-1, 0x1.4043057b6ee09p-2},
}
