package billing_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
)

// A keySeer is a provider that fails every checkout and every refund, and remembers their keys.
type keySeer struct {
	*provider
	keys []string
}

func (p *keySeer) Checkout(_ context.Context, r billing.CheckoutRequest) (billing.Checkout, error) {
	p.keys = append(p.keys, r.Key)
	return billing.Checkout{}, billing.ErrUnavailable
}

func (p *keySeer) Refund(_ context.Context, r billing.Refund) (billing.Refunded, error) {
	p.keys = append(p.keys, r.Key)
	return billing.Refunded{}, billing.ErrUnavailable
}

// A provider repeats a failure under the same key of idempotency. So a checkout that failed has the same
// key within the hour, and another one in the next.
func TestCheckout_KeyOfTheHour(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, err := s.accounts.Create(t.Context(), operator, "owner@example.org", account.Developer)
	s.must(err)
	seer := &keySeer{provider: s.provider}
	service, form := s.service(seer), s.form()
	for _, wait := range []time.Duration{0, 59 * time.Minute, time.Minute, 24 * time.Hour} { // from 9:00
		s.clock.Advance(wait)
		_, err := service.Order(t.Context(), account.ByAccount(a.ID), a.ID, form)
		s.wantError("a checkout while the provider is away", err, billing.ErrUnavailable)
	}
	if k := seer.keys; len(k) != 4 || k[0] != k[1] || k[2] == k[1] || k[3] == k[2] || slices.Contains(k, "") {
		t.Errorf("the keys of 9:00, 9:59, 10:00 and 10:00 a day later: %q", k)
	}
}

// So has a refund: one that failed for good under its key is not lost for a day.
func TestRefund_KeyOfTheHour(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, c := s.orders()
	s.must(s.accounts.Delete(t.Context(), operator, a.ID))
	s.provider.complete(c.ID, billing.Active)
	seer := &keySeer{provider: s.provider}
	service := s.service(seer)
	for _, wait := range []time.Duration{0, 59 * time.Minute, time.Minute} { // from 9:00
		s.clock.Advance(wait)
		s.wantError("leaving while refunds fail", service.Leave(t.Context(), billing.LeaveProvider{Account: a.ID}), billing.ErrUnavailable)
	}
	if k := seer.keys; len(k) != 3 || k[0] != k[1] || k[2] == k[1] || slices.Contains(k, "") {
		t.Errorf("the keys of 9:00, 9:59 and 10:00: %q", k)
	}
}
