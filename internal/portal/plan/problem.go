package plan

import (
	"errors"
	"net/http"
	"time"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/portal/page"
)

// A problem is what a page says about an error of Billing.
type problem struct {
	status int
	text   string // the name of a text
}

// problems maps errors to what the page says. With each of them, nothing was charged and the subscription is
// unchanged.
var problems = map[error]problem{
	billing.ErrUnavailable:   {http.StatusServiceUnavailable, "pay.problem.away"},
	billing.ErrRefused:       {http.StatusServiceUnavailable, "pay.problem.refused"},
	billing.ErrWrongPrice:    {http.StatusServiceUnavailable, "pay.problem.price"},
	billing.ErrNoTexts:       {http.StatusServiceUnavailable, "pay.problem.texts"},
	billing.ErrOrdered:       {http.StatusConflict, "order.problem.again"},
	billing.ErrOrderOpen:     {http.StatusConflict, "order.problem.open"},
	billing.ErrNoOrder:       {http.StatusConflict, "order.problem.none"},
	billing.ErrBusy:          {http.StatusConflict, "pay.problem.busy"},
	billing.ErrGiven:         {http.StatusConflict, "pay.problem.given"},
	billing.ErrSubscribed:    {http.StatusConflict, "pay.problem.subscribed"},
	billing.ErrNotSubscribed: {http.StatusConflict, "pay.problem.none"},
	billing.ErrNoCheckout:    {http.StatusConflict, "pay.problem.unconfigured"},
	errAskedTooOften:         {http.StatusTooManyRequests, "pay.problem.often"},
}

// errAskedTooOften means that an account has reached ProviderLimit.
var errAskedTooOften = errors.New("the account has asked the payment provider too often within the hour")

// ProviderLimit is how often an account may make us call the payment provider.
var ProviderLimit = limit.Limit{Name: "billing", Most: 120, Within: time.Hour}

// countProviderCall counts a call to the provider against ProviderLimit. It returns errAskedTooOften once that is reached,
// and billing.ErrNoCheckout where nothing is sold.
func (p *Pages) countProviderCall(r *page.Request) error {
	switch {
	case p.Billing == nil:
		return billing.ErrNoCheckout
	case !p.Limits.Allow(r.Context(), ProviderLimit, r.Account.ID):
		return errAskedTooOften
	}
	return nil
}

// problemOf returns what a page says about an error; ok is false if it says nothing.
func problemOf(err error) (found problem, ok bool) {
	for known, found := range problems {
		if errors.Is(err, known) {
			return found, true
		}
	}
	return problem{}, false
}

// problemSentence returns the HTTP status and the sentence for an error of Billing; ok is false for other
// errors. It logs the errors that the page words vaguely.
func problemSentence(r *page.Request, err error) (status int, text string, ok bool) {
	found, ok := problemOf(err)
	if !ok {
		return 0, "", false
	}
	if found.status == http.StatusServiceUnavailable {
		r.LogError(err) // the page is vague about it, the log is not
	}
	return found.status, r.Text.Must(found.text), true
}

// overview returns what we know about the account's subscription; nil where nothing is sold.
func (p *Pages) overview(r *page.Request) (*billing.Overview, error) {
	if p.Billing == nil {
		return nil, nil //nolint:nilnil // there is no subscription, and nothing is wrong
	}
	o, err := p.Billing.Overview(r.Context(), r.By, r.Account.ID)
	if err != nil || errors.Is(o.CannotBuy, billing.ErrNoCheckout) {
		return nil, err
	}
	return &o, nil
}
