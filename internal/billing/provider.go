package billing

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// A Provider takes payments. Every call may fail with an error that wraps ErrUnavailable, after which the
// same call can be made again: calls that create carry an idempotency key.
type Provider interface {
	Clerk
	Seller
	Ledger
	Cashier

	// Price returns that of the plan Pro, as the provider has it.
	Price(ctx context.Context) (Price, error)
	// Expect checks what can be checked of a signature before the event itself has come: that it can be
	// read, and when it was made. Its error is ErrForged.
	Expect(signature string, now time.Time) error
	// Verify checks that an event came from the provider, and when, and reads whose it is. Its
	// error is ErrForged for what did not.
	Verify(body []byte, signature string, now time.Time) (Event, error)
}

// A Seller knows customers and sells to them.
type Seller interface {
	// CreateCustomer creates the customer of an account. The same key gives the same customer.
	CreateCustomer(ctx context.Context, c NewCustomer) (customer string, err error)
	// SetEmail gives a customer another e-mail address, for invoices.
	SetEmail(ctx context.Context, customer, email string) error

	// Checkout opens a page on which a customer subscribes. The same key gives the same page.
	Checkout(ctx context.Context, r CheckoutRequest) (Checkout, error)
	// ExpireCheckout ends one that is open, and tells what became of it: it may have been completed meanwhile.
	ExpireCheckout(ctx context.Context, id string) (CheckoutState, error)
	// CheckoutState tells what became of one.
	CheckoutState(ctx context.Context, id string) (CheckoutState, error)
	// RemoveVATNumber takes a VAT number from a customer, whose invoices have tax from then on. One that is gone is
	// no error.
	RemoveVATNumber(ctx context.Context, customer, number string) error
	// Portal opens a page with the invoices and the means of payment of a customer.
	Portal(ctx context.Context, customer string, language account.Language, back string) (url string, err error)
}

// A Clerk shows customers what is theirs.
type Clerk interface {
	// Statement returns what is held for a customer, with so many invoices at most and the card that pays a
	// subscription ("" for none), or ErrNoCustomer.
	Statement(ctx context.Context, customer, subscription string, invoices int) (Statement, error)
	// PayLink returns where an open invoice is paid.
	PayLink(ctx context.Context, invoice string) (url string, err error)
}

// A Ledger holds subscriptions.
type Ledger interface {
	// Subscriptions returns all subscriptions of a customer, the newest first, with those that are
	// over, or ErrNoCustomer.
	Subscriptions(ctx context.Context, customer string) ([]Subscription, error)
	// All returns every subscription, of every customer.
	All(ctx context.Context) iter.Seq2[Subscription, error]
	// SetCancel ends a subscription at the end of its period, or lets it go on after all.
	SetCancel(ctx context.Context, subscription string, cancel bool) error
	// End ends a subscription at once. One that is over is no error.
	End(ctx context.Context, subscription string) error
}

// A Cashier knows what was paid, and gives it back.
type Cashier interface {
	// Invoices returns those of a subscription, the newest first.
	Invoices(ctx context.Context, subscription string) ([]Invoice, error)
	// Invoice returns one.
	Invoice(ctx context.Context, id string) (Invoice, error)
	// Void ends the claim of an open invoice. One that is void is no error; one that was paid meanwhile is.
	Void(ctx context.Context, invoice string) error
	// Refund gives back what was paid of an invoice, less what went back already, with a credit note. Called
	// again it does nothing.
	Refund(ctx context.Context, r Refund) error
	// Email returns the address of a customer, or ErrNoCustomer.
	Email(ctx context.Context, customer string) (string, error)
}

// Errors of providers.
var (
	// ErrUnavailable says that the provider did not answer, or could not.
	ErrUnavailable = errors.New("the payment provider does not answer")
	// ErrRefused says that the provider answered, and would not: the key is wrong or lacks a permission, the
	// portal was never saved, or what was asked for cannot be. Trying again does not help: the operator has to
	// look.
	ErrRefused = errors.New("the payment provider refuses")
	// ErrNoCustomer says that a customer was deleted at the provider.
	ErrNoCustomer = errors.New("there is no such customer")
	// ErrForged says that an event did not come from the provider, or came too late.
	ErrForged = errors.New("the event is not signed by the payment provider")
)

// A NewCustomer describes a customer to be created.
type NewCustomer struct {
	Account  string
	Email    string
	Language account.Language
	Key      string // of idempotency
}

// A CheckoutRequest describes a page on which a customer subscribes.
type CheckoutRequest struct {
	Account         string
	Customer        string
	Language        account.Language
	Success, Cancel string // where the customer goes afterwards
	Order           Order  // that is paid there; the provider keeps who ordered, and which terms were accepted
	Key             string // of idempotency
}

// A Checkout is such a page.
type Checkout struct {
	ID        string
	URL       string
	ExpiresAt time.Time
}

// A CheckoutState is what became of a checkout.
type CheckoutState string

// The states.
const (
	CheckoutOpen     CheckoutState = "open"
	CheckoutComplete CheckoutState = "complete" // the customer subscribed
	CheckoutExpired  CheckoutState = "expired"
)

// A Price is what a subscription costs.
type Price struct {
	Cents     int64
	Currency  string // such as "eur"
	Interval  string // such as "month"
	Exclusive bool   // of tax
	Active    bool   // it can be bought
}

// ProPrice is that of the plan Pro.
var ProPrice = Price{Cents: 9900, Currency: "eur", Interval: "month", Exclusive: true, Active: true}

// An Event is what is read of one: whose it is, and nothing about what happened. What happened is
// asked of the provider.
type Event struct {
	ID                string
	Type              string
	Customer          string // "" for an event that is about no customer
	UnexpectedVersion bool   // of another version of the interface than this program was written for
}

// A RefundReason is why money goes back. Nothing else is refunded by itself.
type RefundReason string

// The reasons.
const (
	RefundDeleted RefundReason = "deleted_account" // paid after the account was deleted
	RefundGiven   RefundReason = "given_account"   // paid after the operator had given the account Pro
)

// A Refund gives back all that was paid of an invoice and did not go back yet.
type Refund struct {
	Invoice string
	Reason  RefundReason
	Paid    int64  // of the invoice, in cents
	Key     string // of idempotency: the same for every attempt
}
