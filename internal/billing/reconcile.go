package billing

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// A reconciliation is one run of Reconcile. It compares everything before it changes anything.
type reconciliation struct {
	*Service
	Report
	run     Run
	subs    map[string][]Subscription // by account
	payers  int                       // accounts whose Pro is paid
	losing  []Finding                 // those of payers that would lose it
	owners  map[string]string         // the accounts of customers
	issued  []OwnedDocument           // documents that should be stored for mailing by now
	todo    []func(context.Context)   // the repairs
	lost    int                       // accounts that have lost Pro so far
	stopped bool                      // another account would have lost Pro than may
}

// Reconcile compares what the provider says with what is stored, repairs what differs and reports it. A dry run
// changes nothing. Neither does a run that would take Pro from more accounts than it may (three, 5 % of those that pay
// for it, or run.AllowLosses, whichever is most): it returns ErrLosses, and the report lists them. The error joins
// those of the findings.
func (s *Service) Reconcile(ctx context.Context, run Run) (Report, error) {
	if s.o.Provider == nil {
		return Report{}, ErrNoCheckout
	}
	if err := s.refused(s.checkAccount(ctx, 0)); err != nil {
		return Report{}, err
	}
	r := s.newRun(run)
	switch err := s.CheckPrice(ctx); {
	case errors.Is(err, ErrWrongPrice):
		r.found(Finding{Kind: FoundWrongPrice, Is: err.Error()})
	case err != nil:
		return r.Report, err
	}
	if err := r.list(ctx); err != nil {
		return r.Report, err
	}
	if err := r.each(ctx, func(_ context.Context, rec Record, subs []Subscription) error { r.customer(rec, subs); return nil }); err != nil {
		return r.Report, err
	}
	for _, id := range slices.Sorted(maps.Keys(r.subs)) {
		if err := r.orphan(ctx, id, r.subs[id]); err != nil {
			return r.Report, err
		}
	}
	if err := r.documents(ctx); err != nil {
		return r.Report, err
	}
	return r.repairAll(ctx)
}

func (s *Service) newRun(run Run) *reconciliation {
	return &reconciliation{
		Service: s, Report: Report{DryRun: run.DryRun, Untaxed: make(map[string]int)}, run: run, subs: make(map[string][]Subscription),
		owners: make(map[string]string),
	}
}

// list reads all subscriptions from the provider, groups them by account, and reports those that give nothing.
func (r *reconciliation) list(ctx context.Context) error {
	for sub, err := range r.o.Provider.All(ctx) {
		if err != nil {
			return r.refused(fmt.Errorf("listing the subscriptions: %w", err))
		}
		r.Subscriptions++
		sub = r.ruled(sub)
		switch {
		case sub.Account == "": // not sold by us
			if sub.Live() && !sub.OtherProduct {
				r.found(Finding{Kind: FoundNoAccount, Subscription: sub.ID, Is: sub.describe()})
			}
		case sub.OtherProduct:
			if sub.Live() {
				r.found(Finding{Kind: FoundOtherProduct, Account: sub.Account, Subscription: sub.ID, Is: sub.describe()})
			}
		default:
			r.subs[sub.Account] = append(r.subs[sub.Account], sub)
		}
	}
	return nil
}

// repairAll does the repairs, unless too many accounts would lose Pro by them.
func (r *reconciliation) repairAll(ctx context.Context) (Report, error) {
	var errs error
	if n := len(r.losing); n > r.mayLose() {
		r.o.Count(CountLosses)
		errs = fmt.Errorf("%w: %d of the %d accounts that pay for it, and %d is the most that is done unasked. Nothing was changed: "+
			"see what they have lost, the key and the price; if it is right, run it again and allow %d losses",
			ErrLosses, n, r.payers, r.mayLose(), n)
		if !r.DryRun {
			r.Findings = append(r.Findings, r.losing...)
			return r.Report, errs
		}
	}
	for _, repair := range r.todo {
		if repair(ctx); r.stopped {
			r.o.Count(CountLosses)
			errs = fmt.Errorf("%w: %d have lost it, more would have, and the rest was left as it is", ErrLosses, r.lost)
			break
		}
	}
	for _, f := range r.Findings {
		errs = errors.Join(errs, f.Err)
	}
	return r.Report, errs
}

// mayLose returns how many accounts may lose Pro in this run.
func (r *reconciliation) mayLose() int { return max(3, r.payers/20, r.run.AllowLosses) } //nolint:mnd // 3, or 5 %

