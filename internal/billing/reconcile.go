package billing

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
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

// A reconciliation is one run of Reconcile.
type reconciliation struct {
	*Service
	Report
	subs map[string][]Subscription // by account
}

// Reconcile compares what the provider says with what is kept, repairs what differs and reports it. A
// dry run changes nothing. The error joins those of the findings.
func (s *Service) Reconcile(ctx context.Context, dryRun bool) (Report, error) {
	if s.o.Provider == nil {
		return Report{}, ErrNoCheckout
	}
	r := &reconciliation{s, Report{DryRun: dryRun, Untaxed: make(map[string]int)}, make(map[string][]Subscription)}
	switch err := s.CheckPrice(ctx); {
	case errors.Is(err, ErrWrongPrice):
		r.found(Finding{Kind: FoundWrongPrice, Is: err.Error()})
	case err != nil:
		return r.Report, err
	}
	for sub, err := range s.o.Provider.All(ctx) {
		if err != nil {
			return r.Report, fmt.Errorf("listing the subscriptions: %w", err)
		}
		r.Subscriptions++
		switch {
		case sub.Account == "": // not sold by us
		case sub.OtherProduct:
			if sub.Live() {
				r.found(Finding{Kind: FoundOtherProduct, Account: sub.Account, Subscription: sub.ID, Is: sub.describe()})
			}
		default:
			r.subs[sub.Account] = append(r.subs[sub.Account], sub)
		}
	}
	if err := r.customers(ctx); err != nil {
		return r.Report, err
	}
	for _, id := range slices.Sorted(maps.Keys(r.subs)) {
		if err := r.orphan(ctx, id, r.subs[id]); err != nil {
			return r.Report, err
		}
	}
	var errs error
	for _, f := range r.Findings {
		errs = errors.Join(errs, f.Err)
	}
	return r.Report, errs
}

// found adds a finding to the report, and counts it. Whoever reads the report logs or prints it.
func (r *reconciliation) found(f Finding) {
	r.Findings = append(r.Findings, f)
	switch f.Kind {
	case FoundDrift, FoundLost, FoundDeleted:
		r.o.Count(CountDrift)
	case FoundTwoSubscriptions:
		r.o.Count(CountTwoSubscriptions)
	case FoundNotCollecting, FoundVATNumber, FoundNotSupported, FoundNotSold, FoundWrongRate:
		r.o.Count(string(f.Kind)) // the words are the same
	case FoundOtherProduct:
		r.o.Count(CountOtherProduct)
	case FoundUnpaidInvoice:
		r.o.Count(CountUnpaidInvoice)
	case FoundGivenAndPaid, FoundWrongPrice: // the former is no alarm, and CheckPrice counts the latter
	}
}

// reconcilePage is how many customers are read together.
const reconcilePage = 500

// customers compares all customers, and takes their subscriptions from those left to compare.
func (r *reconciliation) customers(ctx context.Context) error {
	for after := ""; ; {
		page, err := r.o.Store.List(ctx, after, reconcilePage)
		if err != nil {
			return err
		}
		for _, rec := range page {
			r.Customers++
			after = rec.Account.ID
			r.customer(ctx, rec, r.subs[rec.Account.ID])
			delete(r.subs, rec.Account.ID)
		}
		if len(page) < reconcilePage {
			return nil
		}
	}
}

func (r *reconciliation) customer(ctx context.Context, rec Record, subs []Subscription) {
	if rec.Account.Email == "" {
		r.deleted(rec.Account.ID, subs, func() error {
			return r.Leave(ctx, LeaveProvider{rec.Account.ID})
		})
		return
	}
	now := r.o.Now()
	slices.SortStableFunc(subs, func(a, b Subscription) int { return b.CreatedAt.Compare(a.CreatedAt) })
	counts, live := choose(subs, now)
	if counts != nil && counts.Live() {
		r.live(rec, counts, live, now)
		if counts.Customer != rec.Customer.ID {
			r.repair(ctx, rec.Account.ID, FoundLost, counts.Customer)
			return
		}
	}
	if rec.Customer.ID == "" {
		return
	}
	after, _ := afterSync(rec.Customer, subs, now, now)
	if drifted(rec, after, now) {
		r.repair(ctx, rec.Account.ID, FoundDrift, rec.Customer.ID)
	}
}

