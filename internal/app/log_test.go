package app

import (
	"bytes"
	"log/slog"
	"testing"
)

func TestLogger(t *testing.T) {
	tests := []struct{ format, level, want string }{
		{"text", "info", "level=INFO msg=news n=1\nlevel=WARN msg=odd n=1\n"},
		{"text", "error", ""},
		{"json", "warn", `{"level":"WARN","msg":"odd","n":1}` + "\n"},
	}
	for _, tt := range tests {
		var out bytes.Buffer
		log := Config{LogFormat: tt.format, LogLevel: tt.level, LogTo: &out}.logger().With("n", 1)
		log = slog.New(timeless{log.Handler()})
		log.Debug("detail")
		log.Info("news")
		log.Warn("odd")
		if out.String() != tt.want {
			t.Errorf("%s at %s: got %q, want %q", tt.format, tt.level, out.String(), tt.want)
		}
	}
}

// What the queue warns of is not for the log, whatever is added to its logger.
func TestOnlyErrors(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(timeless{onlyErrors{slog.NewTextHandler(&out, nil)}})
	for _, l := range []*slog.Logger{log, log.With("k", "v"), log.WithGroup("g")} {
		l.Info("job done")
		l.Warn("job cancelled remotely")
		l.Error("job lost", "n", 1)
	}
	want := "level=ERROR msg=\"job lost\" n=1\nlevel=ERROR msg=\"job lost\" k=v n=1\nlevel=ERROR msg=\"job lost\" g.n=1\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
