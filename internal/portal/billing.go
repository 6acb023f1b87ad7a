package portal

import (
	"context"
	"errors"
	"net/http"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/web"
)

// Billing is what owners do about their subscription. Every verb answers account.ErrNoAccount for an
// account that is not the actor's.
type Billing interface {
	// Overview returns what is known, without asking the provider.
	Overview(ctx context.Context, by account.Actor, id string) (billing.Overview, error)
	// Look asks the provider, and returns what is known then.
	Refresh(ctx context.Context, by account.Actor, id string) (billing.Overview, error)
	// Checkout opens the provider's page on which the owner subscribes, or returns the open one.
	Checkout(ctx context.Context, by account.Actor, id string) (billing.Checkout, error)
	// Portal opens the provider's page with the invoices and the means of payment.
	Portal(ctx context.Context, by account.Actor, id string) (url string, err error)
	// Cancel ends the subscription at the end of its period, and Resume lets it go on after all.
	Cancel(ctx context.Context, by account.Actor, id string) (billing.Overview, error)
	Resume(ctx context.Context, by account.Actor, id string) (billing.Overview, error)
}

// A problem is why the provider's part of a page could not be done.
type problem struct {
	status int
	text   string // its name
}

// problems are the errors that become a sentence on the page. Nothing was charged or changed.
var problems = map[error]problem{
	billing.ErrUnavailable:   {http.StatusServiceUnavailable, "pay.problem.away"},
	billing.ErrWrongPrice:    {http.StatusServiceUnavailable, "pay.problem.price"},
	billing.ErrBusy:          {http.StatusConflict, "pay.problem.busy"},
	billing.ErrGiven:         {http.StatusConflict, "pay.problem.given"},
	billing.ErrSubscribed:    {http.StatusConflict, "pay.problem.subscribed"},
	billing.ErrNotSubscribed: {http.StatusConflict, "pay.problem.none"},
	billing.ErrNoCheckout:    {http.StatusConflict, "pay.problem.unconfigured"},
	errAskedTooOften:         {http.StatusTooManyRequests, "pay.problem.often"},
}

// errAskedTooOften says that an account had the provider asked too often.
var errAskedTooOften = errors.New("the account has asked the payment provider too often within the hour")

// maxAsked is how often an hour an account may have the provider asked.
const maxAsked = 120

// mayAsk says whether the account may have the provider asked now.
func (r *request) mayAsk() error {
	switch o := r.portal.o; {
	case o.Billing == nil:
		return billing.ErrNoCheckout
	case !o.Limits.Allow(r.ctx, "billing", r.account.ID, maxAsked):
		return errAskedTooOften
	}
	return nil
}

// problemOf finds what a page says about an error.
func problemOf(err error) (p problem, ok bool) {
	for known, p := range problems {
		if errors.Is(err, known) {
			return p, true
		}
	}
	return problem{}, false
}

// problem is the sentence for an error of a verb of Billing, and its status. Other errors pass.
func (r *request) problem(err error) (status int, text string, ok bool) {
	p, ok := problemOf(err)
	if !ok {
		return 0, "", false
	}
	if p.status == http.StatusServiceUnavailable {
		web.SetError(r.w, err) // the page says it kindly, the log says it all
	}
	return p.status, r.Must(p.text), true
}

// overview is what is known about the account's subscription. Where nothing is sold it is nil.
func (r *request) overview() (*billing.Overview, error) {
	if r.portal.o.Billing == nil {
		return nil, nil //nolint:nilnil // there is no subscription, and nothing is wrong
	}
	o, err := r.portal.o.Billing.Overview(r.ctx, r.by, r.account.ID)
	if err != nil || errors.Is(o.CannotBuy, billing.ErrNoCheckout) {
		return nil, err
	}
	return &o, nil
}
