package api

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"

	"github.com/gin-gonic/gin"

	"ambit/internal/fault"
	"ambit/internal/ids"
)

// requestID makes the request's id and puts it on the answer.
func requestID(c *gin.Context) string {
	id := ids.New("req")
	c.Header("X-Request-Id", id)
	return id
}

// writeProblem shows err to the caller. It logs what the caller may not see.
func (s *Server) writeProblem(c *gin.Context, err error, id string) {
	f := fault.From(err)
	status, body := fault.Problem(f, id)
	if status >= http.StatusInternalServerError {
		s.Log.ErrorContext(c.Request.Context(), "failed", "request", id, "code", string(f.Code), "error", f.Error())
	}
	if c.Writer.Written() {
		return // a stream that had begun
	}
	h := c.Writer.Header()
	h.Set("Cache-Control", "no-store")
	if f.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int((f.RetryAfter.Seconds() + 0.999))))
	}
	if f.Code == fault.Unauthenticated {
		h.Set("WWW-Authenticate", `Bearer realm="ambit"`)
	}
	c.Data(status, fault.ContentType, body)
	c.Abort()
}

// recovered turns a panic into an error that carries where it was, for the log.
func recovered(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
	}
}
