package billing

import (
	"context"
	"errors"
	"fmt"

	"github.com/palmares-hq/palmares/internal/account"
)

// payer returns who the invoices of an account are made out and sent to.
func (s *Service) payer(a account.Account, d *Details) Payer {
	p := Payer{Email: a.Email, Language: a.Language, Details: d}
	if d == nil {
		return p
	}
	p.Mention = s.o.Scheme.mention(s.o.Country, d.Country, d.VATNumber() != "")
	if d.Email != "" {
		p.Email = d.Email
	}
	return p
}

// wrongDetails turns the provider's refusal of a VAT number or an address into an OrderError, for the form to show.
func wrongDetails(err error) error {
	switch {
	case errors.Is(err, ErrVATNumber):
		return &OrderError{[]Fault{FaultNumber}}
	case errors.Is(err, ErrLocation):
		return &OrderError{[]Fault{FaultLocation}}
	case err != nil:
		return fmt.Errorf("telling the provider who pays: %w", err)
	}
	return nil
}

// Details returns who the invoices of an account are made out to. If none are stored, because it bought before all of
// them were asked for, it returns those of its newest order; nil for an account that never ordered.
//
// Only the account itself and the operator may see them. Returns account.ErrNoAccount otherwise.
func (s *Service) Details(ctx context.Context, by account.Actor, accountID string) (*Details, error) {
	r, err := s.o.Store.Find(ctx, by, accountID)
	if err != nil || r.Details != nil {
		return r.Details, err
	}
	orders, err := s.o.Store.Orders(ctx, by, accountID)
	if err != nil || len(orders) == 0 {
		return nil, err
	}
	return &orders[0].Details, nil
}

// ChangeDetails changes who later invoices are made out to. It returns an OrderError for details that are not
// valid, ErrNotSubscribed for an account that the provider does not know, ErrBusy, and errors of the provider:
// nothing is stored that the provider has not accepted.
//
// Only the account itself and the operator may change them. Returns account.ErrNoAccount otherwise.
func (s *Service) ChangeDetails(ctx context.Context, by account.Actor, accountID string, d Details) error {
	r, err := s.find(ctx, by, accountID)
	if err != nil {
		return err
	}
	d = d.clean()
	if faults := d.faults(); faults != nil {
		return &OrderError{faults}
	}
	d = d.withoutOwnEmail(r.Account)
	none := r.Customer.ID == ""
	if !none {
		err = s.hold(ctx, by, accountID, waitFor, func(ctx context.Context, r Record) (*Update, error) {
			if none = r.Customer.ID == ""; none {
				return nil, nil
			}
			if err := wrongDetails(s.o.Provider.UpdateCustomer(ctx, r.Customer.ID, s.payer(r.Account, &d))); err != nil {
				return nil, err
			}
			return &Update{Now: s.o.Now(), Customer: r.Customer, Details: &d}, nil
		})
	}
	if none && err == nil || errors.Is(err, ErrNoCustomer) {
		return ErrNotSubscribed
	}
	return err
}

// UpdateCustomer does the job UpdateCustomer. Like Sync it returns ErrBusy.
func (s *Service) UpdateCustomer(ctx context.Context, job UpdateCustomer) error {
	if s.o.Provider == nil {
		return ErrNoCheckout
	}
	err := s.hold(ctx, account.Operator(), job.Account, 0, func(ctx context.Context, r Record) (*Update, error) {
		if r.Account.Email == "" || r.Customer.ID == "" {
			return nil, nil
		}
		err := s.o.Provider.UpdateCustomer(ctx, r.Customer.ID, s.payer(r.Account, r.Details))
		switch {
		case errors.Is(err, ErrNoCustomer):
		case errors.Is(err, ErrVATNumber), errors.Is(err, ErrLocation): // it took them before; trying again changes nothing
			s.o.Logger.Error("the payment provider does not take the details of a customer any more", "account", r.Account.ID, "error", err)
		case err != nil:
			return nil, fmt.Errorf("telling the provider who pays: %w", err)
		}
		return nil, nil
	})
	if errors.Is(err, ErrNotSubscribed) {
		return nil
	}
	return err
}
