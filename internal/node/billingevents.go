package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/web"
)

// eventsPath is where the payment provider sends its events.
const eventsPath = "/stripe/events"

// maxEvent is the largest event that is read, in bytes. Those of subscriptions have a tenth of it.
const maxEvent = 256 << 10

// eventsPool is that of the provider's events: none waits for an account page, nor while the provider is
// asked.
var eventsPool = pool{"palmares events", 2, requestPatience}

// addBillingEvents adds the surface that takes the provider's events.
func (b *builder) addBillingEvents(ctx context.Context) error {
	if !b.cfg.Sells() {
		b.mount(billingEvents{}.surface())
		return nil
	}
	db, err := b.database(ctx, eventsPool)
	if err != nil {
		return err
	}
	o, err := b.billingOptions(db)
	if err != nil {
		return err
	}
	e := newBillingEvents(billing.New(o), b.countBilling)
	b.mount(e.surface())
	b.gauge("palmares_billing_event_bodies", "Bodies sent to the address for events that are being read, 16 at most.",
		func() float64 { return float64(e.bodies.In()) })
	return nil
}

// A billingEvents is the surface that takes the provider's events. It reads no cookie and knows no
// session: the signature alone says who speaks.
type billingEvents struct {
	service *billing.Service // nil: there is no provider
	count   func(outcome string)
	bodies  *web.Gate // of those that are read at once
}

// Anybody may send what looks like an event until its body is there. So few bodies are read at once, and
// fewer from one address: strangers can hold neither the memory of a node nor the door shut.
const (
	maxBodies         = 16
	maxBodiesOfClient = 2
)

func newBillingEvents(service *billing.Service, count func(string)) billingEvents {
	return billingEvents{service: service, count: count, bodies: web.NewGate(maxBodies)}
}

// surface is the events as the provider sees them. It is always ready: an event that cannot be
// stored is sent again.
func (e billingEvents) surface() surface {
	mux := web.NewMux(web.WritePlainError)
	if e.service != nil {
		mux.Handle("POST "+eventsPath, e.take)
	}
	return surface{
		name: "billing", prefixes: []string{"/stripe"}, handler: mux, writeError: web.WritePlainError,
	}
}

// take stores an event. Whoever is not the provider gets as little work done as can be.
func (e billingEvents) take(w http.ResponseWriter, r *http.Request) error {
	event, err := e.read(w, r)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), requestPatience)
	defer cancel()
	if err := e.service.Store(ctx, event); err != nil {
		e.count(eventFailed)
		return later(web.Wrap(http.StatusServiceUnavailable, "the event cannot be stored at the moment: send it again", err))
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// read reads an event that the provider signed. The body of any other is not read, or not kept.
func (e billingEvents) read(w http.ResponseWriter, r *http.Request) (billing.Event, error) {
	signature := r.Header.Get("Stripe-Signature")
	if err := e.service.Expect(signature); err != nil { // counted already
		w.Header().Set("Connection", "close") // or net/http reads on
		return billing.Event{}, web.Errorf(http.StatusBadRequest, "the event is not signed, or too long ago")
	}
	leave, err := e.bodies.Enter(e.bodies.ClientShares(web.ClientAddr(w), maxBodiesOfClient)...)
	if err != nil {
		e.count(eventCrowded)
		w.Header().Set("Connection", "close")
		return billing.Event{}, later(web.Wrap(http.StatusServiceUnavailable, "too many events are being read: send it again", err))
	}
	defer leave()
	body, err := readEvent(w, r)
	if err != nil {
		if web.AsError(err).Status == http.StatusRequestEntityTooLarge {
			e.count(eventTooLarge)
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
