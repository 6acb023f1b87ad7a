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

// A Provider takes payments. Every call may fail with an error that wraps ErrUnavailable and can then be
// repeated: calls that create something carry an idempotency key.
type Provider interface {
	Clerk
	Seller
	Ledger
	Cashier
	Registrar
	Issuer

	// Account returns the provider account that the key belongs to, without an id where the key may not read it.
	Account(ctx context.Context) (ProviderAccount, error)
	// Price returns the price of the Pro plan as it is set up at the provider.
	Price(ctx context.Context) (Price, error)
	// Expect checks what can be checked of a signature before the body is read: that it can be parsed, and
	// when it was made. It returns ErrForged otherwise.
	Expect(signature string, now time.Time) error
	// Verify checks that an event came from the provider, and when, and reads which customer it is about.
	// It returns ErrForged if it did not.
	Verify(body []byte, signature string, now time.Time) (Event, error)
}

// A Seller knows customers and sells to them.
type Seller interface {
	// CreateCustomer creates the customer of an account. The same key gives the same customer. It returns ErrVATNumber
	// or ErrLocation for details that the provider does not accept.
	CreateCustomer(ctx context.Context, c NewCustomer) (customer string, err error)
	// UpdateCustomer changes who later invoices are made out and sent to. It returns the errors of CreateCustomer, and
	// ErrNoCustomer.
	UpdateCustomer(ctx context.Context, customer string, p Payer) error

	// Checkout opens a page on which a customer subscribes. The same key gives the same page.
	Checkout(ctx context.Context, r CheckoutRequest) (Checkout, error)
	// ExpireCheckout ends an open checkout and returns its state: it may have been completed meanwhile.
	ExpireCheckout(ctx context.Context, id string) (CheckoutState, error)
	// CheckoutState returns the state of a checkout.
	CheckoutState(ctx context.Context, id string) (CheckoutState, error)
	// RemoveVATNumber removes a VAT number from a customer, whose invoices have tax from then on. It is no error if the
	// number is already gone.
	RemoveVATNumber(ctx context.Context, customer, number string) error
	// Portal opens a page with the invoices and the payment methods of a customer.
	Portal(ctx context.Context, customer string, language account.Language, back string) (url string, err error)
}

// A Clerk shows customers their own invoices.
type Clerk interface {
	// Statement returns what the provider holds about a customer, with at most that many invoices and the card that
	// pays the subscription ("" for none), or ErrNoCustomer.
	Statement(ctx context.Context, customer, subscription string, invoices int) (Statement, error)
	// PayLink returns the URL where an open invoice is paid.
	PayLink(ctx context.Context, invoice string) (url string, err error)
}

// A Ledger holds subscriptions.
type Ledger interface {
	// Subscriptions returns all subscriptions of a customer, ended ones included, the newest first, or
	// ErrNoCustomer.
	Subscriptions(ctx context.Context, customer string) ([]Subscription, error)
	// All returns every subscription, of every customer.
	All(ctx context.Context) iter.Seq2[Subscription, error]
	// SetCancel makes a subscription end with its current period, or undoes that.
	SetCancel(ctx context.Context, subscription string, cancel bool) error
	// End ends a subscription at once. It is no error if it has ended already.
	End(ctx context.Context, subscription string) error
}

// A Cashier knows what was paid, and gives it back.
type Cashier interface {
	// Invoices returns the invoices of a subscription, the newest first.
	Invoices(ctx context.Context, subscription string) ([]Invoice, error)
	// Invoice returns an invoice by its id.
	Invoice(ctx context.Context, id string) (Invoice, error)
	// StopCollecting keeps a draft from being finalized and charged. It is an error if it is no longer a draft.
	StopCollecting(ctx context.Context, invoice string) error
	// Void voids an invoice that is open or written off. It is no error if it is void already, but one if it was paid
	// meanwhile.
	Void(ctx context.Context, invoice string) error
	// Refund gives back all or part of an invoice, less what was given back already, with a credit note. A repeated
	// call does nothing, even under another key. If the whole payment was refunded by hand, the note says so.
	Refund(ctx context.Context, r Refund) (Refunded, error)
}

// A Registrar looks customers up, and erases them.
type Registrar interface {
	Eraser

	// Knows reports whether the provider account has, or had, that customer: a deleted one counts as known.
	Knows(ctx context.Context, customer string) (bool, error)
	// Charged returns the customer of a charge; "" if it has none.
	Charged(ctx context.Context, charge string) (customer string, err error)
}

// An Issuer returns the invoices and credit notes that were issued.
type Issuer interface {
	Archive

	// Document returns an invoice or a credit note, or ErrNoDocument.
	Document(ctx context.Context, d DocumentID) (MailedDocument, error)
	// CreditNotes returns all credit notes issued since then, to any customer.
	CreditNotes(ctx context.Context, since time.Time) iter.Seq2[IssuedCreditNote, error]
	// MarkMailed records at the provider that a document was mailed.
	MarkMailed(ctx context.Context, d DocumentID, at time.Time) error
}

