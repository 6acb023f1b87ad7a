package billing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// syncEvery is how often at most an account's page asks the provider.
const syncEvery = 2 * time.Second

// ask asks the provider about a held customer and returns the update to write. It settles subscriptions that are over,
// and compares the first invoice with the order.
func (s *Service) ask(ctx context.Context, r Record) (*Update, error) { return s.look(ctx, r, true) }

// look is ask; without settle it neither settles nor compares.
func (s *Service) look(ctx context.Context, r Record, settle bool) (*Update, error) {
	c, began := r.Customer, s.o.Now()
	if err := s.askCheckout(ctx, r, &c); err != nil { // first: what it completed is among the subscriptions then
		return nil, err
	}
	all, err := s.subscriptions(ctx, c.ID)
	switch {
	case errors.Is(err, ErrNoCustomer):
		s.o.Logger.Warn("a customer was deleted at the payment provider", "account", r.Account.ID, "customer", c.ID)
		c.ID, c.Checkout, c.Completed, all = "", nil, false, nil
		c.Generation++
	case err != nil:
		return nil, fmt.Errorf("asking for the subscriptions: %w", err)
	}
	subs := ours(all, r.Account.ID)
	var docs []DocumentID
	if c.Completed && r.Account.Source == account.FromOperator && c.arrived(subs) {
		if docs, err = s.endAndRefund(ctx, r, subs[0], time.Time{}, RefundGiven); err != nil {
			return nil, err
		}
		if all, err = s.subscriptions(ctx, c.ID); err != nil {
			return nil, fmt.Errorf("asking for the subscriptions: %w", err)
		}
		subs = ours(all, r.Account.ID)
	}
	if settle {
		more, changed, err := s.settleAll(ctx, r, subs)
		if err != nil {
			return nil, err
		}
		docs = append(docs, more...)
		if changed {
			if all, err = s.subscriptions(ctx, c.ID); err != nil {
				return nil, fmt.Errorf("asking for the subscriptions: %w", err)
			}
			subs = ours(all, r.Account.ID)
		}
	}
	if c.Completed && (c.arrived(subs) || began.After(c.Checkout.ExpiresAt.Add(unknownFor))) {
		c.Checkout, c.Completed = nil, false
	}
	var compared string
	var differs []NewNotice
	if settle {
		var more []DocumentID
		if compared, differs, more, err = s.compareOrder(ctx, r, subs); err != nil {
			return nil, err
		}
		docs = append(docs, more...)
	}
	docs = append(docs, s.paidInvoices(subs)...)
	subs, others := ofProduct(subs)
	s.others.report(s, others)
	u := &Update{Now: s.o.Now(), Processed: true, Synced: true, Documents: docs, Compared: compared}
	u.Customer, u.Notices = afterSync(c, subs, began, u.Now)
	u.Notices = append(u.Notices, differs...)
	u.Details = withoutNumber(r.Details, u.Notices)
	s.alarm(r, u.Customer.Subscription, u.Now)
	s.alarmVAT(r, u.Customer)
	return u, nil
}

// alarm counts and logs, when they begin, faults for the operator: invoices that lack tax, cannot be finalized, or
// are not paid.
func (s *Service) alarm(was Record, sub *Subscription, now time.Time) {
	if sub == nil {
		return
	}
	var before Subscription
	if b := was.Customer.Subscription; b != nil && b.ID == sub.ID {
		before = *b
	}
	log := s.o.Logger.With("account", was.Account.ID, "subscription", sub.ID)
	if sub.uncollected() && !before.NotCollecting {
		s.o.Count(CountNotCollecting)
		log.Error("no tax is collected: a registration is missing at the payment provider")
	}
	same := before.Latest.ID == sub.Latest.ID
	if sub.Latest.NotFinal != "" && (!same || before.Latest.NotFinal != sub.Latest.NotFinal) {
		s.o.Count(CountNotFinal)
		log.Error("an invoice cannot be finalized: nobody is asked to pay it",
			"invoice", sub.Latest.ID, "reason", sub.Latest.NotFinal)
	}
	if sub.Overdue(now) && (!same || !before.Overdue(was.Customer.SyncedAt)) {
		s.o.Count(CountUnpaidInvoice)
		log.Error("an invoice has been unpaid for a day: Pro ends 7 days after its date",
			"invoice", sub.Latest.ID, "state", sub.Latest.State, "status", sub.Status)
	}
}

