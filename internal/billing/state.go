package billing

import (
	"fmt"
	"strconv"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// ours returns the subscriptions that were sold to an account. Its customer may have others, made by hand,
// which are not ours to touch.
func ours(all []Subscription, accountID string) (list []Subscription) {
	for _, sub := range all {
		if sub.Account == accountID {
			list = append(list, sub)
		}
	}
	return list
}

// ByHand returns the live subscriptions of the customer that were not sold to its account.
func (r Record) ByHand(all []Subscription) (ids []string) {
	for _, sub := range all {
		if sub.Account != r.Account.ID && sub.Live() {
			ids = append(ids, sub.ID)
		}
	}
	return ids
}

// ofProduct returns the subscriptions to our product, and separately the live ones to other products.
func ofProduct(subs []Subscription) (list, others []Subscription) {
	for _, sub := range subs {
		switch {
		case !sub.OtherProduct:
			list = append(list, sub)
		case sub.Live():
			others = append(others, sub)
		}
	}
	return list, others
}

// choose returns the subscription that counts: the oldest that gives Pro, or else the oldest live one,
// or else the newest; nil for none. It also returns how many are live.
func choose(subs []Subscription, now time.Time) (counts *Subscription, live int) {
	rank := func(s Subscription) int {
		switch {
		case s.Plan(now) == account.Pro:
			return 2
		case s.Live():
			return 1
		}
		return 0
	}
	for i := range subs {
		sub := subs[i]
		if sub.Live() {
			live++
		}
		if counts == nil {
			counts = &sub
			continue
		}
		older := sub.CreatedAt.Before(counts.CreatedAt)
		if a, b := rank(sub), rank(*counts); a > b || a == b && older == (a > 0) {
			counts = &sub
		}
	}
	return counts, live
}

// afterSync returns a customer updated with the subscriptions that the provider has for it, and the notices
// about what changed. began is when the provider was asked.
func afterSync(c Customer, subs []Subscription, began, now time.Time) (Customer, []NewNotice) {
	was, gave := c.Subscription, c.GrantedPlan
	c.Subscription, _ = choose(subs, now)
	c.GrantedPlan = account.Developer
	if c.Subscription != nil {
		c.GrantedPlan = c.Subscription.Plan(now)
	}
	c.Subscription.keepAmounts(was)
	var notices []NewNotice
	if gave == account.Pro && c.GrantedPlan != account.Pro && was != nil {
		c.Endings++
		notices = append(notices, NewNotice{was.ID, NoticeEnded, strconv.Itoa(c.Endings)})
	}
	if sub := c.Subscription; sub != nil {
		if sub.cancelled() && (was == nil || was.ID != sub.ID || !was.cancelled()) {
			c.Cancellations++
		}
		if was != nil && was.ID == sub.ID && was.cancelled() && !sub.cancelled() && c.GrantedPlan == account.Pro {
			notices = append(notices, NewNotice{sub.ID, NoticeResumed, strconv.Itoa(c.Cancellations)})
		}
		if c.GrantedPlan == account.Pro {
			notices = append(notices, noticesOf(*sub, c.Cancellations, now)...)
		}
	}
	notices = append(notices, c.followVAT(now)...)
	c.SyncedAt = began
	c.NextSyncAt = c.nextSync(now)
	return c, notices
}

// keepAmounts keeps the amounts of the last invoice while the next is a draft, which it is for an hour at each
// renewal.
func (s *Subscription) keepAmounts(was *Subscription) {
	if s == nil || was == nil || s.ID != was.ID || s.Latest.State != InvoiceDraft {
		return
	}
	s.Net, s.Tax, s.ReverseCharge, s.NotCollecting = was.Net, was.Tax, was.ReverseCharge, was.NotCollecting
}

// noticesOf returns the notices of a subscription that gives Pro.
func noticesOf(sub Subscription, cancellations int, now time.Time) (list []NewNotice) {
	if sub.Status == PastDue {
		list = append(list, NewNotice{sub.ID, NoticeUnpaid, unpaidOccasion(sub, now)})
	}
	switch {
	case sub.cancelled():
		list = append(list, NewNotice{sub.ID, NoticeCancelled, cancelOccasion(sub, cancellations)})
	case sub.Status == Active:
		list = append(list, NewNotice{sub.ID, NoticeWelcome, ""})
	}
	return list
}

// cancelled reports whether the subscription is live and set to end.
func (s Subscription) cancelled() bool { return s.Live() && !s.CancelAt.IsZero() }

// cancelOccasion returns the occasion of a notice about a cancellation. It differs for a cancellation that
// was undone and repeated, and for one to another day.
func cancelOccasion(sub Subscription, cancellations int) string {
	return fmt.Sprintf("%d %s", cancellations, sub.CancelAt.UTC().Format(time.DateOnly))
}

// unpaidDays are the days after the date of an unpaid invoice on which the owner gets a mail, the last first.
var unpaidDays = [...]int{6, 3, 0}

// unpaidDay returns the latest of unpaidDays that has been reached.
func unpaidDay(sub Subscription, now time.Time) int {
	for _, day := range unpaidDays {
		if !sub.UnpaidSince.IsZero() && !now.Before(sub.UnpaidSince.AddDate(0, 0, day)) {
			return day
		}
	}
	return 0
}

func unpaidOccasion(sub Subscription, now time.Time) string {
	return sub.Unpaid + " " + strconv.Itoa(unpaidDay(sub, now))
}

// arrived reports whether the subscription of a completed checkout is among those of the customer,
// the newest first, and its first payment is over.
func (c Customer) arrived(subs []Subscription) bool {
	return len(subs) > 0 && subs[0].ID != c.CheckoutAfter && subs[0].Status != Incomplete
}

const (
	lateFor     = time.Hour      // by how much the provider may be late in ending a period
	closedAfter = time.Minute    // by how much it may be late in ending a checkout
	unknownFor  = 24 * time.Hour // how long to wait for something that the provider should have said
)

// looks are the times after its opening when a checkout is looked at, even without an event: most customers pay within
// minutes, and then wait for Pro.
var looks = [...]time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute}

