package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/web"
)

// post identifies the caller, admits the message and answers it, or returns the error to answer with.
func (s *Server) post(w http.ResponseWriter, r *http.Request, m *message) error {
	charge, err := s.o.API.Identify(w, r)
	if err != nil {
		return err
	}
	q := &query{
		Server: s, w: w, r: r, m: m, charge: charge, who: limit.Caller{Account: charge.Account(), Addr: web.ClientAddr(w)},
		caller: callerOf(charge.Account(), web.ClientAddr(w)),
	}
	if err := q.admit(); err != nil {
		return err
	}
	return q.inTurn(q.answer)
}

// A query is a message being answered.
type query struct {
	*Server
	w      http.ResponseWriter
	r      *http.Request
	m      *message
	charge web.Charge
	who    limit.Caller
	caller caller
	taken  bool // the message was counted as free
}

// admit reads the message and charges for it, or counts it as free. It decodes nothing and reads no more than it must,
// because the content is not trusted. A caller with neither quota nor free messages left is refused unread.
func (q *query) admit() error {
	if q.charge.Exhausted() && !q.free.left(q.caller) {
		return q.charge.Refuse()
	}
	whole, err := q.m.readUpTo(maxOther, q.r)
	if err != nil {
		return err
	}
	if err := q.inTurn(q.scan); err != nil {
		return err
	}
	if q.m.method == "" && !whole { // the method may come after long parameters
		if err := q.takeFree(); err != nil {
			return err
		}
		if whole, err = q.m.readUpTo(maxCall, q.r); err != nil {
			return err
		}
		if err := q.inTurn(q.scan); err != nil {
			return err
		}
	}
	most := maxOf(q.m.method)
	if q.m.method == callMethod && q.charge.Exhausted() {
		return q.charge.Refuse()
	}
	if q.m.method != callMethod || q.r.ContentLength > int64(most) {
		if err := q.takeFree(); err != nil {
			return err
		}
	}
	if q.r.ContentLength <= int64(most) && !whole {
		if whole, err = q.m.readUpTo(most, q.r); err != nil {
			return err
		}
	}
	if !whole || len(q.m.body) > most {
		return tooLarge(most)
	}
	if q.m.method == callMethod {
		return q.charge.Count(q.r.Context())
	}
	q.charge.SetHeaders(q.r.Context())
	return nil
}

// scan sets the method and the id from what has been read.
func (q *query) scan(context.Context) error {
	found := scan(q.m.body)
	q.m.method, q.m.id = found.name(), found.id
	return nil
}

// takeFree counts the message as free, unless it is counted already. Its error is a 429.
func (q *query) takeFree() error {
	if q.taken || q.free.take(q.caller) {
		q.taken = true
		return nil
	}
	e := web.Errorf(http.StatusTooManyRequests, "more than %d messages a minute, beside calls of tools: try again when the next minute begins", freeAMinute)
	e.Header = http.Header{"Retry-After": {strconv.Itoa(q.free.wait())}}
	return e.WithCode(web.CodeQuota)
}

// inTurn waits for a turn in the queue and runs do. Everything that takes CPU time runs in it. Its error may be do's,
// or a 503 if there was no turn in time.
func (q *query) inTurn(do func(context.Context) error) error {
	ctx, turn, err := q.queue.Take(q.r.Context(), q.who)
	if errors.Is(err, limit.ErrBusy) {
		message := "too many messages at a time: try again shortly"
		if errors.Is(err, limit.ErrShare) {
			message = "too many messages at a time from this network: try again shortly"
		}
		e := web.Wrap(http.StatusServiceUnavailable, message, err)
		e.Header = http.Header{"Retry-After": {"2"}}
		return e.WithCode(web.CodeBusy)
	}
	if err != nil {
		return err
	}
	defer turn.Leave()
	return do(ctx)
}

// answer decodes the message, has the SDK answer it, and sends the response.
func (q *query) answer(ctx context.Context) error {
	w, r, m := q.w, q.r, q.m
	if err := m.decode(); err != nil {
		return err
	}
	if m.method != "" && !strings.HasPrefix(m.method, "notifications/") && !slices.Contains(offered, m.method) {
		return q.missing(w, r, m)
	}
	ctx, cancel := context.WithTimeout(ctx, answerIn)
	defer cancel()
	inner := r.WithContext(ctx)
	inner.Body, inner.ContentLength = io.NopCloser(bytes.NewReader(m.body)), int64(len(m.body))
	a := newAnswer()
	q.sdk.ServeHTTP(a, inner)
	if said := a.refused(); said != "" {
		return web.Errorf(a.status, "%s", said)
	}
	q.o.API.SetHeaders(w)
	if a.body.Len() > 0 {
		w.Header()["Content-Type"] = jsonTypes
	}
	web.WriteComplete(w, r, a.status, withReason(a.body.Bytes(), a.status))
	return nil
}

// missing answers a message whose method the server does not offer: by HTTP 404, or for older clients by a JSON-RPC
// error with 200.
func (s *Server) missing(w http.ResponseWriter, r *http.Request, m *message) error {
	e := web.Errorf(http.StatusNotFound, "%s is not offered here: tools are all there is", web.Quote(m.method)).WithCode(web.CodeMethod)
	if m.method == listenMethod || r.Header.Get("Mcp-Protocol-Version") >= statelessSince {
		return e
	}
	s.o.API.SetHeaders(w)
	w.Header()["Content-Type"] = jsonTypes
	web.WriteComplete(w, r, http.StatusOK, errorBody(m.id, methodMissing, e))
	return nil
}

const jsonType = "application/json; charset=utf-8"

var jsonTypes = []string{jsonType}

// An answer is a ResponseWriter that buffers what the SDK writes, so that it can be sent with our headers, and as JSON
// even when the SDK writes an error in plain text.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func newAnswer() *answer { return &answer{header: make(http.Header), status: http.StatusOK} }

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) { a.status = status }

// Write implements http.ResponseWriter.
func (a *answer) Write(b []byte) (int, error) { return a.body.Write(b) }

// refused returns the text of an error that the SDK wrote in plain text; "" for any other answer.
func (a *answer) refused() string {
	if a.status < http.StatusBadRequest || strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
		return ""
	}
	return strings.TrimSpace(a.body.String())
}
