package billing

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// Options describe a Service.
type Options struct {
	Store    Store
	Provider Provider             // nil: there is no checkout
	Plan     Page                 // the page of an account's plan, which customers come back to
	Done     Page                 // where customers go after paying a checkout
	Country  string               // of the seller, such as "FR"
	Scheme   Scheme               // of its VAT; Standard when ""
	Price    string               // the id of the provider's price
	Testers  []string             // the e-mail addresses of those who may buy in test mode; nil: everybody
	Texts    func() OperatorTexts // returns the operator's current texts; nil: none, and nothing is sold
	Logger   *slog.Logger
	Now      func() time.Time  // time.Now when nil
	Count    func(what string) // counts what Counts lists; nil counts nothing
}

// A Page returns the URL of a page in a language.
type Page func(account.Language) string

// A Service has all operations on payments. Every method about an account takes the Actor who calls it,
// for whom other accounts do not exist: it returns account.ErrNoAccount for them. A Service may be used
// by several goroutines at once.
type Service struct {
	o      Options
	price  priceCheck
	others otherProducts

	refusals  refusals
	forgeries forgeries
	binding   bindingCheck
}

// forgeries counts the events that the provider had not signed. If the signing secret is wrong, they are the provider's
// own, and whoever pays waits for Pro.
type forgeries struct {
	mu     sync.Mutex
	said   time.Time // when one was last logged
	unkept int       // how many are not stored yet
	last   time.Time // when the last of them came
}

