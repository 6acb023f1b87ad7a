package billing

import (
	"context"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

type priceCheck struct{}

// A Report is what Reconcile found.
type Report struct {
	DryRun        bool
	Subscriptions int // that the provider has
	Customers     int // that we have
	Findings      []Finding
}

// A FindingKind says what a Finding is about.
type FindingKind string

// The kinds of findings.
const (
	FoundDrift            FindingKind = "drift"             // we had another state or plan than the provider
	FoundLost             FindingKind = "lost_customer"     // the provider has a customer that we had not
	FoundDeleted          FindingKind = "deleted_account"   // a subscription of an account that is deleted
	FoundTwoSubscriptions FindingKind = "two_subscriptions" // an account pays twice
	FoundGivenAndPaid     FindingKind = "given_and_paid"    // an account pays for what the operator gave
	FoundNotCollecting    FindingKind = "not_collecting"    // no tax, for want of a registration
	FoundWrongPrice       FindingKind = "wrong_price"       // nothing is sold meanwhile
)

// A Finding is something that Reconcile found.
type Finding struct {
	Kind         FindingKind
	Account      string // "" for one that is about none
	Subscription string // "" for one that is about none
	Was, Is      string // what we had and what the provider says, in words
	Mended       bool
	Err          error // why it could not be mended
}

func (s *Service) Overview(ctx context.Context, by account.Actor, accountID string) (Overview, error) {
	return Overview{}, ErrNoCheckout
}
func (s *Service) Checkout(ctx context.Context, by account.Actor, accountID string) (Checkout, error) {
	return Checkout{}, ErrNoCheckout
}
func (s *Service) Portal(ctx context.Context, by account.Actor, accountID string) (url string, err error) {
	return "", ErrNoCheckout
}
func (s *Service) Look(ctx context.Context, by account.Actor, accountID string) (Overview, error) {
	return Overview{}, ErrNoCheckout
}
func (s *Service) Cancel(ctx context.Context, by account.Actor, accountID string) (Overview, error) {
	return Overview{}, ErrNoCheckout
}
func (s *Service) Resume(ctx context.Context, by account.Actor, accountID string) (Overview, error) {
	return Overview{}, ErrNoCheckout
}
func (s *Service) Receive(ctx context.Context, body []byte, signature string) error {
	return ErrNoCheckout
}
func (s *Service) Sync(ctx context.Context, job SyncAccount) error           { return ErrNoCheckout }
func (s *Service) Leave(ctx context.Context, job LeaveProvider) error        { return ErrNoCheckout }
func (s *Service) UpdateEmail(ctx context.Context, job UpdateCustomer) error { return ErrNoCheckout }
func (s *Service) Mail(ctx context.Context, job MailNotice, send func(context.Context, Notice) error) error {
	return ErrNoCheckout
}
func (s *Service) Sweep(ctx context.Context) error { return nil }
func (s *Service) Reconcile(ctx context.Context, dryRun bool) (Report, error) {
	return Report{}, ErrNoCheckout
}
func (s *Service) CheckPrice(ctx context.Context) error           { return ErrNoCheckout }
func (s *Service) Tidy(ctx context.Context) error                 { return nil }
func (s *Service) Lag(ctx context.Context) (time.Duration, error) { return 0, nil }
