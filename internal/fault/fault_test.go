package fault_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"ambit/internal/fault"
)

func TestProblemHidesTheCause(t *testing.T) {
	err := fmt.Errorf("reading /srv/secret/place: %w", errors.New("disk on fire"))
	status, body := fault.Problem(err, "req_1")
	if status != 500 || strings.Contains(string(body), "secret") || strings.Contains(string(body), "fire") {
		t.Errorf("Problem = %d %s, want 500 without the cause", status, body)
	}
	if !strings.Contains(string(body), `"code":"internal"`) || !strings.Contains(string(body), `"request_id":"req_1"`) {
		t.Errorf("Problem = %s, want the code and the request id", body)
	}
}

func TestProblemIsBounded(t *testing.T) {
	var fields []fault.Field
	for i := range 500 {
		fields = append(fields, fault.Field{Path: fmt.Sprintf("rows[%d].column", i), Rule: "must be a number"})
	}
	f := fault.From(fault.InvalidFields(fields))
	f.Detail = strings.Repeat("ü", 5000)
	_, body := fault.Problem(f, "req_1")
	if len(body) > 2048 {
		t.Errorf("a problem of %d bytes, want at most 2,048", len(body))
	}
	var doc struct {
		Fields  []fault.Field `json:"fields"`
		Omitted int           `json:"fields_omitted"`
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Fields) == 0 || len(doc.Fields)+doc.Omitted != 500 {
		t.Errorf("%d fields and %d omitted, want some, and 500 in all", len(doc.Fields), doc.Omitted)
	}
}

// A body of a mebibyte names a hundred thousand unknown keys. What is said of
// them must not cost more than they did.
func TestProblemOfManyFieldsIsCheap(t *testing.T) {
	fields := make([]fault.Field, 100_000)
	for i := range fields {
		fields[i] = fault.Field{Path: fmt.Sprintf("a%d", i), Rule: "is not a field here", Valid: []string{"email", "password"}}
	}
	err := fault.InvalidFields(fields)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, body := fault.Problem(err, "req_1")
	runtime.ReadMemStats(&after)
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(8<<20); got > most {
		t.Errorf("a problem of %d bytes allocated %d, want at most %d", len(body), got, most)
	}
}

func TestProblemReadsBack(t *testing.T) {
	want := fault.New(fault.PlanAlreadyLaunched, "It was launched.").WithFix("Follow it.").With("run_id", "run_1")
	want.RetryAfter = 3 * time.Second
	want.Fields = []fault.Field{{Path: "a", Rule: "b", Valid: []string{"c"}}}
	status, body := fault.Problem(want, "req_1")
	got := fault.From(fault.Read(status, bytes.NewReader(body)))
	if got.Code != want.Code || got.Detail != want.Detail || got.Fix != want.Fix || got.RetryAfter != want.RetryAfter {
		t.Errorf("Read = %+v, want %+v", got, want)
	}
	if got.Info["run_id"] != "run_1" || len(got.Fields) != 1 || got.Fields[0].Valid[0] != "c" {
		t.Errorf("Read = %+v, want the extension and the fields", got)
	}
}

func TestReadOfNoProblem(t *testing.T) {
	for _, body := range []string{"", "<html>", `{"error":"x"}`} {
		err := fault.Read(502, strings.NewReader(body))
		if f := (*fault.Fault)(nil); err == nil || errors.As(err, &f) {
			t.Errorf("Read(%q) = %v, want an error that is no fault", body, err)
		}
	}
}

func TestCodeOfAnUnknownCode(t *testing.T) {
	if got := fault.Code("typo").Status(); got != 500 {
		t.Errorf("status of an unknown code = %d, want 500", got)
	}
}
