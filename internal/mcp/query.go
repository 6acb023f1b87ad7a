package mcp

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

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

// answer decodes the message, answers it and sends the response.
func (q *query) answer(ctx context.Context) error {
	m := q.m
	if err := checkHeaders(q.r.Header); err != nil {
		return err
	}
	if err := m.decode(); err != nil {
		return err
	}
	if m.isResponse {
		q.send(http.StatusAccepted, nil)
		return nil
	}
	if !isNotification(m.method) && !slices.Contains(offered, m.method) {
		return q.missing(q.w, q.r, m)
	}
	ctx, cancel := context.WithTimeout(ctx, answerIn)
	defer cancel()
	r, err := newRequest(m, q.r.Header)
	if err == nil && !m.awaits {
		q.send(http.StatusAccepted, nil)
		return nil
	}
	var body []byte
	if err == nil {
		body, err = q.respond(ctx, r)
	}
	if f, ok := errors.AsType[*failure](err); ok {
		q.send(f.status, errorBody(m.id, f.code, f.message, f.data()))
		return nil
	}
	if err != nil {
		return err
	}
	q.send(http.StatusOK, body)
	return nil
}

// send sends a response; without a body it is only taken note of.
func (q *query) send(status int, body []byte) {
	q.o.API.SetHeaders(q.w)
	if len(body) > 0 {
		q.w.Header()["Content-Type"] = jsonTypes
	}
	web.WriteComplete(q.w, q.r, status, body)
}

// missing answers a message whose method the server does not offer: by HTTP 404, or for older clients by a JSON-RPC
// error with 200.
func (s *Server) missing(w http.ResponseWriter, r *http.Request, m *message) error {
	e := web.Errorf(http.StatusNotFound, "%s is not offered here: tools are all there is", web.Quote(m.method)).WithCode(web.CodeMethod)
	if m.method == listenMethod || r.Header.Get(revisionHeader) >= statelessSince {
		return e
	}
	s.o.API.SetHeaders(w)
	w.Header()["Content-Type"] = jsonTypes
	web.WriteComplete(w, r, http.StatusOK, errorBody(m.id, methodMissing, e.Message, errorData{Reason: reasonOf(e)}))
	return nil
}

const jsonType = "application/json; charset=utf-8"

var jsonTypes = []string{jsonType}
