package people

import (
	"context"
	"strings"

	"ambit/internal/fault"
	"ambit/internal/ids"
	"ambit/internal/page"
	"ambit/scopes"
)

// AddRequest describes a new person.
type AddRequest struct {
	Email      string
	Name       string // "" takes the email
	Role       scopes.Role
	Workspaces []string // ids; an admin belongs to all
	Password   string   // "" for none yet: a sign-in link lets the person in
}

// Add checks what a new person is to be; its commit makes the person.
// Faults: invalid, with every field that is wrong; conflict if the email is
// taken; unavailable.
func (s *Service) Add(ctx context.Context, in AddRequest) (Commit[Person], error) {
	p, err := s.draft(ctx, in, in.Password != "")
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (Person, error) {
		if err := s.Store.InsertPerson(ctx, p); err != nil {
			return Person{}, err
		}
		return p, nil
	}, nil
}

// draft returns the person that in describes, not stored yet.
func (s *Service) draft(ctx context.Context, in AddRequest, withPassword bool) (Person, error) {
	in.Email, in.Name = normalEmail(in.Email), strings.TrimSpace(in.Name)
	var w wrong
	w.email(in.Email)
	w.name(in.Name)
	w.role(in.Role)
	if withPassword {
		w.password("password", in.Password, in.Email)
	}
	if err := w.workspaces(ctx, s, in.Workspaces); err != nil {
		return Person{}, err
	}
	if err := fault.InvalidFields(w); err != nil {
		return Person{}, err
	}
	if in.Name == "" {
		in.Name = in.Email
	}
	p := Person{
		ID: ids.New("per"), Email: in.Email, Name: in.Name, Role: in.Role,
		Workspaces: unique(in.Workspaces), CreatedAt: s.Now(),
	}
	if !withPassword {
		return p, nil
	}
	var err error
	p.PasswordHash, err = s.Hasher.Hash(ctx, in.Password)
	return p, err
}

// UpdateRequest changes what is not nil.
type UpdateRequest struct {
	Role       *scopes.Role
	Workspaces *[]string
	Disabled   *bool
	// ClearPassword takes the password away, for a person who has forgotten it:
	// a sign-in link then lets them set another.
	ClearPassword bool
}

// Update changes a person, in the caller's transaction. Disabling, or taking
// the password away, ends the person's sessions.
// Faults: not_found; invalid; conflict if nobody would be left as an enabled admin.
func (s *Service) Update(ctx context.Context, id string, in UpdateRequest) (Person, error) {
	if err := s.checkUpdate(ctx, in); err != nil {
		return Person{}, err
	}
	if err := s.Store.LockPeople(ctx); err != nil {
		return Person{}, err
	}
	before, err := s.Store.Person(ctx, id)
	if err != nil {
		return Person{}, err
	}
	after := s.apply(before, in)
	if before.reigns() && !after.reigns() {
		if err := s.needOtherAdmin(ctx, id); err != nil {
			return Person{}, err
		}
	}
	if err := s.Store.UpdatePerson(ctx, after); err != nil {
		return Person{}, err
	}
	if after.DisabledAt != 0 || in.ClearPassword {
		return after, s.Store.DeleteSessions(ctx, id, "")
	}
	return after, nil
}

func (s *Service) checkUpdate(ctx context.Context, in UpdateRequest) error {
	var w wrong
	if in.Role != nil {
		w.role(*in.Role)
	}
	if in.Workspaces != nil {
		if err := w.workspaces(ctx, s, *in.Workspaces); err != nil {
			return err
		}
	}
	return fault.InvalidFields(w)
}

func (s *Service) apply(p Person, in UpdateRequest) Person {
	if in.Role != nil {
		p.Role = *in.Role
	}
	if in.Workspaces != nil {
		p.Workspaces = unique(*in.Workspaces)
	}
	if in.ClearPassword {
		p.PasswordHash = ""
	}
	switch {
	case in.Disabled == nil:
	case !*in.Disabled:
		p.DisabledAt = 0
	case p.DisabledAt == 0:
		p.DisabledAt = s.Now()
	}
	return p
}

// reigns reports whether the person is an enabled admin.
func (p Person) reigns() bool { return p.Role == scopes.Admin && p.DisabledAt == 0 }

// needOtherAdmin fails with conflict if there is no enabled admin but id.
func (s *Service) needOtherAdmin(ctx context.Context, id string) error {
	for at := (page.Page{Limit: page.MaxLimit}); ; {
		found, err := s.Store.People(ctx, at)
		if err != nil {
			return err
		}
		for _, p := range found {
			if p.ID != id && p.reigns() {
				return nil
			}
		}
		if len(found) <= at.Limit {
			return fault.New(fault.Conflict, "This is the last admin who can sign in.").
				WithFix("Make another person an admin first.")
		}
		last := found[at.Limit-1]
		at.After = page.Cursor{At: last.CreatedAt, ID: last.ID}
	}
}

// Get returns a person. Faults: not_found.
func (s *Service) Get(ctx context.Context, id string) (Person, error) { return s.Store.Person(ctx, id) }

// List returns the newest people first, disabled ones too.
func (s *Service) List(ctx context.Context, p page.Page) (page.List[View], error) {
	found, err := s.Store.People(ctx, p)
	if err != nil {
		return page.List[View]{}, err
	}
	views := make([]View, len(found))
	for i, person := range found {
		views[i] = person.View()
	}
	return page.Cut(views, p.Limit, func(v View) page.Cursor { return page.Cursor{At: v.CreatedAt, ID: v.ID} }), nil
}

// ActsFor returns the id of the enabled person whom ref names by id or email;
// "" names the oldest admin. Faults: not_found.
func (s *Service) ActsFor(ctx context.Context, ref string) (id string, err error) {
	p, err := s.find(ctx, ref)
	if err == nil && p.DisabledAt != 0 {
		err = fault.New(fault.NotFound, "The person is disabled.")
	}
	if err != nil {
		return "", err
	}
	return p.ID, nil
}

func (s *Service) find(ctx context.Context, ref string) (Person, error) {
	switch {
	case ref == "":
		return s.Store.OldestAdmin(ctx)
	case strings.Contains(ref, "@"):
		return s.Store.PersonByEmail(ctx, normalEmail(ref))
	}
	return s.Store.Person(ctx, ref)
}
