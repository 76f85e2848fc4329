package metrics

import (
	"cmp"
	"math"
	"slices"
)

// Query is a list to rank, such as the offers shown to one customer.
type Query struct {
	Relevance []float64 // 0 is irrelevant; never below
	Score     []float64
	Key       []uint64 // breaks ties, the hash of a row's id; nil takes SplitMix64 of its place
}

// Averaged is a measure's mean over queries.
type Averaged struct {
	Mean      Value
	Queries   int // that count
	Excluded  int // without a relevant row, where the measure has no meaning
	Unordered int // of those that count: all scores equal, so the order is chance
}

// NDCG returns the mean over queries of DCG@k / IDCG@k, with gains 2^relevance - 1
// and discounts log2(place + 1), in [0, 1].
func NDCG(queries []Query, k int) Averaged { return averaged(queries, k, ndcg) }

// MAP returns the mean over queries of the average precision at k: the precision
// at each relevant place up to k, over min(k, relevant rows).
func MAP(queries []Query, k int) Averaged { return averaged(queries, k, averagePrecisionAt) }

// PrecisionAt returns the mean over queries of the share of relevant rows among
// the first k; a query of fewer rows counts what it has.
func PrecisionAt(queries []Query, k int) Averaged { return averaged(queries, k, precisionAt) }

// averaged ranks each query and averages measure, given the relevances in ranked
// order and k.
func averaged(queries []Query, k int, measure func(ranked []float64, k int) float64) Averaged {
	var out Averaged
	if k < 1 {
		out.Mean = Undefined(BadArgument)
		return out
	}
	sum := 0.0
	for _, q := range queries {
		if why := q.check(); why != "" {
			return Averaged{Mean: Undefined(why)}
		}
		if slices.Max(q.Relevance) == 0 {
			out.Excluded++
			continue
		}
		out.Queries++
		if slices.Min(q.Score) == slices.Max(q.Score) {
			out.Unordered++
		}
		sum += measure(q.ranked(), k)
	}
	out.Mean = ratio(sum, float64(out.Queries), NoRows)
	return out
}

func (q Query) check() Reason {
	if why := checkRows(nil, q.Relevance, q.Score); why != "" {
		return why
	}
	if q.Key != nil && len(q.Key) != len(q.Score) {
		return LengthsDiffer
	}
	if slices.Min(q.Relevance) < 0 {
		return OutOfRange
	}
	return ""
}

// ranked returns the relevances, best score first.
func (q Query) ranked() []float64 {
	order := make([]int, len(q.Score))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(q.Score[b], q.Score[a]), cmp.Compare(q.key(a), q.key(b)), cmp.Compare(a, b))
	})
	out := make([]float64, len(order))
	for place, row := range order {
		out[place] = q.Relevance[row]
	}
	return out
}

func (q Query) key(row int) uint64 {
	if q.Key == nil {
		return SplitMix64(uint64(row))
	}
	return q.Key[row]
}

func ndcg(ranked []float64, k int) float64 {
	ideal := slices.SortedFunc(slices.Values(ranked), func(a, b float64) int { return cmp.Compare(b, a) })
	return dcg(ranked, ideal[0], k) / dcg(ideal, ideal[0], k)
}

// dcg is the discounted gain in units of the greatest, so that it cannot overflow.
func dcg(ranked []float64, most float64, k int) float64 {
	sum := 0.0
	for i, rel := range ranked[:min(k, len(ranked))] {
		gain := math.Exp2(rel-most) * (math.Expm1(-rel*math.Ln2) / math.Expm1(-most*math.Ln2))
		sum += gain / math.Log2(float64(i+2))
	}
	return sum
}

func averagePrecisionAt(ranked []float64, k int) float64 {
	relevant := 0
	for _, rel := range ranked {
		if rel > 0 {
			relevant++
		}
	}
	sum, hits := 0.0, 0
	for i, rel := range ranked[:min(k, len(ranked))] {
		if rel > 0 {
			hits++
			sum += float64(hits) / float64(i+1)
		}
	}
	return sum / float64(min(k, relevant))
}

func precisionAt(ranked []float64, k int) float64 {
	hits, n := 0, min(k, len(ranked))
	for _, rel := range ranked[:n] {
		if rel > 0 {
			hits++
		}
	}
	return float64(hits) / float64(n)
}
