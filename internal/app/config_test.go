package app

import (
	"net"
	"slices"
	"strings"
	"testing"
)

func TestConfigCheck(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Config)
		want   []string // parts of the error; none: there is none
	}{
		{"the default", func(*Config) {}, nil},
		{"no folder", func(c *Config) { c.Data = "" }, []string{"data: must name a folder"}},
		{"no port", func(c *Config) { c.Addr = "localhost" }, []string{"addr: must be host:port"}},
		{"every interface", func(c *Config) { c.Addr = ":8080" }, nil},
		{"PostgreSQL", func(c *Config) { c.DatabaseURL = "postgres:///ambit?host=/run/postgresql" }, nil},
		{"another database", func(c *Config) { c.DatabaseURL = "mysql://h/ambit" }, []string{"database-url: must begin with postgres://"}},
		{"public", func(c *Config) { c.PublicURL = "https://ambit.example" }, nil},
		{"public without a host", func(c *Config) { c.PublicURL = "https://" }, []string{"public-url: must be an http or https address"}},
		{"public by another way", func(c *Config) { c.PublicURL = "ftp://ambit.example" }, []string{"public-url: must be"}},
		{"half of TLS", func(c *Config) { c.TLSKey = "key.pem" }, []string{"tls-cert: and tls-key go together"}},
		{"TLS without files", func(c *Config) { c.TLSCert, c.TLSKey = "no.pem", "no.key" }, []string{"tls-cert: open no.pem"}},
		{"no uploads", func(c *Config) { c.MaxUploadMB = 0 }, []string{"max-upload-mb: must be from 1 to 1,048,576"}},
		{"too many rows", func(c *Config) { c.AgentMaxRows = 10_001 }, []string{"agent-max-rows: must be from 1 to 10,000"}},
		{"no workers", func(c *Config) { c.TrainWorkers = 0 }, nil},
		{"fewer than none", func(c *Config) { c.TrainWorkers = -1 }, []string{"train-workers: must be from 0 to 256"}},
		{"formats", func(c *Config) { c.LogFormat, c.LogLevel = "xml", "loud" }, []string{"log-format: must be text or json", "log-level: must be debug, info, warn or error"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := Default()
			tt.change(&c)
			err := c.Check()
			if (err == nil) != (tt.want == nil) {
				t.Fatalf("Check = %v, want %q", err, tt.want)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("Check = %v, want %q in it", err, want)
				}
			}
		})
	}
}

// The names that people reach the server under follow from the settings.
func TestConfigNames(t *testing.T) {
	local := []string{"127.0.0.1", "localhost", "::1"}
	tests := []struct {
		name    string
		config  Config
		url     string
		secure  bool
		hosts   []string
		origins []string
	}{
		{"local", Config{Addr: "127.0.0.1:0"}, "http://127.0.0.1:9", false, append(slices.Clone(local), "127.0.0.1"), nil},
		{"every interface", Config{Addr: ":0"}, "http://127.0.0.1:9", false, local, nil},
		{"TLS", Config{Addr: "ambit.lan:443", TLSCert: "c"}, "https://127.0.0.1:9", true, append(slices.Clone(local), "ambit.lan"), nil},
		{
			"behind a proxy", Config{Addr: ":0", PublicURL: "https://ambit.example:8443", AllowedHosts: []string{"ambit"}, AllowedOrigins: []string{"https://a.example"}},
			"https://ambit.example:8443", true, append(slices.Clone(local), "ambit", "ambit.example"), []string{"https://ambit.example:8443", "https://a.example"},
		},
		{"a proxy without TLS", Config{Addr: ":0", PublicURL: "http://ambit.example"}, "http://ambit.example", false, append(slices.Clone(local), "ambit.example"), []string{"http://ambit.example"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.config.url(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9}); got != tt.url {
				t.Errorf("url = %s, want %s", got, tt.url)
			}
			if got := tt.config.secure(); got != tt.secure {
				t.Errorf("secure = %v, want %v", got, tt.secure)
			}
			if got := tt.config.hosts(); !slices.Equal(got, tt.hosts) {
				t.Errorf("hosts = %q, want %q", got, tt.hosts)
			}
			if got := tt.config.origins(); !slices.Equal(got, tt.origins) {
				t.Errorf("origins = %q, want %q", got, tt.origins)
			}
		})
	}
}