// live says what is wrong with a subscription that counts.
func (r *reconciliation) live(rec Record, counts *Subscription, live int, now time.Time) {
	if rec.Account.Source == account.FromOperator {
		r.found(Finding{Kind: FoundGivenAndPaid, Account: rec.Account.ID, Subscription: counts.ID})
	}
	for _, f := range counts.taxFaults(r.o.Country) {
		r.found(Finding{Kind: FindingKind(f.what), Account: rec.Account.ID, Subscription: counts.ID, Is: f.is})
	}
	if counts.NotCollecting && !counts.uncollected() {
		r.Untaxed[counts.Bill.Country]++
	}
	if counts.Overdue(now) || counts.Latest.dropped() {
		r.found(Finding{Kind: FoundUnpaidInvoice, Account: rec.Account.ID, Subscription: counts.ID, Is: counts.describe()})
	}
	if live > 1 {
		r.found(Finding{Kind: FoundTwoSubscriptions, Account: rec.Account.ID, Subscription: counts.ID})
	}
}

// orphan compares the subscriptions of an account that is no customer.
func (r *reconciliation) orphan(ctx context.Context, id string, subs []Subscription) error {
	counts, live := choose(subs, r.o.Now())
	if live == 0 {
		return nil
	}
	_, err := r.o.Store.Find(ctx, account.Operator(), id)
	switch {
	case errors.Is(err, account.ErrNoAccount):
		r.deleted(id, subs, func() error {
			for _, sub := range subs {
				if err := r.stop(ctx, sub); err != nil {
					return r.refused(err)
				}
			}
			return nil
		})
		return nil
	case err != nil:
		return err
	}
	if r.DryRun {
		r.found(Finding{Kind: FoundLost, Account: id, Subscription: counts.ID, Is: counts.describe()})
		return nil
	}
	if err := r.o.Store.Add(ctx, account.Operator(), id); err != nil {
		return err
	}
	rec, err := r.o.Store.Find(ctx, account.Operator(), id)
	if err != nil {
		return err
	}
	r.customer(ctx, rec, subs)
	return nil
}

// deleted ends the subscriptions of an account that is deleted.
func (r *reconciliation) deleted(id string, subs []Subscription, end func() error) {
	counts, live := choose(subs, r.o.Now())
	if live == 0 {
		return
	}
	f := Finding{Kind: FoundDeleted, Account: id, Subscription: counts.ID, Is: counts.describe()}
	if !r.DryRun {
		f.Err = end()
		f.Repaired = f.Err == nil
	}
	r.found(f)
}

// repair asks the provider about one customer and writes the answer. It reports only what still differs
// then: the two lists were not read at the same moment.
func (r *reconciliation) repair(ctx context.Context, id string, kind FindingKind, customer string) {
	f := Finding{Kind: kind, Account: id}
	differs := false
	f.Err = r.hold(ctx, account.Operator(), id, waitFor, func(ctx context.Context, rec Record) (*Update, error) {
		if rec.Account.Email == "" {
			return nil, nil
		}
		was := rec
		rec.Customer.ID = customer
		u, err := r.ask(ctx, rec)
		if err != nil {
			return nil, err
		}
		if differs = drifted(was, u.Customer, u.Now); !differs {
			return nil, nil
		}
		f.Was, f.Is = describe(was.Customer.Subscription, was.Account.Plan), describe(u.Customer.Subscription, u.Customer.GrantedPlan)
		if u.Customer.Subscription != nil {
			f.Subscription = u.Customer.Subscription.ID
		}
		if r.DryRun {
			return nil, nil
		}
		return u, nil
	})
	if f.Err != nil || differs {
		f.Repaired = f.Err == nil && !r.DryRun
		r.found(f)
	}
}

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
