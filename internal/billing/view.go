package billing

import (
	"context"
	"errors"
	"fmt"

	"github.com/palmares-hq/palmares/internal/account"
)

// Statement asks the provider what it holds about an account, also after its subscription has ended. It returns
// ErrNotSubscribed for an account that is no customer there.
//
// Only the account itself and the operator may see it. Returns account.ErrNoAccount otherwise.
func (s *Service) Statement(ctx context.Context, by account.Actor, accountID string) (Statement, error) {
	r, err := s.find(ctx, by, accountID)
	switch {
	case err != nil:
		return Statement{}, err
	case r.Customer.ID == "":
		return Statement{}, ErrNotSubscribed
	}
	ctx, cancel := context.WithTimeout(ctx, StatementWithin)
	defer cancel()
	if err := s.CheckAccount(ctx); err != nil {
		return Statement{}, err
	}
	live := ""
	if sub := r.Customer.Subscription; sub != nil && sub.Live() {
		live = sub.ID
	}
	found, err := s.o.Provider.Statement(ctx, r.Customer.ID, live, MaxInvoices)
	switch {
	case errors.Is(err, ErrNoCustomer):
		return Statement{}, ErrNotSubscribed
	case err != nil:
		return Statement{}, s.refused(fmt.Errorf("asking for the invoices: %w", err))
	}
	if c := r.Cancellation; c != nil && c.Failing {
		live = "" // the page says that nothing is owed
	}
	for i := range found.Invoices { // nobody is to pay for an ended subscription
		if in := &found.Invoices[i]; in.payable() && in.Subscription != "" && in.Subscription != live {
			in.URL = ""
		}
	}
	return found, nil
}

// payLink returns the URL where an unpaid invoice is paid, for a mail; "" if the provider does not answer in
// time: the mail then links to the page of the plan.
func (s *Service) payLink(ctx context.Context, invoice string) string {
	if s.o.Provider == nil || invoice == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, StatementWithin)
	defer cancel()
	url, err := "", s.CheckAccount(ctx)
	if err == nil {
		url, err = s.o.Provider.PayLink(ctx, invoice)
	}
	if err != nil {
		s.o.Logger.Warn("a mail about an unpaid invoice has no link to pay it", "invoice", invoice, "error", err)
		return ""
	}
	return url
}
