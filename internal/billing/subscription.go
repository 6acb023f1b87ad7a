package billing

import "time"

// A Subscription is what a provider says about one now.
type Subscription struct {
	ID       string
	Customer string
	Account  string // the id that Checkout gave; "" for one that was not sold by us
	Order    string // the id that Checkout gave; "" for one from before there were orders. It is not stored
	Status   Status
	// OtherProduct says that it is to none of our product, whatever its price is or was: it gives nothing.
	OtherProduct bool

	CreatedAt   time.Time
	PeriodStart time.Time // when that period began; it is asked for and not kept
	PeriodEnd   time.Time // when the next payment is due, or the last one ends
	CancelAt    time.Time // when it ends; zero while it goes on
	EndedAt     time.Time // zero until then

	EverPaid bool    // one of its invoices was paid, or was of nothing
	Latest   Invoice // the newest

	// The oldest invoice that is due and not paid; zero and "" for none.
	UnpaidSince time.Time
	Unpaid      string

	// Of the newest invoice that is final, in cents. A provider leaves them out while the newest is a draft, whose tax
	// is not computed yet.
	Net, Tax      int64
	ReverseCharge bool // no tax: the customer owes it
	NotCollecting bool // no tax, because the provider has no registration for it

	// What follows is asked for and not kept.
	Currency   string  // such as "eur"; "" where it is not known
	Quantity   int64   // how many Pro it pays for
	Bill       Bill    // of the newest final invoice
	Country    string  // of its customer now, ISO 3166; "" where it is not known
	Mention    Mention // that its next invoice has
	VATNumbers int     // that its customer has
	VATRefused string  // the provider's id of the first that the register does not know; "" for none
}

// A Status says where a subscription stands.
type Status string

// The statuses.
const (
	Incomplete Status = "incomplete"         // the first payment is under way
	Expired    Status = "incomplete_expired" // and did not come
	Trialing   Status = "trialing"
	Active     Status = "active"
	PastDue    Status = "past_due" // a payment failed, and is tried again
	Unpaid     Status = "unpaid"   // and is no longer
	Paused     Status = "paused"
	Canceled   Status = "canceled" // over
)

// Grace is how long an account keeps Pro after the date of an unpaid invoice.
const Grace = 7 * 24 * time.Hour

// Live reports whether there is something to pay, to cancel or to repair at the provider: with a live
// subscription no other is sold.
func (s Subscription) Live() bool {
	switch s.Status {
	case Trialing, Active, PastDue, Unpaid, Paused:
		return true
	case Incomplete, Expired, Canceled:
	}
	return false
}
