package billing

import "time"

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