// New returns a Service with the given options.
func New(o Options) *Service {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Scheme == "" {
		o.Scheme = Standard
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Count == nil {
		o.Count = func(string) {}
	}
	return &Service{o: o}
}

// What is counted.
const (
	CountEvent             = "event"             // an event was stored
	CountRepeated          = "repeated"          // an event came again
	CountForged            = "forged"            // an event was refused
	CountUnexpectedVersion = "foreign_version"   // an event has another API version: an alarm
	CountDispute           = "dispute"           // a charge is disputed: an alarm
	CountNotCollecting     = "not_collecting"    // an invoice has no tax because a registration is missing: an alarm
	CountWrongPrice        = "wrong_price"       // the provider's price is another: an alarm
	CountVATNumber         = "vat_number"        // the register does not know a VAT number: an alarm
	CountNotSupported      = "not_supported"     // the provider computes no tax for a place: an alarm
	CountNotSold           = "not_sold_to"       // an invoice is for a place where nothing is sold: an alarm
	CountWrongRate         = "wrong_rate"        // an invoice has another rate than the table: an alarm
	CountTwoSubscriptions  = "two_subscriptions" // an account pays twice: an alarm
	CountOtherProduct      = "other_product"     // a live subscription is to another product: an alarm
	CountUnpaidInvoice     = "unpaid_invoice"    // the newest invoice has been unpaid for a day: an alarm
	CountNotFinal          = "not_final"         // an invoice could not be finalized: an alarm
	CountRefused           = "refused"           // the provider refused a request: an alarm
	CountOtherAccount      = "other_account"     // the key belongs to another account than the customers do: an alarm
	CountLosses            = "losses"            // a reconciliation would have taken Pro from too many: an alarm
	CountRefund            = "refund"            // what nobody should have paid was refunded
	CountRefundFailed      = "refund_failed"     // a refund did not arrive: an alarm
	CountOrderDifference   = "order_difference"  // a first invoice is not what was ordered: an alarm
	CountDrift             = "drift"             // reconciliation found a change that no event had reported
)

// Counts returns everything that Options.Count is called with.
func Counts() []string {
	return []string{
		CountVATNumber, CountNotSupported, CountNotSold, CountWrongRate,
		CountEvent, CountRepeated, CountForged, CountUnexpectedVersion, CountDispute, CountNotCollecting,
		CountWrongPrice, CountTwoSubscriptions, CountOtherProduct, CountUnpaidInvoice,
		CountNotFinal, CountRefused, CountOtherAccount, CountLosses, CountRefund, CountRefundFailed, CountOrderDifference, CountDrift,
	}
}

// Errors of requests about payments.
var (
	// ErrNoCheckout says that nothing can be bought here: no provider is configured.
	ErrNoCheckout = errors.New("no payment provider is configured")
	// ErrWrongPrice says that the provider's price differs from the plan's: nothing is sold meanwhile.
	ErrWrongPrice = errors.New("the payment provider has another price for the Pro plan")
	// ErrSubscribed says that the account has a subscription already.
	ErrSubscribed = errors.New("the account has a subscription already")
	// ErrNotSubscribed says that there is no subscription to cancel, to resume or to look at.
	ErrNotSubscribed = errors.New("the account has no subscription")
	// ErrGiven says that the operator gave the account its plan, so that it need not pay.
	ErrGiven = errors.New("the operator has given the account the Pro plan")
	// ErrBusy says that another process is asking the provider about the account.
	ErrBusy = errors.New("the account's subscription is being looked at")
	// ErrNoNotice says that a notice is gone, with its account.
	ErrNoNotice = errors.New("there is no such notice")
)

// An Overview is what the owner of an account sees.
type Overview struct {
	Plan         account.Plan
	Source       account.PlanSource
	Subscription *Subscription // the one that counts, as the provider said at SyncedAt; nil for none
	SyncedAt     time.Time     // zero: never
	Customer     bool          // the provider knows the account: there may be invoices, also after the end
	Waiting      bool          // a checkout was opened or completed, and the provider has not confirmed the payment yet
	Checkout     *Checkout     // the open one; nil for none
	Cancelling   time.Time     // when its owner cancelled, if the provider has not been told yet; zero for none
	VATUntil     time.Time     // when a VAT number that the register does not know is removed; zero for none
	VATExempt    bool          // the seller is exempt from VAT
	Test         bool          // the account is one of Options.Testers: nothing is really paid
	CannotBuy    error         // why no checkout can be opened; nil if one can
}

// Overview returns what is known about the payments of an account, without asking the provider.
//
// Only the account itself and the operator may see it. Returns account.ErrNoAccount otherwise.
func (s *Service) Overview(ctx context.Context, by account.Actor, accountID string) (Overview, error) {
	r, err := s.o.Store.Find(ctx, by, accountID)
	if err != nil {
		return Overview{}, err
	}
	return s.overview(r), nil
}

func (s *Service) overview(r Record) Overview {
	c := r.Customer
	o := Overview{
		Plan: r.Account.Plan, Source: r.Account.Source, Subscription: c.Subscription,
		SyncedAt: c.SyncedAt, Customer: c.ID != "", CannotBuy: s.cannotBuy(r), VATUntil: c.vatUntil(), VATExempt: s.o.Scheme == Franchise,
		Test: s.o.Testers != nil && s.mayBuy(r.Account),
	}
	if r.Cancellation != nil {
		o.Cancelling = r.Cancellation.At
	}
	sub := c.Subscription
	switch {
	case sub != nil && sub.BlocksPurchase(): // its first payment may be under way
		o.Waiting = !sub.EverPaid && sub.Latest.unpaid()
	case c.Checkout != nil && (c.Completed || s.o.Now().Before(c.Checkout.ExpiresAt)):
		o.Waiting = true
		if !c.Completed {
			o.Checkout = c.Checkout
		}
	case sub != nil:
		o.Waiting = sub.Status == Incomplete
	}
	return o
}

// mayBuy reports whether an account is among Options.Testers, where there are any.
func (s *Service) mayBuy(a account.Account) bool {
	return s.o.Testers == nil || slices.Contains(s.o.Testers, strings.ToLower(a.Email))
}

// cannotBuy returns why an account cannot buy, as far as that is known without asking the provider; nil if it can.
func (s *Service) cannotBuy(r Record) error {
	_, price := s.price.last()
	texts := s.CheckTexts()
	switch {
	case s.o.Provider == nil, !s.mayBuy(r.Account):
		return ErrNoCheckout
	case r.Account.Source == account.FromOperator:
		return ErrGiven
	case r.Customer.Subscription != nil && r.Customer.Subscription.BlocksPurchase():
		return ErrSubscribed
	case texts != nil:
		return texts
	}
	if other := s.otherAccount(); other != nil {
		return other
	}
	return price
}

// find returns what is stored about an account, or ErrNoCheckout if no provider is configured.
func (s *Service) find(ctx context.Context, by account.Actor, accountID string) (Record, error) {
	r, err := s.o.Store.Find(ctx, by, accountID)
	if err == nil && s.o.Provider == nil {
		err = ErrNoCheckout
	}
	return r, err
}

// texts returns the operator's current texts.
func (s *Service) texts() OperatorTexts {
	if s.o.Texts == nil {
		return OperatorTexts{}
	}
	return s.o.Texts()
}

// CheckTexts returns the error of OperatorTexts.Check for the operator's current texts: nothing can be ordered until it
// is nil.
func (s *Service) CheckTexts() error { return s.texts().Check() }

// Terms returns the current terms, which an order accepts, in a language or else in French.
func (s *Service) Terms(l account.Language) Text { return s.texts().TermsIn(l) }
