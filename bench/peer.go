package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/gin-gonic/gin"
)

// servePeer is the bare gin server that Ambit is measured against: it reads and
// writes JSON and does nothing else.
func servePeer() {
	gin.SetMode(gin.ReleaseMode)
	g := gin.New()
	answer := gin.H{"id": "ws_0123456789abcdef", "name": "bench", "stage": "explore", "created_at": "2026-01-01T00:00:00.000Z", "created_by": "cli"}
	g.GET("/get", func(c *gin.Context) { c.JSON(http.StatusOK, answer) })
	g.POST("/post", func(c *gin.Context) {
		var in map[string]any
		if err := c.ShouldBindJSON(&in); err != nil {
			c.Status(http.StatusBadRequest)
			return
		}
		c.JSON(http.StatusOK, answer)
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	raw, _ := json.Marshal(map[string]string{"url": "http://" + l.Addr().String()})
	os.WriteFile(os.Args[2], raw, 0o600)
	http.Serve(l, g)
}

// startPeer starts this program as the peer.
func (e *env) startPeer() (*process, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ready := filepath.Join(e.dir, "peer.ready")
	cmd := exec.Command(exe, "peer", ready)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for range 1000 {
		var at struct{ URL string }
		if raw, err := os.ReadFile(ready); err == nil && json.Unmarshal(raw, &at) == nil {
			os.Remove(ready)
			return &process{cmd: cmd, url: at.URL}, nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return nil, fmt.Errorf("the peer did not come up")
}
