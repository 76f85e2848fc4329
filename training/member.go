package training

import (
	"context"

	"ambit/internal/fault"
	"ambit/plans"
)

// member is one way to make a model.
type member struct {
	name   string
	family plans.Family
	link   Link
	fit    func(ctx context.Context, p part, fit fitter) (fitted, error)
}

// members lists what a run fits, in its order. The floor is not a family that a
// plan may leave out.
var members = []member{
	{name: "floor", family: plans.Floor, link: LinkPrior, fit: fitFloor},
	{name: "linear", family: plans.Linear, link: LinkModel, fit: fitLinear},
	{name: "forest", family: plans.Forest, link: LinkShare, fit: fitForest},
	{name: "ambit-0", family: plans.Trees, link: LinkModel, fit: fitTrees},
}

// fitter fits one booster.
type fitter func(ctx context.Context, fit Fit) (Fitted, error)

// part is the rows that one model learns from, and those that it predicts.
type part struct {
	spec    *plans.Spec
	target  target   // of the rows of x
	x       Matrix   // encoded
	columns []column // of x
	predict Matrix   // encoded alike; may have no rows
}

// fitted is a model that a member made of a part.
type fitted struct {
	prior        []float64 // floor: what it says of every row
	standardiser *Standardiser
	boosters     [][]byte
	params       Params
	rounds       int
	margins      [][]float32 // of the part's predict, by booster
	seconds      float64
}

// add keeps a booster.
func (f *fitted) add(b Fitted) error {
	f.seconds += b.Seconds
	if b.Stopped == "diverged" || len(b.Model) == 0 {
		return fault.New(fault.Invalid, "The fit diverged: its numbers became infinite.").
			WithFix("Look for extreme values in the data, or scale them down.")
	}
	f.boosters, f.rounds = append(f.boosters, b.Model), b.Rounds
	if len(b.Margins) > 0 {
		f.margins = append(f.margins, b.Margins[0])
	}
	return nil
}

// fitWhole fits a booster on all rows, and predicts.
func (p part) fitWhole(ctx context.Context, fit fitter, params Params, rounds int, into *fitted) error {
	request := Fit{Train: p.x, Params: params, Rounds: rounds}
	if p.predict.Rows > 0 {
		request.Predict = []Matrix{p.predict}
	}
	b, err := fit(ctx, request)
	if err != nil {
		return err
	}
	into.params = params
	return into.add(b)
}

// params are those that every booster of a part shares. The base is what the
// model says before it has learnt anything: the prior or the mean.
func (p part) params() Params {
	params := Params{Booster: "gbtree", Seed: p.spec.Seed, Threads: 1}
	switch p.target.task {
	case plans.Binary:
		params.Objective, params.Metric = "binary:logistic", "logloss"
		params.BaseScore = ptr(min(max(mean(p.target.label), 1e-6), 1-1e-6))
	case plans.Multiclass:
		params.Objective, params.Metric, params.Classes = "multi:softprob", "mlogloss", p.target.width
	default:
		params.Objective, params.Metric = "reg:squarederror", "rmse"
		params.BaseScore = ptr(mean(p.target.label))
	}
	return params
}

func ptr[T any](v T) *T { return &v }

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// labels returns labels as the engine takes them.
func labels(x []float64) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}

// take returns rows of a matrix.
func take(m Matrix, places []int) Matrix {
	out := Matrix{Rows: len(places), Cols: m.Cols, Data: make([]float32, 0, len(places)*m.Cols)}
	for _, i := range places {
		out.Data = append(out.Data, m.Data[i*m.Cols:(i+1)*m.Cols]...)
		if len(m.Label) > 0 {
			out.Label = append(out.Label, m.Label[i])
		}
	}
	return out
}

// fewColumns is below how many columns a sample of them would leave some trees
// with one, which can learn no interaction.
const fewColumns = 5
