package billing

import (
	"time"

	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
)

// A NoticeKind is what a mail about a subscription is about.
type NoticeKind string

// The kinds.
const (
	NoticeWelcome   NoticeKind = "welcome"   // the subscription is active
	NoticeCancelled NoticeKind = "cancelled" // it will end
	NoticeResumed   NoticeKind = "resumed"   // that was undone
	NoticeUnpaid    NoticeKind = "unpaid"    // a payment failed
	NoticeEnded     NoticeKind = "ended"     // Pro is over

	NoticeVATRefused NoticeKind = "vat_refused" // the register does not know the VAT number
	NoticeVATRemoved NoticeKind = "vat_removed" // and it was removed

	NoticeDifference         NoticeKind = "difference"          // the first invoice is not what was ordered
	NoticeOperatorDifference NoticeKind = "difference_operator" // the same, for the operator
)

// OfInvoices reports whether a notice is about invoices: whoever pays has some, also if the operator gave the plan.
func (k NoticeKind) OfInvoices() bool {
	switch k {
	case NoticeVATRefused, NoticeVATRemoved, NoticeDifference, NoticeOperatorDifference:
		return true
	case NoticeWelcome, NoticeCancelled, NoticeResumed, NoticeUnpaid, NoticeEnded:
	}
	return false
}

// A Notice is a mail about a subscription.
type Notice struct {
	ID           string // of the mail: the same for every attempt
	Kind         NoticeKind
	Account      account.Account
	Subscription Subscription // as the provider last said

	Day   int       // of NoticeUnpaid: 0, 3 or 6
	Until time.Time // when Pro ends: of NoticeCancelled, and of NoticeUnpaid unless it is paid. Of NoticeVATRefused: of the number

	// Order is that of the subscription, of NoticeWelcome, which confirms it, and of NoticeDifference; nil for a subscription
	// from before there were orders.
	Order   *Order
	Invoice Invoice // of NoticeDifference

	Again bool // of NoticeVATRemoved: it was not the first, and went at once

	// Void says that it ended while nothing was paid for its last period, and nothing is owed: of NoticeEnded.
	Void    bool
	PayLink string // of NoticeUnpaid: where the invoice is paid; "" if that is not known. Never stored, never logged

	// Of NoticeEnded: how many keys are suspended and how many endpoints are paused.
	SleepingKeys, PausedEndpoints int
}

// Queue is River's queue of the jobs that ask the provider. They wait for it, so they have few
// workers, and no other job waits behind them. A program that sells nothing does not work it.
const Queue = "billing"

// InsertOpts implements river.JobArgsWithInsertOpts.
func (SyncAccount) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: Queue} }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (LeaveProvider) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: Queue} }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (UpdateCustomer) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: Queue} }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (CancelSubscription) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: Queue} }

// InsertOpts implements river.JobArgsWithInsertOpts.
func (TellCharge) InsertOpts() river.InsertOpts { return river.InsertOpts{Queue: Queue} }
