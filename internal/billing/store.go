package billing

import (
	"context"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// A Store keeps what the provider last said. Methods that take an Actor apply to what the actor owns
// and nothing else, and check ownership in the same statement or transaction.
type Store interface {
	Customers
	OrderBook
	Inbox
	Outbox
}

// Customers keep who pays.
type Customers interface {
	// Find returns what is kept about an account that is not deleted, or account.ErrNoAccount.
	Find(ctx context.Context, by account.Actor, accountID string) (Record, error)
	// Add makes the account a customer without an id, unless it is a customer already.
	Add(ctx context.Context, by account.Actor, accountID string) error
	// Hold locks a customer, calls decide and writes what it returns, if that is not nil, all in one
	// transaction: whoever asks the provider in decide writes the answer before anybody else asks.
	// It waits that long for the lock, and returns ErrBusy if another has it still. It returns
	// ErrNotSubscribed for an account that is no customer, with its events processed.
	Hold(ctx context.Context, by account.Actor, accountID string, wait time.Duration, decide Decide) error
	CustomerList
}

// A CustomerList lists customers.
type CustomerList interface {
	// List lists up to limit customers in order of their accounts' ids, starting after one, with
	// those of deleted accounts.
	List(ctx context.Context, after string, limit int) ([]Record, error)
	// Sweep inserts a SyncAccount job for up to limit customers whose NextSyncAt is due, and sets that
	// to again: a job that is lost is inserted again then. Those with an open checkout of another offer are
	// due, too; "" is no offer that is compared.
	Sweep(ctx context.Context, now, again time.Time, offer string, limit int) (int, error)
}

// An OrderBook keeps orders. They are written with the checkout that is opened for them.
type OrderBook interface {
	// Ordered reports whether the account has an order of that id.
	Ordered(ctx context.Context, by account.Actor, accountID, id string) (bool, error)
	// Orders returns those of an account that is not deleted, the newest first, without the bodies of texts, or
	// account.ErrNoAccount.
	Orders(ctx context.Context, by account.Actor, accountID string) ([]Order, error)
	// PruneOrders deletes up to limit orders whose contracts had ended before then, or that were placed before
	// unpaid and not paid, with the texts that no order names any more.
	PruneOrders(ctx context.Context, ended, unpaid time.Time, limit int) (int, error)
}

// Decide decides what to write about a customer. It must not use the store.
type Decide func(ctx context.Context, r Record) (*Update, error)

// An Inbox keeps events.
type Inbox interface {
	// Receive stores an event and, if it is about a customer, inserts its SyncAccount job in the same
	// transaction. An event that is about none is processed. It reports whether the event is new.
	Receive(ctx context.Context, e Event, now time.Time) (bool, error)
	// Oldest returns when the oldest event was received that is not processed; zero for none.
	Oldest(ctx context.Context) (time.Time, error)
	// PruneEvents deletes up to limit events that were received before then and are processed.
	PruneEvents(ctx context.Context, before time.Time, limit int) (int, error)
}

// An Outbox keeps notices.
type Outbox interface {
	// Notice returns a notice with what is kept about its account, or ErrNoNotice.
	Notice(ctx context.Context, id int64) (StoredNotice, error)
	// Sent notes that a notice was sent.
	Sent(ctx context.Context, id int64, now time.Time) error
}

// A Record is what is kept about an account.
type Record struct {
	Account   account.Account // Email is "" once it is deleted
	DeletedAt time.Time       // zero until then
	Customer  Customer
	Events    int // that are not processed
}

// A Customer is what is kept about a customer. The zero Customer is that of an account that never
// opened a checkout.
type Customer struct {
	ID         string // at the provider; "" for none
	Generation int    // of the keys of idempotency

	Checkout      *Checkout // open, or completed and not seen as a subscription yet; nil for none
	Completed     bool      // the checkout was
	Offer         string    // under which the checkout was opened: its price and terms
	CheckoutAfter string    // the newest subscription when it was opened; "" for none

	Subscription  *Subscription // the one that counts; nil for none
	GrantedPlan   account.Plan  // what it gave at SyncedAt
	VATNumber     string        // the provider's id of one that the register does not know; "" for none
	VATRefusedAt  time.Time     // when that was seen first; zero for none
	Cancellations int           // how often one was seen to be cancelled
	Endings       int           // how often Pro was seen to end

	SyncedAt   time.Time // when the provider was last asked, and answered; zero: never
	NextSyncAt time.Time // when it is to be asked next; zero: when an event comes
}

// vatUntil returns when a VAT number is removed that the register does not know; zero for none.
func (c Customer) vatUntil() time.Time {
	if c.VATNumber == "" {
		return time.Time{}
	}
	return c.VATRefusedAt.Add(VATGrace)
}

// vatDue reports whether its time is up.
func (c Customer) vatDue(now time.Time) bool {
	return c.VATNumber != "" && !now.Before(c.vatUntil())
}

// An Update is what is written about a customer.
type Update struct {
	Now      time.Time
	Customer Customer
	// Processed says that the events of the Record are processed.
	Processed bool
	// Synced says that the account gets the plan GrantedPlan and the notices, unless the operator gave it
	// its plan.
	Synced  bool
	Notices []NewNotice
	// Order is stored with the checkout that was opened for it; nil for none. One that was placed before is
	// ErrOrdered.
	Order *Order
	// Refunds are the mails about what went back; their jobs are inserted.
	Refunds []MailRefund
	// Forget deletes the customer with its events and notices instead.
	Forget bool
}

// A NewNotice is a notice to be stored, with its job, unless there is one like it already.
type NewNotice struct {
	Subscription string
	Kind         NoticeKind
	Occasion     string // tells notices of a kind about a subscription apart
}

// A StoredNotice is a notice as it is kept.
type StoredNotice struct {
	NewNotice
	Sent   bool
	Record Record
	// How many keys the account has beyond those of Developer, and how many endpoints are paused.
	ExtraKeys, PausedEndpoints int
	// Order is that of the subscription, with the bodies of its texts; nil for one from before there were orders.
	Order *Order
}
