package stripe

import (
	"context"
	"net/http"

	stripego "github.com/stripe/stripe-go/v86"

	"github.com/palmares-hq/palmares/internal/billing"
)

// bill returns what an invoice says about its tax; the zero Bill for a draft, whose tax is computed when it
// becomes final (docs.stripe.com/tax/invoicing).
func bill(latest *stripego.Invoice) (b billing.Bill) {
	if latest == nil || latest.Status == stripego.InvoiceStatusDraft {
		return b
	}
	if at := latest.CustomerAddress; at != nil {
		b.Country, b.Postcode = at.Country, at.PostalCode
	}
	for _, id := range latest.CustomerTaxIDs {
		b.VATNumber = b.VATNumber || id != nil && id.Type != nil && *id.Type == stripego.TaxIDTypeEUVAT
	}
	for _, tax := range latest.TotalTaxes {
		b.NotSupported = b.NotSupported || tax.TaxabilityReason == stripego.InvoiceTotalTaxTaxabilityReasonNotSupported
	}
	return b
}

// addVATNumbers adds to a subscription how many VAT numbers its customer has, and the first unverified one, which the
// register does not know, or not with this name. Stripe leaves the tax out whatever the state of a number, and removes
// none by itself (docs.stripe.com/billing/customer/tax-ids, docs.stripe.com/tax/zero-tax). A pending or unavailable
// number has not been compared yet.
func addVATNumbers(s *billing.Subscription, customer *stripego.Customer) {
	if customer == nil || customer.TaxIDs == nil {
		return
	}
	for _, id := range customer.TaxIDs.Data {
		if id.Type != stripego.TaxIDTypeEUVAT || id.Deleted {
			continue
		}
		s.VATNumbers++
		if v := id.Verification; s.VATRefused == "" && v != nil && v.Status == stripego.TaxIDVerificationStatusUnverified {
			s.VATRefused = id.ID
		}
	}
}

// RemoveVATNumber implements billing.Provider. Final invoices stay as they are; later ones have the tax
// (docs.stripe.com/api/tax_ids/customer_delete).
func (c *Client) RemoveVATNumber(ctx context.Context, customer, id string) error {
	var gone stripego.TaxID
	path := stripego.FormatURLPath("/v1/customers/%s/tax_ids/%s", customer, id)
	err := c.call(ctx, http.MethodDelete, path, &stripego.TaxIDDeleteParams{}, &gone)
	if isMissing(err) { // somebody else removed it
		return nil
	}
	return explain("removing a VAT number", requireField(gone.ID, err))
}

// setVATNumber replaces a customer's VAT numbers with this one, or removes them for "". It adds the new one before it
// removes the old ones, so that an invoice in between leaves the tax out as well.
func (c *Client) setVATNumber(ctx context.Context, customer, number string) error {
	path := stripego.FormatURLPath("/v1/customers/%s/tax_ids", customer)
	there := false
	var others []string
	for id, err := range list(ctx, c, path, &stripego.TaxIDListParams{}, func(t *stripego.TaxID) string { return t.ID }) {
		switch {
		case err != nil:
			return explain("listing VAT numbers", err)
		case id.Type != stripego.TaxIDTypeEUVAT:
		case id.Value == number:
			there = true
		default:
			others = append(others, id.ID)
		}
	}
	if number != "" && !there {
		var made stripego.TaxID
		err := c.call(ctx, http.MethodPost, path, &stripego.TaxIDCreateParams{Type: new(string(stripego.TaxIDTypeEUVAT)), Value: new(number)}, &made)
		if err := explain("adding a VAT number", requireField(made.ID, err)); err != nil {
			return err
		}
	}
	for _, id := range others {
		if err := c.RemoveVATNumber(ctx, customer, id); err != nil {
			return err
		}
	}
	return nil
}
