package client_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"ambit/api/client"
	"ambit/internal/fault"
	"ambit/scopes"
)

// transports are the ways to a handler; every test of what goes over the wire runs on both.
var transports = map[string]func(t *testing.T, h http.Handler) *client.Client{
	"socket": func(t *testing.T, h http.Handler) *client.Client {
		srv := httptest.NewServer(h)
		t.Cleanup(srv.Close)
		return newClient(t, srv.URL, nil)
	},
	"in process": func(t *testing.T, h http.Handler) *client.Client {
		return newClient(t, "http://ambit.test", client.InProcess(h))
	},
}

func newClient(t *testing.T, base string, transport http.RoundTripper) *client.Client {
	t.Helper()
	cl, err := client.New(base, transport)
	if err != nil {
		t.Fatal(err)
	}
	return cl
}

// overBoth runs a test on each transport.
func overBoth(t *testing.T, h http.Handler, test func(t *testing.T, cl *client.Client)) {
	t.Helper()
	for name, dial := range transports {
		t.Run(name, func(t *testing.T) { test(t, dial(t, h)) })
	}
}

func TestCallSendsTheRoute(t *testing.T) {
	var got string
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = r.Method + " " + r.RequestURI + " " + r.Header.Get("Content-Type") + " " + string(body)
		w.Header().Set("Idempotency-Key", "k.2")
		w.WriteHeader(201)
		io.WriteString(w, `{"id":"x"}`)
	})
	tests := []struct {
		name   string
		id     scopes.RouteID
		params map[string]string
		query  url.Values
		body   any
		want   string
	}{
		{"get", scopes.Workspaces, nil, nil, nil, "GET /api/workspaces  "},
		{"get with path and query", scopes.RunGet, map[string]string{"id": "run_1"}, url.Values{"wait_s": {"20"}, "after_seq": {"7"}}, nil,
			"GET /api/runs/run_1?after_seq=7&wait_s=20  "},
		{"two params", scopes.ResourceGet, map[string]string{"ws": "ws_1", "kind": "model", "id": "mo-2"}, nil, nil,
			"GET /api/workspaces/ws_1/resources/model/mo-2  "},
		{"post", scopes.Query, nil, nil, map[string]any{"sql": "SELECT 1"}, `POST /api/query application/json {"sql":"SELECT 1"}`},
		{"post, empty object", scopes.RunAbort, map[string]string{"id": "r"}, nil, struct{}{}, `POST /api/runs/r/abort application/json {}`},
		{"patch", scopes.PersonPatch, map[string]string{"id": "p"}, nil, map[string]any{"role": "viewer"}, `PATCH /api/people/p application/json {"role":"viewer"}`},
		{"put", scopes.SettingsPut, nil, nil, map[string]any{}, `PUT /api/settings application/json {}`},
		{"stream", scopes.DatasetCreate, map[string]string{"ws": "w"}, nil, client.Stream{ContentType: "text/csv", Reader: strings.NewReader("a,b\n")},
			"POST /api/workspaces/w/datasets text/csv a,b\n"},
	}
	overBoth(t, h, func(t *testing.T, cl *client.Client) {
		for _, tt := range tests {
			if s, ok := tt.body.(client.Stream); ok { // read once before
				s.Reader.(io.Seeker).Seek(0, io.SeekStart)
			}
			a, err := cl.Call(t.Context(), tt.id, tt.params, tt.query, tt.body)
			if err != nil || got != tt.want {
				t.Errorf("%s: sent %q, %v; want %q", tt.name, got, err, tt.want)
			}
			if a.Status != 201 || string(a.Body) != `{"id":"x"}` || a.Header.Get("Idempotency-Key") != "k.2" {
				t.Errorf("%s: answer = %d %s %v", tt.name, a.Status, a.Body, a.Header)
			}
		}
	})
}

func TestCallerHeaders(t *testing.T) {
	names := []string{"Authorization", "X-Ambit-Tool", "X-Ambit-Host", "Traceparent", "Idempotency-Key", "X-Ambit-Key"}
	var got http.Header
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got = r.Header.Clone() })
	tests := []struct {
		name   string
		caller client.Caller
		want   string
	}{
		{"nobody", client.Caller{}, "|||||"},
		{"all", client.Caller{Bearer: "amb_x", Tool: "plan", Host: "h/1", Trace: "00-a-b-01", Key: "k", Derived: true}, "Bearer amb_x|plan|h/1|00-a-b-01|k|derived"},
		{"given key", client.Caller{Bearer: "amb_x", Key: "k"}, "Bearer amb_x||||k|"},
		{"derived without a key", client.Caller{Derived: true}, "|||||"},
	}
	overBoth(t, h, func(t *testing.T, cl *client.Client) {
		for _, tt := range tests {
			if _, err := cl.As(tt.caller).Call(t.Context(), scopes.AuthMe, nil, nil, nil); err != nil {
				t.Fatal(err)
			}
			var values []string
			for _, n := range names {
				values = append(values, got.Get(n))
			}
			if s := strings.Join(values, "|"); s != tt.want {
				t.Errorf("%s: headers = %q, want %q", tt.name, s, tt.want)
			}
		}
	})
}

