package plan

import (
	"errors"
	"net/http"
	"slices"
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
	Decides  string     // who decides the plan, in a sentence
	Suspends *downgrade // what is suspended, or will be; nil on a plan that goes on

	Subscription *subscription // a live one; nil for none
	Ended        time.Time     // when the last one ended; zero if there was none
	Buy          *buyForm      // nil for who has Pro
}

// A planColumn is a plan in the table.
type planColumn struct {
	account.Limits
	Current bool
}

// A buyForm is how somebody subscribes.
type buyForm struct {
	Price   *priceForm // nil where the seller's tax is not known
	RatesOf time.Time  // when the rates of the estimate were looked up
	Begun   bool       // a payment was begun
	Cannot  string     // why nothing can be bought, in a sentence; "" if it can
}

// Show shows the plan, and what Pro costs in the country that the address names.
func (p *Pages) Show(r *page.Request) (*page.Answer, error) {
	country, number := r.Query.Get(countryField), r.Query.Get(numberField) != ""
	form, wrong := p.newPriceForm(r, country, number, r.Query.Has(countryField))
	body, err := p.body(r, &form)
	if err != nil {
		return nil, err
	}
	a := &page.Answer{Body: body, FieldErrors: wrong}
	if wrong != nil {
		a.Status = http.StatusUnprocessableEntity
	}
	return a, nil
}

// body reads all that the page shows.
func (p *Pages) body(r *page.Request, form *priceForm) (planBody, error) {
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
		ends = p.addPayment(r, &body, ov, form) || ends
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
func (p *Pages) addPayment(r *page.Request, body *planBody, ov *billing.Overview, form *priceForm) (ends bool) {
	live := ov.Subscription != nil && ov.Subscription.Live()
	given := ov.Source == account.FromOperator
	switch {
	case given:
		body.Decides = r.Text.Must("pay.decides.operator")
	case live && ov.Plan == account.Pro:
		body.Decides = r.Text.Must("pay.decides.provider")
	}
	if live {
		body.Subscription = newSubscription(r, *ov.Subscription)
		if given || !ov.Subscription.Lapsed() {
			return !given && body.Subscription.Resume
		}
	}
	if ov.Subscription != nil && ov.Subscription.Status == billing.Canceled {
		body.Ended = ov.Subscription.EndedAt
	}
	if given {
		return false
	}
	body.Buy = &buyForm{Begun: ov.Waiting}
	if slices.Contains(billing.Countries(), p.Country) {
		body.Buy.Price = form
		body.Buy.RatesOf, _ = time.Parse(time.DateOnly, billing.RatesOf)
	}
	if why, ok := problemOf(ov.CannotBuy); ok {
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
	form, _ := p.typedPrice(r)
	body, err := p.body(r, &form)
	if err != nil {
		return nil, err
	}
	body.Problem = text
	return &page.Answer{Status: status, Body: body}, nil
}

// typedPrice is the form of prices as a POST carries it on.
func (p *Pages) typedPrice(r *page.Request) (priceForm, []page.FieldError) {
	country := r.Form.Get(countryField)
	return p.newPriceForm(r, country, r.Form.Get(numberField) != "", country != "")
}

// A leaveBody is what the page before the provider's shows. A form's answer cannot lead there by
// itself: the policy of our pages lets forms go home only.
type leaveBody struct {
	URL      string // at the provider
	Lede     string
	Button   string
	Checkout bool
	Price    *price // nil where no country was chosen
}

// OpenCheckout opens the provider's page and shows the way there. Whoever has a subscription is
// shown the way to the invoices instead.
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
	form, _ := p.typedPrice(r)
	return &page.Answer{Title: r.Text.Must("leave.checkout.title"), Template: "leave", Body: leaveBody{
		URL: checkout.URL, Lede: r.Text.Must("leave.checkout.lede"), Button: r.Text.Must("leave.checkout.go"), Checkout: true,
		Price: form.Price,
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
	form, _ := p.typedPrice(r)
	body, err := p.body(r, &form)
	if err != nil {
		return nil, err
	}
	if body.Suspends != nil {
		body.Suspends.tick(r.Form[pinField])
	}
	return page.Invalid(body, wrong...), nil
}
