package portal

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
)

func planRoutes() []*route {
	return []*route{
		{
			name: "plan", paths: [2]string{"/compte/offre", "/en/account/plan"}, entry: "plan", get: showPlan,
			shows: []string{"plan", "leave"},
			actions: map[string]handler{
				"checkout": openCheckout, "portal": openPortal, "resume": resumePlan, "keep": keepKeys,
			},
			outside: []string{"checkout", "portal", "resume"},
		},
		{
			name: "plan-cancel", paths: [2]string{"/compte/offre/resiliation", "/en/account/plan/cancel"}, entry: "plan",
			get: showCancel, actions: map[string]handler{"cancel": cancelPlan}, outside: []string{"cancel"},
		},
		{ // where the provider sends those who paid
			name: "plan-payment", paths: [2]string{"/compte/offre/paiement", "/en/account/plan/payment"}, entry: "plan",
			get: showPayment, actions: map[string]handler{"look": lookAgain}, outside: []string{"look"},
		},
	}
}

// A planBody is what the page of the plan shows.
type planBody struct {
	Action     string
	Plan       account.Plan
	Limits     account.Limits
	Plans      []planColumn
	Embeddings int            // tools whose reviews come in chunks
	Change     string         // how to change plans where nothing is sold, in a sentence; "" where Pro is
	Contact    layout.Contact // of the operator

	Problem string     // what could not be done, in a sentence; "" for nothing
	Decides string     // who decides the plan, in a sentence
	Sleeps  *downgrade // what sleeps, or will; nil on a plan that goes on

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

func showPlan(r *request) (*answer, error) {
	country, number := r.query.Get(countryField), r.query.Get(numberField) != ""
	form, faults := r.priceForm(country, number, r.query.Has(countryField))
	body, err := r.planBody(&form)
	if err != nil {
		return nil, err
	}
	a := &answer{body: body, faults: faults}
	if faults != nil {
		a.status = http.StatusUnprocessableEntity
	}
	return a, nil
}

// planBody reads all that the page shows.
func (r *request) planBody(form *priceForm) (planBody, error) {
	plan := r.account.Plan
	body := planBody{
		Action: r.path("plan"), Plan: plan, Limits: plan.Limits(), Embeddings: catalog.EmbeddingsSize,
		Contact: r.contact(),
	}
	for _, p := range []account.Plan{account.Developer, account.Pro} {
		body.Plans = append(body.Plans, planColumn{p.Limits(), p == plan})
	}
	ov, err := r.overview()
	if err != nil {
		return body, err
	}
	ends := plan == account.Developer
	switch {
	case ov != nil:
		ends = r.pay(&body, ov, form) || ends
	case plan == account.Pro && r.account.Source == account.FromProvider:
		body.Change = r.Must("plan.change.paid")
	default:
		body.Change = r.Must("plan.change." + plan.String())
	}
	if ends {
		sleeps, err := r.downgrade()
		if err != nil {
			return body, err
		}
		if sleeps.Any() {
			body.Sleeps = &sleeps
		}
	}
	return body, nil
}

// pay adds what is about payments, and reports whether Pro ends.
func (r *request) pay(body *planBody, ov *billing.Overview, form *priceForm) (ends bool) {
	live := ov.Subscription != nil && ov.Subscription.Live()
	given := ov.Source == account.FromOperator
	switch {
	case given:
		body.Decides = r.Must("pay.decides.operator")
	case live:
		body.Decides = r.Must("pay.decides.provider")
	}
	if live {
		body.Subscription = r.subscription(*ov.Subscription)
		return !given && body.Subscription.Resume
	}
	if ov.Subscription != nil && ov.Subscription.Status == billing.Canceled {
		body.Ended = ov.Subscription.EndedAt
	}
	if given {
		return false
	}
	body.Buy = &buyForm{Begun: ov.Waiting}
	if slices.Contains(billing.Countries(), r.portal.o.Country) {
		body.Buy.Price = form
		body.Buy.RatesOf, _ = time.Parse(time.DateOnly, billing.RatesOf)
	}
	if p, ok := problemOf(ov.CannotBuy); ok {
		body.Buy.Cannot = r.Must(p.text)
	}
	return false
}

// planProblem shows the page with why the provider's part of it could not be done. Other errors
// pass.
func (r *request) planProblem(err error) (*answer, error) {
	status, text, ok := r.problem(err)
	if !ok {
		return nil, err
	}
	form, _ := r.typedPrice()
	body, err := r.planBody(&form)
	if err != nil {
		return nil, err
	}
	body.Problem = text
	return &answer{status: status, body: body}, nil
}

// typedPrice is the form of prices as a POST carries it on.
func (r *request) typedPrice() (priceForm, []fault) {
	country := r.form.Get(countryField)
	return r.priceForm(country, r.form.Get(numberField) != "", country != "")
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

// openCheckout opens the provider's page and shows the way there. Whoever has a subscription is
// shown the way to the invoices instead.
func openCheckout(r *request) (*answer, error) {
	err := r.mayAsk()
	var checkout billing.Checkout
	if err == nil {
		checkout, err = r.portal.o.Billing.Checkout(r.ctx, r.by, r.account.ID)
	}
	switch {
	case errors.Is(err, billing.ErrSubscribed):
		return r.openPortal("leave.subscribed")
	case err != nil:
		return r.planProblem(err)
	}
	form, _ := r.typedPrice()
	return &answer{title: r.Must("leave.checkout.title"), template: "leave", body: leaveBody{
		URL: checkout.URL, Lede: r.Must("leave.checkout.lede"), Button: r.Must("leave.checkout.go"), Checkout: true,
		Price: form.Price,
	}}, nil
}

func openPortal(r *request) (*answer, error) { return r.openPortal("leave.portal.lede") }

// openPortal shows the way to the provider's page with the invoices and the means of payment.
func (r *request) openPortal(lede string) (*answer, error) {
	err := r.mayAsk()
	var url string
	if err == nil {
		url, err = r.portal.o.Billing.Portal(r.ctx, r.by, r.account.ID)
	}
	if err != nil {
		return r.planProblem(err)
	}
	return &answer{title: r.Must("leave.portal.title"), template: "leave", body: leaveBody{
		URL: url, Lede: r.Must(lede), Button: r.Must("leave.portal.go"),
	}}, nil
}

// resumePlan takes a cancellation back.
func resumePlan(r *request) (*answer, error) {
	err := r.mayAsk()
	if err == nil {
		_, err = r.portal.o.Billing.Resume(r.ctx, r.by, r.account.ID)
	}
	if err != nil {
		return r.planProblem(err)
	}
	return goTo(r.path("plan"), "plan-resumed")
}

// keepKeys chooses which keys stay awake on Developer.
func keepKeys(r *request) (*answer, error) {
	faults, err := r.keep()
	if err != nil {
		return nil, err
	}
	if faults == nil {
		return goTo(r.path("plan"), "keys-kept")
	}
	form, _ := r.typedPrice()
	body, err := r.planBody(&form)
	if err != nil {
		return nil, err
	}
	if body.Sleeps != nil {
		body.Sleeps.typed(r.form[keepField])
	}
	return &answer{status: http.StatusUnprocessableEntity, body: body, faults: faults}, nil
}