func TestNoDelete(t *testing.T) {
	sent := 0
	cl := newClient(t, "http://ambit.test", client.InProcess(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { sent++ })))
	deletes := 0
	for _, r := range scopes.Routes {
		if r.Method != "DELETE" {
			continue
		}
		deletes++
		params := map[string]string{}
		for _, p := range r.Params() {
			params[p] = "x"
		}
		if _, err := cl.Call(t.Context(), r.ID, params, nil, nil); fault.CodeOf(err) != fault.Internal {
			t.Errorf("Call(%s) code = %q, want %q", r.ID, fault.CodeOf(err), fault.Internal)
		}
	}
	if deletes == 0 || sent != 0 {
		t.Errorf("%d DELETE rows, %d requests sent; want some, and none sent", deletes, sent)
	}
}

func TestOnlyNarrows(t *testing.T) {
	sent := 0
	h := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { sent++ })
	all := newClient(t, "http://ambit.test", client.InProcess(h))
	tests := []struct {
		name string
		cl   *client.Client
		want fault.Code
	}{
		{"all", all, ""},
		{"among them", all.Only(scopes.AuthMe, scopes.Workspaces), ""},
		{"not among them", all.Only(scopes.Workspaces), fault.Internal},
		{"none", all.Only(), fault.Internal},
		{"cannot be widened", all.Only(scopes.Workspaces).Only(scopes.AuthMe), fault.Internal},
		{"narrowed twice", all.Only(scopes.Workspaces, scopes.AuthMe).Only(scopes.AuthMe), ""},
		{"narrowed, then for another caller", all.Only(scopes.Workspaces).As(client.Caller{Bearer: "b"}), fault.Internal},
		{"the zero client", &client.Client{}, fault.Internal},
	}
	for _, tt := range tests {
		sent = 0
		_, err := tt.cl.Call(t.Context(), scopes.AuthMe, nil, nil, nil)
		if fault.CodeOf(err) != tt.want || (sent == 1) != (tt.want == "") {
			t.Errorf("%s: code = %q, sent %d; want %q", tt.name, fault.CodeOf(err), sent, tt.want)
		}
	}
}

func TestIDsInPaths(t *testing.T) {
	sent := 0
	cl := newClient(t, "http://ambit.test", client.InProcess(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { sent++ })))
	for _, id := range []string{"", "..", "a/b", "a%2Fb", "a b", "é", "{id}", "a?b", "a#b", strings.Repeat("a", 129)} {
		_, err := cl.Call(t.Context(), scopes.RunGet, map[string]string{"id": id}, nil, nil)
		f := fault.From(err)
		if err == nil || f.Code != fault.Invalid || len(f.Fields) != 1 || f.Fields[0].Path != "id" {
			t.Errorf("id %q: %v, want invalid naming id", id, err)
		}
	}
	if _, err := cl.Call(t.Context(), scopes.Workspaces, map[string]string{"id": "x"}, nil, nil); fault.CodeOf(err) != fault.Internal {
		t.Errorf("a param too many: %v, want internal", err)
	}
	if sent != 0 {
		t.Errorf("%d requests sent, want 0", sent)
	}
}

