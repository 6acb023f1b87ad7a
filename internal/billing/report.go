package billing

import (
	"errors"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// A Report is what Reconcile found.
type Report struct {
	DryRun        bool
	Subscriptions int // that the provider has, with those that are over
	Customers     int // that we have
	// Untaxed are how many live subscriptions have no tax for want of a registration outside the seller's tax union,
	// by country: none has to be registered there until a threshold of that country's is passed.
	Untaxed  map[string]int
	Findings []Finding
}

// A FindingKind says what a Finding is about.
type FindingKind string

// The kinds of findings.
const (
	FoundDrift            FindingKind = "drift"             // we had another state or plan than the provider
	FoundLost             FindingKind = "lost_customer"     // an account pays, and we did not know as whom
	FoundDeleted          FindingKind = "deleted_account"   // a subscription of an account that there is not
	FoundVATNumber        FindingKind = "vat_number"        // the register does not know a VAT number
	FoundNotSupported     FindingKind = "not_supported"     // the provider computes no tax for the place
	FoundNotSold          FindingKind = "not_sold_to"       // the place is one that nothing is sold to
	FoundWrongRate        FindingKind = "wrong_rate"        // the tax is not what the table says
	FoundTwoSubscriptions FindingKind = "two_subscriptions" // an account pays twice
	FoundGivenAndPaid     FindingKind = "given_and_paid"    // an account pays for what the operator gave
	FoundNotCollecting    FindingKind = "not_collecting"    // no tax, for want of a registration
	FoundOtherProduct     FindingKind = "other_product"     // a subscription to another product: it gives nothing
	FoundUnpaidInvoice    FindingKind = "unpaid_invoice"    // the newest invoice has been unpaid for a day, or nobody is to pay it
	FoundWrongPrice       FindingKind = "wrong_price"       // nothing is sold meanwhile
	FoundNoAccount        FindingKind = "no_account"        // a subscription to Pro that names no account: it gives nothing
	FoundOtherCurrency    FindingKind = "other_currency"    // a subscription is paid in another currency than ours
	FoundQuantity         FindingKind = "quantity"          // a subscription pays for another number of Pro than one
	FoundEndedInvoice     FindingKind = "ended_invoice"     // an invoice of what is over can be paid, or was
	FoundMoved            FindingKind = "moved"             // an account is another customer at the account that was adopted
	FoundUnknown          FindingKind = "unknown_customer"  // and one that it does not know
	FoundMention          FindingKind = "mention"           // the next invoice would not say what the law wants about VAT
	FoundRemains          FindingKind = "remains"           // the customer of a deleted account is at the provider still
	FoundDocument         FindingKind = "document"          // an invoice or a credit note was not to be mailed, for want of its event
)

// A Finding is something that Reconcile found.
type Finding struct {
	Kind         FindingKind
	Account      string // "" for one that is about none
	Subscription string // "" for one that is about none
	Was, Is      string // what we had and what the provider says, in words; or ""
	Repaired     bool
	Err          error // why it could not be repaired
}

// A Run is how Reconcile and Adopt are run.
type Run struct {
	DryRun bool // nothing is changed
	// AllowLosses is from how many accounts Pro may be taken, if that is more than may be taken unasked.
	AllowLosses int
}

// ErrLosses says that a run would take Pro from so many who pay that it is more likely a mistake. Nothing was changed.
var ErrLosses = errors.New("too many would lose Pro")

// drifted reports whether what the provider says differs from what is kept.
func drifted(was Record, is Customer, now time.Time) bool {
	c := was.Customer
	if was.Account.Source == account.FromProvider && was.Account.Plan != is.GrantedPlan || c.ID != is.ID {
		return true
	}
	if c.VATNumber != is.VATNumber {
		return true
	}
	a, b := c.Subscription, is.Subscription
	if a == nil || b == nil {
		return a != b
	}
	return a.describe() != b.describe() || a.Latest.NotFinal != b.Latest.NotFinal || a.EverPaid != b.EverPaid || a.Net != b.Net || a.Tax != b.Tax || a.Plan(now) != b.Plan(now)
}

func describe(sub *Subscription, plan account.Plan) string {
	if sub == nil {
		return "no subscription: " + plan.String()
	}
	return sub.describe() + ": " + plan.String()
}

// describe returns the state of a subscription in words.
func (s Subscription) describe() string {
	words := []string{s.ID + " " + string(s.Status)}
	for _, at := range []struct {
		what string
		time time.Time
	}{{"paid until", s.PeriodEnd}, {"ends", s.CancelAt}, {"ended", s.EndedAt}, {"unpaid since", s.UnpaidSince}} {
		if !at.time.IsZero() {
			words = append(words, at.what+" "+at.time.UTC().Format(time.DateTime))
		}
	}
	if s.Latest.State != "" && s.Latest.State != InvoicePaid {
		words = append(words, "newest invoice "+string(s.Latest.State))
	}
	return strings.Join(words, ", ")
}
