package app

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// socketFolder is a folder with a path that is short enough for a socket.
func socketFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ambit-app-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// The kernel says whose process is at the other end, and the server asks it.
func TestOperatorSocketKnowsItsPeer(t *testing.T) {
	path := OperatorSocket(socketFolder(t))
	l, err := listenOperator(path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	client, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if uid, err := peerUID(conn); err != nil || uid != os.Getuid() {
		t.Errorf("peerUID = %d, %v; want %d", uid, err, os.Getuid())
	}
	if _, err := peerUID(&net.TCPConn{}); err == nil {
		t.Error("a connection that has no peer's user was given one")
	}
}

// Connections of other users, and of nobody knows whom, are closed without a word.
func TestOperatorSocketTurnsOthersAway(t *testing.T) {
	own := os.Getuid()
	tests := []struct {
		name string
		uid  int
		err  error
		want bool // let in
	}{
		{"another user", own + 1, nil, false},
		{"nobody knows whom", own, errors.New("no peer"), false},
		{"the server's user", own, nil, true},
		{"root", 0, nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inner, err := net.Listen("unix", OperatorSocket(socketFolder(t)))
			if err != nil {
				t.Fatal(err)
			}
			l := ownPeers{inner, func(net.Conn) (int, error) { return tt.uid, tt.err }}
			accepted := make(chan net.Conn, 1)
			go func() {
				conn, err := l.Accept()
				if err == nil {
					io.WriteString(conn, "in")
					conn.Close()
				}
				accepted <- conn
			}()
			client, err := net.Dial("unix", inner.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			said, _ := io.ReadAll(client) // a connection that was reset said nothing either
			client.Close()
			l.Close()
			conn := <-accepted
			if got := conn != nil; got != tt.want || (string(said) == "in") != tt.want {
				t.Errorf("let in = %v, and was told %q; want %v", got, said, tt.want)
			}
		})
	}
}

// A socket that a dead server left is taken over; one that answers is not.
func TestOperatorSocketIsTakenOver(t *testing.T) {
	path := OperatorSocket(socketFolder(t))
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	dead.Close()
	l, err := listenOperator(path)
	if err != nil {
		t.Fatalf("a socket that was left: %v", err)
	}
	defer l.Close()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	_, err = listenOperator(path)
	if err == nil || !strings.Contains(err.Error(), "another server uses the data folder "+filepath.Dir(path)) {
		t.Errorf("a second server: %v, want to be told of the first", err)
	}
	if _, err := listenOperator(filepath.Join(t.TempDir(), strings.Repeat("d", 108))); err == nil {
		t.Error("a path that is too long for a socket was listened on")
	}
}
