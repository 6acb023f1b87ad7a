package billing

import "time"

// A Subscription is the provider's current state of a subscription.
type Subscription struct {
	ID       string
	Customer string
	Account  string // the id that Checkout gave; "" for one that was not sold by us
	Order    string // the id that Checkout gave; "" for one from before there were orders. It is not stored
	Status   Status
	// OtherProduct is set for a subscription to something other than our product, whatever its price: it gives nothing.
	OtherProduct bool

	CreatedAt   time.Time
	PeriodStart time.Time // when the current period began; not stored
	PeriodEnd   time.Time // when the next payment is due, or the last period ends
	CancelAt    time.Time // when it ends; zero while it goes on
	EndedAt     time.Time // zero until then

	EverPaid bool    // one of its invoices was paid, or its amount was zero
	Latest   Invoice // the newest one

	// The date and id of the oldest invoice that is due and not paid; zero and "" for none.
	UnpaidSince time.Time
	Unpaid      string

	// The amounts of the newest final invoice, in cents. A provider leaves them out while the newest invoice is a
	// draft, whose tax is not computed yet.
	Net, Tax      int64
	ReverseCharge bool // no tax: the customer owes it
	NotCollecting bool // no tax, because the provider has no registration for it

	// The fields below are fetched but not stored.
	Currency   string  // such as "eur"; "" where it is not known
	Quantity   int64   // how many Pro plans it pays for
	Bill       Bill    // of the newest final invoice
	Country    string  // of its customer now, ISO 3166; "" where it is not known
	Mention    Mention // printed on its next invoice
	VATNumbers int     // how many its customer has
	VATRefused string  // the provider's id of the first number that the register does not know; "" for none
}

// A Status is the provider's status of a subscription.
type Status string

// The statuses.
const (
	Incomplete Status = "incomplete"         // the first payment is under way
	Expired    Status = "incomplete_expired" // the first payment did not come
	Trialing   Status = "trialing"
	Active     Status = "active"
	PastDue    Status = "past_due" // a payment failed and is retried
	Unpaid     Status = "unpaid"   // a payment failed and is no longer retried
	Paused     Status = "paused"
	Canceled   Status = "canceled" // over
)

// Grace is how long an account keeps Pro after the date of an unpaid invoice.
const Grace = 7 * 24 * time.Hour

// Live reports whether the subscription still runs at the provider, so that it can be paid, cancelled or
// repaired there.
func (s Subscription) Live() bool {
	switch s.Status {
	case Trialing, Active, PastDue, Unpaid, Paused:
		return true
	case Incomplete, Expired, Canceled:
	}
	return false
}
