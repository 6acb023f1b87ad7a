package plan

import (
	"errors"
	"net/http"
	"time"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/portal/page"
)

// A problem is why the provider's part of a page could not be done.
type problem struct {
	status int
	text   string // its name
}

// problems are the errors that become a sentence on the page. Nothing was charged or changed.
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

// errAskedTooOften says that an account had the provider asked too often.
var errAskedTooOften = errors.New("the account has asked the payment provider too often within the hour")

// ProviderLimit is how often an account may have the provider asked.
var ProviderLimit = limit.Limit{Name: "billing", Most: 120, Within: time.Hour}

// mayAsk says whether the account may have the provider asked now.
func (p *Pages) mayAsk(r *page.Request) error {
	switch {
	case p.Billing == nil:
		return billing.ErrNoCheckout
	case !p.Limits.Allow(r.Context(), ProviderLimit, r.Account.ID):
		return errAskedTooOften
	}
	return nil
}

// problemOf finds what a page says about an error.
func problemOf(err error) (found problem, ok bool) {
	for known, found := range problems {
		if errors.Is(err, known) {
			return found, true
		}
	}
	return problem{}, false
}

// problemSentence is the sentence for an error of a verb of Billing, and its status. Other errors pass.
func problemSentence(r *page.Request, err error) (status int, text string, ok bool) {
	found, ok := problemOf(err)
	if !ok {
		return 0, "", false
	}
	if found.status == http.StatusServiceUnavailable {
		r.LogError(err) // the page says it kindly, the log says it all
	}
	return found.status, r.Text.Must(found.text), true
}

// overview is what is known about the account's subscription. Where nothing is sold it is nil.
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
