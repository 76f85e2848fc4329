package xgboost

import "ambit/training"

// A server and its child speak newline-separated JSON: requests go to the
// child's standard input, events come from its standard output. Matrices,
// models and margins pass as files in the child's working folder, by name.

// request asks a child for one thing; exactly one of the parts is set.
type request struct {
	ID    int           `json:"id"` // counts up within a session
	Open  *openRequest  `json:"open,omitempty"`
	Fit   *fitRequest   `json:"fit,omitempty"`
	Score *scoreRequest `json:"score,omitempty"`
	Abort bool          `json:"abort,omitempty"` // stop request ID at its next round
}

// openRequest is the first of a session: limits are set before the library is loaded.
type openRequest struct {
	Library   string `json:"library,omitempty"`
	Memory    uint64 `json:"memory"` // bytes on top of what the child holds at its start
	Unlimited bool   `json:"unlimited,omitempty"`
}

// fitRequest asks for a booster. It answers a round event a round, then done.
type fitRequest struct {
	Settings []setting    `json:"settings"` // in the order in which the library gets them
	Booster  string       `json:"booster"`
	Threads  int          `json:"threads"`
	Bins     string       `json:"bins"` // how the library cuts the columns: a matrix is shared only under equal bins
	Rounds   int          `json:"rounds"`
	Patience int          `json:"patience"`
	Maximize bool         `json:"maximize"` // of the watched metric
	Groups   int          `json:"groups"`   // margins a row
	Need     uint64       `json:"need"`     // estimate of its memory, in bytes
	Train    matrixFile   `json:"train"`
	Valid    *matrixFile  `json:"valid,omitempty"`
	Predict  []matrixFile `json:"predict,omitempty"`
	Out      string       `json:"out"` // name of the model's file; margins go to Out.0, Out.1, …
}

// scoreRequest asks for what a stored model says about rows. It answers done.
type scoreRequest struct {
	Model   string         `json:"model"`
	Rows    matrixFile     `json:"rows"`
	Threads int            `json:"threads"`
	What    predictionType `json:"what"`
	Out     string         `json:"out"` // name of the values' file
}

// predictionType is the number that the library gives to a kind of prediction.
type predictionType int

const (
	predictMargin        predictionType = 1
	predictContributions predictionType = 2
	predictApproximate   predictionType = 3 // contributions, estimated from the nodes on the path
)

// setting is a parameter as the library takes it.
type setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// eventKind says what an event is.
type eventKind string

const (
	eventReady   eventKind = "ready"   // the library is loaded
	eventRound   eventKind = "round"   // one round is done
	eventDone    eventKind = "done"    // the request is answered
	eventAborted eventKind = "aborted" // the request was stopped as asked
	eventFailed  eventKind = "failed"
)

// event is what a child says.
type event struct {
	Kind    eventKind       `json:"event"`
	ID      int             `json:"id"` // of the request
	Version string          `json:"version,omitempty"`
	Round   *training.Round `json:"round,omitempty"`
	Done    *outcome        `json:"done,omitempty"`
	Failure failure         `json:"failure,omitempty"`
	Detail  string          `json:"detail,omitempty"` // of a failure, for the log
}

// outcome is how a fit ended. Rounds 0 means that there is no model.
type outcome struct {
	Rounds  int      `json:"rounds"`
	Score   *float64 `json:"score"`
	Stopped string   `json:"stopped"`
}

// failure says whose fault a failed request is.
type failure string

const (
	failureMissing failure = "missing" // the library is not there, or is another version
	failureMemory  failure = "memory"  // an allocation failed
	failureLibrary failure = "library" // anything else that the library refused
)
