package main

import (
	"os"
	"strings"
	"testing"
)

// Flags come before variables, which come before the file, which comes before
// what is there without any.
func TestConfigPrecedence(t *testing.T) {
	others := map[string]string{}
	for name := range otherVariables {
		others[name] = "x"
	}
	tests := []struct {
		name        string
		file        string // of ambit.yaml; "-" is none
		vars, flags map[string]string
		setting     string
		want        any
	}{
		{"without any", "-", nil, nil, "max_upload_mb", 2048.0},
		{"an empty file", "", nil, nil, "max_upload_mb", 2048.0},
		{"the file", "max_upload_mb: 5", nil, nil, "max_upload_mb", 5.0},
		{"a variable over the file", "max_upload_mb: 5", map[string]string{"AMBIT_MAX_UPLOAD_MB": "6"}, nil, "max_upload_mb", 6.0},
		{"a flag over both", "max_upload_mb: 5", map[string]string{"AMBIT_MAX_UPLOAD_MB": "6"}, map[string]string{"max-upload-mb": "7"}, "max_upload_mb", 7.0},
		{"a flag that names the default", "max_upload_mb: 5", nil, map[string]string{"max-upload-mb": "2048"}, "max_upload_mb", 2048.0},
		{"text", "addr: 127.0.0.1:1", map[string]string{"AMBIT_ADDR": "127.0.0.1:2"}, nil, "addr", "127.0.0.1:2"},
		{"yes or no", "-", map[string]string{"AMBIT_INSECURE_SANDBOX": "true"}, nil, "insecure_sandbox", true},
		{"another yes over a no", "insecure_sandbox: true", nil, map[string]string{"insecure-sandbox": "false"}, "insecure_sandbox", false},
		{"what others read", "-", others, nil, "log_level", "info"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			args := settings(t, tt.file, tt.vars, tt.flags)
			var got map[string]any
			ambit(t, "", append([]string{"config", "--json"}, args...)...).ok(t, &got)
			if got[tt.setting] != tt.want {
				t.Errorf("%s = %v, want %v", tt.setting, got[tt.setting], tt.want)
			}
		})
	}
}

