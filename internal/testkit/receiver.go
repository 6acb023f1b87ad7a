package testkit

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
)

// A Receiver is an HTTP server that remembers the requests it gets.
type Receiver struct {
	URL   string
	Close func()

	mu     sync.Mutex
	answer func(body []byte) (status int, response string)
	got    []Received
}

// Received is a recorded request.
type Received struct {
	Header http.Header
	Body   []byte
}

// NewReceiver starts a receiver that answers 204 until Answer is called. The caller must call Close.
func NewReceiver() *Receiver {
	r := &Receiver{answer: func([]byte) (int, string) { return http.StatusNoContent, "" }}
	server := httptest.NewServer(r)
	r.URL, r.Close = server.URL, server.Close
	return r
}

// ServeHTTP implements http.Handler.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return // the client has gone
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, Received{q.Header, body})
	status, response := r.answer(body)
	w.WriteHeader(status)
	_, _ = io.WriteString(w, response) // the client may have gone
}

// Answer sets the function that chooses the response to each further request.
func (r *Receiver) Answer(answer func(body []byte) (status int, response string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

// Requests returns all requests so far.
func (r *Receiver) Requests() []Received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}
