package plan

import (
	"net/http"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/portal/page"
)

// A cancelBody is what the page that confirms a cancellation shows.
type cancelBody struct {
	Action   string
	Problem  string    // a sentence that says what failed; "" for nothing
	Pro      bool      // the account has Pro until Ends
	Now      bool      // it ends at once: nothing was paid for this period
	Draft    bool      // this period was renewed within the last hour, and is still to be paid
	Test     bool      // test mode: no real payments
	Ends     time.Time // when the subscription ends
	Daily    int       // requests a day after that
	Suspends downgrade
}

// ShowCancel shows what ends and when. Without a subscription to cancel it redirects to the plan.
func (p *Pages) ShowCancel(r *page.Request) (*page.Answer, error) {
	body, err := p.cancelBody(r)
	if err != nil {
		return nil, err
	}
	if body == nil {
		return page.GoTo(r.At(address.Plan), "")
	}
	return page.Show(*body)
}

// cancelBody reads what the page shows. It is nil if there is nothing to cancel.
func (p *Pages) cancelBody(r *page.Request) (*cancelBody, error) {
	ov, err := p.overview(r)
	if err != nil || ov == nil || ov.Subscription == nil || !ov.Subscription.Live() || !ov.Subscription.CancelAt.IsZero() || !ov.Cancelling.IsZero() {
		return nil, err
	}
	body := &cancelBody{
		Action: r.At(address.PlanCancel), Ends: ov.Subscription.PeriodEnd, Daily: account.Developer.Limits().Daily,
		Pro: ov.Plan == account.Pro, Now: ov.Subscription.Failing(r.Now), Test: ov.Test,
	}
	body.Draft = !body.Now && ov.Subscription.Latest.State == billing.InvoiceDraft
	body.Suspends, err = p.readDowngrade(r)
	return body, err
}

// Cancel pins the chosen keys, which then stay active, and cancels the subscription.
func (p *Pages) Cancel(r *page.Request) (*page.Answer, error) {
	var wrong []page.FieldError
	err := p.countProviderCall(r)
	if err == nil {
		wrong, err = p.pinKeys(r)
	}
	if err == nil && wrong == nil {
		var ov billing.Overview
		if ov, err = p.Billing.Cancel(r.Context(), r.By, r.Account.ID); err == nil {
			done := "plan-cancelled"
			if !ov.Cancelling.IsZero() {
				done = "plan-cancelling"
			} else if ov.Subscription != nil && !ov.Subscription.Live() {
				done = "plan-ended"
			}
			return page.GoTo(r.At(address.Plan), done)
		}
	}
	status, text, ok := http.StatusUnprocessableEntity, "", true
	if err != nil {
		status, text, ok = problemSentence(r, err)
	}
	if !ok {
		return nil, err
	}
	body, err := p.cancelBody(r)
	switch {
	case err != nil:
		return nil, err
	case body == nil: // cancelled or ended meanwhile; the plan's page shows which
		return page.GoTo(r.At(address.Plan), "")
	}
	body.Problem = text
	body.Suspends.tick(r.Form[pinField])
	return &page.Answer{Status: status, Body: *body, FieldErrors: wrong}, nil
}
