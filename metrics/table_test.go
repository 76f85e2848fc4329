package metrics

import "testing"

// TestTable is the list by hand: a wrong direction turns every decision round.
func TestTable(t *testing.T) {
	want := []struct {
		name   string
		higher bool
		tasks  []Task
	}{
		{"auc", true, []Task{Binary}},
		{"logloss", false, []Task{Binary, Multiclass}},
		{"ap", true, []Task{Binary}},
		{"brier", false, []Task{Binary, Multiclass}},
		{"accuracy", true, []Task{Binary, Multiclass}},
		{"balanced_accuracy", true, []Task{Binary, Multiclass}},
		{"f1", true, []Task{Binary}},
		{"mcc", true, []Task{Binary}},
		{"ks", true, []Task{Binary}},
		{"gini", true, []Task{Binary}},
		{"ece", false, []Task{Binary}},
		{"macro_f1", true, []Task{Multiclass}},
		{"macro_auc", true, []Task{Multiclass}},
		{"rmse", false, []Task{Regression}},
		{"mase", false, []Task{Forecast}},
		{"mae", false, []Task{Regression, Forecast}},
		{"r2", true, []Task{Regression}},
		{"rmsle", false, []Task{Regression}},
		{"mape", false, []Task{Regression}},
		{"smape", false, []Task{Regression}},
		{"skill", true, []Task{Forecast}},
	}
	got := Table()
	if len(got) != len(want) {
		t.Fatalf("Table has %d metrics, want %d", len(got), len(want))
	}
	for i, m := range got {
		if m.Name != want[i].name || m.HigherIsBetter != want[i].higher || m.Label() == "" {
			t.Errorf("metric %d = %q higher %t, want %q %t", i, m.Name, m.HigherIsBetter, want[i].name, want[i].higher)
		}
		tasks := map[Task]bool{}
		for _, task := range want[i].tasks {
			tasks[task] = true
		}
		for _, task := range []Task{Binary, Multiclass, Regression, Forecast, ""} {
			if m.Fits(task) != tasks[task] {
				t.Errorf("%s fits %q = %t, want %t", m.Name, task, m.Fits(task), tasks[task])
			}
		}
	}
}

func TestDefaultMetric(t *testing.T) {
	for task, want := range map[Task]string{Binary: "auc", Multiclass: "logloss", Regression: "rmse", Forecast: "mase"} {
		if m, ok := Default(task); !ok || m.Name != want {
			t.Errorf("Default(%s) = %q %t, want %q", task, m.Name, ok, want)
		}
	}
	if m, ok := Default("clustering"); ok {
		t.Errorf("Default of an unknown task = %q, want none", m.Name)
	}
}

// A metric that is learnt better is better by its own direction.
func TestDirections(t *testing.T) {
	s := samples(t)["cont"]
	worse, worseValues := make([]float64, len(s.P)), make([]float64, len(s.P))
	for i := range s.P {
		worse[i], worseValues[i] = 1-s.P[i], -s.PR[i]
	}
	for _, m := range Of(Binary) {
		good, bad := m.Binary(s.Y, s.P, nil), m.Binary(s.Y, worse, nil)
		if m.Name != "ks" && !m.Better(good, bad) { // KS is blind to direction
			t.Errorf("%s: %v is not better than %v", m.Name, good.V, bad.V)
		}
	}
	for _, m := range Of(Regression) {
		if m.Name == "rmsle" {
			continue // undefined for values below -1
		}
		good, bad := m.Regression(s.YR, s.PR, nil), m.Regression(s.YR, worseValues, nil)
		if !m.Better(good, bad) {
			t.Errorf("%s: %v is not better than %v", m.Name, good.V, bad.V)
		}
	}
}

func TestBetter(t *testing.T) {
	auc, _ := Lookup("auc")
	rmse, _ := Lookup("rmse")
	tests := []struct {
		name string
		m    Metric
		a, b Value
		want bool
	}{
		{"higher", auc, Defined(.8), Defined(.7), true},
		{"lower", auc, Defined(.6), Defined(.7), false},
		{"equal", auc, Defined(.7), Defined(.7), false},
		{"lower error", rmse, Defined(1), Defined(2), true},
		{"defined over undefined", rmse, Defined(1), Undefined(NoRows), true},
		{"undefined over defined", auc, Undefined(OneClass), Defined(0), false},
		{"both undefined", auc, Value{}, Value{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.m.Better(tt.a, tt.b); got != tt.want {
				t.Errorf("Better = %t, want %t", got, tt.want)
			}
		})
	}
	if _, ok := Lookup("nosuch"); ok {
		t.Error("Lookup(nosuch) found one")
	}
	undefined(t, "AUC of values", auc.Regression(nil, nil, nil), WrongTask)
	undefined(t, "RMSE of labels", rmse.Binary(nil, nil, nil), WrongTask)
	undefined(t, "AUC of classes", auc.Multiclass(nil, nil, 0, nil), WrongTask)
}
