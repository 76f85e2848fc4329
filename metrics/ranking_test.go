package metrics

import "testing"

func TestNDCG(t *testing.T) {
	q := []Query{{Relevance: []float64{3, 2, 3, 0, 1, 2}, Score: []float64{.9, .8, .3, .7, .6, .5}}}
	near(t, "NDCG@3", NDCG(q, 3).Mean, 0.688482449852666, 1e-12)
	near(t, "NDCG@6", NDCG(q, 6).Mean, 0.8891488255981197, 1e-12)
	near(t, "NDCG@99", NDCG(q, 99).Mean, 0.8891488255981197, 1e-12)
	perfect := []Query{{Relevance: []float64{1e6, 2, 0}, Score: []float64{3, 2, 1}}}
	near(t, "perfect, great gains", NDCG(perfect, 3).Mean, 1, 1e-15)
}

func TestMAP(t *testing.T) {
	q := []Query{
		{Relevance: []float64{1, 0, 1, 0, 1}, Score: []float64{5, 4, 3, 2, 1}},
		{Relevance: []float64{0, 1}, Score: []float64{2, 1}},
		{Relevance: []float64{0, 0}, Score: []float64{2, 1}},
	}
	got := MAP(q, 3)
	near(t, "MAP@3", got.Mean, ((1+2./3)/3+.5)/2, 1e-15)
	if got.Queries != 2 || got.Excluded != 1 || got.Unordered != 0 {
		t.Errorf("MAP counts = %+v, want 2 queries, 1 excluded, 0 unordered", got)
	}
	near(t, "P@3", PrecisionAt(q, 3).Mean, (2./3+.5)/2, 1e-15)
}

// Ties go by key, so a file sorted by relevance wins nothing.
func TestTiesGoByKey(t *testing.T) {
	forward := Query{Relevance: []float64{1, 0, 0, 0}, Score: []float64{1, 1, 1, 1}, Key: []uint64{40, 10, 30, 20}}
	backward := Query{Relevance: []float64{0, 0, 0, 1}, Score: []float64{1, 1, 1, 1}, Key: []uint64{20, 30, 10, 40}}
	for _, q := range []Query{forward, backward} {
		got := MAP([]Query{q}, 4)
		near(t, "MAP", got.Mean, .25, 1e-15)
		if got.Unordered != 1 {
			t.Errorf("unordered = %d, want 1", got.Unordered)
		}
	}
	// Without keys the order is that of hashes: over many queries, chance.
	var queries []Query
	for first := range 200 {
		q := Query{Relevance: make([]float64, 200), Score: make([]float64, 200)}
		q.Relevance[first] = 1
		queries = append(queries, q)
	}
	near(t, "P@20 by chance", PrecisionAt(queries, 20).Mean, 1./200, 1e-15)
}

func TestRankingUndefined(t *testing.T) {
	q := []Query{{Relevance: []float64{1}, Score: []float64{1}}}
	undefined(t, "k 0", NDCG(q, 0).Mean, BadArgument)
	undefined(t, "no queries", NDCG(nil, 5).Mean, NoRows)
	undefined(t, "negative relevance", NDCG([]Query{{Relevance: []float64{-1}, Score: []float64{1}}}, 5).Mean, OutOfRange)
	undefined(t, "keys", MAP([]Query{{Relevance: []float64{1}, Score: []float64{1}, Key: []uint64{1, 2}}}, 5).Mean, LengthsDiffer)
	undefined(t, "empty query", MAP([]Query{{}}, 5).Mean, NoRows)
}
