package plan

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/portal/page"
)

// The fields of an order, beside those of its details.
const (
	businessField = "activite"
	acceptField   = "conditions"
	formField     = "commande" // the id of the form
	termsField    = "texte"    // the hash of the terms that were linked
	totalField    = "total"    // what the page said, in cents
)

// An orderBody is what the page of an order shows.
type orderBody struct {
	Action  string
	Problem string // what could not be done, in a sentence; "" for nothing
	Test    bool   // nothing is really paid
	Resume  string // where an order is paid that waits, as the action of a form; "" for none
	Cannot  string // why nothing can be ordered, in a sentence; "" if it can

	Form    billing.OrderForm
	Fields  detailFields
	Limits  account.Limits
	Price   *price    // nil before the country is known: without a total there is nothing to order
	RatesOf time.Time // when the rates of the estimate were looked up
	Terms   string    // where the terms are
	Foreign bool      // they are French and the page is not
}

// ShowOrder shows the form. Whoever needs not order sees the plan.
func (p *Pages) ShowOrder(r *page.Request) (*page.Answer, error) {
	ov, err := p.overview(r)
	switch {
	case err != nil:
		return nil, err
	case ov == nil || errors.Is(ov.CannotBuy, billing.ErrSubscribed) || errors.Is(ov.CannotBuy, billing.ErrGiven):
		return page.GoTo(r.At(address.Plan), "")
	}
	f := billing.OrderForm{ID: billing.NewOrderID()}
	if known, err := p.Billing.Details(r.Context(), r.By, r.Account.ID); err != nil {
		return nil, err
	} else if known != nil { // who orders again need not type again
		f.Details = *known
	}
	return page.Show(p.orderBody(r, ov, f))
}

// orderBody is the page with a form as it was filled in.
func (p *Pages) orderBody(r *page.Request, ov *billing.Overview, f billing.OrderForm) orderBody {
	l := account.Language(r.Text.String())
	terms := p.Billing.Terms(l)
	f.Terms, f.Language = terms.Hash, l
	body := orderBody{
		Action: r.At(address.PlanOrder), Form: f, Fields: newDetailFields(r, f.Details),
		Limits: account.Pro.Limits(), Terms: r.At(address.Terms), Foreign: terms.Language != l,
	}
	body.RatesOf, _ = time.Parse(time.DateOnly, billing.RatesOf)
	if why, ok := problemOf(ov.CannotBuy); ok {
		body.Cannot = r.Text.Must(why.text)
	}
	body.Test = ov.Test
	if ov.Checkout != nil {
		body.Resume = r.At(address.Plan)
	}
	return body
}

// typedOrder is the form as it was sent.
func typedOrder(r *page.Request) billing.OrderForm {
	total, err := strconv.ParseInt(r.Field(totalField), 10, 64)
	if err != nil {
		total = 0 // no total was shown
	}
	return billing.OrderForm{
		ID: r.Field(formField), Language: account.Language(r.Text.String()), Details: typedDetails(r),
		Business: r.Form.Has(businessField), Accepted: r.Form.Has(acceptField), Terms: r.Field(termsField), Total: total,
	}
}

// ShowTotal shows what a month costs, before anything is ordered.
func (p *Pages) ShowTotal(r *page.Request) (*page.Answer, error) {
	if p.Billing == nil {
		return page.GoTo(r.At(address.Plan), "")
	}
	f := typedOrder(r)
	_, faults := p.Billing.Total(f)
	return p.orderAgain(r, f, faults, "", http.StatusOK)
}

// Order orders, and shows the way to the page on which that is paid.
func (p *Pages) Order(r *page.Request) (*page.Answer, error) {
	f := typedOrder(r)
	err := p.mayAsk(r)
	var checkout billing.Checkout
	if err == nil {
		checkout, err = p.Billing.Order(r.Context(), r.By, r.Account.ID, f)
	}
	lacks, _ := errors.AsType[*billing.OrderError](err)
	switch {
	case err == nil:
		vat, _ := p.Billing.Total(f)
		return p.leaveToPay(r, checkout, newPrice(r, vat))
	case lacks != nil:
		return p.orderAgain(r, f, lacks.Faults, "", http.StatusUnprocessableEntity)
	case errors.Is(err, billing.ErrSubscribed):
		return p.openPortal(r, "leave.subscribed")
	}
	status, text, ok := problemSentence(r, err)
	if !ok {
		return nil, err
	}
	if errors.Is(err, billing.ErrOrdered) {
		f.ID = billing.NewOrderID() // the one of the form is taken
	}
	return p.orderAgain(r, f, nil, text, status)
}

// orderAgain shows the form as it was filled in, with what it lacks and what it costs.
func (p *Pages) orderAgain(r *page.Request, f billing.OrderForm, faults []billing.Fault, problem string, status int) (*page.Answer, error) {
	ov, err := p.overview(r)
	switch {
	case err != nil:
		return nil, err
	case ov == nil:
		return page.GoTo(r.At(address.Plan), "")
	}
	body := p.orderBody(r, ov, f)
	body.Problem = problem
	vat, unknown := p.Billing.Total(f)
	body.Form.Total = 0
	if unknown == nil {
		body.Price, body.Form.Total = newPrice(r, vat), vat.Total
	}
	if slices.Contains(faults, billing.FaultForm) {
		body.Form.ID = billing.NewOrderID()
	}
	wrong := fieldErrors(r, faults, f.Details)
	if wrong != nil {
		status = http.StatusUnprocessableEntity
	}
	return &page.Answer{Status: status, Body: body, FieldErrors: wrong}, nil
}
