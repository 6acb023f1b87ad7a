package stripefake

import (
	"net/url"
	"slices"
)

var invoiceStates = []string{"draft", "open", "paid", "uncollectible", "void"}

var listInvoices = call{
	params: []string{"customer", "limit", "starting_after", "status", "subscription"},
	do: func(s *Server, _ string, form url.Values) (any, error) {
		status := form.Get("status")
		if form.Has("status") && !slices.Contains(invoiceStates, status) {
			return nil, invalid("status", "", "Invalid status: must be one of %v", invoiceStates)
		}
		if form.Has("customer") && s.customer(form.Get("customer")) == nil {
			return nil, s.checkCustomer(form)
		}
		var found []Invoice
		for _, i := range slices.Backward(s.invoices) {
			if (status == "" || i.Status == status) &&
				(!form.Has("customer") || i.Customer == form.Get("customer")) &&
				(!form.Has("subscription") || i.subscription() == form.Get("subscription")) {
				found = append(found, *i)
			}
		}
		return page("/v1/invoices", found, form, func(i Invoice) string { return i.ID })
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

// voidInvoice makes an invoice void: https://docs.stripe.com/api/invoices/void
var voidInvoice = call{
	do: func(s *Server, id string, _ url.Values) (any, error) {
		i := find(s.invoices, func(i *Invoice) bool { return i.ID == id })
		if i == nil {
			return nil, noSuch("invoice", id)
		}
		return i, s.void(i)
	},
}
