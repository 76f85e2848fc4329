package contracttest

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"ambit/mcp"
)

// toolFile is the contract of the tools as people read it.
const toolFile = "../docs/tools.json"

func TestToolFileSaysWhatTheToolsSend(t *testing.T) {
	got, err := os.ReadFile(toolFile)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(mcp.Contract(mcp.Tools)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("docs/tools.json is not what the tools send; see what changed, then write it again:\n\tbin/ambit contract > docs/tools.json")
	}
}

// What the tools say that they send is within the law, each row by itself.
func TestToolContractKeepsTheLaw(t *testing.T) {
	rows := law(t)
	contract := mcp.Contract(mcp.Tools)
	if len(contract) == 0 {
		t.Fatal("the tools send nothing")
	}
	for _, c := range contract {
		i := slices.IndexFunc(rows, func(r lawRow) bool { return r.method == c.Method && r.path == c.Path })
		if i < 0 {
			t.Errorf("%s %s: %s %s is not in the law", c.Tool, c.Action, c.Method, c.Path)
			continue
		}
		if !slices.Contains(maySend[c.Scope], rows[i].class) {
			t.Errorf("%s %s of scope %s sends %s %s, which is of class %s", c.Tool, c.Action, c.Scope, c.Method, c.Path, rows[i].class)
		}
		if c.Key != rows[i].key {
			t.Errorf("%s %s: key %v, the law has %v", c.Tool, c.Action, c.Key, rows[i].key)
		}
		if c.Method == "DELETE" {
			t.Errorf("%s %s deletes", c.Tool, c.Action)
		}
	}
}
