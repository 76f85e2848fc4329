package fault

import "net/http"

// Code names a kind of refusal. Codes are API: clients branch on them.
type Code string

// The codes, by status.
const (
	Malformed Code = "malformed" // 400: the request cannot be read

	Unauthenticated Code = "unauthenticated" // 401

	HumanOnly        Code = "human_only"         // 403: no token of any scope may
	ScopeForbidden   Code = "scope_forbidden"    // 403: a token of another scope may
	RoleForbidden    Code = "role_forbidden"     // 403: a person of another role may
	StageForbids     Code = "stage_forbids"      // 403: the workspace's stage forbids it
	SessionRequired  Code = "session_required"   // 403: only a person's session in the UI may
	StepUpRequired   Code = "step_up_required"   // 403: the person must confirm who they are
	OriginForbidden  Code = "origin_forbidden"   // 403: a cross-site or foreign-host request
	NotFound         Code = "not_found"          // 404: absent, or in a foreign workspace
	MethodNotAllowed Code = "method_not_allowed" // 405

	PlanStale           Code = "plan_stale"             // 409
	PlanExpired         Code = "plan_expired"           // 409
	PlanAlreadyLaunched Code = "plan_already_launched"  // 409: names the run
	KeyInUse            Code = "idempotency_key_in_use" // 409: the first request is in flight
	InUse               Code = "in_use"                 // 409: something refers to it
	Conflict            Code = "conflict"               // 409: clashes with the present state

	TooLarge             Code = "too_large"              // 413
	UnsupportedMediaType Code = "unsupported_media_type" // 415

	Invalid            Code = "invalid"                // 422: read, and asks for something wrong
	ConfirmMismatch    Code = "confirm_mismatch"       // 422: the typed name differs
	KeyReused          Code = "idempotency_key_reused" // 422: the key stands for another request
	FindingsOpen       Code = "findings_open"          // 422
	FutureRead         Code = "future_read"            // 422
	NotSelect          Code = "not_select"             // 422
	MultipleStatements Code = "multiple_statements"    // 422
	FunctionNotAllowed Code = "function_not_allowed"   // 422
	UnknownTable       Code = "unknown_table"          // 422
	TooComplex         Code = "too_complex"            // 422
	TooLong            Code = "too_long"               // 422

	BudgetExceeded Code = "budget_exceeded" // 429
	RateLimited    Code = "rate_limited"    // 429

	Internal          Code = "internal"           // 500
	Unavailable       Code = "unavailable"        // 503
	EngineUnavailable Code = "engine_unavailable" // 503
	Timeout           Code = "timeout"            // 504
	Memory            Code = "memory"             // 507
)

// statuses is the one table between codes and HTTP statuses.
var statuses = map[Code]int{
	Malformed:       http.StatusBadRequest,
	Unauthenticated: http.StatusUnauthorized,

	HumanOnly:        http.StatusForbidden,
	ScopeForbidden:   http.StatusForbidden,
	RoleForbidden:    http.StatusForbidden,
	StageForbids:     http.StatusForbidden,
	SessionRequired:  http.StatusForbidden,
	StepUpRequired:   http.StatusForbidden,
	OriginForbidden:  http.StatusForbidden,
	NotFound:         http.StatusNotFound,
	MethodNotAllowed: http.StatusMethodNotAllowed,

	PlanStale:           http.StatusConflict,
	PlanExpired:         http.StatusConflict,
	PlanAlreadyLaunched: http.StatusConflict,
	KeyInUse:            http.StatusConflict,
	InUse:               http.StatusConflict,
	Conflict:            http.StatusConflict,

	TooLarge:             http.StatusRequestEntityTooLarge,
	UnsupportedMediaType: http.StatusUnsupportedMediaType,

	Invalid:            http.StatusUnprocessableEntity,
	ConfirmMismatch:    http.StatusUnprocessableEntity,
	KeyReused:          http.StatusUnprocessableEntity,
	FindingsOpen:       http.StatusUnprocessableEntity,
	FutureRead:         http.StatusUnprocessableEntity,
	NotSelect:          http.StatusUnprocessableEntity,
	MultipleStatements: http.StatusUnprocessableEntity,
	FunctionNotAllowed: http.StatusUnprocessableEntity,
	UnknownTable:       http.StatusUnprocessableEntity,
	TooComplex:         http.StatusUnprocessableEntity,
	TooLong:            http.StatusUnprocessableEntity,

	BudgetExceeded: http.StatusTooManyRequests,
	RateLimited:    http.StatusTooManyRequests,

	Internal:          http.StatusInternalServerError,
	Unavailable:       http.StatusServiceUnavailable,
	EngineUnavailable: http.StatusServiceUnavailable,
	Timeout:           http.StatusGatewayTimeout,
	Memory:            http.StatusInsufficientStorage,
}

// Status returns the HTTP status of a code. A code that is not in the table is
// a bug of ours, and shows as one.
func (c Code) Status() int {
	if s, ok := statuses[c]; ok {
		return s
	}
	return http.StatusInternalServerError
}

// Codes returns every code and its status.
func Codes() map[Code]int {
	out := make(map[Code]int, len(statuses))
	for c, s := range statuses {
		out[c] = s
	}
	return out
}
