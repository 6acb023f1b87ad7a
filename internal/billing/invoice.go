package billing

import (
	"context"
	"iter"
	"time"
)

// An InvoiceState is the status of an invoice: https://docs.stripe.com/invoicing/overview
type InvoiceState string

// The states.
const (
	InvoiceDraft         InvoiceState = "draft" // nobody is asked to pay it
	InvoiceOpen          InvoiceState = "open"
	InvoicePaid          InvoiceState = "paid" // or its amount was zero
	InvoiceVoid          InvoiceState = "void"
	InvoiceUncollectible InvoiceState = "uncollectible" // written off
)

// An Invoice is what a customer owes, or has paid, for a period.
type Invoice struct {
	ID           string
	Subscription string // the one that it bills; "" for none
	Number       string // "" for a draft
	State        InvoiceState
	Date         time.Time // when it is due
	PaidAt       time.Time // zero until then
	Total        int64     // in cents, with tax
	Paid         int64     // in cents
	Credited     int64     // given back by credit notes, in cents
	Advances     bool      // a draft that the provider finalizes and charges by itself
	URL          string    // where it is paid and read; "" for a draft. It is for its customer alone: never stored, never logged
	// NotFinal is the provider's code for why a draft could not be finalized; "" when nothing went wrong.
	NotFinal string
}

// unpaid reports whether an invoice is still to be paid.
func (i Invoice) unpaid() bool { return i.State == InvoiceDraft || i.State == InvoiceOpen }

// payable reports whether an invoice can be paid: it is open, or was written off.
func (i Invoice) payable() bool { return i.State == InvoiceOpen || i.State == InvoiceUncollectible }

// dropped reports whether an unpaid invoice was given up: it is void or written off.
func (i Invoice) dropped() bool { return i.State == InvoiceVoid || i.State == InvoiceUncollectible }

// A Bill is what the newest final invoice of a subscription says about its tax. It is compared but never
// stored: addresses stay at the provider.
type Bill struct {
	Country, Postcode string // of the customer; "" where the invoice has none
	VATNumber         bool   // the invoice has one
	// NotSupported is set when the provider cannot compute tax for the place at all: docs.stripe.com/tax/zero-tax.
	NotSupported bool
}

// VATGrace is how long a customer keeps a VAT number that the register does not know. Within that time the
// provider asks the register again, and the owner can correct the number.
const VATGrace = 14 * 24 * time.Hour

// A DocumentKind says what a Document is.
type DocumentKind string

// The kinds.
const (
	InvoiceDocument DocumentKind = "invoice"
	CreditNote      DocumentKind = "credit_note"
)

// CreditNoteIssued is the state of a credit note that is not void.
const CreditNoteIssued InvoiceState = "issued"

// A Document is a final invoice or a credit note, as it was issued. It keeps its amounts when it is void.
type Document struct {
	Kind      DocumentKind
	Number    string
	State     InvoiceState
	FinalAt   time.Time // when it got its number
	IssuedAt  time.Time // the date printed on it
	DueAt     time.Time // zero for a credit note
	PaidAt    time.Time // zero until then, and for a credit note
	Customer  string    // the name
	Country   string    // ISO 3166; "" for none
	VATNumber string    // of the customer; "" for none
	Currency  string    // such as "eur"
	Net       int64     // in cents; below 0 in a credit note
	VAT       int64
	Rate      int    // of VAT, in tenths of a percent
	Invoice   string // the number of the invoice that a credit note corrects; "" for an invoice
}

// Gross returns the amount owed or given back, with VAT, in cents.
func (d Document) Gross() int64 { return d.Net + d.VAT }

// An Archive lists everything that was invoiced.
type Archive interface {
	// Documents returns the invoices and credit notes made in [from, to), without drafts, in any order. Their Rate is
	// not set.
	Documents(ctx context.Context, from, to time.Time) iter.Seq2[Document, error]
}
