package stripefake

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// keyLife is how long an idempotency key is remembered. After that the key starts a new call:
// https://docs.stripe.com/api/idempotent_requests
const keyLife = 24 * time.Hour

// hold returns the answer of the first call with the idempotency key of a request, or an empty answer if
// this is the first. A call with other parameters under that key is a fault, and so is one that comes
// while the first is under way. A request without a key gets an empty answer.
func (s *Server) hold(r *http.Request, form url.Values) (*answer, error) {
	key := r.Header.Get("Idempotency-Key")
	of := r.Method + " " + r.URL.Path + " " + form.Encode()
	if key == "" || r.Method != http.MethodPost {
		return &answer{of: of}, nil
	}
	held := s.answers[key]
	switch {
	case held == nil, !held.busy && s.now().Sub(held.at) >= keyLife:
		held = &answer{of: of, at: s.now(), busy: true}
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

// saved reports whether the answer to a call is repeated under its key. It is, even for a failure, once the call has
// begun; a call whose parameters are invalid has not (https://docs.stripe.com/api/idempotent_requests).
func saved(err error) bool {
	f, ok := errors.AsType[*fault](err)
	return err == nil || !ok || !strings.HasPrefix(f.Code, "parameter_")
}

// beforeExecution reports whether a refusal with this status comes before the call begins.
func beforeExecution(status int) bool {
	return status < http.StatusInternalServerError && status != http.StatusPaymentRequired
}

// release marks the answer from hold as sent, and forgets its key if it is not to be repeated.
func (s *Server) release(r *http.Request, held *answer) {
	if held == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	held.busy = false
	if key := r.Header.Get("Idempotency-Key"); held.body == nil && s.answers[key] == held {
		delete(s.answers, key)
	}
}
