package portal

import (
	"net/http"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// A cancelBody is what the page that confirms a cancellation shows.
type cancelBody struct {
	Action  string
	Problem string    // what could not be done, in a sentence; "" for nothing
	Pro     bool      // the account has Pro until then
	Ends    time.Time // when the subscription is over
	Daily   int       // requests a day from then on
	Sleeps  downgrade
}

// showCancel shows what ends, and when. Without a subscription to cancel there is nothing to confirm.
func showCancel(r *request) (*answer, error) {
	body, err := r.cancelBody()
	if err != nil {
		return nil, err
	}
	if body == nil {
		return goTo(r.path("plan"), "")
	}
	return show(*body)
}

// cancelBody reads what the page shows. It is nil if there is nothing to cancel.
func (r *request) cancelBody() (*cancelBody, error) {
	ov, err := r.overview()
	if err != nil || ov == nil || ov.Subscription == nil || !ov.Subscription.Live() || !ov.Subscription.CancelAt.IsZero() {
		return nil, err
	}
	body := &cancelBody{
		Action: r.path("plan-cancel"), Ends: ov.Subscription.PeriodEnd, Daily: account.Developer.Limits().Daily,
		Pro: ov.Plan == account.Pro,
	}
	body.Sleeps, err = r.downgrade()
	return body, err
}

// cancelPlan chooses the keys that stay awake, and cancels.
func cancelPlan(r *request) (*answer, error) {
	var faults []fault
	err := r.mayAsk()
	if err == nil {
		faults, err = r.keep()
	}
	if err == nil && faults == nil {
		if _, err = r.portal.o.Billing.Cancel(r.ctx, r.by, r.account.ID); err == nil {
			return goTo(r.path("plan"), "plan-cancelled")
		}
	}
	status, text, ok := http.StatusUnprocessableEntity, "", true
	if err != nil {
		status, text, ok = r.problem(err)
	}
	if !ok {
		return nil, err
	}
	body, err := r.cancelBody()
	switch {
	case err != nil:
		return nil, err
	case body == nil: // it is cancelled, or over, meanwhile: the page of the plan shows which
		return goTo(r.path("plan"), "")
	}
	body.Problem = text
	body.Sleeps.typed(r.form[keepField])
	return &answer{status: status, body: *body, faults: faults}, nil
}
