package client

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// InProcess returns a transport that hands each request to the handler, without
// a socket. The answer is kept whole, up to [MaxAnswer] bytes, and comes back
// when the handler has ended: it is not for streams.
func InProcess(handler http.Handler) http.RoundTripper { return inProcess{handler} }

type inProcess struct{ handler http.Handler }

// RoundTrip serves the request in the caller's goroutine.
func (t inProcess) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	rec := &recorder{header: http.Header{}}
	defer func() {
		if p := recover(); p != nil { // the net/http server would have dropped the connection
			resp, err = nil, fmt.Errorf("the handler panicked: %v", p)
		}
	}()
	t.handler.ServeHTTP(rec, served(req))
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	return rec.response(req), nil
}

// served is the request as a server sees one.
func served(req *http.Request) *http.Request {
	in := req.WithContext(req.Context()) // its own, but for what handlers only read: the URL and the header
	in.RequestURI = in.URL.RequestURI()
	in.Host = in.URL.Host
	in.RemoteAddr = "@" // as over a unix socket: no address
	in.Proto, in.ProtoMajor, in.ProtoMinor = "HTTP/1.1", 1, 1
	if in.Body == nil {
		in.Body = http.NoBody
	}
	return in
}

var errAnswerTooLarge = errors.New("the answer is larger than a client reads")

// recorder keeps what a handler writes, and one byte more than a client reads.
type recorder struct {
	header http.Header
	sent   http.Header // as it was when the status was written
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= 200 {
		r.status, r.sent = status, r.header.Clone()
	}
}

func (r *recorder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	room := MaxAnswer + 1 - r.body.Len()
	if len(p) > room {
		r.body.Write(p[:room])
		return room, errAnswerTooLarge
	}
	return r.body.Write(p)
}

func (r *recorder) response(req *http.Request) *http.Response {
	r.WriteHeader(http.StatusOK)
	return &http.Response{
		StatusCode: r.status, Status: fmt.Sprintf("%d %s", r.status, http.StatusText(r.status)), Header: r.sent,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(&r.body), ContentLength: int64(r.body.Len()), Request: req,
	}
}
