// Package training decides what to fit, in what order: splits, encoding, the
// members of a run and their cross-validation. An Engine does the fitting.
package training

import (
	"context"
	"time"
)

// Engine fits models in child processes.
type Engine interface {
	// Version returns the engine's name and version, such as "xgboost 1.7.4".
	// Fault: engine_unavailable, with the line that installs it.
	Version() (string, error)

	// Open starts a child for one run. The caller closes it. A child fits one
	// model at a time; two children may fit side by side.
	Open(ctx context.Context, limits Limits) (Session, error)
}

// Limits bound a child.
type Limits struct {
	MemoryBytes uint64        // private memory; 0 takes the engine's default
	Wall        time.Duration // of one fit; 0 sets none
	Scratch     string        // folder for the child's files; it is the run's alone
}

// Session is a child that fits models.
type Session interface {
	// Fit trains one booster. progress, which may be nil, is called once a round.
	// When ctx ends the fit stops at its next round and Fit returns ctx's cause.
	// Faults: invalid (a parameter or a matrix), memory, timeout (Limits.Wall),
	// engine_unavailable (the child died; the session is then over).
	Fit(ctx context.Context, fit Fit, progress func(Round)) (Fitted, error)
	Close() error
}

// Matrix is a table of features in row-major float32; NaN is missing.
type Matrix struct {
	Rows, Cols int
	Data       []float32 // Rows × Cols
	Label      []float32 // Rows, or empty
	Weight     []float32 // Rows, or empty
	Categories []bool    // Cols, or nil: columns that hold category codes
}

// Fit asks for one booster.
type Fit struct {
	Train    Matrix
	Valid    *Matrix  // watched: the rounds up to the best one are kept; nil: all rounds are kept
	Predict  []Matrix // predicted with the kept booster, as margins
	Params   Params
	Rounds   int
	Patience int // rounds without a better Valid metric before stopping; 0 never stops early
}

// Params are the parameters that pass to the engine; nothing else does. A nil
// pointer leaves the engine's default.
type Params struct {
	Booster    string   `json:"booster"`           // gbtree, gblinear, dart
	Objective  string   `json:"objective"`         // binary:logistic, reg:squarederror, multi:softprob
	Metric     string   `json:"metric"`            // logloss, rmse, auc, mlogloss: watched on Valid
	Classes    int      `json:"classes,omitempty"` // multi:softprob
	Seed       int64    `json:"seed"`
	Threads    int      `json:"threads"`
	TreeMethod string   `json:"tree_method,omitempty"` // hist, exact, approx
	GrowPolicy string   `json:"grow_policy,omitempty"` // depthwise, lossguide
	Eta        *float64 `json:"eta,omitempty"`
	MaxDepth   *int     `json:"max_depth,omitempty"`
	MaxLeaves  *int     `json:"max_leaves,omitempty"`
	MaxBin     *int     `json:"max_bin,omitempty"`
	MinChild   *float64 `json:"min_child_weight,omitempty"`
	Gamma      *float64 `json:"gamma,omitempty"`
	Subsample  *float64 `json:"subsample,omitempty"`
	ColTree    *float64 `json:"colsample_bytree,omitempty"`
	ColLevel   *float64 `json:"colsample_bylevel,omitempty"`
	ColNode    *float64 `json:"colsample_bynode,omitempty"`
	Lambda     *float64 `json:"lambda,omitempty"`
	Alpha      *float64 `json:"alpha,omitempty"`
	BaseScore  *float64 `json:"base_score,omitempty"`
	PosWeight  *float64 `json:"scale_pos_weight,omitempty"`
	MaxDelta   *float64 `json:"max_delta_step,omitempty"`
	Parallel   *int     `json:"num_parallel_tree,omitempty"`
	RateDrop   *float64 `json:"rate_drop,omitempty"`
	Monotone   []int    `json:"monotone_constraints,omitempty"` // one of -1, 0, 1 a column
}

// Round is the progress of a fit.
type Round struct {
	Round  int      `json:"round"`            // from 0
	Metric *float64 `json:"metric"`           // on Valid; null when it is not a number or there is no Valid
	Reason string   `json:"reason,omitempty"` // why the metric is null
	MS     float64  `json:"ms"`
	RSS    uint64   `json:"rss"` // bytes
}

// Fitted is a fitted booster. One that diverged before any round scored has no
// Model, no Margins and 0 Rounds.
type Fitted struct {
	Model     []byte      // XGBoost JSON, features f0..fn
	Rounds    int         // rounds in Model: the best round + 1
	Score     *float64    // Valid's metric at the best round
	Margins   [][]float32 // for each of Predict: rows, or rows × classes
	Stopped   string      // "rounds", "early", "diverged"
	Seconds   float64
	PeakBytes uint64
}
