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

// The form fields of an order, besides those of the billing details.
const (
	businessField = "activite"
	acceptField   = "conditions"
	formField     = "commande" // the form's id, so that it orders once
	termsField    = "texte"    // the hash of the terms that were linked
	totalField    = "total"    // the total that the page showed, in cents
)

// An orderBody is what the page of an order shows.
type orderBody struct {
	Action  string
	Problem string // a sentence that says what failed; "" for nothing
	Test    bool   // test mode: no real payments
	Resume  string // the form action that leads to the payment of a pending order; "" for none
	Cannot  string // a sentence that says why nothing can be ordered; "" if it can

	Form    billing.OrderForm
	Fields  detailFields
	Limits  account.Limits
	Price   *price    // nil until the country is known; without a total nothing can be ordered
	RatesOf time.Time // when the rates of the estimate were looked up
	Terms   string    // the path of the terms
	Foreign bool      // the terms are in another language than the page
}

// ShowOrder shows the order form. An account that needs no order is redirected to the plan.
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
	} else if known != nil { // nobody has to type the details a second time
		f.Details = *known
	}
	return page.Show(p.orderBody(r, ov, f))
}

// orderBody returns the body of the page, with the form as it was filled in.
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

// typedOrder returns the order form as it was sent.
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

// Order places the order, and shows the link to the page where it is paid.
func (p *Pages) Order(r *page.Request) (*page.Answer, error) {
	f := typedOrder(r)
	err := p.countProviderCall(r)
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
		f.ID = billing.NewOrderID() // the form's id is used up
	}
	return p.orderAgain(r, f, nil, text, status)
}

// orderAgain shows the form as it was filled in, with its faults and the price.
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
