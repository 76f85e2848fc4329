package people

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ambit/internal/fault"
	"ambit/scopes"
)

const (
	minPassword = 12  // characters
	maxPassword = 256 // characters
	maxEmail    = 254 // bytes (RFC 5321)
	maxName     = 100 // characters

	maxWorkspaces = 1_000 // of one person
)

// emailRule is the one that browsers hold an <input type="email"> to (HTML
// Living Standard, "valid email address"), in lower case.
var emailRule = regexp.MustCompile("^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$")

// normalEmail is the form in which emails are stored and compared.
func normalEmail(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// wrong collects the fields that are wrong.
type wrong []fault.Field

func (w *wrong) need(ok bool, path, rule string, valid ...string) {
	if !ok {
		*w = append(*w, fault.Field{Path: path, Rule: rule, Valid: valid})
	}
}

func (w *wrong) email(s string) {
	w.need(len(s) <= maxEmail && emailRule.MatchString(s), "email", "must be an email address")
}

func (w *wrong) name(s string) {
	ok := utf8.RuneCountInString(s) <= maxName && !strings.ContainsFunc(s, unicode.IsControl)
	w.need(ok, "name", "must have at most 100 characters, none of them a control character")
}

// password asks for length and nothing else: rules of composition make
// passwords worse (NIST SP 800-63B, 5.1.1).
func (w *wrong) password(path, s, email string) {
	n := utf8.RuneCountInString(s)
	w.need(n >= minPassword && n <= maxPassword, path, "must have 12 to 256 characters")
	w.need(normalEmail(s) != email, path, "must not be the email")
}

func (w *wrong) role(r scopes.Role) {
	w.need(scopes.ParseRole(r.String()) != scopes.NoRole, "role", "must be a role",
		scopes.Viewer.String(), scopes.Operator.String(), scopes.Admin.String())
}

// workspaces names those that do not exist by their place in the list.
func (w *wrong) workspaces(ctx context.Context, s *Service, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	if len(ids) > maxWorkspaces {
		w.need(false, "workspace_ids", "must name at most 1,000 workspaces")
		return nil
	}
	missing, err := s.MissingWorkspaces(ctx, ids)
	for i, id := range ids {
		w.need(!slices.Contains(missing, id), fmt.Sprintf("workspace_ids[%d]", i), "must be the id of a workspace")
	}
	return err
}

// unique returns the ids in order, each once.
func unique(ids []string) []string {
	out := make([]string, 0, len(ids))
	for _, id := range ids {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}