// loses records an account that would lose the Pro that it pays for.
func (r *reconciliation) loses(rec Record, is Customer) {
	if rec.pays() && is.GrantedPlan != account.Pro {
		r.losing = append(r.losing, Finding{
			Kind: FoundDrift, Account: rec.Account.ID,
			Was: describe(rec.Customer.Subscription, rec.Account.Plan), Is: describe(is.Subscription, is.GrantedPlan),
		})
	}
}

// mayWrite reports whether an update may be written, and counts the accounts that lose Pro by one. It checks the limit
// again because the provider may say something else than when everything was compared.
func (r *reconciliation) mayWrite(was Record, u *Update) bool {
	if !was.pays() || u.Customer.GrantedPlan == account.Pro {
		return true
	}
	if r.stopped = r.lost >= r.mayLose(); !r.stopped {
		r.lost++
	}
	return !r.stopped
}

// later adds a repair, to be done when everything has been compared.
func (r *reconciliation) later(do func(context.Context)) { r.todo = append(r.todo, do) }

// pays reports whether an account has Pro because it pays for it.
func (r Record) pays() bool {
	return r.Account.Plan == account.Pro && r.Account.Source == account.FromProvider && r.Account.Email != ""
}

// found adds a finding to the report, and counts it. The caller of Reconcile logs or prints it.
func (r *reconciliation) found(f Finding) {
	r.Findings = append(r.Findings, f)
	switch f.Kind {
	case FoundDrift, FoundLost, FoundDeleted, FoundEndedInvoice:
		r.o.Count(CountDrift)
	case FoundTwoSubscriptions:
		r.o.Count(CountTwoSubscriptions)
	case FoundNotCollecting, FoundVATNumber, FoundNotSupported, FoundNotSold, FoundWrongRate:
		r.o.Count(string(f.Kind)) // the words are the same
	case FoundOtherProduct:
		r.o.Count(CountOtherProduct)
	case FoundUnpaidInvoice:
		r.o.Count(CountUnpaidInvoice)
	case FoundGivenAndPaid, FoundNoAccount, FoundOtherCurrency, FoundQuantity, FoundMention, FoundWrongPrice, FoundMoved, FoundUnknown, FoundRemains, FoundDocument: // no alarms, and CheckPrice counts the price
	}
}

// reconcilePage is how many customers are read together.
const reconcilePage = 500

// each calls compare for all customers, and removes their subscriptions from r.subs: the rest has no customer.
func (r *reconciliation) each(ctx context.Context, compare func(ctx context.Context, rec Record, subs []Subscription) error) error {
	for after := ""; ; {
		page, err := r.o.Store.List(ctx, after, reconcilePage)
		if err != nil {
			return err
		}
		for _, rec := range page {
			r.Customers++
			after = rec.Account.ID
			if err := compare(ctx, rec, r.subs[rec.Account.ID]); err != nil {
				return err
			}
			delete(r.subs, rec.Account.ID)
		}
		if len(page) < reconcilePage {
			return nil
		}
	}
}

// customer compares a customer with its subscriptions.
func (r *reconciliation) customer(rec Record, subs []Subscription) {
	id, now := rec.Account.ID, r.o.Now()
	r.collect(rec, subs, now)
	if rec.Account.Email == "" {
		r.later(func(ctx context.Context) { r.remains(ctx, rec, subs) })
		return
	}
	slices.SortStableFunc(subs, func(a, b Subscription) int { return b.CreatedAt.Compare(a.CreatedAt) })
	counts, live := choose(subs, now)
	after, _ := afterSync(rec.Customer, subs, now, now)
	if rec.pays() {
		r.payers++
	}
	if counts != nil && counts.Live() {
		r.live(rec, counts, live, now)
		if counts.Customer != rec.Customer.ID {
			r.loses(rec, after)
			r.later(func(ctx context.Context) { r.repair(ctx, id, FoundLost, counts.Customer) })
			return
		}
	}
	if rec.Customer.ID == "" {
		return
	}
	if i := slices.IndexFunc(subs, Subscription.unsettled); i >= 0 {
		r.loses(rec, after)
		r.later(func(ctx context.Context) { r.ended(ctx, id, subs[i]) })
		return
	}
	if drifted(rec, after, now) {
		r.loses(rec, after)
		r.later(func(ctx context.Context) { r.repair(ctx, id, FoundDrift, rec.Customer.ID) })
	}
}

