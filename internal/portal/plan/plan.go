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
	Embeddings int            // the most tools whose reviews can be downloaded in chunks
	Change     string         // a sentence that says how to change plans where nothing is sold; "" where Pro is sold
	Contact    layout.Contact // how to reach the operator
	Target     string         // the availability promised with Pro, in percent; "" for none
	Support    bool           // support requests of Pro accounts come first

	Problem  string     // a sentence that says what failed; "" for nothing
	Test     bool       // test mode: no real payments
	Decides  string     // a sentence that says who decides the plan
	Suspends *downgrade // what is or will be suspended; nil if nothing is

	Subscription *subscription // a live subscription; nil for none
	Ended        time.Time     // when the last one ended; zero if there was none
	OwesNothing  bool          // the last invoice was not paid, and is void
	Buy          *buyForm      // nil if Pro cannot or need not be bought
	Statement    *statement    // nil if the account never paid
	customer     bool          // the provider may know the account
	vatUntil     time.Time     // when the VAT number, unknown to the register, will be removed; zero if it will not
}

// A planColumn is a plan in the table.
type planColumn struct {
	account.Limits
	Current bool
}

// A buyForm is the form with which an account subscribes.
type buyForm struct {
	Waiting bool      // a payment was begun, and the provider has not confirmed it yet
	Until   time.Time // when the payment page of a pending order expires; zero for none
	Cannot  string    // a sentence that says why nothing can be bought; "" if it can
}

// Show shows the plan.
func (p *Pages) Show(r *page.Request) (*page.Answer, error) {
	body, err := p.body(r)
	if err != nil {
		return nil, err
	}
	p.addStatement(r, &body) // comes last, as it may take seconds
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

// addPayment fills in the parts about payment, and reports whether Pro is going to end.
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

// problem shows the page with a sentence about an error of Billing. It returns other errors unchanged.
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

// A leaveBody is the body of the page that links to the provider's. A form's response cannot redirect there:
// the content security policy of our pages allows forms to lead to our own site only.
type leaveBody struct {
	URL      string // the provider's page
	Lede     string
	Button   string
	Checkout bool
	Test     bool   // test mode: no real payments
	Price    *price // nil for an order that was placed earlier
}

// OpenCheckout shows the link to the page where a pending order is paid. An account that already has a
// subscription gets the link to its invoices instead.
func (p *Pages) OpenCheckout(r *page.Request) (*page.Answer, error) {
	err := p.countProviderCall(r)
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

// leaveToPay shows the link to the page where an order is paid.
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

// OpenPortal shows the link to the provider's page with the invoices and the means of payment.
func (p *Pages) OpenPortal(r *page.Request) (*page.Answer, error) {
	return p.openPortal(r, "leave.portal.lede")
}

// openPortal is OpenPortal with a lede of its own; lede is the name of a text.
func (p *Pages) openPortal(r *page.Request, lede string) (*page.Answer, error) {
	err := p.countProviderCall(r)
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

// Resume undoes a cancellation.
func (p *Pages) Resume(r *page.Request) (*page.Answer, error) {
	err := p.countProviderCall(r)
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
