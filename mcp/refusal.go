package mcp

import (
	"context"
	"time"

	"ambit/api/client"
	"ambit/internal/fault"
	"ambit/scopes"
)

// reportWithin bounds how long a refusal waits for its record.
const reportWithin = 5 * time.Second

// refusedCall is what the API is told of a call that was refused here.
type refusedCall struct {
	Tool string     `json:"tool"`
	Code fault.Code `json:"code"`
}

func noTool() error { return fault.New(fault.NotFound, "There is no such tool.") }

// refused logs a refusal and reports it to the API as the caller, before the
// caller is answered, and also if the caller has gone. A report that fails
// changes nothing: the call stays refused.
func (s *core) refused(ctx context.Context, rq *request, tool string, err error) {
	code := fault.CodeOf(err)
	s.log.InfoContext(ctx, "a tool call was refused", "tool", tool, "code", code, "scope", rq.caller.scope.String())
	if code == fault.Unauthenticated {
		return // the API would not know who reports
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reportWithin)
	defer cancel()
	as := client.Caller{Bearer: rq.caller.token, Tool: tool, Host: rq.host, Trace: trace(rq)}
	_, err = s.api.As(as).Only(scopes.AuditRefusals).Call(ctx, scopes.AuditRefusals, nil, nil, refusedCall{Tool: tool, Code: code})
	if err != nil {
		s.log.WarnContext(ctx, "a refusal could not be reported", "tool", tool, "code", code, "error", err)
	}
}