// deadlines returns the moments at which a subscription's state or mails change by the passing of time alone.
func (s Subscription) deadlines(now time.Time) (list []time.Time) {
	switch {
	case s.Status != PastDue:
	case s.UnpaidSince.IsZero():
		list = append(list, now.Add(unknownFor))
	default:
		for _, day := range unpaidDays {
			list = append(list, s.UnpaidSince.AddDate(0, 0, day))
		}
		list = append(list, s.UnpaidSince.Add(Grace))
	}
	if s.Live() && s.Latest.unpaid() {
		list = append(list, s.Latest.Date.Add(overdue), s.Latest.Date.Add(Grace))
	}
	if s.cancelled() {
		end := s.CancelAt.Add(lateFor)
		if !end.After(now) { // the provider is late
			end = now.Add(lateFor)
		}
		list = append(list, end)
	}
	return list
}

// nextSync returns the next moment at which to ask the provider because something happens that may send no event; zero
// for none.
func (c Customer) nextSync(now time.Time) (at time.Time) {
	sooner := func(t time.Time) {
		if t.After(now) && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	if c.Subscription != nil {
		for _, t := range c.Subscription.deadlines(now) {
			sooner(t)
		}
	}
	if until := c.vatUntil(); !until.IsZero() {
		if !until.After(now) { // it should be gone by now
			until = now.Add(closedAfter)
		}
		sooner(until)
	}
	if c.Checkout != nil {
		closed := c.Checkout.ExpiresAt.Add(closedAfter)
		switch {
		case c.Subscription != nil && c.Subscription.Status == Incomplete:
			closed = now.Add(lateFor)
		case c.Completed || !closed.After(now):
			closed = now.Add(closedAfter)
		}
		sooner(closed)
		for _, after := range looks {
			sooner(c.Checkout.OpenedAt.Add(after))
		}
	}
	return at
}
