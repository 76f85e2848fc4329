package conformance

import (
	"fmt"
	"strings"
	"testing"
)

// suite is one way to run the official suite.
type suite struct {
	name   string
	module string
	tag    string // of the scenarios that belong to it; "" is all
	flags  []string
}

const (
	released = "conformance-released/dist/index.js"
	next     = "@modelcontextprotocol/conformance/dist/index.js"
)

// suites are the columns of the table of scenarios. The released suite has no
// further flags; an extension is run without a version, with which it would be
// skipped.
var suites = [...]suite{
	{name: "0.1.16", module: released},
	{name: "2025-11-25", module: next, tag: "2025-11-25", flags: []string{"--spec-version", "2025-11-25", "--timeout", patience, "--expected-failures", "baseline.yml"}},
	{name: "2026-07-28", module: next, tag: "2026-07-28", flags: []string{"--spec-version", "2026-07-28", "--timeout", patience, "--expected-failures", "baseline.yml"}},
	{name: "extensions", module: next, tag: "extension", flags: []string{"--timeout", patience, "--expected-failures", "baseline.yml"}},
}

// patience is what busy machines need, in milliseconds.
const patience = "90000"

// scenario says what of a scenario passes, or why it is left out.
type scenario struct {
	name   string
	passes [len(suites)]int // checks, by suite; 0 where it does not run
	needs  need             // what Ambit does not have, where a suite has the scenario and does not run it
}

// need is something that a scenario asks of a server.
type need struct {
	what string
	met  func(*testing.T, *server) bool
}

func (n need) String() string { return n.what }

// method needs a method of the protocol.
func method(name string) need {
	return need{"the method `" + name + "`", func(t *testing.T, s *server) bool {
		const methodNotFound = -32601
		return s.ask(t, name, `{}`).Error.Code != methodNotFound
	}}
}

// tool needs a tool of this very name, which does what the suite says.
func tool(name string) need {
	return need{"the tool `" + name + "`", func(t *testing.T, s *server) bool {
		return strings.Contains(s.ask(t, "tools/list", `{}`).body, fmt.Sprintf(`"name":%q`, name))
	}}
}

