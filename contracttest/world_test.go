package contracttest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"ambit/internal/app"
)

// password is everybody's.
const password = "seven lamps on a hill"

// world is a server with two workspaces, callers of every kind, and one of each
// thing in the first workspace. All of it was made through the API.
type world struct {
	*server
	a, b    string // workspaces: the callers' own, and a foreign one
	callers map[string]caller
	things  map[string]string // in workspace a, by kind
	others  map[string]string // in workspace b, by kind
}

var cli = credential{cli: true}

// newWorld makes a world in which a model was trained.
func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{
		server:  start(t, func(c *app.Config) { c.TrainWorkers, c.MaxUploadMB = 1, 1 }),
		callers: map[string]caller{}, things: map[string]string{}, others: map[string]string{},
	}
	w.admins(t)
	w.a, w.b = w.workspace(t, "own"), w.workspace(t, "foreign")
	w.tokens(t)
	w.people(t)
	w.work(t)
	return w
}

// admins sets Ambit up as the first person would: with the one-time secret.
func (w *world) admins(t testing.TB) {
	t.Helper()
	w.callers["admin"] = caller{kind: kindPerson, role: "admin", credential: w.setUp(t)}
	w.callers["admin, not stepped up"] = caller{
		kind: kindPerson, role: "admin", cold: true, credential: w.byLink(t, w.person(t, "second@ambit.test", "admin", "")),
	}
	w.callers["cli"] = caller{kind: kindHost, credential: cli}
	w.callers["nobody"] = caller{}
}

// setUp makes the first admin, whose session is stepped up.
func (s *server) setUp(t testing.TB) credential {
	t.Helper()
	secret, err := s.SetupSecret(t.Context())
	if err != nil || secret == "" {
		t.Fatalf("SetupSecret = %q, %v", secret, err)
	}
	a := s.send(credential{}, "POST", "/api/auth/setup", fmt.Sprintf(`{"secret":%q,"email":"first@ambit.test","password":%q}`, secret, password))
	a.read(t, 200, nil)
	return cookieOf(t, a)
}

// cookieOf returns the session that an answer has begun.
func cookieOf(t testing.TB, a answer) credential {
	t.Helper()
	cookie, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
	value, ok := strings.CutPrefix(cookie, "ambit_session=")
	if !ok || value == "" {
		t.Fatalf("no session in %v", a.header)
	}
	return credential{cookie: value}
}

func (s *server) workspace(t testing.TB, name string) string {
	t.Helper()
	return s.make(t, cli, "/api/workspaces", fmt.Sprintf(`{"name":%q}`, name))
}

// make posts a body that makes something, and returns its id.
func (s *server) make(t testing.TB, as credential, path string, body any, change ...func(*http.Request)) string {
	t.Helper()
	var made struct {
		ID string `json:"id"`
	}
	s.send(as, "POST", path, body, change...).read(t, 201, &made)
	return made.ID
}

func (s *server) person(t testing.TB, email, role, workspace string) string {
	t.Helper()
	spaces := "[]"
	if workspace != "" {
		spaces = fmt.Sprintf("[%q]", workspace)
	}
	return s.make(t, cli, "/api/people", fmt.Sprintf(`{"email":%q,"role":%q,"workspace_ids":%s,"password":%q}`, email, role, spaces, password))
}

// byLink signs a person in with a one-time link, which steps nobody up.
func (s *server) byLink(t testing.TB, person string) credential {
	t.Helper()
	var link struct{ Secret string }
	s.send(cli, "POST", "/api/people/"+person+"/link", nil).read(t, 201, &link)
	a := s.send(credential{}, "POST", "/api/auth/link", fmt.Sprintf(`{"secret":%q}`, link.Secret))
	a.read(t, 200, nil)
	return cookieOf(t, a)
}

func (s *server) login(t testing.TB, email string) credential {
	t.Helper()
	a := s.send(credential{}, "POST", "/api/auth/login", fmt.Sprintf(`{"email":%q,"password":%q}`, email, password))
	a.read(t, 200, nil)
	return cookieOf(t, a)
}

func (w *world) people(t testing.TB) {
	t.Helper()
	for _, p := range []struct{ name, role, workspace string }{
		{"viewer", "viewer", w.a}, {"operator", "operator", w.a}, {"operator of a foreign workspace", "operator", w.b},
	} {
		email := strings.ReplaceAll(p.name, " ", "-") + "@ambit.test"
		w.person(t, email, p.role, p.workspace)
		w.callers[p.name] = caller{kind: kindPerson, role: p.role, foreign: p.workspace == w.b, credential: w.login(t, email)}
	}
}

// minted is a token as it is shown once.
type minted struct{ ID, Token string }

