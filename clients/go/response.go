package palmares

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// A Response is what the service says beside the data.
type Response struct {
	Status      int    // 200, also of what came from the store
	RequestID   string // to quote in a report
	Quota       *Quota // nil for an anonymous request
	Cursor      string // where to go on from with ListChanges; empty where the operation has none
	UpdatedAt   string // the day of the edition
	Attribution string // the credit line to show wherever the data is reused
	FromStore   bool   // it has not changed since it was stored
}

// A Quota is where the account stands.
type Quota struct {
	Tier      string     // free, pro, or a tier that came later
	Remaining *int       // requests left today; nil without a limit
	Reset     *time.Time // when the count begins again; nil without a limit
}

// Into has a call write what the service says beside the data.
func Into(r *Response) CallOption { return func(said *Response) { *r = *said } }

// A CallOption is something more to do with one call.
type CallOption func(*Response)

func responseOf(h http.Header) Response {
	r := Response{
		Status: http.StatusOK, RequestID: h.Get("X-Request-Id"), Quota: quotaOf(h), Cursor: h.Get("X-Changes-Cursor"),
		UpdatedAt: h.Get("X-Service-Updated-At"), Attribution: h.Get("X-Attribution"),
	}
	if plain, err := url.PathUnescape(r.Attribution); err == nil {
		r.Attribution = plain
	}
	return r
}

func quotaOf(h http.Header) *Quota {
	q := &Quota{Tier: h.Get("X-RateLimit-Tier")}
	if q.Tier == "" {
		return nil
	}
	if n, err := strconv.Atoi(h.Get("X-RateLimit-Remaining")); err == nil {
		q.Remaining = &n
	}
	if t, err := time.Parse(time.RFC3339, h.Get("X-RateLimit-Reset")); err == nil {
		q.Reset = &t
	}
	return q
}

// ErrorCode says what is wrong, for programs: one of the constants, or a code that came later.
type ErrorCode string

// The codes of today. The contract says what each means.
const (
	CodeRetired       ErrorCode = "retired"
	CodeRenamed       ErrorCode = "renamed"
	CodeUnknown       ErrorCode = "unknown"
	CodeOutsideTheSet ErrorCode = "outside_the_set"
	CodeBadParameter  ErrorCode = "bad_parameter"
	CodeKeyMissing    ErrorCode = "key_missing"
	CodeKeyInvalid    ErrorCode = "key_invalid"
	CodeKeyDormant    ErrorCode = "key_dormant"
	CodeQuota         ErrorCode = "quota"
	CodeGone          ErrorCode = "gone"
	CodeNoSuchPath    ErrorCode = "no_such_path"
	CodeMethod        ErrorCode = "method"
	CodeTooLarge      ErrorCode = "too_large"
	CodeBusy          ErrorCode = "busy"
	CodeUnavailable   ErrorCode = "unavailable"
)

// An Error is what the service refused, and why: errors.As finds it.
type Error struct {
	Status     int
	Code       ErrorCode // empty if the response is not one of the service, but of a gateway before it
	Message    string
	Parameter  string        // with CodeBadParameter, which one
	Successor  string        // with CodeRetired, the tool to use instead, if there is one
	RetryAfter time.Duration // when to ask again; 0 if the service does not say
	RequestID  string        // to quote in a report
	Quota      *Quota        // nil for an anonymous request
}

func (e *Error) Error() string {
	text := fmt.Sprintf("palmares: %d %s", e.Status, e.Message)
	if e.RequestID != "" {
		text += " (request " + e.RequestID + ")"
	}
	return text
}

// A NetworkError is a request without a whole response.
type NetworkError struct{ Err error }

func (e *NetworkError) Error() string { return "palmares: no whole response: " + e.Err.Error() }

func (e *NetworkError) Unwrap() error { return e.Err }

// ErrShifted is the error of a list that was published anew each time it was read from its beginning.
var ErrShifted = errors.New("palmares: the catalogue changed each time it was read: try again, or use a download")

// errorOf makes an Error of a response that has no data.
func errorOf(status int, h http.Header, body []byte) *Error {
	e := &Error{Status: status, RequestID: h.Get("X-Request-Id"), Quota: quotaOf(h)}
	e.RetryAfter = retryAfter(h.Get("Retry-After"), time.Now())
	var said struct {
		Error, Parameter, Successor string
		Code                        ErrorCode
	}
	if json.Unmarshal(body, &said) != nil || said.Error == "" { // a gateway's page
		e.Message = http.StatusText(status)
		return e
	}
	e.Code, e.Message, e.Parameter, e.Successor = said.Code, said.Error, said.Parameter, said.Successor
	return e
}

// notOfThisAPI is the error of a 200 that somebody else gave: a proxy, a gateway, a hotel.
func notOfThisAPI(h http.Header) *Error {
	e := errorOf(http.StatusOK, h, nil)
	e.Message = "the response is not one of this API"
	return e
}

// retryAfter reads the header, which has seconds or a date.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