// live reports what is wrong with the subscription that counts. live is how many the account has.
func (r *reconciliation) live(rec Record, counts *Subscription, live int, now time.Time) {
	if rec.Account.Source == account.FromOperator {
		r.found(Finding{Kind: FoundGivenAndPaid, Account: rec.Account.ID, Subscription: counts.ID})
	}
	for _, f := range counts.taxFaults(r.o.Country, r.o.Scheme) {
		r.found(Finding{Kind: FindingKind(f.what), Account: rec.Account.ID, Subscription: counts.ID, Is: f.is})
	}
	if counts.NotCollecting && !counts.uncollected() {
		r.Untaxed[counts.Bill.Country]++
	}
	if counts.Overdue(now) || counts.Latest.dropped() {
		r.found(Finding{Kind: FoundUnpaidInvoice, Account: rec.Account.ID, Subscription: counts.ID, Is: counts.describe()})
	}
	if counts.Currency != "" && counts.Currency != ProPrice.Currency {
		r.found(Finding{Kind: FoundOtherCurrency, Account: rec.Account.ID, Subscription: counts.ID, Is: counts.Currency})
	}
	if counts.Quantity != 1 {
		r.found(Finding{Kind: FoundQuantity, Account: rec.Account.ID, Subscription: counts.ID, Is: strconv.FormatInt(counts.Quantity, 10)})
	}
	if is, want := counts.Mention, r.wantedMention(rec, *counts); is != want && counts.Customer == rec.Customer.ID {
		r.mention(rec, Finding{Kind: FoundMention, Account: rec.Account.ID, Subscription: counts.ID, Was: string(is), Is: string(want)})
	}
	if live > 1 {
		r.found(Finding{Kind: FoundTwoSubscriptions, Account: rec.Account.ID, Subscription: counts.ID})
	}
}

// wantedMention returns what the next invoice of a customer is to say about VAT.
func (s *Service) wantedMention(rec Record, sub Subscription) Mention {
	country, number := sub.Country, sub.VATNumbers > 0
	if d := rec.Details; d != nil {
		country, number = d.Country, d.VATNumber() != ""
	}
	return s.o.Scheme.mention(s.o.Country, country, number)
}

// mention tells the provider what the next invoice has to say about VAT, after the seller's scheme has changed.
func (r *reconciliation) mention(rec Record, f Finding) {
	if r.DryRun {
		r.found(f)
		return
	}
	r.later(func(ctx context.Context) {
		f.Err = r.hold(ctx, account.Operator(), rec.Account.ID, waitFor, func(ctx context.Context, now Record) (*Update, error) {
			if now.Account.Email == "" || now.Customer.ID == "" {
				return nil, nil
			}
			p := r.payer(now.Account, now.Details)
			p.Mention = Mention(f.Is)
			return nil, r.o.Provider.UpdateCustomer(ctx, now.Customer.ID, p)
		})
		f.Repaired = f.Err == nil
		r.found(f)
	})
}

