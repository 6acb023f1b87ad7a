package plan

import (
	"cmp"
	"errors"
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/portal/page"
)

// The form fields of the billing details, on the order page and the page that changes the details.
const (
	nameField      = "nom"
	countryField   = "pays"
	numberField    = "numero"
	lineField      = "adresse"
	line2Field     = "complement"
	postcodeField  = "postal"
	cityField      = "ville"
	regionField    = "region"
	emailField     = "facturation"
	referenceField = "reference"
)

// detailFields are the billing details as a page shows them.
type detailFields struct {
	billing.Details
	Countries []countryOption
	Unsold    string // the places we do not sell to, in words
}

// newDetailFields returns the fields for d. Without an e-mail address for invoices, it shows the account's own,
// which they then go to.
func newDetailFields(r *page.Request, d billing.Details) detailFields {
	d.Email = cmp.Or(d.Email, r.Account.Email)
	return detailFields{d, countries(r, d.Country), unsold(account.Language(r.Text.String()))}
}

// unsold lists the places we do not sell to. The last name is itself a pair with an "and", so commas are
// enough.
func unsold(l account.Language) string {
	var names []string
	for _, place := range billing.Territories() {
		names = append(names, place.Name(l))
	}
	return strings.Join(names, ", ")
}

// typedDetails returns the billing details typed into a form.
func typedDetails(r *page.Request) billing.Details {
	return billing.Details{
		Name: r.Field(nameField), Number: r.Field(numberField), Country: r.Field(countryField),
		Line1: r.Field(lineField), Line2: r.Field(line2Field), Postcode: r.Field(postcodeField), City: r.Field(cityField),
		Region: r.Field(regionField), Email: r.Field(emailField), Reference: r.Field(referenceField),
	}
}

// faultFields maps each fault of an order or its details to its form field.
var faultFields = map[billing.Fault]string{
	billing.FaultName: nameField, billing.FaultCountry: countryField, billing.FaultPlace: postcodeField,
	billing.FaultPostcode: postcodeField, billing.FaultNumber: numberField, billing.FaultSIREN: numberField,
	billing.FaultAddress: lineField, billing.FaultCity: cityField, billing.FaultLocation: postcodeField,
	billing.FaultEmail: emailField, billing.FaultReference: referenceField, billing.FaultTotal: totalField,
	billing.FaultBusiness: businessField, billing.FaultAccepted: acceptField, billing.FaultTerms: acceptField,
	billing.FaultForm: totalField,
}

// fieldErrors returns what is wrong with an order or its details; nil if nothing is.
func fieldErrors(r *page.Request, faults []billing.Fault, d billing.Details) (wrong []page.FieldError) {
	for _, fault := range faults {
		text := "order.error." + string(fault)
		said := r.Text.Must(text)
		if fault == billing.FaultPlace {
			place, _ := billing.NotSoldTo(d.Country, d.Postcode)
			said = r.Text.Must(text, place.Name(account.Language(r.Text.String())))
		}
		wrong = append(wrong, page.NewFieldError(faultFields[fault], said))
	}
	return wrong
}

// A detailsBody is what the page of the details shows.
type detailsBody struct {
	Action  string
	Problem string // a sentence that says what failed; "" for nothing
	Test    bool   // test mode: no real payments
	Fields  detailFields
}

// ShowDetails shows to whom invoices are made out. An account that is no customer yet has none, and is
// redirected to the plan.
func (p *Pages) ShowDetails(r *page.Request) (*page.Answer, error) {
	ov, err := p.overview(r)
	if err != nil {
		return nil, err
	}
	if ov == nil || !ov.Customer {
		return page.GoTo(r.At(address.Plan), "")
	}
	known, err := p.Billing.Details(r.Context(), r.By, r.Account.ID)
	if err != nil {
		return nil, err
	}
	var d billing.Details
	if known != nil {
		d = *known
	}
	return page.Show(p.detailsBody(r, ov, d))
}

func (p *Pages) detailsBody(r *page.Request, ov *billing.Overview, d billing.Details) detailsBody {
	return detailsBody{Action: r.At(address.PlanDetails), Test: ov.Test, Fields: newDetailFields(r, d)}
}

// SaveDetails changes to whom future invoices are made out.
func (p *Pages) SaveDetails(r *page.Request) (*page.Answer, error) {
	typed := typedDetails(r)
	err := p.countProviderCall(r)
	if err == nil {
		err = p.Billing.ChangeDetails(r.Context(), r.By, r.Account.ID, typed)
	}
	if err == nil {
		return page.GoTo(r.At(address.Plan), "plan-details")
	}
	answer := &page.Answer{Status: http.StatusUnprocessableEntity}
	var problem string
	if lacks, ok := errors.AsType[*billing.OrderError](err); ok {
		answer.FieldErrors = fieldErrors(r, lacks.Faults, typed)
	} else if answer.Status, problem, ok = problemSentence(r, err); !ok {
		return nil, err
	}
	ov, err := p.overview(r)
	switch {
	case err != nil:
		return nil, err
	case ov == nil:
		return page.GoTo(r.At(address.Plan), "")
	}
	body := p.detailsBody(r, ov, typed)
	body.Problem = problem
	answer.Body = body
	return answer, nil
}
