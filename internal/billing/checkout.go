package billing

import (
	"context"
	"errors"
	"fmt"

	"github.com/palmares-hq/palmares/internal/account"
)

// Checkout returns the page on which an account pays its open order. It returns ErrNoOrder if there is
// none, ErrNoCheckout, ErrWrongPrice or ErrGiven if the account cannot buy, ErrSubscribed if it has bought,
// ErrBusy while a completed checkout has no subscription yet, and errors of the provider.
//
// Only the account itself and the operator may open it. Returns account.ErrNoAccount otherwise.
func (s *Service) Checkout(ctx context.Context, by account.Actor, accountID string) (Checkout, error) {
	r, err := s.find(ctx, by, accountID)
	if err != nil {
		return Checkout{}, err
	}
	return s.checkout(ctx, by, r, nil)
}

// checkout opens a page for an order; for a nil order it returns the page that is open.
func (s *Service) checkout(ctx context.Context, by account.Actor, r Record, order *Order) (Checkout, error) {
	switch {
	case !s.mayBuy(r.Account):
		return Checkout{}, ErrNoCheckout
	case r.Account.Source == account.FromOperator:
		return Checkout{}, ErrGiven
	}
	if err := s.sellable(ctx); err != nil {
		return Checkout{}, err
	}
	if err := s.o.Store.Add(ctx, by, r.Account.ID); err != nil {
		return Checkout{}, err
	}
	var c Checkout
	var cannot error
	err := s.hold(ctx, by, r.Account.ID, waitFor, func(ctx context.Context, r Record) (u *Update, err error) {
		u, c, cannot, err = s.open(ctx, r, order)
		return u, err
	})
	if err == nil {
		err = cannot
	}
	if err == nil { // unless the account was deleted meanwhile
		_, err = s.o.Store.Find(ctx, by, r.Account.ID)
	}
	if err != nil {
		return Checkout{}, err
	}
	return c, nil
}

// open opens a checkout for an order of a held customer, or for a nil order returns the open one. cannot says why
// nothing can be bought; the update has to be written even then.
func (s *Service) open(ctx context.Context, r Record, order *Order) (u *Update, open Checkout, cannot, err error) {
	u = &Update{Now: s.o.Now(), Customer: r.Customer}
	if r.Customer.ID != "" {
		if u, err = s.ask(ctx, r); err != nil {
			return nil, open, nil, err
		}
	}
	if sub := u.Customer.Subscription; order != nil && sub != nil && sub.Lapsed() && r.Account.Source != account.FromOperator {
		if err = s.stop(ctx, *sub); err == nil {
			u, err = s.ask(ctx, r)
		}
		if err != nil {
			return nil, open, nil, err
		}
	}
	c := &u.Customer
	switch {
	case c.Subscription != nil && c.Subscription.BlocksPurchase():
		return u, open, ErrSubscribed, nil
	case r.Account.Source == account.FromOperator:
		return u, open, ErrGiven, nil
	case c.Completed:
		return u, open, ErrBusy, nil
	case c.Checkout != nil && order != nil:
		return u, open, ErrOrderOpen, nil
	case c.Checkout != nil:
		return u, *c.Checkout, nil, nil
	case order == nil:
		return u, open, ErrNoOrder, nil
	}
	first := c.ID == ""
	if c.ID, err = s.register(ctx, r.Account, *c, order.Details); err != nil {
		return nil, open, nil, err
	}
	if first {
		u.FirstOf = s.keyAccount()
	}
	u.Details = &order.Details
	c.CheckoutAfter = ""
	if c.Subscription != nil {
		c.CheckoutAfter = c.Subscription.ID // none is live: it is the newest
	}
	l := r.Account.Language
	q := CheckoutRequest{
		Account: r.Account.ID, Customer: c.ID, Language: l,
		Success: s.o.Done(l), Cancel: s.o.Plan(l), Order: *order,
	}
	c.Generation++
	q.Key = s.key("checkout", c.Generation, q.Account, q.Customer, string(l), q.Success, order.ID)
	if open, err = s.o.Provider.Checkout(ctx, q); err != nil {
		return nil, open, nil, fmt.Errorf("opening the checkout: %w", err)
	}
	c.Checkout, c.Completed, c.Offer, u.Order = &open, false, s.offer(), order
	c.NextSyncAt = c.nextSync(u.Now)
	return u, open, nil, nil
}

// register tells the provider who the invoices of an order are made out to, before anything is paid, so that nothing
// typed on its page changes it. It creates the customer if there is none, and returns its id.
func (s *Service) register(ctx context.Context, a account.Account, c Customer, d Details) (id string, err error) {
	p := s.payer(a, &d)
	if c.ID != "" {
		err = s.o.Provider.UpdateCustomer(ctx, c.ID, p)
		return c.ID, wrongDetails(err)
	}
	n := NewCustomer{Account: a.ID, Payer: p}
	n.Key = s.key("customer", c.Generation, append([]string{n.Account, n.Email, string(n.Language)}, d.values()...)...)
	id, err = s.o.Provider.CreateCustomer(ctx, n)
	return id, wrongDetails(err)
}

// Portal opens the provider's page with the invoices and the payment methods of an account, and
// returns its URL. It returns ErrNotSubscribed for an account that is no customer at the provider.
//
// Only the account itself and the operator may open it. Returns account.ErrNoAccount otherwise.
func (s *Service) Portal(
	ctx context.Context, by account.Actor, accountID string,
) (url string, err error) {
	r, err := s.find(ctx, by, accountID)
	switch {
	case err != nil:
		return "", err
	case r.Customer.ID == "":
		return "", ErrNotSubscribed
	}
	if err := s.CheckAccount(ctx); err != nil {
		return "", err
	}
	l := r.Account.Language
	url, err = s.o.Provider.Portal(ctx, r.Customer.ID, l, s.o.Plan(l))
	switch {
	case errors.Is(err, ErrNoCustomer):
		return "", ErrNotSubscribed
	case err != nil:
		return "", s.refused(fmt.Errorf("opening the provider's page: %w", err))
	}
	return url, nil
}
