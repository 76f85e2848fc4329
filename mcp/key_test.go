package mcp_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"ambit/scopes"
)

// keyOf returns the key that a message is sent to the API with, and its kind.
func (h host) keyOf(t *testing.T, body string) string {
	t.Helper()
	h.forget()
	w := h.do(post(builderToken, body))
	got := h.of()
	if len(got) != 1 {
		t.Fatalf("%d requests: %s", len(got), w.Body)
	}
	return got[0].header.Get("Idempotency-Key") + " " + got[0].header.Get("X-Ambit-Key")
}

func TestDerivedKey(t *testing.T) {
	h := newHost(t)
	msg := func(id, tool, args string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args)
	}
	base := h.keyOf(t, msg(`1`, "launch_plan", `{"plan_id":"p","hash":"h"}`))
	// printf 'launch_plan\0{"hash":"h","plan_id":"p"}\0001\0' | sha256sum
	if want := "mcp-9731867abe452b92f0c66f2d60f940b3e53a1116cfcc77c19495518483b69cfc derived"; base != want {
		t.Fatalf("key = %q, want %q", base, want)
	}
	tests := []struct {
		name, body string
		same       bool
	}{
		{"sent again", msg(`1`, "launch_plan", `{"plan_id":"p","hash":"h"}`), true},
		{"arguments in another order, with spaces", msg(`1`, "launch_plan", `{ "hash" : "h", "plan_id":"p" }`), true},
		{"an escape for a letter", msg(`1`, "launch_plan", `{"plan_id":"\u0070","hash":"h"}`), true},
		{"a new request", msg(`2`, "launch_plan", `{"plan_id":"p","hash":"h"}`), false},
		{"the id as text", msg(`"1"`, "launch_plan", `{"plan_id":"p","hash":"h"}`), false},
		{"other arguments", msg(`1`, "launch_plan", `{"plan_id":"q","hash":"h"}`), false},
		{"fewer arguments", msg(`1`, "launch_plan", `{"plan_id":"p"}`), false},
		{"another tool", msg(`1`, "run", `{"action":"abort","run_id":"p"}`), false},
	}
	for _, tt := range tests {
		if got := h.keyOf(t, tt.body); (got == base) != tt.same || !strings.HasSuffix(got, " derived") {
			t.Errorf("%s: key = %q, first was %q; want the same: %v", tt.name, got, base, tt.same)
		}
	}
	if got := h.keyOf(t, msg(`1`, "launch_plan", `{"plan_id":"p","idempotency_key":"mine"}`)); got != "mine " {
		t.Errorf("a given key went out as %q", got)
	}
}

func TestReplayIsSaid(t *testing.T) {
	h := newHost(t)
	first := h.call(t, builderToken, "launch_plan", `{"plan_id":"p"}`)
	if first.Meta.Replayed || !strings.HasPrefix(first.Meta.Key, "mcp-") || !strings.HasPrefix(first.text(), "The plan is launched") {
		t.Errorf("first: %+v %q", first.Meta, first.text())
	}
	second := h.call(t, builderToken, "launch_plan", `{"plan_id":"p"}`) // the same request id
	want := "Replayed: this is the answer of the first time (idempotency_key " + first.Meta.Key + "), and nothing was done again. To act again, send a new request with another idempotency_key or none. The plan is launched"
	if !second.Meta.Replayed || second.Meta.Key != first.Meta.Key || !strings.HasPrefix(second.text(), want) {
		t.Errorf("second: %+v %q, want %q", second.Meta, second.text(), want)
	}
	third := h.call(t, builderToken, "launch_plan", `{"plan_id":"p","idempotency_key":"`+first.Meta.Key+`"}`)
	if !third.Meta.Replayed || third.Meta.Key != first.Meta.Key {
		t.Errorf("the returned key given back: %+v", third.Meta)
	}
}

// Where the API acted under a key of its own, that one is the key to give back.
func TestKeyInForceIsTheAPIs(t *testing.T) {
	h := newHost(t)
	h.answer(scopes.PlanLaunch, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Idempotency-Key", r.Header.Get("Idempotency-Key")+".2")
		say(201, `{"run_id":"run_2"}`)(w, r)
	})
	r := h.call(t, builderToken, "launch_plan", `{"plan_id":"p"}`)
	if !strings.HasSuffix(r.Meta.Key, ".2") || r.Meta.Replayed {
		t.Errorf("_meta = %+v, want the API's key", r.Meta)
	}
}
