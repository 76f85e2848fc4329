package api

import (
	"context"
	"fmt"

	"ambit/internal/fault"
	"ambit/internal/page"
	"ambit/people"
	"ambit/scopes"
)

type personRequest struct {
	Email      string   `json:"email"`
	Name       string   `json:"name,omitempty"`
	Role       string   `json:"role" enum:"viewer,operator,admin"`
	Workspaces []string `json:"workspace_ids,omitempty" doc:"Memberships; an admin belongs to all."`
	Password   string   `json:"password,omitempty" secret:"true" doc:"12 to 256 characters; without one, a sign-in link lets the person in."`
}

func (s *Server) preparePerson(ctx context.Context, _ *Call, in personRequest) (people.Commit[people.Person], error) {
	return s.People.Add(ctx, people.AddRequest{
		Email: in.Email, Name: in.Name, Role: scopes.ParseRole(in.Role), Workspaces: in.Workspaces, Password: in.Password,
	})
}

func (s *Server) createPerson(ctx context.Context, call *Call, _ personRequest, commit people.Commit[people.Person]) (people.View, error) {
	p, err := commit(ctx)
	call.Did("person", p.ID)
	return p.View(), err
}

func (s *Server) listPeople(ctx context.Context, _ *Call, in listing) (page.List[people.View], error) {
	p, err := page.Parse(in.Limit, in.Cursor)
	if err != nil {
		return page.List[people.View]{}, err
	}
	return s.People.List(ctx, p)
}

type personPatch struct {
	Role          *string   `json:"role,omitempty" enum:"viewer,operator,admin"`
	Workspaces    *[]string `json:"workspace_ids,omitempty"`
	Disabled      *bool     `json:"disabled,omitempty" doc:"Ends the person's sessions, and for good the tokens that act for them."`
	ClearPassword bool      `json:"clear_password,omitempty" doc:"For somebody who forgot it."`
}

func (s *Server) patchPerson(ctx context.Context, call *Call, in personPatch) (people.View, error) {
	call.Did("person", call.Param("id"))
	change := people.UpdateRequest{Workspaces: in.Workspaces, Disabled: in.Disabled, ClearPassword: in.ClearPassword}
	if in.Role != nil {
		role := scopes.ParseRole(*in.Role)
		if role == scopes.NoRole {
			return people.View{}, fault.InvalidFields([]fault.Field{{Path: "role", Rule: "must be one of the valid values", Valid: []string{"viewer", "operator", "admin"}}})
		}
		change.Role = &role
	}
	p, err := s.People.Update(ctx, call.Param("id"), change)
	if err == nil && p.DisabledAt != 0 {
		err = s.endAgentsOf(ctx, call, p)
	}
	return p.View(), err
}

// endAgentsOf revokes the tokens that act for a person who is disabled.
func (s *Server) endAgentsOf(ctx context.Context, call *Call, p people.Person) error {
	n, err := s.Tokens.RevokeActing(ctx, p.ID)
	if n > 0 {
		call.detail = fmt.Sprintf("revoked %d tokens that acted for the person", n)
	}
	return err
}

// signInLink is the only answer that carries a link's secret.
type signInLink struct {
	PersonID   string  `json:"person_id"`
	Secret     *string `json:"secret"` // shown once
	SecretLost bool    `json:"secret_lost,omitempty"`
}

func (l signInLink) withoutSecret() any { return signInLink{PersonID: l.PersonID, SecretLost: true} }

func (s *Server) linkPerson(ctx context.Context, call *Call, _ none) (signInLink, error) {
	call.Did("person", call.Param("id"))
	secret, err := s.People.SignInLink(ctx, call.Param("id"))
	return signInLink{PersonID: call.Param("id"), Secret: &secret}, err
}