// mint makes a token with what a test asks for beside its scope and workspace.
func (s *server) mint(t testing.TB, scope, workspace, more string) minted {
	t.Helper()
	var m minted
	s.send(cli, "POST", "/api/tokens", fmt.Sprintf(`{"name":"t","scope":%q,"workspace_ids":[%q]%s}`, scope, workspace, more)).read(t, 201, &m)
	return m
}

func (m minted) credential() credential { return credential{bearer: m.Token} }

func (w *world) tokens(t testing.TB) {
	t.Helper()
	expired := w.mint(t, "builder", w.a, `,"expires":"1m"`)
	w.pass(2 * time.Minute)
	revoked := w.mint(t, "builder", w.a, "")
	w.send(cli, "POST", "/api/tokens/"+revoked.ID+"/revoke", nil).read(t, 200, nil)
	w.things["token"] = revoked.ID // revoking it again changes nothing
	w.callers["expired"] = caller{kind: kindToken, scope: "builder", dead: true, credential: expired.credential()}
	w.callers["revoked"] = caller{kind: kindToken, scope: "builder", dead: true, credential: revoked.credential()}
	for _, scope := range []string{"read", "compute", "builder"} {
		w.callers[scope] = caller{kind: kindToken, scope: scope, credential: w.mint(t, scope, w.a, "").credential()}
	}
	w.callers["builder of a foreign workspace"] = caller{kind: kindToken, scope: "builder", foreign: true, credential: w.mint(t, "builder", w.b, "").credential()}
}

// planBody asks for the smallest fit that there is.
func planBody(dataset string) string {
	return fmt.Sprintf(`{"dataset_id":%q,"target":"class","split":{"k":2,"holdout":0},"families":["linear"],"budget":{"time_s":30,"threads":1}}`, dataset)
}

// work makes one thing of each kind in either workspace; what takes training
// only in the first.
func (w *world) work(t testing.TB) {
	t.Helper()
	builder, foreign := w.callers["builder"].credential, w.callers["builder of a foreign workspace"].credential
	w.things["dataset"] = w.make(t, cli, "/api/workspaces/"+w.a+"/datasets", upload("table", "table.csv", separable(80)))
	w.others["dataset"] = w.make(t, cli, "/api/workspaces/"+w.b+"/datasets", upload("table", "table.csv", separable(60)))
	w.others["run"] = w.launch(t, foreign, w.plan(t, foreign, w.b, w.others["dataset"]))
	w.send(foreign, "POST", "/api/runs/"+w.others["run"]+"/abort", nil, withKey(fresh())).read(t, 200, nil)
	w.things["cancelled plan"] = w.plan(t, builder, w.a, w.things["dataset"])
	w.send(builder, "POST", "/api/plans/"+w.things["cancelled plan"]+"/cancel", nil, withKey("world-cancel")).read(t, 200, nil)
	w.things["run"] = w.launch(t, builder, w.plan(t, builder, w.a, w.things["dataset"]))
	w.things["plan"] = w.plan(t, builder, w.a, w.things["dataset"])
	w.things["trial"] = w.trained(t, builder, w.things["run"])
	w.things["model"] = w.make(t, builder, "/api/runs/"+w.things["run"]+"/models",
		fmt.Sprintf(`{"trial_id":%q,"name":"first"}`, w.things["trial"]), withKey("world-register"))
	w.things["person"] = w.person(t, "spare@ambit.test", "viewer", w.a)
}

// plan makes a plan under a key that no other request has.
func (s *server) plan(t testing.TB, as credential, workspace, dataset string) string {
	t.Helper()
	return s.make(t, as, "/api/workspaces/"+workspace+"/plans", planBody(dataset), withKey(fresh()))
}

func (s *server) launch(t testing.TB, as credential, plan string) string {
	t.Helper()
	var launched struct {
		Run string `json:"run_id"`
	}
	s.send(as, "POST", "/api/plans/"+plan+"/launch", nil, withKey(fresh())).read(t, 201, &launched)
	return launched.Run
}

// trained waits for a run to succeed, and returns its best trial that can be registered.
func (s *server) trained(t testing.TB, as credential, run string) string {
	t.Helper()
	var r struct {
		State   string
		Failure any
	}
	for r.State == "" || r.State == "queued" || r.State == "running" {
		s.send(as, "GET", "/api/runs/"+run+"?wait_s=20", nil).read(t, 200, &r)
	}
	if r.State != "succeeded" {
		t.Fatalf("the run %s: %v", r.State, r.Failure)
	}
	var board struct {
		Rows []struct {
			Trial  string `json:"trial_id"`
			Family string
		}
	}
	s.send(as, "GET", "/api/runs/"+run+"/leaderboard", nil).read(t, 200, &board)
	for _, row := range board.Rows {
		if row.Family == "linear" {
			return row.Trial
		}
	}
	t.Fatalf("no linear trial in %v", board)
	return ""
}
