package billing

import (
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// A DocumentID names a document at the provider.
type DocumentID struct {
	Kind DocumentKind
	ID   string // "" for none
}

// A MailedDocument is an invoice or a credit note as the provider issued it. It is fetched when it is mailed, and never
// stored or logged: its links need no password.
type MailedDocument struct {
	DocumentID
	Number   string
	Corrects string // the number of the invoice that a credit note corrects; "" for an invoice
	Date     time.Time
	Currency string // such as "eur"

	Net, Tax, Total int64 // in cents
	ReverseCharge   bool  // no tax: the customer owes it

	Refunded int64        // of a credit note: what goes back to the means of payment, in cents
	Reason   RefundReason // of a credit note of ours; "" for one that was made by hand

	Email     string // the address it was issued to
	Page, PDF string // where it is read, without a password; "" for none
	Issued    bool   // it is to be mailed: a paid invoice (over 0, or for an order), or a credit note that is not void
	Mailed    bool   // it has been mailed
}

// A RefundReason is why money is given back. Nothing is refunded automatically for any other reason.
type RefundReason string

// The reasons.
const (
	RefundDeleted RefundReason = "deleted_account" // paid after the account was deleted
	RefundGiven   RefundReason = "given_account"   // paid after the operator had given the account Pro
	RefundEnded   RefundReason = "ended"           // paid after the subscription had ended
	// RefundDifference is for what was invoiced beyond the order.
	RefundDifference RefundReason = "order_difference"
	// RefundCancelled is for a period that was renewed after the owner had cancelled, while the provider could not be
	// told.
	RefundCancelled RefundReason = "cancelled"
)

// An IssuedCreditNote is one that the provider has issued.
type IssuedCreditNote struct {
	ID       string
	Customer string
	Invoice  string
	IssuedAt time.Time
	Reason   RefundReason // "" for one that was made by hand
}

// An OwnedDocument is a document of an account.
type OwnedDocument struct {
	Account string
	DocumentID
}

// A DocumentNotice is a mail about a document.
type DocumentNotice struct {
	ID       string // of the mail: the same for every attempt
	Email    string
	Language account.Language
	Document MailedDocument
}

// mailedWithin is the age up to which a document is mailed. Older ones have links that no longer work
// (https://docs.stripe.com/invoicing/hosted-invoice-page).
const mailedWithin = 30 * 24 * time.Hour
