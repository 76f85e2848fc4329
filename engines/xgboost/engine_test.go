package xgboost

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ambit/internal/fault"
	"ambit/training"
)

func TestVersion(t *testing.T) {
	engine := testEngine(t)
	got, err := engine.Version()
	if err != nil || !regexp.MustCompile(`^xgboost 1\.7\.\d+$`).MatchString(got) {
		t.Errorf("Version = %q, %v; want xgboost 1.7.x", got, err)
	}
}

// TestEngineNotThere: each way in which there is no engine is the same fault,
// says how to get one, and shows no path.
func TestEngineNotThere(t *testing.T) {
	t.Setenv("XGBOOST_LIB", "")
	other := filepath.Join(t.TempDir(), "libother.so")
	if err := os.WriteFile(other, []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	good := testConfig(t)
	tests := []struct {
		name   string
		config Config
	}{
		{"no such library", Config{Command: good.Command, Library: filepath.Join(t.TempDir(), "libxgboost.so.0")}},
		{"not a library", Config{Command: good.Command, Library: other}},
		{"another library", Config{Command: good.Command, Library: "libc.so.6"}},
		{"no such program", Config{Command: []string{filepath.Join(t.TempDir(), "ambit"), "trainer"}}},
		{"program that ends", Config{Command: []string{"/bin/true"}}},
		{"program that says something else", Config{Command: []string{"/bin/echo", "hello"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			engine := New(tt.config)
			_, err := engine.Version()
			wantCode(t, err, fault.EngineUnavailable)
			if f := fault.From(err); strings.Contains(f.Detail+f.Fix, "/") {
				t.Errorf("the fault shows a path: %q %q", f.Detail, f.Fix)
			}
			_, err = engine.Open(t.Context(), training.Limits{Scratch: t.TempDir()})
			wantCode(t, err, fault.EngineUnavailable)
		})
	}
	_, err := New(tests[0].config).Version()
	wantCode(t, err, fault.EngineUnavailable, "apt-get install libxgboost0")
}

func TestOpenNeedsAFolder(t *testing.T) {
	if _, err := New(testConfig(t)).Open(t.Context(), training.Limits{}); err == nil {
		t.Error("a session without a scratch folder opens")
	}
}

// TestEnvironment: the child sees an allow-list and nothing else.
func TestEnvironment(t *testing.T) {
	t.Setenv("AMBIT_SECRET", "hidden")
	t.Setenv("LD_LIBRARY_PATH", "/opt/lib")
	allowed := regexp.MustCompile(`^(OMP_WAIT_POLICY=passive|OMP_NUM_THREADS=[1-9]\d*|GOTRACEBACK=none|LC_ALL=C|LD_LIBRARY_PATH=/opt/lib)$`)
	env := environment()
	for _, entry := range env {
		if !allowed.MatchString(entry) {
			t.Errorf("the child sees %q", entry)
		}
	}
	if len(env) != 5 {
		t.Errorf("%d variables, want 5: %q", len(env), env)
	}
}

// TestServerLoadsNoLibrary looks at what this process has mapped after a fit.
func TestServerLoadsNoLibrary(t *testing.T) {
	s := openSession(t)
	mustFit(t, s, training.Fit{Train: table(1, 100, 3, 0, binary), Params: smallParams(binary), Rounds: 1})
	for pid, want := range map[string]bool{"self": false, strconv.Itoa(s.process.Pid()): true} {
		maps, err := os.ReadFile("/proc/" + pid + "/maps")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(maps), "libxgboost"); got != want {
			t.Errorf("process %s has the library mapped: %v, want %v", pid, got, want)
		}
	}
}

func TestChildTakesNoArguments(t *testing.T) {
	command := testConfig(t).Command
	if err := exec.Command(command[0], command[1], "x").Run(); err == nil || err.Error() != "exit status 2" {
		t.Errorf("the child with an argument: %v, want exit status 2", err)
	}
	if err := exec.Command(command[0], command[1]).Run(); err != nil {
		t.Errorf("the child without requests: %v", err)
	}
}
