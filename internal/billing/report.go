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
	Subscriptions int // how many the provider has, ended ones included
	Customers     int // how many we have
	// Untaxed counts, by country outside the seller's tax union, the live subscriptions without tax because the seller
	// is not registered there. It need not be until it passes that country's threshold.
	Untaxed  map[string]int
	Findings []Finding
}

// A FindingKind is the kind of a Finding.
type FindingKind string

// The kinds of findings.
const (
	FoundDrift            FindingKind = "drift"             // we had another state or plan than the provider
	FoundLost             FindingKind = "lost_customer"     // an account pays as a customer that was not stored for it
	FoundDeleted          FindingKind = "deleted_account"   // a live subscription of a deleted account
	FoundVATNumber        FindingKind = "vat_number"        // the register does not know a VAT number
	FoundNotSupported     FindingKind = "not_supported"     // the provider computes no tax for the place
	FoundNotSold          FindingKind = "not_sold_to"       // nothing is sold in the place
	FoundWrongRate        FindingKind = "wrong_rate"        // the tax is not what the table says
	FoundTwoSubscriptions FindingKind = "two_subscriptions" // an account pays twice
	FoundGivenAndPaid     FindingKind = "given_and_paid"    // an account pays for what the operator gave
	FoundNotCollecting    FindingKind = "not_collecting"    // no tax, because a registration is missing
	FoundOtherProduct     FindingKind = "other_product"     // a subscription to another product: it gives nothing
	FoundUnpaidInvoice    FindingKind = "unpaid_invoice"    // the newest invoice has been unpaid for a day, or was given up
	FoundWrongPrice       FindingKind = "wrong_price"       // the provider has another price: nothing is sold
	FoundNoAccount        FindingKind = "no_account"        // a subscription to Pro that names no account: it gives nothing
	FoundOtherCurrency    FindingKind = "other_currency"    // a subscription is paid in another currency than ours
	FoundQuantity         FindingKind = "quantity"          // a subscription pays for more or fewer than one Pro
	FoundEndedInvoice     FindingKind = "ended_invoice"     // an invoice of an ended subscription can be paid, or was
	FoundMoved            FindingKind = "moved"             // an account is another customer at the adopted provider account
	FoundUnknown          FindingKind = "unknown_customer"  // the adopted provider account does not know a customer
	FoundMention          FindingKind = "mention"           // the next invoice would not say what the law requires about VAT
	FoundRemains          FindingKind = "remains"           // the customer of a deleted account is still at the provider
	FoundDocument         FindingKind = "document"          // an invoice or a credit note was not stored for mailing: its event was lost
)

// A Finding is something that Reconcile found.
type Finding struct {
	Kind         FindingKind
	Account      string // "" if it is about none
	Subscription string // "" if it is about none
	Was, Is      string // what we had and what the provider says, in words; or ""
	Repaired     bool
	Err          error // why it could not be repaired
}

// A Run has the options of Reconcile and Adopt.
type Run struct {
	DryRun bool // nothing is changed
	// AllowLosses is how many accounts may lose Pro, if that is more than three and more than 5 % of those that pay.
	AllowLosses int
}

// ErrLosses says that a run would take Pro from so many paying accounts that it is probably a mistake. The run changes
// nothing then, or stops before one account too many.
var ErrLosses = errors.New("too many would lose Pro")

// drifted reports whether what the provider says differs from what is stored.
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