func TestRefusals(t *testing.T) {
	big := `"` + strings.Repeat("a", client.MaxAnswer) + `"`
	problem := `{"code":"budget_exceeded","detail":"Three of three.","fix":"Wait.","fields":[{"path":"a","rule":"b"}],"retry_after_s":7,"limit":3}`
	tests := []struct {
		name   string
		status int
		body   string
		want   fault.Code
		detail string
	}{
		{"problem document", 429, problem, fault.BudgetExceeded, "Three of three."},
		{"401 of something else", 401, "<html>", fault.Unauthenticated, "The server does not know this credential."},
		{"502 of something else", 502, "<html>", fault.Unavailable, "The server answered with status 502 and did not say why."},
		{"redirect", 302, "", fault.Unavailable, "The server answered with status 302 and did not say why."},
		{"success that is no JSON", 200, "<html>", fault.Unavailable, "The answer is no JSON: this is not Ambit's API, or something is in between."},
		{"too large", 200, big, fault.TooLarge, "The answer has more than 8 MiB."},
		{"as large as may be", 200, big[1:len(big)-2] + `"`, fault.Unavailable, "The answer is no JSON: this is not Ambit's API, or something is in between."},
	}
	for _, tt := range tests {
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Idempotency-Key", "k")
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(tt.status)
			io.WriteString(w, tt.body)
		})
		overBoth(t, h, func(t *testing.T, cl *client.Client) {
			a, err := cl.Call(t.Context(), scopes.AuthMe, nil, nil, nil)
			f := fault.From(err)
			if err == nil || f.Code != tt.want || f.Detail != tt.detail {
				t.Fatalf("%s: %v, want %s: %s", tt.name, err, tt.want, tt.detail)
			}
			if a.Status != tt.status || a.Header.Get("Idempotency-Key") != "k" {
				t.Errorf("%s: status %d and header %v did not come with the fault", tt.name, a.Status, a.Header)
			}
		})
	}
}

func TestProblemIsWhole(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(409)
		io.WriteString(w, `{"code":"plan_already_launched","detail":"d","fix":"f","run_id":"run_1","retry_after_s":2}`)
	})
	cl := newClient(t, "http://ambit.test", client.InProcess(h))
	_, err := cl.Call(t.Context(), scopes.PlanLaunch, map[string]string{"id": "p"}, nil, nil)
	f := fault.From(err)
	if f.Fix != "f" || f.Info["run_id"] != "run_1" || f.RetryAfter.Seconds() != 2 {
		t.Errorf("fix %q, info %v, retry after %v", f.Fix, f.Info, f.RetryAfter)
	}
}

func TestCredentialDoesNotFollowARedirect(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { reached = true }))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, status) })
		srv := httptest.NewServer(h)
		_, err := newClient(t, srv.URL, nil).As(client.Caller{Bearer: "amb_secret"}).Call(t.Context(), scopes.Query, nil, nil, struct{}{})
		srv.Close()
		if !fault.Is(err, fault.Unavailable) || reached {
			t.Errorf("status %d: %v, reached the other host: %v", status, err, reached)
		}
	}
}

func TestNoAnswer(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	if _, err := newClient(t, gone.URL, nil).Call(t.Context(), scopes.AuthMe, nil, nil, nil); !fault.Is(err, fault.Unavailable) {
		t.Errorf("nobody listens: %v, want unavailable", err)
	}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	overBoth(t, h, func(t *testing.T, cl *client.Client) {
		late, cancel := context.WithTimeout(t.Context(), 1)
		defer cancel()
		if _, err := cl.Call(late, scopes.AuthMe, nil, nil, nil); !fault.Is(err, fault.Timeout) {
			t.Errorf("the time ends: %v, want timeout", err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := cl.Call(gone, scopes.AuthMe, nil, nil, nil); !fault.Is(err, fault.Unavailable) {
			t.Errorf("the caller goes: %v, want unavailable", err)
		}
	})
}

func TestInProcessHandlerPanics(t *testing.T) {
	cl := newClient(t, "http://ambit.test", client.InProcess(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret") })))
	_, err := cl.Call(t.Context(), scopes.AuthMe, nil, nil, nil)
	if f := fault.From(err); f.Code != fault.Unavailable || strings.Contains(f.Detail+f.Fix, "secret") {
		t.Errorf("got %s: %s, want unavailable without the panic's text", f.Code, f.Detail)
	}
}

func TestInProcessStatusAndHeader(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-A", "before")
		w.WriteHeader(201)
		w.Header().Set("X-A", "after")
		w.WriteHeader(500)
		io.WriteString(w, `{}`)
	})
	a, err := newClient(t, "http://ambit.test/base", client.InProcess(h)).Call(t.Context(), scopes.AuthMe, nil, nil, nil)
	if err != nil || a.Status != 201 || a.Header.Get("X-A") != "before" {
		t.Errorf("answer = %d %q, %v; want the first status and the header sent with it", a.Status, a.Header.Get("X-A"), err)
	}
}

func TestNewRefusesAddresses(t *testing.T) {
	for _, base := range []string{"", "ambit", "ftp://h", "http://", "http://user:pw@h", "http://h?x=1", ":"} {
		if _, err := client.New(base, nil); err == nil {
			t.Errorf("New(%q) took it", base)
		}
	}
}
