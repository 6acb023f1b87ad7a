package plan

import (
	"errors"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/portal/page"
)

// A planBody is what the page of the plan shows.
type planBody struct {
	Action     string
	Plan       account.Plan
	Limits     account.Limits
	Plans      []planColumn
	Embeddings int            // tools whose reviews come in chunks
	Change     string         // how to change plans where nothing is sold, in a sentence; "" where Pro is
	Contact    layout.Contact // of the operator
	Target     string         // of availability with Pro, in percent; "" for none
	Support    bool           // that of Pro comes first

	Problem  string     // what could not be done, in a sentence; "" for nothing
	Test     bool       // nothing is really paid
	Decides  string     // who decides the plan, in a sentence
	Suspends *downgrade // what is suspended, or will be; nil on a plan that goes on

	Subscription *subscription // a live one; nil for none
	Ended        time.Time     // when the last one ended; zero if there was none
	OwesNothing  bool          // its last invoice was not paid, and is void
	Buy          *buyForm      // nil for who has Pro
	Statement    *statement    // nil for who never paid
	customer     bool          // the provider may know the account
	vatUntil     time.Time     // when its VAT number is removed, which the register does not know; zero for none
}

// A planColumn is a plan in the table.
type planColumn struct {
	account.Limits
	Current bool
}

// A buyForm is how somebody subscribes.
type buyForm struct {
	Waiting bool      // a payment was begun, and the provider's word is awaited
	Until   time.Time // an order waits for its payment until then; zero for none
	Cannot  string    // why nothing can be bought, in a sentence; "" if it can
}

// Show shows the plan.
func (p *Pages) Show(r *page.Request) (*page.Answer, error) {
	body, err := p.body(r)
	if err != nil {
		return nil, err
	}
	p.addStatement(r, &body) // the last thing: it may take seconds
	return page.Show(body)
}

// body reads all that the page shows.
func (p *Pages) body(r *page.Request) (planBody, error) {
	plan := r.Account.Plan
	body := planBody{
		Action: r.At(address.Plan), Plan: plan, Limits: plan.Limits(), Embeddings: catalog.EmbeddingsSize,
		Contact: r.Contact, Target: r.Pro.Target(), Support: !r.Pro.NoSupport,
	}
	for _, offered := range []account.Plan{account.Developer, account.Pro} {
		body.Plans = append(body.Plans, planColumn{offered.Limits(), offered == plan})
	}
	ov, err := p.overview(r)
	if err != nil {
		return body, err
	}
	ends := plan == account.Developer
	switch {
	case ov != nil:
		ends = p.addPayment(r, &body, ov) || ends
	case plan == account.Pro && r.Account.Source == account.FromProvider:
		body.Change = r.Text.Must("plan.change.paid")
	default:
		body.Change = r.Text.Must("plan.change." + plan.String())
	}
	if ends {
		suspends, err := p.readDowngrade(r)
		if err != nil {
			return body, err
		}
		if suspends.Any() {
			body.Suspends = &suspends
		}
	}
	return body, nil
}

// addPayment adds what is about payments, and reports whether Pro ends.
func (p *Pages) addPayment(r *page.Request, body *planBody, ov *billing.Overview) (ends bool) {
	live := ov.Subscription != nil && ov.Subscription.Live()
	body.customer, body.vatUntil = ov.Customer, ov.VATUntil
	given := ov.Source == account.FromOperator
	switch {
	case given:
		body.Decides = r.Text.Must("pay.decides.operator")
	case live && ov.Plan == account.Pro:
		body.Decides = r.Text.Must("pay.decides.provider")
	}
	body.Test = ov.Test
	if live {
		body.Subscription = newSubscription(r, *ov.Subscription, ov.Cancelling, ov.VATExempt)
		if given || !ov.Subscription.Lapsed() {
			return !given && body.Subscription.Resume
		}
	}
	if ov.Subscription != nil && ov.Subscription.Status == billing.Canceled {
		body.Ended, body.OwesNothing = ov.Subscription.EndedAt, ov.Subscription.Latest.State == billing.InvoiceVoid
	}
	if given {
		return false
	}
	body.Buy = &buyForm{Waiting: ov.Waiting}
	if ov.Checkout != nil {
		body.Buy.Until = ov.Checkout.ExpiresAt
	}
	if errors.Is(ov.CannotBuy, billing.ErrOtherAccount) {
		body.Buy.Cannot = r.Text.Must("pay.buy.closed")
	} else if why, ok := problemOf(ov.CannotBuy); ok {
		body.Buy.Cannot = r.Text.Must(why.text)
	}
	return false
}

