package api

import (
	"context"
	"net/http"

	"ambit/internal/clock"
	"ambit/people"
	"ambit/scopes"
	"ambit/tokens"
)

// identity is what a caller is told of itself.
type identity struct {
	Kind       string             `json:"kind"` // token, person or cli
	ID         string             `json:"id,omitempty"`
	Scope      string             `json:"scope,omitempty"`
	Role       string             `json:"role,omitempty"`
	Name       string             `json:"name,omitempty"`
	Email      string             `json:"email,omitempty"`
	Workspaces []string           `json:"workspace_ids"`
	Everywhere bool               `json:"every_workspace,omitempty"`
	ActsFor    string             `json:"acts_for,omitempty"`
	Budget     *tokens.BudgetView `json:"budget,omitempty"`
	ExpiresAt  *clock.Time        `json:"expires_at,omitempty"`
	SteppedUp  bool               `json:"stepped_up,omitempty"`
}

func (s *Server) me(ctx context.Context, call *Call, _ none) (identity, error) {
	c := call.Caller
	out := identity{
		Kind: c.Kind.String(), ID: c.ID, Scope: c.Scope.String(), Role: c.Role.String(),
		Workspaces: c.Workspaces, Everywhere: c.Everywhere, ActsFor: c.ActsFor, SteppedUp: c.SteppedUp,
	}
	if out.Workspaces == nil {
		out.Workspaces = []string{}
	}
	switch c.Kind {
	case scopes.Token:
		out.Name, out.ExpiresAt = call.token.Name, &call.token.ExpiresAt
	case scopes.Person:
		out.Name, out.Email = call.person.Name, call.person.Email
	}
	var err error
	out.Budget, err = s.budgetOf(ctx, call)
	return out, err
}

func (c *Call) meta() people.Meta { return people.Meta{Agent: c.Agent, Address: c.Address} }

type setupRequest struct {
	Secret   string `json:"secret" secret:"true" doc:"From the one-time set-up link."`
	Email    string `json:"email"`
	Name     string `json:"name,omitempty"`
	Password string `json:"password" secret:"true" doc:"12 to 256 characters."`
}

func (s *Server) setup(ctx context.Context, call *Call, in setupRequest) (people.Commit[people.SignIn], error) {
	return s.People.Setup(ctx, in.Secret, people.SetupRequest{Email: in.Email, Name: in.Name, Password: in.Password}, call.meta())
}

type loginRequest struct {
	Email    string `json:"email"`
	Password string `json:"password" secret:"true"`
}

func (s *Server) login(ctx context.Context, call *Call, in loginRequest) (people.Commit[people.SignIn], error) {
	return s.People.Login(ctx, in.Email, in.Password, call.meta())
}

// signedIn begins the session that a set-up or a login has earned.
func signedIn[In any](s *Server) func(ctx context.Context, call *Call, _ In, begin people.Commit[people.SignIn]) (people.View, error) {
	return func(ctx context.Context, call *Call, _ In, begin people.Commit[people.SignIn]) (people.View, error) {
		in, err := begin(ctx)
		if err != nil {
			return people.View{}, err
		}
		return s.welcome(call, in), nil
	}
}

type linkRequest struct {
	Secret string `json:"secret" secret:"true" doc:"From the one-time sign-in link."`
}

func (s *Server) useLink(ctx context.Context, call *Call, in linkRequest) (people.View, error) {
	signIn, err := s.People.UseLink(ctx, in.Secret, call.meta())
	if err != nil {
		return people.View{}, err
	}
	return s.welcome(call, signIn), nil
}

// welcome hands out the cookie and makes the person the caller of the record.
func (s *Server) welcome(call *Call, in people.SignIn) people.View {
	call.Caller = scopes.Caller{Kind: scopes.Person, ID: in.Person.ID, Role: in.Person.Role}
	call.Did("session", in.Session.ID)
	call.header("Set-Cookie", s.cookie(in.Cookie, 0))
	return in.Person.View()
}

// cookie writes the session's cookie; a negative age takes it away.
func (s *Server) cookie(value string, age int) string {
	c := http.Cookie{Name: s.cookieName(), Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteLaxMode}
	return c.String()
}

// logout ends the session of the request, if it has one.
func (s *Server) logout(ctx context.Context, call *Call, _ none) (none, error) {
	call.header("Set-Cookie", s.cookie("", -1))
	caller, _, session, err := s.People.VerifySession(ctx, call.cookie)
	if err != nil {
		return none{}, nil // there is nothing to end
	}
	call.Caller = caller
	call.Did("session", session.ID)
	return none{}, s.People.Logout(ctx, session)
}

type passwordRequest struct {
	Password string `json:"password" secret:"true"`
}

type steppedUp struct {
	Until clock.Time `json:"until"`
}

func (s *Server) checkStepUp(ctx context.Context, call *Call, in passwordRequest) (people.Commit[clock.Time], error) {
	return s.People.StepUp(ctx, call.session, in.Password)
}

func (s *Server) stepUp(ctx context.Context, _ *Call, _ passwordRequest, commit people.Commit[clock.Time]) (steppedUp, error) {
	until, err := commit(ctx)
	return steppedUp{Until: until}, err
}

type newPasswordRequest struct {
	Current string `json:"current_password,omitempty" secret:"true" doc:"Not needed where there is none yet."`
	New     string `json:"new_password" secret:"true" doc:"12 to 256 characters."`
}

func (s *Server) checkPassword(ctx context.Context, call *Call, in newPasswordRequest) (people.Commit[people.Person], error) {
	return s.People.ChangePassword(ctx, call.session, in.Current, in.New)
}

func (s *Server) setPassword(ctx context.Context, _ *Call, _ newPasswordRequest, commit people.Commit[people.Person]) (people.View, error) {
	p, err := commit(ctx)
	return p.View(), err
}

type sessionList struct {
	Items []people.SessionView `json:"items"`
}

func (s *Server) sessions(ctx context.Context, call *Call, _ none) (sessionList, error) {
	found, err := s.People.Sessions(ctx, call.Caller.ID)
	out := sessionList{Items: []people.SessionView{}}
	for _, session := range found {
		out.Items = append(out.Items, session.View(call.session.ID))
	}
	return out, err
}

func (s *Server) revokeSession(ctx context.Context, call *Call, _ none) (none, error) {
	call.Did("session", call.Param("id"))
	return none{}, s.People.RevokeSession(ctx, call.Caller.ID, call.Param("id"))
}
