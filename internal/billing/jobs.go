package billing

import (
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// The jobs hold ids alone: no e-mail address, no card, nothing of an event.

// SyncAccount is the job of asking the provider about an account. It asks if an event waits:
// one that was received before a completed sync began has nothing left to say. With Due it asks
// also if nobody asked since then.
type SyncAccount struct {
	Account string    `json:"account"`
	Due     time.Time `json:"due,omitzero"`
}

// Kind is the name of the job in River.
func (SyncAccount) Kind() string { return "billing_sync" }

// LeaveProvider is the job of ending the subscriptions of a deleted account.
type LeaveProvider struct {
	Account string `json:"account"`
}

// Kind is the name of the job in River.
func (LeaveProvider) Kind() string { return "billing_leave" }

// UpdateCustomer is the job of telling the provider an account's new e-mail address.
type UpdateCustomer struct {
	Account string `json:"account"`
}

// Kind is the name of the job in River.
func (UpdateCustomer) Kind() string { return "billing_update_customer" }

// MailNotice is the job of sending a notice.
type MailNotice struct {
	Notice int64 `json:"notice"`
}

// Kind is the name of the job in River.
func (MailNotice) Kind() string { return "billing_mail_notice" }

// MailRefund is the job of telling somebody that a payment went back. The account may be gone: the address
// is the one that the provider has.
type MailRefund struct {
	Customer string           `json:"customer"`
	Invoice  string           `json:"invoice"`
	Reason   RefundReason     `json:"reason"`
	Language account.Language `json:"language"`
}

// Kind is the name of the job in River.
func (MailRefund) Kind() string { return "billing_mail_refund" }
