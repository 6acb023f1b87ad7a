package billing

import (
	"context"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// Total returns the estimated price of a month for a partly filled-in form, by its country and number, or the
// faults that prevent an estimate.
func (s *Service) Total(f OrderForm) (VAT, []Fault) {
	d := f.clean()
	faults := d.placeFaults()
	vat, err := Estimate(s.o.Country, s.o.Scheme, d.Country, d.VATNumber() != "")
	if err != nil && faults == nil {
		faults = []Fault{FaultCountry}
	}
	return vat, faults
}

// order makes an order from a form, or returns an OrderError. The form must accept the current terms: a customer
// who read others has to read these first.
func (s *Service) order(a account.Account, f OrderForm, texts OperatorTexts) (*Order, error) {
	vat, _ := s.Total(f)
	d := f.clean()
	faults := d.faults()
	if len(faults) == 0 && f.Total != vat.Total {
		faults = append(faults, FaultTotal)
	}
	if !f.Business {
		faults = append(faults, FaultBusiness)
	}
	if !f.Accepted {
		faults = append(faults, FaultAccepted)
	}
	terms := texts.TermsIn(f.Language)
	if f.Terms != terms.Hash {
		faults = append(faults, FaultTerms)
	}
	if !orderID.MatchString(f.ID) {
		faults = append(faults, FaultForm)
	}
	if faults != nil {
		return nil, &OrderError{faults}
	}
	return &Order{
		ID: f.ID, Account: a.ID, At: s.o.Now().UTC().Truncate(time.Microsecond), Business: f.Business, Accepted: f.Accepted,
		Details: d.withoutOwnEmail(a), Net: vat.Net, Tax: vat.Tax, Terms: terms, Legal: texts.LegalIn(f.Language),
	}, nil
}

// Order orders Pro for an account, and returns the page on which it is paid. It returns an OrderError for
// an invalid form, ErrOrdered for one that was sent before, ErrOrderOpen while another order waits for its
// payment, and ErrNoTexts while the operator's texts are not ready. For an account that cannot buy it returns
// ErrNoCheckout, ErrWrongPrice, ErrGiven, ErrSubscribed or ErrBusy.
//
// Only the account itself may order: nobody accepts terms for another. Returns account.ErrNoAccount otherwise.
func (s *Service) Order(ctx context.Context, by account.Actor, accountID string, f OrderForm) (Checkout, error) {
	r, err := s.find(ctx, by, accountID)
	switch {
	case err != nil:
		return Checkout{}, err
	case by.AccountID() != accountID:
		return Checkout{}, account.ErrNoAccount
	}
	texts := s.texts()
	if err := texts.Check(); err != nil {
		return Checkout{}, err
	}
	order, err := s.order(r.Account, f, texts)
	if err != nil {
		return Checkout{}, err
	}
	taken, err := s.o.Store.Ordered(ctx, by, accountID, order.ID)
	switch {
	case err != nil:
		return Checkout{}, err
	case taken:
		return Checkout{}, ErrOrdered
	}
	return s.checkout(ctx, by, r, order)
}

// Orders returns the orders of an account, the newest first, without the bodies of texts.
//
// Only the account itself and the operator may see them. Returns account.ErrNoAccount otherwise.
func (s *Service) Orders(ctx context.Context, by account.Actor, accountID string) ([]Order, error) {
	return s.o.Store.Orders(ctx, by, accountID)
}
