package runs_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"ambit/plans"
	"ambit/runs"
)

var (
	auc  = plans.Metric{Name: "auc", HigherIsBetter: true}
	rmse = plans.Metric{Name: "rmse"}
)

func scored(position int, name, family string, cv, se float64) runs.Trial {
	return runs.Trial{ID: "tr_" + name, Position: position, Name: name, Family: family, State: runs.Succeeded, CV: cv, SE: se}
}

func TestRank(t *testing.T) {
	failed := runs.Trial{ID: "tr_f", Position: 1, Name: "forest", Family: "forest", State: runs.Failed, Failure: runs.Failure{Code: "memory"}}
	tests := []struct {
		name   string
		metric plans.Metric
		trials []runs.Trial
		want   string // rank name gap over-floor ties flags
	}{
		{"none", auc, nil, ""},
		{"higher is better", auc, []runs.Trial{
			scored(0, "floor", "floor", 0.5, 0), scored(1, "linear", "linear", 0.78, 0.02),
			scored(2, "forest", "forest", 0.79, 0.01), scored(3, "ambit-0", "gbtree", 0.8125, 0.03125),
		}, `
1 ambit-0 0 0.3125 [forest] []
2 forest 0.72 0.29 [ambit-0] []
3 linear 1.04 0.28 [] []
4 floor 10 0 [] []`},
		{"lower is better", rmse, []runs.Trial{
			scored(0, "floor", "floor", 16, 1), scored(1, "linear", "linear", 4, 0.5), scored(2, "ambit-0", "gbtree", 6, 1), scored(3, "forest", "forest", 17, 1),
		}, `
1 linear 0 12 [] []
2 ambit-0 4 10 [] [not_above_linear]
3 floor 24 0 [] []
4 forest 26 -1 [] [not_above_floor not_above_linear]`},
		{"equals stay in the order of the run, and lose to what is simpler", auc, []runs.Trial{
			scored(2, "ambit-0", "gbtree", 0.5, 0), scored(0, "floor", "floor", 0.5, 0), scored(1, "linear", "linear", 0.5, 0),
		}, `
1 floor 0 0 [linear ambit-0] []
2 linear 0 0 [floor] [not_above_floor]
3 ambit-0 0 0 [floor] [not_above_floor not_above_linear]`},
		{"what has no score is last, in the order of the run", auc, []runs.Trial{
			{ID: "tr_a", Position: 3, Name: "ambit-0", Family: "gbtree", State: runs.Running}, failed,
			scored(0, "floor", "floor", 0.5, 0), scored(2, "odd", "linear", math.NaN(), 0),
		}, `
1 floor 0 0 [] []
- forest - - [] [] memory
- odd - - [] []
- ambit-0 - - [] []`},
		{"no floor", auc, []runs.Trial{scored(1, "linear", "linear", 0.7, 0)}, `
1 linear 0 - [] []`},
		{"no spread to count the gap in", auc, []runs.Trial{scored(0, "floor", "floor", 0.5, 0), scored(1, "linear", "linear", 1, 0)}, `
1 linear 0 0.5 [] []
2 floor - 0 [] []`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := shown(runs.Rank(tt.trials, tt.metric)); got != strings.TrimSpace(tt.want) {
				t.Errorf("rows:\n%s\nwant:\n%s", got, strings.TrimSpace(tt.want))
			}
		})
	}
}

func shown(rows []runs.Row) string {
	number := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return fmt.Sprintf("%.4g", *v)
	}
	lines := []string{}
	for _, r := range rows {
		rank := "-"
		if r.Rank > 0 {
			rank = fmt.Sprint(r.Rank)
		}
		line := fmt.Sprintf("%s %s %s %s %v %v", rank, r.Name, number(r.GapSE), number(r.OverFloor), r.TieWith, r.Flags)
		if r.Failure != nil {
			line += " " + r.Failure.Code
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestRowJSON(t *testing.T) {
	rows := runs.Rank([]runs.Trial{
		{ID: "tr_1", Name: "linear", Family: "linear", State: runs.Succeeded, CV: 0.75, SE: 0.01, Folds: []float64{0.74, 0.76}, Rounds: 9, Seconds: 1.5, Bytes: 10},
		{ID: "tr_2", Position: 1, Name: "ambit-0", Family: "gbtree", State: runs.Running},
	}, auc)
	want := `[{"rank":1,"trial_id":"tr_1","name":"linear","family":"linear","state":"succeeded","cv":0.75,"se":0.01,"gap_se":0,"over_floor":null,` +
		`"tie_with":[],"folds":[0.74,0.76],"rounds":9,"seconds":1.5,"bytes":10,"flags":[]},` +
		`{"trial_id":"tr_2","name":"ambit-0","family":"gbtree","state":"running","cv":null,"se":null,"gap_se":null,"over_floor":null,` +
		`"tie_with":[],"folds":[],"rounds":0,"seconds":0,"bytes":0,"flags":[]}]`
	if got, err := json.Marshal(rows); err != nil || string(got) != want {
		t.Errorf("rows = %s, %v\nwant   %s", got, err, want)
	}
}
