package billing

import (
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// Jobs hold only ids: no e-mail address, no card, no content of an event.

// SyncAccount is the job that asks the provider about an account. It does so only if an event waits:
// one received before a completed sync began has nothing new to say. With Due it also asks if nobody
// has asked since then.
type SyncAccount struct {
	Account string    `json:"account"`
	Due     time.Time `json:"due,omitzero"`
}

// Kind implements river.JobArgs.
func (SyncAccount) Kind() string { return "billing_sync" }

// LeaveProvider is the job of ending the subscriptions of a deleted account.
type LeaveProvider struct {
	Account string `json:"account"`
}

// Kind implements river.JobArgs.
func (LeaveProvider) Kind() string { return "billing_leave" }

// CancelSubscription is the job of telling the provider of a cancellation.
type CancelSubscription struct {
	Account string `json:"account"`
}

// Kind implements river.JobArgs.
func (CancelSubscription) Kind() string { return "billing_cancel" }

// UpdateCustomer is the job that tells the provider who invoices are made out to, after the address, the language or
// the details of an account have changed.
type UpdateCustomer struct {
	Account string `json:"account"`
}

// Kind implements river.JobArgs.
func (UpdateCustomer) Kind() string { return "billing_update_customer" }

// MailNotice is the job of sending a notice.
type MailNotice struct {
	Notice int64 `json:"notice"`
}

// Kind implements river.JobArgs.
func (MailNotice) Kind() string { return "billing_mail_notice" }

// MailDocument is the job of mailing an invoice or a credit note.
type MailDocument struct {
	Document string `json:"document"` // its id at the provider
}

// Kind implements river.JobArgs.
func (MailDocument) Kind() string { return "billing_mail_document" }

// MailRefund is the job with which programs from before 2026-12 mailed somebody about a refund. It is no longer
// inserted: the credit note is mailed instead, and says why.
type MailRefund struct {
	Customer string           `json:"customer"`
	Invoice  string           `json:"invoice"`
	Reason   RefundReason     `json:"reason"`
	Language account.Language `json:"language"`
}

// Kind implements river.JobArgs.
func (MailRefund) Kind() string { return "billing_mail_refund" }

// TellCharge is the job that tells the operator of an event about a charge, and which customer was charged.
type TellCharge struct {
	Event  string `json:"event"`
	Type   string `json:"type"`
	Charge string `json:"charge"`
}

// Kind implements river.JobArgs.
func (TellCharge) Kind() string { return "billing_charge" }
