// Package events serves /stripe/events, where the payment provider sends its events.
//
// Begin with New. An event is accepted once its signature is right and billing has stored it; a job asks
// the provider later what it means. Anybody can call the URL: the handler reads no cookie, knows no
// session, does not use the database before the signature is checked, and reads few bodies at once.
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

// maxEvent is the largest event that is read, in bytes. Events about subscriptions have a tenth of that.
const maxEvent = 256 << 10

// Events receives the provider's events. It reads no cookie and knows no session: only the signature
// says who the sender is.
type Events struct {
	service *billing.Service // nil: there is no provider
	count   func(outcome string)
	bodies  *limit.Gate // limits the bodies that are read at once
}

// Outcomes of events that did not reach billing, or that it could not store.
const (
	TooLarge = "too_large"
	Failed   = "failed"
	Crowded  = "crowded"
)

// patience is how long storing an event may take.
const patience = 5 * time.Second

// MaxBodies and MaxBodiesOfClient are how many bodies are read at once, in all and from one client. A forged
// event can be told only when its whole body is there. Few bodies at once, and fewer from one address, keep
// strangers from filling the memory of a node or from blocking the provider.
const (
	MaxBodies         = 16
	MaxBodiesOfClient = 2
)

// New returns the Events of a service. It calls count for the outcomes that billing does not count: TooLarge,
// Failed, Crowded. A nil service means that there is no provider, and the URL is not found.
func New(service *billing.Service, count func(string)) *Events {
	return &Events{service: service, count: count, bodies: limit.NewGate(MaxBodies)}
}

// Handler serves all paths below /stripe. If an event cannot be stored it answers 503, and the provider sends it again.
func (e *Events) Handler() http.Handler {
	mux := web.NewMux(web.WritePlainError)
	if e.service != nil {
		mux.Handle("POST "+Path, e.take)
	}
	return mux
}

// Bodies returns how many bodies are being read.
func (e *Events) Bodies() int { return e.bodies.Len() }

// take reads and stores an event. It does as little work as possible for anybody but the provider.
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

// read reads an event and checks that the provider signed it. The body of any other is not read, or not kept.
func (e *Events) read(w http.ResponseWriter, r *http.Request) (billing.Event, error) {
	signature := r.Header.Get("Stripe-Signature")
	if err := e.service.Expect(signature); err != nil { // counted already
		w.Header().Set("Connection", "close") // otherwise net/http reads the body
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

// later adds to an error after how many seconds to send the event again.
func later(e *web.Error) *web.Error {
	e.Header = http.Header{"Retry-After": {"5"}}
	return e
}

// readEvent reads a body of at most maxEvent bytes. If Content-Length says more, it reads nothing.
func readEvent(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > maxEvent {
		w.Header().Set("Connection", "close") // otherwise net/http reads the body
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
