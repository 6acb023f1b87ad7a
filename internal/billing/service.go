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
	Plan     Page                 // an account's plan, which customers come back to
	Done     Page                 // where a checkout ends that was paid
	Country  string               // of the seller, such as "FR"
	Scheme   Scheme               // of its VAT; Standard when ""
	Price    string               // names the provider's price
	Testers  []string             // who may buy, by e-mail address, where nothing is really paid; nil: everybody
	Texts    func() OperatorTexts // the operator's, as they are now; nil: none, and nothing is sold
	Logger   *slog.Logger
	Now      func() time.Time  // time.Now when nil
	Count    func(what string) // counts what Counts lists; nil counts nothing
}

// A Page gives the URL of a page in the language of an account.
type Page func(account.Language) string

// A Service holds everything that can be done about payments. Every method that is about an account
// takes who acts: what belongs to another account does not exist for the caller, and the answer is
// account.ErrNoAccount.
type Service struct {
	o      Options
	price  priceCheck
	others otherProducts

	refusals  refusals
	forgeries forgeries
	binding   bindingCheck
}

// forgeries remembers the events that the provider had not signed: where the signing secret is wrong they are its own,
// and whoever pays waits for Pro.
type forgeries struct {
	mu     sync.Mutex
	said   time.Time // when the log last told of one
	unkept int       // that are not stored yet
	last   time.Time // when the last of them came
}

// New returns a service.
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
	CountUnexpectedVersion = "foreign_version"   // an event has another version of the interface: an alarm
	CountDispute           = "dispute"           // a charge is disputed: an alarm
	CountNotCollecting     = "not_collecting"    // an invoice has no tax for want of a registration: an alarm
	CountWrongPrice        = "wrong_price"       // the provider's price is another: an alarm
	CountVATNumber         = "vat_number"        // the register does not know a VAT number: an alarm
	CountNotSupported      = "not_supported"     // the provider computes no tax for a place: an alarm
	CountNotSold           = "not_sold_to"       // an invoice is for a place that nothing is sold to: an alarm
	CountWrongRate         = "wrong_rate"        // an invoice has another rate than the table: an alarm
	CountTwoSubscriptions  = "two_subscriptions" // an account pays twice: an alarm
	CountOtherProduct      = "other_product"     // a live subscription is to another product: an alarm
	CountUnpaidInvoice     = "unpaid_invoice"    // a newest invoice has been unpaid for a day: an alarm
	CountNotFinal          = "not_final"         // an invoice could not be finalized: an alarm
	CountRefused           = "refused"           // the provider would not do what it was asked: an alarm
	CountOtherAccount      = "other_account"     // the key is one of another account than the customers are of: an alarm
	CountLosses            = "losses"            // a reconciliation would have taken Pro from too many: an alarm
	CountRefund            = "refund"            // what nobody should have paid went back
	CountRefundFailed      = "refund_failed"     // and did not arrive: an alarm
	CountOrderDifference   = "order_difference"  // a first invoice is not what was ordered: an alarm
	CountDrift             = "drift"             // reconciliation found what no event had told
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
	// ErrWrongPrice says that the provider's price is not that of the plan: nothing is sold meanwhile.
	ErrWrongPrice = errors.New("the payment provider has another price for the Pro plan")
	// ErrSubscribed says that the account has a subscription already.
	ErrSubscribed = errors.New("the account has a subscription already")
	// ErrNotSubscribed says that there is no subscription to cancel, to resume or to look at.
	ErrNotSubscribed = errors.New("the account has no subscription")
	// ErrGiven says that the operator gave the account its plan: it needs not pay.
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
	Waiting      bool          // a checkout was opened or completed, and the provider's word is awaited
	Checkout     *Checkout     // the open one; nil for none
	Cancelling   time.Time     // when its owner cancelled, of which the provider was not told yet; zero for none
	VATUntil     time.Time     // when a VAT number is removed that the register does not know; zero for none
	VATExempt    bool          // the seller is exempt from VAT
	Test         bool          // nothing is really paid: the account is one of those that try it out
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

// mayBuy reports whether an account is among those that may.
func (s *Service) mayBuy(a account.Account) bool {
	return s.o.Testers == nil || slices.Contains(s.o.Testers, strings.ToLower(a.Email))
}

// cannotBuy says why an account cannot buy, as far as that is known without asking.
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

// find returns what is kept about an account for something that needs the provider.
func (s *Service) find(ctx context.Context, by account.Actor, accountID string) (Record, error) {
	r, err := s.o.Store.Find(ctx, by, accountID)
	if err == nil && s.o.Provider == nil {
		err = ErrNoCheckout
	}
	return r, err
}

// texts returns those of now.
func (s *Service) texts() OperatorTexts {
	if s.o.Texts == nil {
		return OperatorTexts{}
	}
	return s.o.Texts()
}

// CheckTexts returns why nothing can be ordered for want of texts, as OperatorTexts.Check does.
func (s *Service) CheckTexts() error { return s.texts().Check() }

// Terms returns the terms that are accepted with an order in a language, as they are now.
func (s *Service) Terms(l account.Language) Text { return s.texts().TermsIn(l) }