// sessions need a server that remembers its clients.
func sessions() need {
	return need{"a session: each request stands alone", func(t *testing.T, s *server) bool {
		a := s.ask(t, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
		return a.header.Get("Mcp-Session-Id") != ""
	}}
}

// headerArgument needs a tool that takes an argument from a header.
func headerArgument() need {
	return need{"a tool with an `x-mcp-header`", func(t *testing.T, s *server) bool {
		return strings.Contains(s.ask(t, "tools/list", `{}`).body, `"x-mcp-header"`)
	}}
}

// scenarios are all that the suites have for servers. A scenario of a suite that
// neither runs nor says what it needs fails the test, and so does one that needs
// what Ambit has by now.
var scenarios = []scenario{
	{name: "server-initialize", passes: [...]int{1, 2, 0, 0}},
	{name: "server-stateless", passes: [...]int{0, 0, 21, 0}},
	{name: "ping", passes: [...]int{1, 2, 0, 0}},
	{name: "tools-list", passes: [...]int{1, 3, 4, 0}},
	{name: "server-sse-multiple-streams", passes: [...]int{0, 0, 1, 0}, needs: sessions()},
	{name: "dns-rebinding-protection", passes: [...]int{2, 2, 2, 0}},
	{name: "caching", passes: [...]int{0, 0, 4, 0}},
	{name: "http-header-validation", passes: [...]int{0, 0, 14, 0}},
	{name: "input-required-result-unsupported-methods", passes: [...]int{0, 0, 2, 0}},

	// Sessions.
	{name: "server-session-lifecycle", needs: sessions()},
	{name: "server-sse-polling", needs: sessions()},

	// What is not served.
	{name: "logging-set-level", needs: method("logging/setLevel")},
	{name: "tools-call-with-logging", needs: method("logging/setLevel")},
	{name: "completion-complete", needs: method("completion/complete")},
	{name: "resources-list", needs: method("resources/list")},
	{name: "resources-read-text", needs: method("resources/read")},
	{name: "resources-read-binary", needs: method("resources/read")},
	{name: "resources-templates-read", needs: method("resources/read")},
	{name: "sep-2164-resource-not-found", needs: method("resources/read")},
	{name: "resources-subscribe", needs: method("resources/subscribe")},
	{name: "resources-unsubscribe", needs: method("resources/unsubscribe")},
	{name: "prompts-list", needs: method("prompts/list")},
	{name: "prompts-get-simple", needs: method("prompts/get")},
	{name: "prompts-get-with-args", needs: method("prompts/get")},
	{name: "prompts-get-embedded-resource", needs: method("prompts/get")},
	{name: "prompts-get-with-image", needs: method("prompts/get")},
	{name: "input-required-result-non-tool-request", needs: method("prompts/get")},
	{name: "sep-2640-skills-directory", needs: method("skills/list")},
	{name: "sep-2640-skills-enumeration", needs: method("skills/list")},
	{name: "sep-2640-skills-manifest", needs: method("skills/list")},
	{name: "http-custom-header-server-validation", needs: headerArgument()},

	// Tools that only a server has that is made for the suite.
	{name: "tools-call-simple-text", needs: tool("test_simple_text")},
	{name: "tools-call-image", needs: tool("test_image_content")},
	{name: "tools-call-audio", needs: tool("test_audio_content")},
	{name: "tools-call-embedded-resource", needs: tool("test_embedded_resource")},
	{name: "tools-call-mixed-content", needs: tool("test_multiple_content_types")},
	{name: "tools-call-error", needs: tool("test_error_handling")},
	{name: "tools-call-with-progress", needs: tool("test_tool_with_progress")},
	{name: "tools-call-sampling", needs: tool("test_sampling")},
	{name: "tools-call-elicitation", needs: tool("test_elicitation")},
	{name: "elicitation-sep1034-defaults", needs: tool("test_elicitation_sep1034_defaults")},
	{name: "elicitation-sep1330-enums", needs: tool("test_elicitation_sep1330_enums")},
	{name: "json-schema-2020-12", needs: tool("json_schema_2020_12_tool")},
	{name: "input-required-result-basic-elicitation", needs: tool("test_input_required_result_elicitation")},
	{name: "input-required-result-missing-input-response", needs: tool("test_input_required_result_elicitation")},
	{name: "input-required-result-result-type", needs: tool("test_input_required_result_elicitation")},
	{name: "input-required-result-ignore-extra-params", needs: tool("test_input_required_result_elicitation")},
	{name: "input-required-result-validate-input", needs: tool("test_input_required_result_elicitation")},
	{name: "input-required-result-basic-sampling", needs: tool("test_input_required_result_sampling")},
	{name: "input-required-result-basic-list-roots", needs: tool("test_input_required_result_list_roots")},
	{name: "input-required-result-request-state", needs: tool("test_input_required_result_request_state")},
	{name: "input-required-result-tampered-state", needs: tool("test_input_required_result_tampered_state")},
	{name: "input-required-result-multiple-input-requests", needs: tool("test_input_required_result_multiple_inputs")},
	{name: "input-required-result-multi-round", needs: tool("test_input_required_result_multi_round")},
	{name: "input-required-result-capability-check", needs: tool("test_input_required_result_capabilities")},

	// Tasks: long work is a run, which any client can follow with a tool.
	{name: "tasks-lifecycle", needs: method("tasks/get")},
	{name: "tasks-capability-negotiation", needs: method("tasks/get")},
	{name: "tasks-wire-fields", needs: method("tasks/get")},
	{name: "tasks-request-state-removal", needs: method("tasks/get")},
	{name: "tasks-mrtr-input", needs: method("tasks/get")},
	{name: "tasks-request-headers", needs: method("tasks/get")},
	{name: "tasks-dispatch-and-envelope", needs: method("tasks/get")},
	{name: "tasks-status-notifications", needs: method("tasks/get")},
	{name: "tasks-required-task-error", needs: method("tasks/get")},
	{name: "tasks-mrtr-composition", needs: method("tasks/get")},
}