// problem shows the page with why the provider's part of it could not be done. Other errors
// pass.
func (p *Pages) problem(r *page.Request, err error) (*page.Answer, error) {
	status, text, ok := problemSentence(r, err)
	if !ok {
		return nil, err
	}
	body, err := p.body(r)
	if err != nil {
		return nil, err
	}
	body.Problem = text
	return &page.Answer{Status: status, Body: body}, nil
}

// A leaveBody is what the page before the provider's shows. A form's answer cannot lead there by
// itself: the policy of our pages lets forms go home only.
type leaveBody struct {
	URL      string // at the provider
	Lede     string
	Button   string
	Checkout bool
	Test     bool   // nothing is really paid
	Price    *price // nil for an order that was placed before
}

// OpenCheckout shows the way to the page on which an order is paid that waits for it. Whoever has a
// subscription is shown the way to the invoices instead.
func (p *Pages) OpenCheckout(r *page.Request) (*page.Answer, error) {
	err := p.mayAsk(r)
	var checkout billing.Checkout
	if err == nil {
		checkout, err = p.Billing.Checkout(r.Context(), r.By, r.Account.ID)
	}
	switch {
	case errors.Is(err, billing.ErrSubscribed):
		return p.openPortal(r, "leave.subscribed")
	case err != nil:
		return p.problem(r, err)
	}
	return p.leaveToPay(r, checkout, nil)
}

// leaveToPay shows the way to the page on which an order is paid.
func (p *Pages) leaveToPay(r *page.Request, c billing.Checkout, cost *price) (*page.Answer, error) {
	ov, err := p.overview(r)
	if err != nil {
		return nil, err
	}
	return &page.Answer{Title: r.Text.Must("leave.checkout.title"), Template: "leave", Body: leaveBody{
		URL: c.URL, Lede: r.Text.Must("leave.checkout.lede"), Button: r.Text.Must("leave.checkout.go"), Checkout: true, Price: cost,
		Test: ov != nil && ov.Test,
	}}, nil
}

// OpenPortal shows the way to the invoices.
func (p *Pages) OpenPortal(r *page.Request) (*page.Answer, error) {
	return p.openPortal(r, "leave.portal.lede")
}

// openPortal shows the way to the provider's page with the invoices and the means of payment.
func (p *Pages) openPortal(r *page.Request, lede string) (*page.Answer, error) {
	err := p.mayAsk(r)
	var url string
	if err == nil {
		url, err = p.Billing.Portal(r.Context(), r.By, r.Account.ID)
	}
	if err != nil {
		return p.problem(r, err)
	}
	return &page.Answer{Title: r.Text.Must("leave.portal.title"), Template: "leave", Body: leaveBody{
		URL: url, Lede: r.Text.Must(lede), Button: r.Text.Must("leave.portal.go"),
	}}, nil
}

// Resume takes a cancellation back.
func (p *Pages) Resume(r *page.Request) (*page.Answer, error) {
	err := p.mayAsk(r)
	if err == nil {
		_, err = p.Billing.Resume(r.Context(), r.By, r.Account.ID)
	}
	if err != nil {
		return p.problem(r, err)
	}
	return page.GoTo(r.At(address.Plan), "plan-resumed")
}

// PinKeys chooses which keys stay active on Developer.
func (p *Pages) PinKeys(r *page.Request) (*page.Answer, error) {
	wrong, err := p.pinKeys(r)
	if err != nil {
		return nil, err
	}
	if wrong == nil {
		return page.GoTo(r.At(address.Plan), "keys-kept")
	}
	body, err := p.body(r)
	if err != nil {
		return nil, err
	}
	if body.Suspends != nil {
		body.Suspends.tick(r.Form[pinField])
	}
	return page.Invalid(body, wrong...), nil
}
