package billing

import (
	"time"

	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/account"
)

// A NoticeKind is the occasion of a mail about a subscription.
type NoticeKind string

// The kinds.
const (
	NoticeWelcome   NoticeKind = "welcome"   // the subscription is active
	NoticeCancelled NoticeKind = "cancelled" // it will end
	NoticeResumed   NoticeKind = "resumed"   // the cancellation was undone
	NoticeUnpaid    NoticeKind = "unpaid"    // a payment failed
	NoticeEnded     NoticeKind = "ended"     // Pro is over

	NoticeVATRefused NoticeKind = "vat_refused" // the register does not know the VAT number
	NoticeVATRemoved NoticeKind = "vat_removed" // a VAT number that the register does not know was removed

	NoticeDifference         NoticeKind = "difference"          // the first invoice is not what was ordered
	NoticeOperatorDifference NoticeKind = "difference_operator" // the same, for the operator
)

// OfInvoices reports whether a notice is about invoices. It then concerns everybody who pays, also an account whose
// plan the operator gave.
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
	Until time.Time // when Pro ends (NoticeCancelled; NoticeUnpaid, unless it is paid) or the number is removed (NoticeVATRefused)

	// Order is the order of the subscription, for NoticeWelcome, which confirms it, and for NoticeDifference; nil for a
	// subscription from before there were orders.
	Order   *Order
	Invoice Invoice // of NoticeDifference

	Again bool // of NoticeVATRemoved: an earlier number was refused, too, so this one was removed at once

	// Void is set for NoticeEnded if the last period was not paid and nothing is owed for it.
	Void    bool
	PayLink string // of NoticeUnpaid: where the invoice is paid; "" if that is not known. Never stored, never logged

	// Of NoticeEnded: how many keys are suspended and how many endpoints are paused.
	SleepingKeys, PausedEndpoints int
}

// Queue is the River queue of the jobs that ask the provider. They spend their time waiting for it, so the
// queue has few workers of its own, and no other job waits behind them. A program that sells nothing does
// not work the queue.
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
