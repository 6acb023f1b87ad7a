package billing

import (
	"context"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// A Store keeps what the provider last said. Methods that take an Actor apply only to what the actor owns,
// and check ownership in the same statement or transaction.
type Store interface {
	Customers
	OrderBook
	Inbox
	Outbox
	Mailings
	Bindings
}

// A Binding is the account at the provider that our customers belong to. It is stored with the first customer.
type Binding struct {
	Account ProviderAccount
	Since   time.Time // zero: none is stored
}

// Bindings store the account at the provider that our customers belong to.
type Bindings interface {
	Binding(ctx context.Context) (Binding, error)
	// Bind replaces it.
	Bind(ctx context.Context, a ProviderAccount, now time.Time) error
	// AccountOf returns our account of a customer at the provider; "" for none.
	AccountOf(ctx context.Context, customer string) (accountID string, err error)
	// AnyCustomer returns the provider's id of one of our customers, preferably of one that pays; "" for none.
	AnyCustomer(ctx context.Context) (string, error)
}

// Customers store who pays.
type Customers interface {
	// Find returns what is kept about an account that is not deleted, or account.ErrNoAccount.
	Find(ctx context.Context, by account.Actor, accountID string) (Record, error)
	// Add makes the account a customer without an id, unless it is a customer already.
	Add(ctx context.Context, by account.Actor, accountID string) error
	// Cancel stores a cancellation that the provider is to be told of, with its job, unless one is stored already: the
	// first click counts. It does not wait for a running Hold. Returns account.ErrNoAccount for another's account.
	Cancel(ctx context.Context, by account.Actor, accountID string, c Cancellation) error
	// Hold locks a customer, calls decide and writes the update it returns, unless that is nil, all in
	// one transaction: an answer of the provider that decide asks for is written before anybody else asks.
	// It waits that long for the lock, and returns ErrBusy if another process still has it. It returns
	// ErrNotSubscribed for an account that is no customer, and marks its events as processed if the operator
	// asked.
	Hold(ctx context.Context, by account.Actor, accountID string, wait time.Duration, decide Decide) error
	CustomerList
}

// A CustomerList lists customers.
type CustomerList interface {
	// List returns up to limit customers in the order of their accounts' ids, starting after that id. It includes
	// those of deleted accounts.
	List(ctx context.Context, after string, limit int) ([]Record, error)
	// Sweep inserts a SyncAccount job for up to limit customers whose NextSyncAt is due, and sets NextSyncAt
	// to again, so that a lost job is inserted again then. A customer whose open checkout has another offer is
	// due, too, and its stored offer is cleared, because the node that does the job may not know the terms. An
	// offer of "" compares none. Sweep returns the number of jobs.
	Sweep(ctx context.Context, now, again time.Time, offer string, limit int) (int, error)
}

// An OrderBook returns and prunes orders. They are written by Hold, with the checkout that is opened for them.
type OrderBook interface {
	// Ordered reports whether the account has an order with that id.
	Ordered(ctx context.Context, by account.Actor, accountID, id string) (bool, error)
	// Orders returns the orders of an account that is not deleted, the newest first, without the bodies of texts, or
	// account.ErrNoAccount.
	Orders(ctx context.Context, by account.Actor, accountID string) ([]Order, error)
	// PruneOrders deletes up to limit orders whose contracts ended before the time ended, or that were placed before
	// the time unpaid and never paid, with the texts that no order names any more.
	PruneOrders(ctx context.Context, ended, unpaid time.Time, limit int) (int, error)
}

// Decide decides what to write about a customer. It must not use the store.
type Decide func(ctx context.Context, r Record) (*Update, error)

// An Inbox stores the provider's events.
type Inbox interface {
	// Receive stores an event. In the same transaction it inserts a SyncAccount job for an event about a customer, a
	// TellCharge job for one about a charge, and stores the event's document as AddDocuments does. An event about no
	// customer is stored as processed. It reports whether the event is new.
	Receive(ctx context.Context, e Event, now time.Time) (bool, error)
	// Oldest returns when the oldest unprocessed event was received; zero for none.
	Oldest(ctx context.Context) (time.Time, error)
	// PruneEvents deletes up to limit events that were received before then and are processed.
	PruneEvents(ctx context.Context, before time.Time, limit int) (int, error)
	// AddForged records that n events came that the provider had not signed, the last of them at that time.
	AddForged(ctx context.Context, n int, last time.Time) error
	// Heard returns when the last event came, and the forged ones since then.
	Heard(ctx context.Context, since time.Time) (Heard, error)
	// PruneForged deletes up to limit records of forged events from before then.
	PruneForged(ctx context.Context, before time.Time, limit int) (int, error)
}

// Heard is what arrived at the URL for events.
type Heard struct {
	LastTaken  time.Time // when the provider's last event was stored; zero for none
	Forged     int       // how many came since the time asked for that the provider had not signed
	LastForged time.Time // when the last of them came; zero for none
}

// An Outbox returns stored notices and marks them as sent.
type Outbox interface {
	// Notice returns a notice with what is kept about its account, or ErrNoNotice.
	Notice(ctx context.Context, id int64) (StoredNotice, error)
	// Sent records that a notice was sent.
	Sent(ctx context.Context, id int64, now time.Time) error
}

// Mailings keep which invoices and credit notes are to be mailed, and which were.
type Mailings interface {
	// Mailing returns a document that is to be mailed, or ErrNoDocument.
	Mailing(ctx context.Context, id string) (StoredDocument, error)
	// DocumentDone records that a document was mailed, or is not to be.
	DocumentDone(ctx context.Context, id string, now time.Time) error
	MailingList
}

// A MailingList adds and removes documents that are to be mailed.
type MailingList interface {
	// NewDocuments returns the documents of a list that are not stored.
	NewDocuments(ctx context.Context, list []OwnedDocument) ([]OwnedDocument, error)
	// AddDocuments stores the documents of a list that are not stored yet, and inserts their jobs.
	AddDocuments(ctx context.Context, list []OwnedDocument, now time.Time) error
	// PruneDocuments deletes up to limit documents that were added before then.
	PruneDocuments(ctx context.Context, before time.Time, limit int) (int, error)
}

// A StoredDocument is a stored document that is to be mailed once.
type StoredDocument struct {
	DocumentID
	FoundAt time.Time // when it was seen first
	Done    bool      // it was mailed, or is not to be
	Record  Record    // of its account, which may be deleted
}

// A Record is what is stored about an account.
type Record struct {
	Account   account.Account // Email is "" once it is deleted
	DeletedAt time.Time       // zero until then
	Customer  Customer
	Details   *Details // who its invoices are made out to; nil if they are not stored
	Order     *Order   // the newest not yet compared with an invoice; nil for none, and outside Hold
	Events    int      // how many are not processed
	// Cancellation is one that the provider has not been told of yet; nil for none.
	Cancellation *Cancellation
}

// A Cancellation is an owner's cancellation that the provider has not been told of yet.
type Cancellation struct {
	At      time.Time // when its owner clicked: it counts from then
	Failing bool      // the page said that it ends at once, because a payment was failing
}

// A Customer is what is stored about a customer. An account that never opened a checkout has the zero
// Customer.
type Customer struct {
	ID         string // at the provider; "" for none
	Generation int    // of the idempotency keys

	Checkout      *Checkout // open, or completed with its subscription not seen yet; nil for none
	Completed     bool      // Checkout was completed
	Offer         string    // the price and terms Checkout was opened under, as a digest; "" for a former offer
	CheckoutAfter string    // the newest subscription when Checkout was opened; "" for none

	Subscription  *Subscription // the one that counts; nil for none
	GrantedPlan   account.Plan  // what it gave at SyncedAt
	VATNumber     string        // the provider's id of a number that the register does not know; "" for none
	VATRefusedAt  time.Time     // when that was seen first; zero for none
	VATRefusals   int           // how many numbers were seen that the register did not know
	Cancellations int           // how often a subscription was seen to be cancelled
	Endings       int           // how often Pro was seen to end

	SyncedAt   time.Time // when the provider was last asked, and answered; zero: never
	NextSyncAt time.Time // when it is to be asked next; zero: when an event comes
}

// vatUntil returns when VATNumber is removed, which the register does not know; zero for none. Only the first number of
// an account gets time to be corrected: otherwise a new false one each fortnight would keep the tax off every invoice.
func (c Customer) vatUntil() time.Time {
	switch {
	case c.VATNumber == "":
		return time.Time{}
	case c.VATRefusals > 1:
		return c.VATRefusedAt
	}
	return c.VATRefusedAt.Add(VATGrace)
}

// vatDue reports whether it is time to remove VATNumber.
func (c Customer) vatDue(now time.Time) bool {
	return c.VATNumber != "" && !now.Before(c.vatUntil())
}

// An Update is what is written about a customer.
type Update struct {
	Now      time.Time
	Customer Customer
	// Processed marks the events of the Record as processed.
	Processed bool
	// Synced gives the account the plan GrantedPlan and stores the notices. If the operator gave it its plan,
	// it keeps that, and only notices about invoices are stored.
	Synced  bool
	Notices []NewNotice
	// FirstOf is stored as the Binding, unless one is stored; nil stores nothing. It is ErrOtherAccount if another
	// account is stored.
	FirstOf *ProviderAccount
	// Order is stored with the checkout that was opened for it; nil for none. It is ErrOrdered if it was placed
	// before.
	Order *Order
	// CancellationDone deletes the Cancellation: the provider knows of it, or never will.
	CancellationDone bool
	// Compared is the id of an order whose first invoice was compared with it; "" for none.
	Compared string
	// Details are stored; nil leaves them as they are.
	Details *Details
	// Documents are stored to be mailed, unless they are stored already.
	Documents []DocumentID
	// Forget stores the Documents and, instead of the rest, deletes the customer with its events and notices.
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
	// How many more keys the account has than Developer allows, and how many endpoints are paused.
	ExtraKeys, PausedEndpoints int
	// Order is the order of the subscription, with the bodies of its texts; nil for one from before there were orders.
	Order *Order
}
