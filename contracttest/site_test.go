package contracttest

import (
	"fmt"
	"testing"

	"ambit/internal/app"
)

// site is a server with one workspace, a dataset in it and a builder. It trains
// nothing: a run that was launched stays queued.
type site struct {
	*server
	ws, dataset string
	token       minted
	builder     credential
}

func newSite(t testing.TB, change ...func(*app.Config)) *site {
	t.Helper()
	s := &site{server: start(t, change...)}
	s.make(t, cli, "/api/people", `{"email":"first@ambit.test","role":"admin"}`) // whom tokens act for
	s.ws = s.workspace(t, "site")
	s.dataset = s.make(t, cli, "/api/workspaces/"+s.ws+"/datasets", upload("table", "table.csv", separable(60)))
	s.token = s.mint(t, "builder", s.ws, "")
	s.builder = s.token.credential()
	return s
}

// plans is where plans are made.
func (s *site) plans() string { return "/api/workspaces/" + s.ws + "/plans" }

// count returns how many plans or runs there are, up to 100.
func (s *site) count(t testing.TB, what string) int {
	t.Helper()
	var list struct{ Items []struct{ ID string } }
	s.send(cli, "GET", fmt.Sprintf("/api/workspaces/%s/%s?limit=100", s.ws, what), nil).read(t, 200, &list)
	return len(list.Items)
}

// record is a record of the audit log.
type record struct {
	Seq       int64
	Principal string
	ActsFor   string `json:"acts_for"`
	Tool      string
	Host      string
	Route     string
	Workspace string `json:"workspace_id"`
	Entity    string
	Outcome   string
	Detail    string
	Key       string `json:"idempotency_key"`
	Replay    bool
	Digest    string `json:"request_digest"`
	Request   string `json:"request_id"`
}

// records returns what the log has of a principal, oldest first.
func (s *server) records(t testing.TB, principal string) []record {
	t.Helper()
	var list struct{ Items []record }
	s.send(cli, "GET", "/api/audit?limit=1000&principal="+principal, nil).read(t, 200, &list)
	out := make([]record, len(list.Items))
	for i, r := range list.Items {
		out[len(out)-1-i] = r
	}
	return out
}

// intact asks the server to walk its audit chain.
func (s *server) intact(t testing.TB) (intact bool, problem string) {
	t.Helper()
	var v struct {
		Intact  bool
		Problem string
		Records int64
	}
	s.send(cli, "POST", "/api/audit/verify", nil).read(t, 200, &v)
	if v.Records == 0 {
		t.Error("the audit log is empty")
	}
	return v.Intact, v.Problem
}
