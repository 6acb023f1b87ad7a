// Package events is the address to which the payment provider sends its events, /stripe/events.
//
// Begin with New. An event is taken once its signature is right and billing has stored it; what it means
// is asked of the provider later, by a job. Anybody can call the address: it reads no cookie, knows no
// session, asks the database nothing before the signature is checked, and reads few bodies at once.
package events

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/web"
)

// Path is where the payment provider sends its events.
const Path = "/stripe/events"

// maxEvent is the largest event that is read, in bytes. Those of subscriptions have a tenth of it.
const maxEvent = 256 << 10

// Events take the provider's events. It reads no cookie and knows no
// session: the signature alone says who speaks.
type Events struct {
	service *billing.Service // nil: there is no provider
	count   func(outcome string)
	bodies  *limit.Gate // of those that are read at once
}

// What became of an event that billing knows nothing of.
const (
	TooLarge = "too_large"
	Failed   = "failed"
	Crowded  = "crowded"
)

// patience is how long storing an event may take.
const patience = 5 * time.Second

// MaxBodies and MaxBodiesOfClient are how many bodies are read at once, and of one client. Anybody may send
// what looks like an event until its body is there. So few bodies are read at once, and
// fewer from one address: strangers can hold neither the memory of a node nor the door shut.
const (
	MaxBodies         = 16
	MaxBodiesOfClient = 2
)

// New takes events for a service, and counts those that billing does not: TooLarge, Failed, Crowded. Without
// a service there is no provider, and nothing at the address.
func New(service *billing.Service, count func(string)) *Events {
	return &Events{service: service, count: count, bodies: limit.NewGate(MaxBodies)}
}

// Handler answers for all paths below /stripe. An event that cannot be stored is sent again.
func (e *Events) Handler() http.Handler {
	mux := web.NewMux(web.WritePlainError)
	if e.service != nil {
		mux.Handle("POST "+Path, e.take)
	}
	return mux
}

// Bodies is how many bodies are being read.
func (e *Events) Bodies() int { return e.bodies.In() }

// take stores an event. Whoever is not the provider gets as little work done as can be.
func (e *Events) take(w http.ResponseWriter, r *http.Request) error {
	event, err := e.read(w, r)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	if err := e.service.Store(ctx, event); err != nil {
		e.count(Failed)
		return later(web.Wrap(http.StatusServiceUnavailable, "the event cannot be stored at the moment: send it again", err))
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// read reads an event that the provider signed. The body of any other is not read, or not kept.
func (e *Events) read(w http.ResponseWriter, r *http.Request) (billing.Event, error) {
	signature := r.Header.Get("Stripe-Signature")
	if err := e.service.Expect(signature); err != nil { // counted already
		w.Header().Set("Connection", "close") // or net/http reads on
		return billing.Event{}, web.Errorf(http.StatusBadRequest, "the event is not signed, or too long ago")
	}
	leave, err := e.bodies.Enter(e.bodies.ClientShares(web.ClientAddr(w), MaxBodiesOfClient)...)
	if err != nil {
		e.count(Crowded)
		w.Header().Set("Connection", "close")
		return billing.Event{}, later(web.Wrap(http.StatusServiceUnavailable, "too many events are being read: send it again", err))
	}
	defer leave()
	body, err := readEvent(w, r)
	if err != nil {
		if web.AsError(err).Status == http.StatusRequestEntityTooLarge {
			e.count(TooLarge)
		}
		return billing.Event{}, err
	}
	event, err := e.service.Verify(body, signature)
	if err != nil { // counted already
		return billing.Event{}, web.Errorf(http.StatusBadRequest, "the signature is not right, or too old")
	}
	return event, nil
}

// later says when to send an event again.
func later(e *web.Error) *web.Error {
	e.Header = http.Header{"Retry-After": {"5"}}
	return e
}

// readEvent reads a body up to the limit. One that says that it is larger is not read at all.
func readEvent(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > maxEvent {
		w.Header().Set("Connection", "close") // or net/http reads on
		return nil, web.Errorf(http.StatusRequestEntityTooLarge, "the event is larger than %d bytes", maxEvent)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxEvent))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return nil, err
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, web.Wrap(http.StatusRequestTimeout, "the event did not arrive in time", err)
	}
	if err != nil {
		return nil, web.Wrap(http.StatusBadRequest, "the event did not arrive whole", fmt.Errorf("reading an event: %w", err))
	}
	return body, nil
}
