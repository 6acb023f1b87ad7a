package plan

import (
	"strconv"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/web"
)

// The query parameters of the page after a payment say how it refreshes itself. None says what was paid: the
// page shows only what the provider told us.
const (
	triesParam  = "essai" // how often the page has refreshed without a script
	scriptParam = "suivi" // set when a script refreshes the page
)

// refreshSeconds and maxTries are how often the page refreshes itself, and how many times: for two minutes.
const (
	refreshSeconds = 3
	maxTries       = 40
)

// A paymentBody is what the page after a payment shows.
type paymentBody struct {
	Action  string
	Problem string // a sentence that says what failed; "" for nothing
	Pro     bool
	Waiting bool
	Slow    bool // the page has waited two minutes for the provider
	Script  bool // a script refreshes the page
}

// ShowPayment shows whether the payment has arrived. On the first view, as the browser returns from the
// provider, it asks the provider, since no event may have told us yet. If the provider does not answer, the
// page waits for the event.
func (p *Pages) ShowPayment(r *page.Request) (*page.Answer, error) {
	ov, err := p.overview(r)
	if err != nil {
		return nil, err
	}
	renewed := r.Query.Has(triesParam) || r.Query.Has(scriptParam)
	if ov != nil && ov.Waiting && ov.Plan != account.Pro && !renewed && p.countProviderCall(r) == nil {
		asked, err := p.Billing.Refresh(r.Context(), r.By, r.Account.ID)
		if _, known := problemOf(err); err != nil && !known {
			return nil, err
		} else if err == nil {
			ov = &asked
		}
	}
	return paymentAnswer(r, ov), nil
}

// paymentAnswer returns the page for what is known. The page refreshes itself while it waits for the provider.
func paymentAnswer(r *page.Request, ov *billing.Overview) *page.Answer {
	body := paymentBody{Action: r.At(address.PlanPayment), Script: r.Query.Has(scriptParam)}
	if ov != nil {
		body.Pro = ov.Plan == account.Pro
		body.Waiting = !body.Pro && ov.Waiting
	}
	a := &page.Answer{}
	tries, err := strconv.Atoi(r.Query.Get(triesParam))
	if err != nil || tries < 0 {
		tries = 0
	}
	switch {
	case !body.Waiting || body.Script:
	case tries >= maxTries:
		body.Slow = true
	default:
		next := body.Action + "?" + triesParam + "=" + strconv.Itoa(tries+1)
		a.Headers = []web.Field{web.NewField("Refresh", strconv.Itoa(refreshSeconds)+"; url="+next)}
	}
	a.Body = body
	return a
}

// LookAgain asks the provider whether the payment has arrived.
func (p *Pages) LookAgain(r *page.Request) (*page.Answer, error) {
	err := p.countProviderCall(r)
	var ov billing.Overview
	if err == nil {
		ov, err = p.Billing.Refresh(r.Context(), r.By, r.Account.ID)
	}
	if err == nil {
		done := ""
		if ov.Waiting && ov.Plan != account.Pro {
			done = "payment-looked"
		}
		return page.GoTo(r.At(address.PlanPayment), done)
	}
	status, text, ok := problemSentence(r, err)
	if !ok {
		return nil, err
	}
	known, err := p.overview(r)
	if err != nil {
		return nil, err
	}
	a := paymentAnswer(r, known)
	body, _ := a.Body.(paymentBody)
	body.Problem = text
	a.Status, a.Body = status, body
	return a, nil
}
