package mcp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"ambit/api/client"
	"ambit/mcp"
	"ambit/scopes"
)

// plainAPI answers and records nothing.
func plainAPI(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/api/auth/me" {
		io.WriteString(w, `{"kind":"token","scope":"builder"}`)
		return
	}
	io.WriteString(w, usual[scopes.Query])
}

func BenchmarkHosted(b *testing.B) {
	cl, err := client.New("http://ambit.test", client.InProcess(http.HandlerFunc(plainAPI)))
	if err != nil {
		b.Fatal(err)
	}
	cfg := mcp.Config{Version: "1", API: cl, Schema: schemas(b), Hosts: []string{"ambit.test"}}
	h, err := mcp.NewHosted(cfg)
	if err != nil {
		b.Fatal(err)
	}
	modern := `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`
	query := `{"workspace_id":"ws_1","sql":"SELECT 1"}`
	for _, bench := range []struct {
		name, body string
		headers    []string
	}{
		{"list", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, nil},
		{"call legacy", toolCall(1, "query", query, ""), nil},
		{"call modern", toolCall(1, "query", query, modern), []string{"Mcp-Protocol-Version", modernVersion, "Mcp-Method", "tools/call", "Mcp-Name", "query"}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, post(builderToken, bench.body, bench.headers...)); w.Code != http.StatusOK {
					b.Fatal(w.Body)
				}
			}
		})
	}
	b.Run("start", func(b *testing.B) {
		for b.Loop() {
			if _, err := mcp.NewHosted(cfg); err != nil {
				b.Fatal(err)
			}
		}
	})
}
