package billing

import (
	"context"
	"iter"
	"time"
)

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
