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
	Mailings
	Bindings
}

// A Binding is the provider's account that our customers are of. It is stored with the first of them.
type Binding struct {
	Account ProviderAccount
	Since   time.Time // zero: none is stored
}

// Bindings keep the provider's account that our customers are of.
type Bindings interface {
	Binding(ctx context.Context) (Binding, error)
	// Bind stores another one.
	Bind(ctx context.Context, a ProviderAccount, now time.Time) error
	// AccountOf returns the account of a customer at the provider; "" for none.
	AccountOf(ctx context.Context, customer string) (accountID string, err error)
	// AnyCustomer returns the id of a customer at the provider, one that pays if there is one; "" for none.
	AnyCustomer(ctx context.Context) (string, error)
}

// Customers keep who pays.
type Customers interface {
	// Find returns what is kept about an account that is not deleted, or account.ErrNoAccount.
	Find(ctx context.Context, by account.Actor, accountID string) (Record, error)
	// Add makes the account a customer without an id, unless it is a customer already.
	Add(ctx context.Context, by account.Actor, accountID string) error
	// Cancel stores a cancellation of which the provider is to be told, with its job, unless one is stored: the first
	// click counts. It waits for nobody who asks the provider. Returns account.ErrNoAccount for what is another's.
	Cancel(ctx context.Context, by account.Actor, accountID string, c Cancellation) error
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
	// due, too, and have none then: who does the job may not know the terms. "" is no offer that is compared.
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
	// transaction; if it is about a charge, its TellCharge job; and its document is kept as AddDocuments does. An event that
	// is about no customer is processed. It reports whether the event is new.
	Receive(ctx context.Context, e Event, now time.Time) (bool, error)
	// Oldest returns when the oldest event was received that is not processed; zero for none.
	Oldest(ctx context.Context) (time.Time, error)
	// PruneEvents deletes up to limit events that were received before then and are processed.
	PruneEvents(ctx context.Context, before time.Time, limit int) (int, error)
	// AddForged notes that so many events came that the provider had not signed, the last of them at a time.
	AddForged(ctx context.Context, n int, last time.Time) error
	// Heard tells what came, of what was forged since then.
	Heard(ctx context.Context, since time.Time) (Heard, error)
	// PruneForged forgets what was forged before then.
	PruneForged(ctx context.Context, before time.Time, limit int) (int, error)
}

// Heard is what came to the address for events.
type Heard struct {
	LastTaken  time.Time // when the last event of the provider was stored; zero for none
	Forged     int       // how many others came within the last day, of those that are stored
	LastForged time.Time // when the last of them came; zero for none
}

// An Outbox keeps notices.
type Outbox interface {
	// Notice returns a notice with what is kept about its account, or ErrNoNotice.
	Notice(ctx context.Context, id int64) (StoredNotice, error)
	// Sent notes that a notice was sent.
	Sent(ctx context.Context, id int64, now time.Time) error
}

// Mailings keep which invoices and credit notes are to be mailed, and which were.
type Mailings interface {
	// Mailing returns a document that is to be mailed, or ErrNoDocument.
	Mailing(ctx context.Context, id string) (StoredDocument, error)
	// DocumentDone notes that a document was mailed, or is not to be.
	DocumentDone(ctx context.Context, id string, now time.Time) error
	MailingList
}

// A MailingList lists them.
type MailingList interface {
	// NewDocuments returns those of a list that are not kept.
	NewDocuments(ctx context.Context, list []OwnedDocument) ([]OwnedDocument, error)
	// AddDocuments keeps those of a list that are not kept yet, and inserts their jobs.
	AddDocuments(ctx context.Context, list []OwnedDocument, now time.Time) error
	// PruneDocuments forgets up to limit documents that were added before then.
	PruneDocuments(ctx context.Context, before time.Time, limit int) (int, error)
}

// A StoredDocument is one that is to be mailed once, as it is kept.
type StoredDocument struct {
	DocumentID
	FoundAt time.Time // when it was seen first
	Done    bool      // it was mailed, or is not to be
	Record  Record    // of its account, which may be deleted
}

// A Record is what is kept about an account.
type Record struct {
	Account   account.Account // Email is "" once it is deleted
	DeletedAt time.Time       // zero until then
	Customer  Customer
	Details   *Details // to whom its invoices are made out; nil for none that are known here
	Order     *Order   // the newest that no invoice was compared with; nil for none, and where the customer is not held
	Events    int      // that are not processed
	// Cancellation is one that the provider was not told of yet; nil for none.
	Cancellation *Cancellation
}

// A Cancellation is one that the provider was not told of yet.
type Cancellation struct {
	At      time.Time // when its owner clicked: it counts from then
	Failing bool      // the page said that it ends at once, because a payment was failing
}

// A Customer is what is kept about a customer. An account has the zero Customer if it never
// opened a checkout.
type Customer struct {
	ID         string // at the provider; "" for none
	Generation int    // of the keys of idempotency

	Checkout      *Checkout // open, or completed and not seen as a subscription yet; nil for none
	Completed     bool      // the checkout was
	Offer         string    // under which the checkout was opened: its price and terms; "" for a former one
	CheckoutAfter string    // the newest subscription when it was opened; "" for none

	Subscription  *Subscription // the one that counts; nil for none
	GrantedPlan   account.Plan  // what it gave at SyncedAt
	VATNumber     string        // the provider's id of one that the register does not know; "" for none
	VATRefusedAt  time.Time     // when that was seen first; zero for none
	VATRefusals   int           // how many were seen that the register did not know
	Cancellations int           // how often one was seen to be cancelled
	Endings       int           // how often Pro was seen to end

	SyncedAt   time.Time // when the provider was last asked, and answered; zero: never
	NextSyncAt time.Time // when it is to be asked next; zero: when an event comes
}

// vatUntil returns when a VAT number is removed that the register does not know; zero for none. Only the first of an
// account gets time to be corrected: a new one each fortnight would have no invoice carry the tax.
func (c Customer) vatUntil() time.Time {
	switch {
	case c.VATNumber == "":
		return time.Time{}
	case c.VATRefusals > 1:
		return c.VATRefusedAt
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
	// FirstOf is stored as the provider's account that our customers are of, unless one is stored: nil for nothing. It
	// is ErrOtherAccount if that is another one.
	FirstOf *ProviderAccount
	// Order is stored with the checkout that was opened for it; nil for none. One that was placed before is
	// ErrOrdered.
	Order *Order
	// CancellationDone says that the provider knows of the Cancellation, or never will.
	CancellationDone bool
	// Compared is the id of an order whose first invoice was compared with it; "" for none.
	Compared string
	// Details are stored; nil leaves them as they are.
	Details *Details
	// Documents are mailed, unless they are kept already.
	Documents []DocumentID
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
