package portal

import (
	"strconv"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/web"
)

// The parameters of the page after a payment say how it renews itself. What was paid is in none: the
// page shows what the provider told us, and nothing else.
const (
	triesParam  = "essai" // how often it was renewed without a script
	scriptParam = "suivi" // a script renews it
)

// refreshSeconds and maxTries are how often the page renews itself, and how many times: two minutes.
const (
	refreshSeconds = 3
	maxTries       = 40
)

// A paymentBody is what the page after a payment shows.
type paymentBody struct {
	Action  string
	Problem string // what could not be done, in a sentence; "" for nothing
	Pro     bool
	Waiting bool
	Slow    bool // the provider's word has been awaited for minutes
	Script  bool // a script renews the page
}

func showPayment(r *request) (*answer, error) {
	ov, err := r.overview()
	if err != nil {
		return nil, err
	}
	return r.payment(ov), nil
}

// payment is the page with what is known. While the provider's word is awaited it renews itself.
func (r *request) payment(ov *billing.Overview) *answer {
	body := paymentBody{Action: r.path("plan-payment"), Script: r.query.Has(scriptParam)}
	if ov != nil {
		body.Pro = ov.Plan == account.Pro
		body.Waiting = !body.Pro && ov.Waiting
	}
	a := &answer{}
	tries, err := strconv.Atoi(r.query.Get(triesParam))
	if err != nil || tries < 0 {
		tries = 0
	}
	switch {
	case !body.Waiting || body.Script:
	case tries >= maxTries:
		body.Slow = true
	default:
		next := body.Action + "?" + triesParam + "=" + strconv.Itoa(tries+1)
		a.headers = []web.Field{web.NewField("Refresh", strconv.Itoa(refreshSeconds)+"; url="+next)}
	}
	a.body = body
	return a
}

// lookAgain asks the provider.
func lookAgain(r *request) (*answer, error) {
	err := r.mayAsk()
	var ov billing.Overview
	if err == nil {
		ov, err = r.portal.o.Billing.Refresh(r.ctx, r.by, r.account.ID)
	}
	if err == nil {
		done := ""
		if ov.Waiting && ov.Plan != account.Pro {
			done = "payment-looked"
		}
		return goTo(r.path("plan-payment"), done)
	}
	status, text, ok := r.problem(err)
	if !ok {
		return nil, err
	}
	known, err := r.overview()
	if err != nil {
		return nil, err
	}
	a := r.payment(known)
	body, _ := a.body.(paymentBody)
	body.Problem = text
	a.status, a.body = status, body
	return a, nil
}
