package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/web"
)

// eventsPath is where the payment provider sends its events.
const eventsPath = "/stripe/events"

// maxEvent is the largest event that is read, in bytes. Those of subscriptions have a tenth of it.
const maxEvent = 256 << 10

// addBillingEvents adds the surface that takes the provider's events. It stores them on connections of
// the account pages, which are held for a moment only: no event waits while the provider is asked.
func (b *builder) addBillingEvents(ctx context.Context) error {
	if !b.cfg.Sells() {
		b.mount(billingEvents{}.surface())
		return nil
	}
	db, err := b.database(ctx, portalPool)
	if err != nil {
		return err
	}
	o, err := b.billingOptions(db)
	if err != nil {
		return err
	}
	b.mount(billingEvents{receive: billing.New(o).Receive, count: b.countBilling}.surface())
	return nil
}

// A billingEvents is the surface that takes the provider's events. It reads no cookie and knows no
// session: the signature alone says who speaks.
type billingEvents struct {
	receive func(ctx context.Context, body []byte, signature string) error // nil: there is no provider
	count   func(outcome string)
}

// surface is the events as the provider sees them. It is always ready: an event that cannot be
// stored is sent again.
func (e billingEvents) surface() surface {
	mux := web.NewMux(web.WritePlainError)
	if e.receive != nil {
		mux.Handle("POST "+eventsPath, e.take)
	}
	return surface{
		name: "billing", prefixes: []string{"/stripe"}, handler: mux, writeError: web.WritePlainError,
	}
}

// take stores an event. Whoever is not the provider gets as little work done as can be.
func (e billingEvents) take(w http.ResponseWriter, r *http.Request) error {
	signature := r.Header.Get("Stripe-Signature")
	if !strings.Contains(signature, "v1=") {
		e.count(billing.CountForged)
		return web.Errorf(http.StatusBadRequest, "the event is not signed")
	}
	body, err := readEvent(w, r)
	if err != nil {
		if web.AsError(err).Status == http.StatusRequestEntityTooLarge {
			e.count(eventTooLarge)
		}
		return err
	}
	err = e.receive(r.Context(), body, signature)
	switch {
	case errors.Is(err, billing.ErrForged): // counted already
		return web.Errorf(http.StatusBadRequest, "the signature is not right, or too old")
	case err != nil:
		e.count(eventFailed)
		return web.Wrap(http.StatusServiceUnavailable, "the event cannot be stored at the moment: send it again", err)
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	return nil
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
	if err != nil {
		return nil, web.Wrap(http.StatusBadRequest, "the event did not arrive whole", fmt.Errorf("reading an event: %w", err))
	}
	return body, nil
}
