package contracttest

import (
	"fmt"
	"testing"
	"time"
)

// What people alone decide: with the typed name, by a person who has just
// proved who it is, and then it is done. It changes the world, so it comes last.
func testDecisions(t *testing.T, w *world) {
	admin, cold := w.callers["admin"].credential, w.callers["admin, not stepped up"].credential
	model := "/api/models/" + w.things["model"]
	promote := func(as credential, name string) answer {
		return w.send(as, "POST", model+"/promote", fmt.Sprintf(`{"confirm":%q,"reason":"It beats the floor."}`, name))
	}
	w.unchanged(t, func() {
		promote(cold, "first").is(t, "without a step-up", 403, "step_up_required")
		promote(admin, "First").is(t, "another name", 422, "confirm_mismatch")
		promote(cli, "first").is(t, "by the host's operator", 403, "session_required")
		promote(w.callers["builder"].credential, "first").is(t, "by an agent", 403, "human_only")
		w.send(admin, "POST", model+"/promote", `{"confirm":"first","reason":"so"}`).names(t, "without a reason", 422, "invalid", "reason")
	})
	w.send(cold, "POST", "/api/auth/step-up", `{"password":"not the password"}`).is(t, "a step-up with a wrong password", 422, "invalid")
	promote(cold, "first").is(t, "after it", 403, "step_up_required")
	w.send(cold, "POST", "/api/auth/step-up", fmt.Sprintf(`{"password":%q}`, password)).is(t, "a step-up", 200, "")

	var m struct{ Status string }
	promote(cold, "first").read(t, 200, &m)
	if m.Status != "champion" {
		t.Errorf("promoted, the model is %q, want champion", m.Status)
	}
	w.send(cold, "DELETE", model, `{"confirm":"first","reason":"It is old by now."}`).is(t, "deleting the champion", 409, "in_use")
	w.send(cold, "DELETE", "/api/runs/"+w.things["run"], fmt.Sprintf(`{"confirm":%q}`, w.things["run"])).is(t, "deleting the run of a model", 409, "in_use")

	plan := "/api/plans/" + w.things["cancelled plan"]
	w.send(cold, "DELETE", plan, fmt.Sprintf(`{"confirm":%q}`, w.things["cancelled plan"])).is(t, "deleting a plan", 204, "")
	gone := w.send(w.callers["builder"].credential, "GET", plan, nil)
	never := w.send(w.callers["builder"].credential, "GET", "/api/plans/"+absentID(w.things["cancelled plan"]), nil)
	alike(t, "a deleted plan", gone, never)

	w.pass(5*time.Minute + time.Second)
	promote(cold, "first").is(t, "five minutes after the step-up", 403, "step_up_required")
	promote(admin, "first").is(t, "five minutes after signing in", 403, "step_up_required")
}

// What a person may do ends when an admin ends it: the role at once, and with
// the account every session of it.
func testPeopleLoseRights(t *testing.T, w *world) {
	operator := w.callers["operator"].credential
	var me struct{ ID string }
	w.send(operator, "GET", "/api/auth/me", nil).read(t, 200, &me)
	change := func(body string) {
		t.Helper()
		w.send(w.callers["admin"].credential, "PATCH", "/api/people/"+me.ID, body).read(t, 200, nil)
	}
	plan := func() answer {
		return w.send(operator, "POST", "/api/workspaces/"+w.a+"/plans", planBody(w.things["dataset"]))
	}
	plan().is(t, "an operator", 201, "")
	change(`{"role":"viewer"}`)
	plan().is(t, "an operator who became a viewer", 403, "role_forbidden")
	change(fmt.Sprintf(`{"role":"operator","workspace_ids":[%q]}`, w.b))
	plan().is(t, "an operator who left the workspace", 404, "not_found")
	change(`{"disabled":true}`)
	plan().is(t, "an operator who was disabled", 401, "unauthenticated")
}
