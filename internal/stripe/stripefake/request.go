package stripefake

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Requests returns the calls so far that were answered.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// A call is an API call: do runs under the server's lock.
type call struct {
	do     func(s *Server, id string, form url.Values) (any, error)
	params []string // the known ones, without indexes
}

// index matches what tells the elements of a repeated parameter apart: a number, or the key of a metadata entry.
var index = regexp.MustCompile(`\[\d+\]|^((?:\w+\[)?metadata\]?)\[[^\]]+\]$`)

func (c call) check(form url.Values) error {
	for key := range form {
		if !slices.Contains(c.params, index.ReplaceAllString(key, "$1[]")) {
			return invalid(key, "parameter_unknown", "Received unknown parameter: %s", key)
		}
	}
	return nil
}

// handle returns the handler of a call.
func (s *Server) handle(c call) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		form, err := parseForm(r)
		if err != nil {
			http.Error(w, "no form", http.StatusBadRequest)
			return
		}
		status, body, wait, end := s.answer(c, r, form)
		defer end()
		if wait > 0 {
			timer := time.NewTimer(wait)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-r.Context().Done():
				return
			}
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Request-Id", "req_"+s.run)
		w.WriteHeader(status)
		_, _ = w.Write(body) //nolint:gosec // JSON, and a caller that may have gone
	})
}

// answer does a call and returns its answer, and how long to wait before sending it. The caller calls end
// when it was sent.
func (s *Server) answer(c call, r *http.Request, form url.Values) (status int, body []byte, wait time.Duration, end func()) {
	s.lockAndTick()
	defer s.mu.Unlock()
	if s.away {
		panic(http.ErrAbortHandler)
	}
	held, err := s.admit(r, form)
	switch {
	case err != nil:
		status, body = encode(nil, err)
	case held.body != nil: // the call was done before
		status, body = held.status, held.body
	default:
		var result any
		result, err = s.perform(c, r, form)
		status, body = encode(result, err)
		if saved(err) {
			held.status, held.body = status, body
		}
	}
	if s.live {
		body = bytes.ReplaceAll(body, []byte(`"livemode":false`), []byte(`"livemode":true`))
	}
	s.requests = append(s.requests, Request{r.Method, r.URL.Path, form, status, body})
	return status, body, s.delay(), func() { s.release(r, held) }
}

// admit checks the key of a call and its permissions, and returns what hold does, or the fault of a refused call.
func (s *Server) admit(r *http.Request, form url.Values) (*answer, error) {
	if user, _, _ := r.BasicAuth(); user != s.Key && r.Header.Get("Authorization") != "Bearer "+s.Key {
		return nil, &fault{Status: http.StatusUnauthorized, Type: "invalid_request_error", Message: "Invalid API Key provided"}
	}
	if s.refusal != nil && beforeExecution(s.refusal.Status) {
		return nil, s.refusal
	}
	if s.setup.forbids(r.URL.Path) {
		return nil, &fault{Status: http.StatusForbidden, Type: "invalid_request_error", Message: "The provided key does not have the required permissions"}
	}
	return s.hold(r, form)
}

// perform checks the parameters of a call and makes it.
func (s *Server) perform(c call, r *http.Request, form url.Values) (any, error) {
	if err := c.check(form); err != nil {
		return nil, err
	}
	if s.refusal != nil {
		return nil, s.refusal
	}
	return c.do(s, r.PathValue("id"), form)
}

// encode encodes a result or an error. It is called under the lock, because results point into the state.
func encode(result any, err error) (status int, body []byte) {
	status = http.StatusOK
	if err != nil {
		f, ok := errors.AsType[*fault](err)
		if !ok {
			f = &fault{Status: http.StatusInternalServerError, Type: "api_error", Message: err.Error()}
		}
		status, result = f.Status, map[string]any{"error": f}
	}
	body, err = json.Marshal(result)
	if err != nil {
		panic(fmt.Sprintf("encoding %T: %v", result, err)) // an object of ours
	}
	return status, body
}

func parseForm(r *http.Request) (url.Values, error) {
	if err := r.ParseForm(); err != nil {
		return nil, err
	}
	return r.Form, nil
}

// metadata returns the metadata in a form under a name such as "metadata".
func metadata(form url.Values, name string) map[string]string {
	found := make(map[string]string)
	for key := range form {
		if rest, ok := strings.CutPrefix(key, name+"["); ok {
			found[strings.TrimSuffix(rest, "]")] = form.Get(key)
		}
	}
	return found
}
