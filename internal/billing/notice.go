package billing

import (
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// A NoticeKind is what a mail about a subscription is about.
type NoticeKind string

// The kinds.
const (
	NoticeWelcome   NoticeKind = "welcome"   // the subscription is active
	NoticeCancelled NoticeKind = "cancelled" // it will end
	NoticeUnpaid    NoticeKind = "unpaid"    // a payment failed
	NoticeEnded     NoticeKind = "ended"     // Pro is over

	NoticeVATRefused NoticeKind = "vat_refused" // the register does not know the VAT number
	NoticeVATRemoved NoticeKind = "vat_removed" // and it was removed
)

// OfInvoices reports whether a notice is about invoices: whoever pays has some, also if the operator gave the plan.
func (k NoticeKind) OfInvoices() bool { return k == NoticeVATRefused || k == NoticeVATRemoved }

// A Notice is a mail about a subscription.
type Notice struct {
	ID           string // of the mail: the same for every attempt
	Kind         NoticeKind
	Account      account.Account
	Subscription Subscription // as the provider last said

	Day   int       // of NoticeUnpaid: 0, 3 or 6
	Until time.Time // when Pro ends: of NoticeCancelled, and of NoticeUnpaid unless it is paid. Of NoticeVATRefused: of the number

	Order *Order // of NoticeWelcome, which confirms it; nil for a subscription from before there were orders

	// Void says that it ended while nothing was paid for its last period, and nothing is owed: of NoticeEnded.
	Void    bool
	PayLink string // of NoticeUnpaid: where the invoice is paid; "" if that is not known. Never stored, never logged

	// Of NoticeEnded: how many keys are suspended and how many endpoints are paused.
	SleepingKeys, PausedEndpoints int
}