// settings puts a file and variables where the program looks for them.
func settings(t *testing.T, file string, vars, flags map[string]string) (args []string) {
	t.Helper()
	t.Chdir(t.TempDir())
	if file != "-" {
		if err := os.WriteFile(configFile, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range vars {
		t.Setenv(name, value)
	}
	for name, value := range flags {
		args = append(args, "--"+name+"="+value)
	}
	return args
}

func TestConfigLists(t *testing.T) {
	tests := []struct {
		name, file, variable, flag string // "-" is not set
		want                       []string
	}{
		{"the file", "allowed_hosts: [a, b]", "-", "-", []string{"a", "b"}},
		{"a variable", "allowed_hosts: [a, b]", "c, d", "-", []string{"c", "d"}},
		{"an empty variable", "allowed_hosts: [a, b]", "", "-", nil},
		{"a flag", "allowed_hosts: [a, b]", "c", "e,f", []string{"e", "f"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			vars, flags := map[string]string{}, map[string]string{}
			if tt.variable != "-" {
				vars["AMBIT_ALLOWED_HOSTS"] = tt.variable
			}
			if tt.flag != "-" {
				flags["allowed-hosts"] = tt.flag
			}
			var got struct {
				Hosts []string `json:"allowed_hosts"`
			}
			ambit(t, "", append([]string{"config", "--json"}, settings(t, tt.file, vars, flags)...)...).ok(t, &got)
			if strings.Join(got.Hosts, "|") != strings.Join(tt.want, "|") {
				t.Errorf("got %q, want %q", got.Hosts, tt.want)
			}
		})
	}
}

// What is no setting, or cannot be one, stops every command that reads settings.
func TestConfigRefuses(t *testing.T) {
	tests := []struct {
		name, file string
		vars       map[string]string
		want       string
	}{
		{"unknown key in the file", "adress: x", nil, "field adress not found"},
		{"a flag's spelling in the file", "max-upload-mb: 5", nil, "field max-upload-mb not found"},
		{"a key twice", "addr: 127.0.0.1:1\naddr: 127.0.0.1:2", nil, `mapping key "addr" already defined`},
		{"another type in the file", "max_upload_mb: lots", nil, "cannot unmarshal"},
		{"unknown variable", "-", map[string]string{"AMBIT_ADDRESS": "x"}, "variable AMBIT_ADDRESS is no setting"},
		{"a field that is no setting", "-", map[string]string{"AMBIT_VERSION": "9"}, "variable AMBIT_VERSION is no setting"},
		{"a variable that is no number", "-", map[string]string{"AMBIT_TRAIN_WORKERS": "two"}, "variable AMBIT_TRAIN_WORKERS: must be a whole number"},
		{"a variable that is neither yes nor no", "-", map[string]string{"AMBIT_INSECURE_SANDBOX": "maybe"}, "must be true or false"},
		{"a value out of bounds", "agent_max_rows: 0", nil, "agent-max-rows: must be from 1 to 10,000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			settings(t, tt.file, tt.vars, nil)
			for _, command := range [][]string{{"config"}, {"serve"}, {"doctor"}, {"migrate"}, {"audit", "verify"}, {"demo", "--exit"}} {
				got := ambit(t, "", command...)
				if got.code != 2 || got.out != "" || !strings.Contains(got.err, tt.want) {
					t.Errorf("%v: exit %d, stdout %q, stderr %q; want 2, nothing, and %q", command, got.code, got.out, got.err, tt.want)
				}
			}
		})
	}
	t.Run("a file that is not there", func(t *testing.T) {
		if got := ambit(t, "", "config", "--config", "absent.yaml"); got.code != 2 || !strings.Contains(got.err, "absent.yaml: no such file") {
			t.Errorf("exit %d, stderr %q; want 2 and the name of the file", got.code, got.err)
		}
	})
}

// Secrets come in, and never out: not as settings, not as what is wrong with them.
func TestConfigHidesSecrets(t *testing.T) {
	const secret = "hunter2hunter2"
	tests := []struct {
		name string
		vars map[string]string
		args []string
		want int
	}{
		{"as YAML", map[string]string{"AMBIT_DATABASE_URL": "postgres://u:" + secret + "@db/ambit", "AMBIT_REDIS_URL": "redis://:" + secret + "@r:1"}, []string{"config"}, 0},
		{"as JSON", map[string]string{"AMBIT_DATABASE_URL": "postgres://u:" + secret + "@db/ambit", "AMBIT_REDIS_URL": "redis://:" + secret + "@r:1"}, []string{"config", "--json"}, 0},
		{"in a refusal", map[string]string{"AMBIT_DATABASE_URL": "mysql://u:" + secret + "@db/ambit"}, []string{"config"}, 2},
		{"in a failure", map[string]string{"AMBIT_DATABASE_URL": "postgres://u:" + secret + "@127.0.0.1:1/ambit?connect_timeout=1"}, []string{"audit", "verify"}, 1},
		{"in another failure", map[string]string{"AMBIT_REDIS_URL": "redis://:" + secret + "@r:port"}, []string{"audit", "verify"}, 1},
		{"in help", map[string]string{"AMBIT_REDIS_URL": "redis://:" + secret + "@r:1"}, []string{"serve", "--help"}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("XDG_DATA_HOME", dataFolder(t))
			settings(t, "-", tt.vars, nil)
			got := ambit(t, "", tt.args...)
			if got.code != tt.want || strings.Contains(got.out+got.err, secret) {
				t.Errorf("exit %d, stdout %q, stderr %q; want %d and no secret", got.code, got.out, got.err, tt.want)
			}
		})
	}
}
