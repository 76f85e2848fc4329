package metrics

import "testing"

func TestNadeauBengio(t *testing.T) {
	got := NadeauBengio([]float64{0.02, 0.01, 0.03, -0.005, 0.015}, 0.25)
	near(t, "mean", got.Mean, 0.014, 1e-15)
	near(t, "se", got.SE, 0.00868187767709267, 1e-14)
	near(t, "t", got.T, 1.612554394418539, 1e-12)
	near(t, "p", got.P, 0.18213629892372232, 1e-12)
	nearInterval(t, "interval", got.Interval, -0.010104756780489974, 0.03810475678048998, 1e-12)
	if got.DF != 4 {
		t.Errorf("DF = %d, want 4", got.DF)
	}
	if same := NadeauBengio(make([]float64, 5), 0.25); same.P != Defined(1) || same.Mean != Defined(0) {
		t.Errorf("no differences = %+v, want mean 0 and p 1", same)
	}
	undefined(t, "one fold", NadeauBengio([]float64{1}, .25).P, TooFew)
	undefined(t, "no folds", NadeauBengio(nil, .25).P, NoRows)
	undefined(t, "ratio", NadeauBengio([]float64{1, 2}, -1).P, BadArgument)
	undefined(t, "no spread", NadeauBengio([]float64{1, 1, 1}, .25).P, NoSpread)
}

func TestTQuantile(t *testing.T) {
	want := map[int]float64{1: 12.706204736432095, 2: 4.302652729911275, 4: 2.7764451051977987, 30: 2.0422724563012373, 1000: 1.9623390808264074}
	for df, q := range want {
		near(t, "quantile", Defined(tQuantile(df)), q, 1e-10)
	}
}
