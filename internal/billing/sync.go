package billing

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

const (
	waitFor   = 4 * time.Second // how long somebody who waits for a page waits for another to ask
	syncEvery = 2 * time.Second // how often the provider is asked for one account's page
)

// ask asks the provider about a held customer.
func (s *Service) ask(ctx context.Context, r Record) (*Update, error) {
	c, began := r.Customer, s.o.Now()
	if err := s.askCheckout(ctx, r, &c); err != nil { // first: what it completed is among the subscriptions then
		return nil, err
	}
	all, err := s.o.Provider.Subscriptions(ctx, c.ID)
	switch {
	case errors.Is(err, ErrNoCustomer):
		s.o.Logger.Warn("a customer was deleted at the payment provider", "account", r.Account.ID, "customer", c.ID)
		c.ID, c.Checkout, c.Completed, all = "", nil, false, nil
		c.Generation++
	case err != nil:
		return nil, fmt.Errorf("asking for the subscriptions: %w", err)
	}
	subs := ours(all, r.Account.ID)
	var refunds []MailRefund
	if c.Completed && r.Account.Source == account.FromOperator && c.arrived(subs) {
		if refunds, err = s.undue(ctx, r, subs[0], time.Time{}, RefundGiven); err != nil {
			return nil, err
		}
		if all, err = s.o.Provider.Subscriptions(ctx, c.ID); err != nil {
			return nil, fmt.Errorf("asking for the subscriptions: %w", err)
		}
		subs = ours(all, r.Account.ID)
	}
	if c.Completed && (c.arrived(subs) || began.After(c.Checkout.ExpiresAt.Add(unknownFor))) {
		c.Checkout, c.Completed = nil, false
	}
	subs, others := ofProduct(subs)
	s.others.report(s, others)
	u := &Update{Now: s.o.Now(), Processed: true, Synced: true, Refunds: refunds}
	u.Customer, u.Notices = afterSync(c, subs, began, u.Now)
	s.alarm(r, u.Customer.Subscription, u.Now)
	s.alarmVAT(r, u.Customer)
	return u, nil
}

// alarm counts what an operator is to look at, when it begins: invoices that lack tax, are not final, or
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

// Cancel ends the subscription of an account at the end of its period, or returns ErrNotSubscribed. One whose
// payment is failing ends at once, and what is open of it is void: there is no period that was paid.
//
// Only the account itself and the operator may cancel it. Returns account.ErrNoAccount otherwise.
func (s *Service) Cancel(ctx context.Context, by account.Actor, accountID string) (Overview, error) {
	return s.setCancel(ctx, by, accountID, true)
}

// Resume undoes Cancel, or returns ErrNotSubscribed.
//
// Only the account itself and the operator may do this. Returns account.ErrNoAccount otherwise.
func (s *Service) Resume(ctx context.Context, by account.Actor, accountID string) (Overview, error) {
	return s.setCancel(ctx, by, accountID, false)
}

func (s *Service) setCancel(
	ctx context.Context, by account.Actor, accountID string, cancel bool,
) (Overview, error) {
	if _, err := s.find(ctx, by, accountID); err != nil {
		return Overview{}, err
	}
	var none bool
	err := s.hold(ctx, by, accountID, waitFor, func(ctx context.Context, r Record) (*Update, error) {
		if r.Customer.ID == "" {
			none = true
			return nil, nil
		}
		u, err := s.ask(ctx, r)
		if err != nil {
			return nil, err
		}
		sub := u.Customer.Subscription
		none = sub == nil || !sub.Live()
		switch {
		case none:
			return u, nil
		case cancel && sub.Failing(u.Now):
			return s.endNow(ctx, r, *sub)
		case sub.cancelled() == cancel:
			return u, nil
		}
		if err := s.o.Provider.SetCancel(ctx, sub.ID, cancel); err != nil {
			return nil, fmt.Errorf("changing the end of the subscription: %w", err)
		}
		return s.ask(ctx, r)
	})
	switch {
	case err != nil:
		return Overview{}, err
	case none:
		return Overview{}, ErrNotSubscribed
	}
	return s.Overview(ctx, by, accountID)
}

// endNow ends a subscription whose period nobody paid, of a held customer. Its owner is told, also if Pro
// was over already.
func (s *Service) endNow(ctx context.Context, r Record, sub Subscription) (*Update, error) {
	if err := s.stop(ctx, sub); err != nil {
		return nil, err
	}
	u, err := s.ask(ctx, r)
	if err != nil {
		return nil, err
	}
	for _, n := range u.Notices {
		if n.Kind == NoticeEnded {
			return u, nil
		}
	}
	u.Customer.Endings++
	u.Notices = append(u.Notices, NewNotice{sub.ID, NoticeEnded, strconv.Itoa(u.Customer.Endings)})
	return u, nil
}

// Sync is the job SyncAccount. It returns ErrBusy while another process asks about the account: the
// job is then to be tried again soon.
func (s *Service) Sync(ctx context.Context, job SyncAccount) error {
	if s.o.Provider == nil {
		return ErrNoCheckout
	}
	err := s.hold(ctx, account.Operator(), job.Account, 0, func(ctx context.Context, r Record) (*Update, error) {
		due := !job.Due.IsZero() && r.Customer.SyncedAt.Before(job.Due)
		switch {
		case r.Events == 0 && !due:
			return nil, nil
		case r.Account.Email == "":
			return s.leave(ctx, r)
		case r.Customer.ID == "": // deleted at the provider
			c := r.Customer
			c.NextSyncAt = time.Time{}
			return &Update{Now: s.o.Now(), Customer: c, Processed: true}, nil
		}
		u, err := s.ask(ctx, r)
		if err != nil || !u.Customer.vatDue(u.Now) {
			return u, err
		}
		return s.removeVAT(ctx, r, u.Customer.VATNumber)
	})
	if errors.Is(err, ErrNotSubscribed) { // no longer, or not yet
		return nil
	}
	return err
}

// removeVAT removes a VAT number that the provider has just said the register still does not know, and asks
// again.
func (s *Service) removeVAT(ctx context.Context, r Record, number string) (*Update, error) {
	if err := s.o.Provider.RemoveVATNumber(ctx, r.Customer.ID, number); err != nil {
		return nil, fmt.Errorf("removing a VAT number: %w", err)
	}
	s.o.Logger.Warn("a VAT number that the register does not know was removed: the next invoice has the tax",
		"account", r.Account.ID, "number", number)
	return s.ask(ctx, r)
}

// sweepMost is how many accounts one Sweep takes.
const sweepMost = 100

// sweepAgain is when a swept account whose job did not end is due again.
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
