package stripefake

import (
	"net/http"
	"net/url"
)

// hold returns the answer of the call that came first with the idempotency key of a request, or an
// empty one for the first. Another call under that key is a fault, and so is one that comes while
// the first is under way.
func (s *Server) hold(r *http.Request, form url.Values) (*answer, error) {
	key := r.Header.Get("Idempotency-Key")
	of := r.Method + " " + r.URL.Path + " " + form.Encode()
	if key == "" || r.Method != http.MethodPost {
		return &answer{of: of}, nil
	}
	held := s.answers[key]
	switch {
	case held == nil:
		held = &answer{of: of, busy: true}
		s.answers[key] = held
		return held, nil
	case held.of != of:
		return nil, &fault{
			Status: http.StatusBadRequest, Type: "idempotency_error",
			Message: "Keys for idempotent requests can only be used with the same parameters they were first used with.",
		}
	case held.busy:
		return nil, &fault{
			Status: http.StatusConflict, Type: "idempotency_error", Code: "idempotency_key_in_use",
			Message: "There is currently another in-progress request using this Idempotency Key.",
		}
	default:
		return held, nil
	}
}

// release ends what hold began, once the answer was sent.
func (s *Server) release(r *http.Request, held *answer) {
	if held == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	held.busy = false
	if key := r.Header.Get("Idempotency-Key"); !held.made && s.answers[key] == held {
		delete(s.answers, key)
	}
}
