package stripefake

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
)

var invoiceStates = []string{"draft", "open", "paid", "uncollectible", "void"}

// listInvoices lists the invoices made within a time, of a customer, of a subscription and in a state, in any
// combination: https://docs.stripe.com/api/invoices/list
var listInvoices = call{
	params: append([]string{"customer", "limit", "starting_after", "status", "subscription"}, createdParams...),
	do: func(s *Server, _ string, form url.Values) (any, error) {
		status := form.Get("status")
		if form.Has("status") && !slices.Contains(invoiceStates, status) {
			return nil, invalid("status", "", "Invalid status: must be one of %v", invoiceStates)
		}
		if form.Has("customer") && s.customer(form.Get("customer")) == nil {
			return nil, s.checkCustomer(form)
		}
		within, err := created(form)
		if err != nil {
			return nil, err
		}
		var found []*Invoice
		for _, i := range slices.Backward(s.invoices) {
			if (status == "" || i.Status == status) && within(i.Created) &&
				(!form.Has("customer") || i.Customer == form.Get("customer")) &&
				(!form.Has("subscription") || i.subscription() == form.Get("subscription")) {
				found = append(found, i)
			}
		}
		return page("/v1/invoices", found, form, func(i *Invoice) string { return i.ID })
	},
}

var readInvoice = call{
	do: func(s *Server, id string, _ url.Values) (any, error) {
		if i := find(s.invoices, func(i *Invoice) bool { return i.ID == id }); i != nil {
			return i, nil
		}
		return nil, noSuch("invoice", id)
	},
}

// updateInvoice stops or resumes the automatic collection of a draft or open invoice
// (https://docs.stripe.com/invoicing/integration/automatic-advancement-collection), or changes the metadata of any
// invoice (https://docs.stripe.com/api/invoices/update).
var updateInvoice = call{
	params: []string{"auto_advance", "metadata[]"},
	do: func(s *Server, id string, form url.Values) (any, error) {
		i := find(s.invoices, func(i *Invoice) bool { return i.ID == id })
		advance, err := strconv.ParseBool(form.Get("auto_advance"))
		switch {
		case i == nil:
			return nil, noSuch("invoice", id)
		case !form.Has("auto_advance"):
			maps.Copy(i.Metadata, metadata(form, "metadata"))
			s.emit("invoice.updated", i.Customer, i)
			return i, nil
		case err != nil:
			return nil, invalid("auto_advance", "", "Invalid boolean")
		case i.Status != "draft" && i.Status != "open":
			return nil, invalid("auto_advance", "invoice_not_editable", "This invoice is %s and can no longer be changed.", i.Status)
		}
		i.AutoAdvance = advance
		s.emit("invoice.updated", i.Customer, i)
		return i, nil
	},
}

// voidInvoice voids an invoice: https://docs.stripe.com/api/invoices/void
var voidInvoice = call{
	do: func(s *Server, id string, _ url.Values) (any, error) {
		i := find(s.invoices, func(i *Invoice) bool { return i.ID == id })
		if i == nil {
			return nil, noSuch("invoice", id)
		}
		return i, s.void(i)
	},
}
