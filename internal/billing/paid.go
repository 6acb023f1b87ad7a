package billing

import (
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// overdue is how long the newest invoice may stay unpaid before it raises an alarm. An invoice is a draft for
// an hour, and then the card is charged at once.
const overdue = 24 * time.Hour

// paysFor returns the plan that the invoices of a subscription pay for. The status alone proves nothing:
// it is active while a delayed payment is under way and after that payment failed, while an invoice
// cannot be finalized, and after one was written off
// (https://docs.stripe.com/billing/subscriptions/overview, statuses, and
// https://support.stripe.com/questions/manage-draft-subscription-invoices-with-invalid-tax-location-details).
func (s Subscription) paysFor(now time.Time) account.Plan {
	late := func(since time.Time) bool { return !since.IsZero() && !now.Before(since.Add(Grace)) }
	switch {
	case !s.EverPaid, s.Latest.dropped(), s.Latest.unpaid() && late(s.Latest.Date), s.Status == PastDue && late(s.UnpaidSince):
		return account.Developer
	}
	return account.Pro
}

// Plan returns what the subscription gives its account: Pro while its status says so and its invoices
// are paid.
func (s Subscription) Plan(now time.Time) account.Plan {
	if s.OtherProduct {
		return account.Developer
	}
	switch s.Status {
	case Trialing, Active, PastDue:
		return s.paysFor(now)
	case Incomplete, Expired, Unpaid, Paused, Canceled:
	}
	return account.Developer
}

// Overdue reports whether the newest invoice of a live subscription has been unpaid for a day.
func (s Subscription) Overdue(now time.Time) bool {
	return s.Live() && s.Latest.unpaid() && !now.Before(s.Latest.Date.Add(overdue))
}

// Failing reports whether the current period of a live subscription is unpaid and no payment is about to come.
// Cancelling then ends it at once: there is no paid period left to use.
func (s Subscription) Failing(now time.Time) bool {
	if !s.Live() || s.Status == Paused {
		return false
	}
	return s.Status == PastDue || s.Status == Unpaid || s.Latest.dropped() || s.Overdue(now)
}

// Lapsed reports whether a live subscription gives nothing and will not recover by itself. Its account may buy
// another, and this one is ended first. After an unpaid invoice all further ones stay drafts
// (https://docs.stripe.com/billing/subscriptions/overview, unpaid).
func (s Subscription) Lapsed() bool {
	return s.Status == Unpaid || s.Live() && s.Status != Paused && s.Latest.dropped()
}

// BlocksPurchase reports whether the account has to end the subscription before it can buy another.
func (s Subscription) BlocksPurchase() bool { return s.Live() && !s.Lapsed() }
