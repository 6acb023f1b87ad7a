package stripe_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/stripe"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A cut wire fails requests in a row, from one on.
type cutWire struct {
	http.RoundTripper
	from, requests int64
	seen           atomic.Int64
}

var errCut = errors.New("the wire is cut")

// RoundTrip implements http.RoundTripper.
func (w *cutWire) RoundTrip(r *http.Request) (*http.Response, error) {
	if n := w.seen.Add(1); n >= w.from && n < w.from+w.requests {
		return nil, errCut
	}
	return w.RoundTripper.RoundTrip(r)
}

// read reads a list to its end, or to the error that it ends with.
func read[T any](all iter.Seq2[T, error], name func(T) string) (list []string, failed error) {
	for t, err := range all {
		if failed = err; err == nil {
			list = append(list, name(t))
		}
	}
	return list, failed
}

// A page that does not come is asked for again, and nothing else: what was read stays read. A list ends with the
// error once a page has failed as often as that.
func TestLists_AskAgainForAPage(t *testing.T) {
	t.Parallel()
	fake, c, _ := newStripe(t)
	customer := newCustomer(t, c)
	transport := new(http.Transport)
	defer transport.CloseIdleConnections()
	const many = 250
	for i := range many {
		sub, err := fake.Subscribe(customer, accountID, "active")
		testkit.Must(t, err)
		if i == many/2 { // what of it is open, and was paid, is asked for beside
			testkit.Must(t, fake.FailPayment(sub.ID))
		}
	}
	for name, list := range map[string]func(ctx context.Context, c *stripe.Client) ([]string, error){
		"All": func(ctx context.Context, c *stripe.Client) ([]string, error) {
			return read(c.All(ctx), func(s billing.Subscription) string { return s.ID })
		},
		"Documents": func(ctx context.Context, c *stripe.Client) ([]string, error) {
			all := c.Documents(ctx, noon.AddDate(0, -1, 0), noon.AddDate(0, 2, 0))
			return read(all, func(d billing.Document) string { return d.Number })
		},
	} {
		before := len(fake.Requests())
		want, err := list(t.Context(), c)
		testkit.Must(t, err)
		calls := len(fake.Requests()) - before
		testkit.Equal(t, name+": calls", calls >= 4, true)
		for call := range calls {
			for failures, whole := range map[int64]bool{1: true, 2: true, 3: false} {
				wire := &cutWire{RoundTripper: transport, from: int64(call) + 1, requests: failures}
				again, err := stripe.New(stripe.Options{
					Key: fake.Key, WebhookSecret: fake.Secret, Price: fake.Price, URL: fake.URL,
					HTTP: &http.Client{Transport: wire}, Waits: []time.Duration{0, 0},
				})
				testkit.Must(t, err)
				what := fmt.Sprintf("%s: call %d fails %d times", name, call+1, failures)
				before := len(fake.Requests())
				got, err := list(t.Context(), again)
				if !whole {
					testkit.Equal(t, what, errors.Is(err, billing.ErrUnavailable), true)
					continue
				}
				testkit.Must(t, err)
				testkit.Equal(t, what, got, want)
				testkit.Equal(t, what+": calls", len(fake.Requests())-before, calls)
			}
		}
	}
}
