package billing

import (
	"context"
	"iter"
	"time"
)

// An InvoiceState says where an invoice stands: https://docs.stripe.com/invoicing/overview
type InvoiceState string

// The states.
const (
	InvoiceDraft         InvoiceState = "draft" // nobody is asked to pay it
	InvoiceOpen          InvoiceState = "open"
	InvoicePaid          InvoiceState = "paid" // or of nothing
	InvoiceVoid          InvoiceState = "void"
	InvoiceUncollectible InvoiceState = "uncollectible" // written off
)

// An Invoice is what a customer owes, or has paid, for a period.
type Invoice struct {
	ID           string
	Subscription string // that it is of; "" for none
	Number       string // "" for a draft
	State        InvoiceState
	Date         time.Time // when it is due
	PaidAt       time.Time // zero until then
	Total        int64     // in cents, with tax
	Paid         int64     // in cents
	Credited     int64     // what went back by credit notes, in cents
	Advances     bool      // a draft that becomes final and is charged by itself
	URL          string    // where it is paid and read; "" for a draft. It is for its customer alone: never stored, never logged
	// NotFinal is why a draft did not become an invoice, in the provider's word; "" for nothing.
	NotFinal string
}

// unpaid reports whether an invoice is still to be paid.
func (i Invoice) unpaid() bool { return i.State == InvoiceDraft || i.State == InvoiceOpen }

// payable reports whether somebody can pay an invoice: also one that was written off.
func (i Invoice) payable() bool { return i.State == InvoiceOpen || i.State == InvoiceUncollectible }

// dropped reports whether nobody is to pay an invoice any more that nobody paid.
func (i Invoice) dropped() bool { return i.State == InvoiceVoid || i.State == InvoiceUncollectible }

// A Bill is what the newest final invoice of a subscription says about its tax. It is read and compared,
// and not kept: an address is the provider's to hold.
type Bill struct {
	Country, Postcode string // of the customer; "" where the invoice has none
	VATNumber         bool   // the invoice has one
	// NotSupported says that the provider computes no tax for the place at all: docs.stripe.com/tax/zero-tax.
	NotSupported bool
}

// VATGrace is how long a VAT number stays that the register does not know. The register is asked again
// within that time, by the provider and by whoever corrects the number.
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

// A Document is an invoice that became final, or a credit note, as it was made out. It has amounts also once it is
// void.
type Document struct {
	Kind      DocumentKind
	Number    string
	State     InvoiceState
	FinalAt   time.Time // when it got its number
	IssuedAt  time.Time // the date that it has
	DueAt     time.Time // zero for a credit note
	PaidAt    time.Time // zero until then, and for a credit note
	Customer  string    // by name
	Country   string    // ISO 3166; "" for none
	VATNumber string    // of the customer; "" for none
	Currency  string    // such as "eur"
	Net       int64     // in cents; below 0 in a credit note
	VAT       int64
	Rate      int    // of VAT, in tenths of a percent
	Invoice   string // the number of the one that a credit note is about; "" for an invoice
}

// Gross returns what is owed, or given back, with VAT.
func (d Document) Gross() int64 { return d.Net + d.VAT }

// An Archive has all that was invoiced.
type Archive interface {
	// Documents returns the invoices and credit notes that were made from a time on and before another, without drafts,
	// in any order. They have no Rate.
	Documents(ctx context.Context, from, to time.Time) iter.Seq2[Document, error]
}