// An Eraser erases customers at the provider.
type Eraser interface {
	// DetachCards removes all payment methods from a customer, so that nothing can be charged any more. A repeated call
	// does nothing.
	DetachCards(ctx context.Context, customer string) error
	// Pending returns the invoices and refunds that are still under way for a customer, or ErrNoCustomer.
	Pending(ctx context.Context, customer string) (Pending, error)
	// DeleteCustomer deletes a customer for good; invoices and credit notes stay. It is no error if that was done
	// before.
	DeleteCustomer(ctx context.Context, customer string) error
}

// Pending is what is still under way for a customer. A customer who leaves is deleted only when nothing is.
type Pending struct {
	Invoices      []string // open ones, and those that will open by themselves
	Refunds       []string // those that have not reached the bank yet
	Subscriptions []string // those made by hand, which would end with the customer
	Refused       error    // why nothing is known, or why the customer was not deleted; nil otherwise
}

// Any reports whether anything is under way.
func (p Pending) Any() bool {
	return len(p.Invoices)+len(p.Refunds)+len(p.Subscriptions) > 0 || p.Refused != nil
}

// String lists what is under way, in words.
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
	// ErrUnavailable says that the provider did not answer, or answered that it cannot at present.
	ErrUnavailable = errors.New("the payment provider does not answer")
	// ErrRefused says that the provider answered and refused: the key is wrong or lacks a permission, the
	// portal was never saved, or the request cannot be met. Trying again does not help: the operator has to
	// look.
	ErrRefused = errors.New("the payment provider refuses")
	// ErrNoCustomer says that a customer was deleted at the provider. One that the provider has never known gives
	// ErrRefused: it belongs to another account there.
	ErrNoCustomer = errors.New("there is no such customer")
	// ErrNoDocument says that the provider has no such invoice or credit note.
	ErrNoDocument = errors.New("there is no such document")
	// ErrVATNumber says that the provider does not accept the VAT number.
	ErrVATNumber = errors.New("the payment provider does not take the VAT number")
	// ErrLocation says that the provider cannot compute the tax of an address.
	ErrLocation = errors.New("the payment provider does not recognise the address")
	// ErrForged says that an event did not come from the provider, or came too late.
	ErrForged = errors.New("the event is not signed by the payment provider")
)

// A ProviderAccount is the seller's account at the provider, and its mode. Customers of another account, or of the
// other mode, do not exist there.
type ProviderAccount struct {
	ID   string // "" where the key may not read it
	Live bool   // real money moves
}

// String returns the id and the mode, for messages.
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

// ErrOtherAccount says that the key belongs to another provider account, or to the other mode, than our customers
// do: for that account they do not exist. Nothing is asked, sold or changed then.
var ErrOtherAccount = fmt.Errorf("%w: the key is one of another account or mode than the customers are of", ErrRefused)

// A NewCustomer describes a customer to be created.
type NewCustomer struct {
	Account string
	Payer
	Key string // of idempotency
}

// A Payer says who invoices are made out to, and where they are sent.
type Payer struct {
	Email    string
	Language account.Language
	Details  *Details // nil leaves them as they are at the provider, whose page asked for them until 2026-11
	Mention  Mention  // printed on invoices, with Details; "" for none
}

// A CheckoutRequest describes a page on which a customer subscribes.
type CheckoutRequest struct {
	Account         string
	Customer        string
	Language        account.Language
	Success, Cancel string // where the customer goes afterwards
	Order           Order  // the one paid there; the provider stores who ordered, and which terms were accepted
	Key             string // of idempotency
}

// A Checkout is a page at the provider on which a customer subscribes.
type Checkout struct {
	ID        string
	URL       string
	OpenedAt  time.Time // zero if an older version of the program opened it
	ExpiresAt time.Time
}

// A CheckoutState is the provider's state of a checkout.
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
	Exclusive bool   // tax is added to it
	Active    bool   // it can be bought
}

// ProPrice is what the plan Pro costs.
var ProPrice = Price{Cents: 9900, Currency: "eur", Interval: "month", Exclusive: true, Active: true}

// An Event is the part of the provider's event that is read: which customer it is about, not what happened.
// What happened is fetched from the provider.
type Event struct {
	ID       string
	Type     string
	Customer string // "" for an event that is about no customer
	Charge   string // of a dispute or a refund, which name no customer; "" otherwise
	// Document is the invoice that was paid or the credit note that was issued; its ID is "" for any other event.
	Document          DocumentID
	UnexpectedVersion bool // the event has another API version than this program was written for
}

// A Refund asks to give back the part of an invoice that nobody should have paid and that was not given back yet.
type Refund struct {
	Invoice string
	Reason  RefundReason
	Cents   int64
	Key     string // of idempotency
}

// Refunded is the result of a Refund.
type Refunded struct {
	CreditNote string // the one for this reason; "" if everything had been given back for other reasons
	Made       bool   // by this call, not by an earlier one
}
