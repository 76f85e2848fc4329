package training

import "context"

const (
	minLinearRounds = 200
	maxLinearRounds = 1_000
	linearWork      = 4e8 // values looked at, beyond which there are fewer rounds than the most
)

// fitLinear fits a logistic or ridge regression with penalty 1 on standardised
// columns: lambda is 1 over the rows, because the engine multiplies it by them.
func fitLinear(ctx context.Context, p part, fit fitter) (fitted, error) {
	s := fitStandardiser(p.x, p.columns)
	q := p
	q.x = s.apply(p.x)
	if p.predict.Rows > 0 {
		q.predict = s.apply(p.predict)
	}
	params := p.params()
	params.Booster, params.Eta, params.Lambda = "gblinear", ptr(1.0), ptr(1/float64(p.x.Rows))
	rounds := linearRounds(q.x, scoreWidth(p.target.task, p.target.width))
	out := fitted{standardiser: &s}
	err := q.fitWhole(ctx, fit, params, rounds, &out)
	return out, err
}

// linearRounds returns as many rounds as the work of fitting width numbers a row
// allows.
func linearRounds(x Matrix, width int) int {
	values := 0
	for _, v := range x.Data {
		if v == v {
			values++
		}
	}
	work := float64(values) * float64(width)
	return int(min(max(linearWork/work, minLinearRounds), maxLinearRounds))
}
