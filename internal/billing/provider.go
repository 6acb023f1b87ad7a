package billing

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
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
	Registrar
	Issuer

	// Account returns the account that the key is of, without an id where the key may not read it.
	Account(ctx context.Context) (ProviderAccount, error)
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
	// CreateCustomer creates the customer of an account. The same key gives the same customer. It returns ErrVATNumber
	// or ErrLocation for details that the provider does not take.
	CreateCustomer(ctx context.Context, c NewCustomer) (customer string, err error)
	// UpdateCustomer has the invoices that follow be made out so. Its errors are also those of CreateCustomer and
	// ErrNoCustomer.
	UpdateCustomer(ctx context.Context, customer string, p Payer) error

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
	// StopCollecting has a draft stay one: it is not charged. One that is a draft no longer is an error.
	StopCollecting(ctx context.Context, invoice string) error
	// Void ends the claim of an invoice that is open or written off. One that is void is no error; one that was paid meanwhile is.
	Void(ctx context.Context, invoice string) error
	// Refund gives back a part of an invoice or all of it, less what went back already, with a credit note. Called
	// again it does nothing, also under another key. Where the whole payment went back by hand the note says so.
	Refund(ctx context.Context, r Refund) (Refunded, error)
}

// A Registrar knows who customers are, and forgets them.
type Registrar interface {
	Eraser

	// Knows reports whether the account has a customer, or had it: one that was deleted is known.
	Knows(ctx context.Context, customer string) (bool, error)
	// Charged returns the customer of a charge; "" for one that has none.
	Charged(ctx context.Context, charge string) (customer string, err error)
}

// An Issuer has issued invoices and credit notes.
type Issuer interface {
	Archive

	// Document returns an invoice or a credit note, or ErrNoDocument.
	Document(ctx context.Context, d DocumentID) (MailedDocument, error)
	// CreditNotes returns those that were issued since then, to all customers.
	CreditNotes(ctx context.Context, since time.Time) iter.Seq2[IssuedCreditNote, error]
	// MarkMailed has the provider remember that a document was mailed.
	MarkMailed(ctx context.Context, d DocumentID, at time.Time) error
}

// An Eraser forgets customers.
type Eraser interface {
	// DetachCards takes all means of payment from a customer, so that nothing can be charged any more. Called again it
	// does nothing.
	DetachCards(ctx context.Context, customer string) error
	// Pending returns the invoices and refunds that are still under way for a customer, or ErrNoCustomer.
	Pending(ctx context.Context, customer string) (Pending, error)
	// DeleteCustomer deletes a customer for good; invoices and credit notes stay. One that is deleted is no error.
	DeleteCustomer(ctx context.Context, customer string) error
}

// Pending is what is still under way for a customer: until there is nothing, a customer who leaves is not deleted.
type Pending struct {
	Invoices      []string // that are open, or become so by themselves
	Refunds       []string // that the bank does not have yet
	Subscriptions []string // that somebody made by hand: they would end with the customer
	Refused       error    // why it is not known, or why the customer is not deleted; nil otherwise
}

// Any reports whether there is something.
func (p Pending) Any() bool {
	return len(p.Invoices)+len(p.Refunds)+len(p.Subscriptions) > 0 || p.Refused != nil
}

// String says what there is, in words.
func (p Pending) String() string {
	var parts []string
	for _, list := range []struct {
		what string
		ids  []string
	}{{"open invoices", p.Invoices}, {"refunds under way", p.Refunds}, {"subscriptions made by hand", p.Subscriptions}} {
		if len(list.ids) > 0 {
			parts = append(parts, list.what+": "+strings.Join(list.ids, ", "))
		}
	}
	if p.Refused != nil {
		parts = append(parts, p.Refused.Error())
	}
	return strings.Join(parts, "; ")
}

// Errors of providers.
var (
	// ErrUnavailable says that the provider did not answer, or could not.
	ErrUnavailable = errors.New("the payment provider does not answer")
	// ErrRefused says that the provider answered, and would not: the key is wrong or lacks a permission, the
	// portal was never saved, or what was asked for cannot be. Trying again does not help: the operator has to
	// look.
	ErrRefused = errors.New("the payment provider refuses")
	// ErrNoCustomer says that a customer was deleted at the provider. One that the provider has never known is
	// ErrRefused: it is that of another account.
	ErrNoCustomer = errors.New("there is no such customer")
	// ErrNoDocument says that the provider has no such invoice or credit note.
	ErrNoDocument = errors.New("there is no such document")
	// ErrVATNumber says that the provider takes no such VAT number.
	ErrVATNumber = errors.New("the payment provider does not take the VAT number")
	// ErrLocation says that the provider cannot compute the tax of an address.
	ErrLocation = errors.New("the payment provider does not recognise the address")
	// ErrForged says that an event did not come from the provider, or came too late.
	ErrForged = errors.New("the event is not signed by the payment provider")
)

// A ProviderAccount is the account at the provider that sells, and its mode: customers of another, or of the other
// mode, do not exist there.
type ProviderAccount struct {
	ID   string // "" where the key may not read it
	Live bool   // real money moves
}

func (a ProviderAccount) String() string {
	mode := "test"
	if a.Live {
		mode = "live"
	}
	return orUnknown(a.ID) + ", " + mode + " mode"
}

func orUnknown(id string) string {
	if id == "" {
		return "an account that the key may not read"
	}
	return id
}

// isOther reports whether two accounts differ, as far as their ids are known.
func (a ProviderAccount) isOther(b ProviderAccount) bool {
	return a.Live != b.Live || a.ID != "" && b.ID != "" && a.ID != b.ID
}

// ErrOtherAccount says that the key is one of another account at the provider, or of the other mode, than our
// customers are of: to that account they do not exist. Nothing is asked, sold or changed.
var ErrOtherAccount = fmt.Errorf("%w: the key is one of another account or mode than the customers are of", ErrRefused)

// A NewCustomer describes a customer to be created.
type NewCustomer struct {
	Account string
	Payer
	Key string // of idempotency
}

// A Payer is to whom invoices are made out and sent.
type Payer struct {
	Email    string
	Language account.Language
	Details  *Details // nil leaves them as the provider has them: they were asked for there until 2026-11
	Mention  Mention  // printed on invoices, with Details; "" for none
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
	OpenedAt  time.Time // zero for one that an older program opened
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

// ProPrice is what the plan Pro costs.
var ProPrice = Price{Cents: 9900, Currency: "eur", Interval: "month", Exclusive: true, Active: true}

// An Event is what is read of one: whose it is, and nothing about what happened. What happened is
// asked of the provider.
type Event struct {
	ID       string
	Type     string
	Customer string // "" for an event that is about no customer
	Charge   string // of a dispute or a refund, which name no customer; "" otherwise
	// Document is an invoice that was paid or a credit note that was issued; that has no ID otherwise.
	Document          DocumentID
	UnexpectedVersion bool // of another version of the interface than this program was written for
}

// A Refund gives back what nobody should have paid of an invoice, and did not go back yet.
type Refund struct {
	Invoice string
	Reason  RefundReason
	Cents   int64
	Key     string // of idempotency
}

// Refunded is what became of a Refund.
type Refunded struct {
	CreditNote string // for this reason; "" where others had given back all
	Made       bool   // now, and not by an earlier call
}
