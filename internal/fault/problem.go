package fault

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"time"
	"unicode/utf8"
)

// ContentType is the media type of a problem document (RFC 9457).
const ContentType = "application/problem+json"

// maxProblem bounds a problem document, in bytes: it ends up in a model's context.
const maxProblem = 2 << 10

// Problem returns the problem document of err, at most 2 KiB, and its status.
// The cause of err is not part of it.
func Problem(err error, requestID string) (status int, body []byte) {
	f := From(err)
	status = f.Code.Status()
	doc := map[string]any{}
	maps.Copy(doc, f.Info)
	doc["type"] = "about:blank"
	doc["title"] = http.StatusText(status)
	doc["status"] = status
	doc["code"] = f.Code
	doc["detail"] = cut(f.Detail, 600)
	if f.Fix != "" {
		doc["fix"] = cut(f.Fix, 300)
	}
	if requestID != "" {
		doc["request_id"] = requestID
	}
	if f.RetryAfter > 0 {
		doc["retry_after_s"] = int(math.Ceil(f.RetryAfter.Seconds()))
	}
	return status, fit(doc, f.Fields)
}

// maxFields is more fields than a document ever has room for. A request may have
// a hundred thousand wrong ones, and each is marshalled for every field left out.
const maxFields = maxProblem / len(`{"path":"","rule":""},`)

// fit marshals doc with as many of the fields as its size allows.
func fit(doc map[string]any, fields []Field) []byte {
	for n := min(len(fields), maxFields); ; n-- {
		if left := len(fields) - n; left > 0 {
			doc["fields_omitted"] = left
		}
		if n > 0 {
			doc["fields"] = fields[:n]
		} else {
			delete(doc, "fields")
		}
		body, err := json.Marshal(doc)
		if err != nil {
			return []byte(`{"type":"about:blank","title":"Internal Server Error","status":500,"code":"internal"}`)
		}
		if len(body) <= maxProblem || n <= 0 {
			return body
		}
	}
}

// cut shortens s to at most n bytes, at a rune boundary.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// Read returns the fault that an answer of the given status carries. An answer
// that is no problem document of ours is an error, not a fault.
func Read(status int, body io.Reader) error {
	raw, err := io.ReadAll(io.LimitReader(body, 64<<10))
	if err != nil {
		return fmt.Errorf("status %d: %w", status, err)
	}
	var doc struct {
		Code       Code    `json:"code"`
		Detail     string  `json:"detail"`
		Fix        string  `json:"fix"`
		Fields     []Field `json:"fields"`
		RetryAfter int     `json:"retry_after_s"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil || doc.Code == "" {
		return fmt.Errorf("status %d without a problem document", status)
	}
	f := &Fault{Code: doc.Code, Detail: doc.Detail, Fix: doc.Fix, Fields: doc.Fields}
	f.RetryAfter = secondsOf(doc.RetryAfter)
	f.Info = extensions(raw)
	return f
}

// known are the members that a Fault has fields for.
var known = []string{"type", "title", "status", "code", "detail", "fix", "fields", "retry_after_s"}

func extensions(raw []byte) map[string]any {
	var all map[string]any
	if json.Unmarshal(raw, &all) != nil {
		return nil
	}
	for _, k := range known {
		delete(all, k)
	}
	return all
}

func secondsOf(n int) time.Duration { return time.Duration(n) * time.Second }
