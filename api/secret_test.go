package api

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// Nothing is kept of a body with a secret in it, not even a digest. So every
// field that is called like one must say that it is one.
func TestFieldsThatAreSecretSaySo(t *testing.T) {
	called := regexp.MustCompile(`(?i)secret|password`)
	secrets := 0
	for id, end := range new(Server).handlers() {
		if end.in == nil || end.in.Kind() != reflect.Struct {
			continue
		}
		for _, f := range reflect.VisibleFields(end.in) {
			name := jsonName(f)
			if f.Type.Kind() != reflect.String || !called.MatchString(name) {
				continue
			}
			secrets++
			if f.Tag.Get("secret") != "true" || !end.secret {
				t.Errorf(`route %s: the field %s is not tagged secret:"true"`, id, name)
			}
		}
	}
	if secrets < 7 {
		t.Errorf("%d secret fields, want the seven of signing in and of people", secrets)
	}
}

func TestSeasonedFingerprints(t *testing.T) {
	here, there := &Server{pepper: []byte("here")}, &Server{pepper: []byte("there")}
	print := strings.Repeat("0", 64)
	if first, again := here.seasoned(print), here.seasoned(print); first != again {
		t.Error("one request has two fingerprints, want the same for a replay")
	}
	if here.seasoned(print) == there.seasoned(print) || here.seasoned(print) == print {
		t.Error("a fingerprint does not depend on the key of the process")
	}
}

func TestReason(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"any language", "Besser geprüft: 精度", "reason: Besser geprüft: 精度"},
		{"a line break and a change of direction", "a\nb\u202ec", "reason: a b c"},
		{"long", strings.Repeat("ü", 600), "reason: " + strings.Repeat("ü", 500)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := reason(tt.in); got != tt.want {
				t.Errorf("reason(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}
