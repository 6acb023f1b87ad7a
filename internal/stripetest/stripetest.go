// Package stripetest gives tests a Stripe of their own.
package stripetest

import (
	"context"
	"testing"

	"github.com/palmares-hq/palmares/internal/stripe"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// New starts a stand-in for Stripe, and ends it with the test. What is empty in the options gets a
// value; a test that cares about time gives the clock.
func New(tb testing.TB, o stripefake.Options) *stripefake.Server {
	tb.Helper()
	s, err := stripefake.Start(context.Background(), "127.0.0.1:0", o)
	testkit.Must(tb, err)
	tb.Cleanup(func() { testkit.Must(tb, s.Close()) })
	return s
}

// Client returns the provider that talks to a stand-in.
func Client(tb testing.TB, s *stripefake.Server) *stripe.Client {
	tb.Helper()
	c, err := stripe.New(stripe.Options{Key: s.Key, WebhookSecret: s.Secret, Price: s.Price, URL: s.URL})
	testkit.Must(tb, err)
	return c
}