// Refresh asks the provider about an account and returns what it says, unless it was asked less than two
// seconds ago.
//
// Only the account itself and the operator may ask. Returns account.ErrNoAccount otherwise.
func (s *Service) Refresh(ctx context.Context, by account.Actor, accountID string) (Overview, error) {
	r, err := s.find(ctx, by, accountID)
	if err != nil {
		return Overview{}, err
	}
	if r.Customer.ID == "" || s.justSynced(r) {
		return s.overview(r), nil
	}
	err = s.hold(ctx, by, accountID, waitFor, func(ctx context.Context, r Record) (*Update, error) {
		if r.Customer.ID == "" || s.justSynced(r) { // another asked while this one waited
			return nil, nil
		}
		return s.ask(ctx, r)
	})
	if err != nil {
		return Overview{}, err
	}
	return s.Overview(ctx, by, accountID)
}

func (s *Service) justSynced(r Record) bool {
	return s.o.Now().Sub(r.Customer.SyncedAt) < syncEvery
}

// Sync does the job SyncAccount. It returns ErrBusy while another process asks about the account: retry the
// job soon.
func (s *Service) Sync(ctx context.Context, job SyncAccount) error {
	if s.o.Provider == nil {
		return ErrNoCheckout
	}
	leaves := false
	err := s.hold(ctx, account.Operator(), job.Account, 0, func(ctx context.Context, r Record) (*Update, error) {
		due := !job.Due.IsZero() && r.Customer.SyncedAt.Before(job.Due)
		switch {
		case r.Events == 0 && !due:
			return nil, nil
		case r.Account.Email == "":
			leaves = true
			return nil, nil
		case r.Customer.ID == "": // deleted at the provider
			c := r.Customer
			c.NextSyncAt = time.Time{}
			return &Update{Now: s.o.Now(), Customer: c, Processed: true}, nil
		}
		u, err := s.ask(ctx, r)
		if err != nil || !u.Customer.vatDue(u.Now) {
			return u, err
		}
		return s.removeVAT(ctx, r, u.Customer)
	})
	switch {
	case errors.Is(err, ErrNotSubscribed): // no longer, or not yet
		return nil
	case err == nil && leaves:
		return s.Leave(ctx, LeaveProvider{job.Account})
	}
	return err
}

// removeVAT removes a VAT number of which the provider has just said that the register still does not know it, and
// asks about the customer again.
func (s *Service) removeVAT(ctx context.Context, r Record, is Customer) (*Update, error) {
	if err := s.o.Provider.RemoveVATNumber(ctx, r.Customer.ID, is.VATNumber); err != nil {
		return nil, fmt.Errorf("removing a VAT number: %w", err)
	}
	s.o.Logger.Warn("a VAT number that the register does not know was removed: the next invoice has the tax",
		"account", r.Account.ID, "number", is.VATNumber)
	r.Customer.VATNumber, r.Customer.VATRefusedAt, r.Customer.VATRefusals = is.VATNumber, is.VATRefusedAt, is.VATRefusals
	return s.ask(ctx, r)
}

// sweepMost is how many accounts one Sweep takes at most.
const sweepMost = 100

// sweepAgain is how long after a sweep an account is due again if its job has not ended.
const sweepAgain = 10 * time.Minute

// Sweep inserts jobs for the accounts whose next sync is due. Call it every second.
func (s *Service) Sweep(ctx context.Context) error {
	if s.o.Provider == nil {
		return nil
	}
	now := s.o.Now()
	_, err := s.o.Store.Sweep(ctx, now, now.Add(sweepAgain), s.offer(), sweepMost)
	return err
}