// orphan handles live subscriptions of an account that is not stored as a customer: it ends them if the account does
// not exist, and stores the customer otherwise.
func (r *reconciliation) orphan(ctx context.Context, id string, subs []Subscription) error {
	counts, live := choose(subs, r.o.Now())
	if live == 0 {
		return nil
	}
	rec, err := r.o.Store.Find(ctx, account.Operator(), id)
	switch {
	case errors.Is(err, account.ErrNoAccount):
		r.deleted(id, subs, func(ctx context.Context) error {
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
	r.live(rec, counts, live, r.o.Now())
	r.later(func(ctx context.Context) {
		if r.DryRun {
			r.found(Finding{Kind: FoundLost, Account: id, Subscription: counts.ID, Is: counts.describe()})
			return
		}
		if err := r.o.Store.Add(ctx, account.Operator(), id); err != nil {
			r.found(Finding{Kind: FoundLost, Account: id, Subscription: counts.ID, Is: counts.describe(), Err: err})
			return
		}
		r.repair(ctx, id, FoundLost, counts.Customer)
	})
	return nil
}

// deleted reports the live subscriptions of a deleted account and calls end to end them.
func (r *reconciliation) deleted(id string, subs []Subscription, end func(context.Context) error) {
	counts, live := choose(subs, r.o.Now())
	if live == 0 {
		return
	}
	r.later(func(ctx context.Context) {
		f := Finding{Kind: FoundDeleted, Account: id, Subscription: counts.ID, Is: counts.describe()}
		if !r.DryRun {
			f.Err = end(ctx)
			f.Repaired = f.Err == nil
		}
		r.found(f)
	})
}

// repair asks the provider about one customer and writes the answer. It reports only what still differs,
// because the provider's list and ours were not read at the same moment.
func (r *reconciliation) repair(ctx context.Context, id string, kind FindingKind, customer string) {
	f := Finding{Kind: kind, Account: id}
	differs := false
	f.Err = r.hold(ctx, account.Operator(), id, waitFor, func(ctx context.Context, rec Record) (*Update, error) {
		if rec.Account.Email == "" {
			return nil, nil
		}
		was := rec
		rec.Customer.ID = customer
		u, err := r.look(ctx, rec, !r.DryRun)
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
		if !r.mayWrite(was, u) {
			return nil, ErrLosses
		}
		return u, nil
	})
	if f.Err != nil || differs {
		f.Repaired = f.Err == nil && !r.DryRun
		r.found(f)
	}
}

// ended settles an ended subscription that is unsettled, and reports it.
func (r *reconciliation) ended(ctx context.Context, id string, sub Subscription) {
	f := Finding{Kind: FoundEndedInvoice, Account: id, Subscription: sub.ID, Is: sub.describe()}
	if !r.DryRun {
		f.Err = r.hold(ctx, account.Operator(), id, waitFor, func(ctx context.Context, rec Record) (*Update, error) {
			if rec.Account.Email == "" {
				return nil, nil
			}
			u, err := r.ask(ctx, rec)
			if err == nil && !r.mayWrite(rec, u) {
				err = ErrLosses
			}
			return u, err
		})
		f.Repaired = f.Err == nil
	}
	r.found(f)
}

// remains continues the work of Leave for a deleted account whose job was lost, or for whose customer something was
// under way. It reports a customer whose subscription had not been ended, or which is still at the provider.
func (r *reconciliation) remains(ctx context.Context, rec Record, subs []Subscription) {
	f := Finding{Kind: FoundRemains, Account: rec.Account.ID, Is: rec.Customer.ID}
	counts, live := choose(subs, r.o.Now())
	if live > 0 {
		f.Kind, f.Subscription, f.Is = FoundDeleted, counts.ID, counts.describe()
	}
	var left Pending
	switch {
	case !r.DryRun:
		var gone bool
		left, gone, f.Err = r.leave(ctx, rec.Account.ID, waitFor)
		f.Repaired = f.Err == nil && (gone || live > 0)
	case rec.Customer.ID != "":
		if left, f.Err = r.o.Provider.Pending(ctx, rec.Customer.ID); errors.Is(f.Err, ErrNoCustomer) {
			f.Err = nil
		}
	}
	if rec.Customer.ID == "" && f.Err == nil {
		return // the provider never had one
	}
	if left.Any() {
		f.Is += ": " + left.String()
	}
	r.found(f)
}

// settledAfter is how old a document must be before its event counts as lost.
const settledAfter = time.Hour

// collect records the account of a customer, and its invoices that were paid at least settledAfter ago.
func (r *reconciliation) collect(rec Record, subs []Subscription, now time.Time) {
	if rec.Customer.ID != "" {
		r.owners[rec.Customer.ID] = rec.Account.ID
	}
	for _, sub := range subs {
		if sub.Customer != rec.Customer.ID || sub.Latest.PaidAt.After(now.Add(-settledAfter)) {
			continue
		}
		for _, d := range r.paidInvoices([]Subscription{sub}) {
			r.issued = append(r.issued, OwnedDocument{rec.Account.ID, d})
		}
	}
}

// documents finds recent invoices and credit notes whose events were lost, and adds the repair that mails them.
func (r *reconciliation) documents(ctx context.Context) error {
	now := r.o.Now()
	for note, err := range r.o.Provider.CreditNotes(ctx, now.Add(-mailedWithin)) {
		if err != nil {
			return r.refused(fmt.Errorf("listing the credit notes: %w", err))
		}
		if owner, ours := r.owners[note.Customer]; ours && r.recent(note.IssuedAt) && !note.IssuedAt.After(now.Add(-settledAfter)) {
			r.issued = append(r.issued, OwnedDocument{owner, DocumentID{CreditNote, note.ID}})
		}
	}
	for page := range slices.Chunk(r.issued, reconcilePage) {
		missing, err := r.o.Store.NewDocuments(ctx, page)
		if err != nil {
			return err
		}
		if len(missing) > 0 {
			r.later(func(ctx context.Context) { r.mail(ctx, missing, now) })
		}
	}
	return nil
}

// mail stores documents to be mailed, and reports them.
func (r *reconciliation) mail(ctx context.Context, list []OwnedDocument, now time.Time) {
	var err error
	if !r.DryRun {
		err = r.o.Store.AddDocuments(ctx, list, now)
	}
	for _, d := range list {
		r.found(Finding{Kind: FoundDocument, Account: d.Account, Is: string(d.Kind) + " " + d.ID, Repaired: !r.DryRun && err == nil, Err: err})
	}
}
