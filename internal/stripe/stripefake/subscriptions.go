package stripefake

import (
	"net/url"
	"slices"
	"strconv"
)

var listSubscriptions = call{
	params: []string{"customer", "expand[]", "limit", "starting_after", "status"},
	do: func(s *Server, _ string, form url.Values) (any, error) {
		customer := form.Get("customer")
		if form.Has("customer") && s.customer(customer) == nil {
			return nil, s.checkCustomer(form)
		}
		if form.Get("status") != "all" {
			return nil, invalid("status", "", "Invalid status: this server knows all")
		}
		var found []Subscription
		for _, sub := range slices.Backward(s.subscriptions) {
			if customer == "" || sub.Customer == customer {
				listed := clone(sub)
				if form.Get("expand[0]") == "data.latest_invoice" {
					listed.LatestInvoice = find(s.invoices, func(i *Invoice) bool { return i.ID == sub.LatestInvoice })
				}
				found = append(found, listed)
			}
		}
		return page("/v1/subscriptions", found, form, func(sub Subscription) string { return sub.ID })
	},
}

var listInvoices = call{
	params: []string{"limit", "starting_after", "status", "subscription"},
	do: func(s *Server, _ string, form url.Values) (any, error) {
		if form.Get("status") != "open" {
			return nil, invalid("status", "", "Invalid status: this server knows open")
		}
		var found []Invoice
		for _, i := range slices.Backward(s.open(form.Get("subscription"))) {
			found = append(found, *i)
		}
		return page("/v1/invoices", found, form, func(i Invoice) string { return i.ID })
	},
}

// page returns the part of a list that a form asks for.
func page[T any](path string, all []T, form url.Values, id func(T) string) (any, error) {
	limit, err := strconv.Atoi(or(form.Get("limit"), "10"))
	if err != nil || limit < 1 || limit > 100 {
		return nil, invalid("limit", "", "Invalid limit")
	}
	if after := form.Get("starting_after"); after != "" {
		at := slices.IndexFunc(all, func(t T) bool { return id(t) == after })
		if at < 0 {
			return nil, invalid("starting_after", "resource_missing", "No such object: '%s'", after)
		}
		all = all[at+1:]
	}
	list := listOf(path, all[:min(limit, len(all))]...)
	list.HasMore = len(all) > limit
	return list, nil
}

var updateSubscription = call{
	params: []string{"cancel_at", "cancel_at_period_end"},
	do: func(s *Server, id string, form url.Values) (any, error) {
		sub := s.subscription(id)
		switch {
		case sub == nil:
			return nil, noSuch("subscription", id)
		case sub.over():
			return nil, invalid("", "", "A canceled subscription can only update its cancellation_details and metadata.")
		case form.Has("cancel_at") && form.Has("cancel_at_period_end"):
			return nil, invalid("cancel_at", "", "You may only specify one of these parameters: cancel_at, cancel_at_period_end.")
		case form.Has("cancel_at"):
			if form.Get("cancel_at") != "" {
				return nil, invalid("cancel_at", "", "Invalid cancel_at: this server can only clear it")
			}
			sub.CancelAt, sub.CanceledAt, sub.CancelAtPeriodEnd = nil, nil, false
			s.emit("customer.subscription.updated", sub.Customer, sub)
		default:
			cancel, err := strconv.ParseBool(form.Get("cancel_at_period_end"))
			if err != nil {
				return nil, invalid("cancel_at_period_end", "", "Invalid boolean")
			}
			s.setFlag(sub, cancel)
		}
		return sub, nil
	},
}

var endSubscription = call{
	do: func(s *Server, id string, _ url.Values) (any, error) {
		sub := s.subscription(id)
		if sub == nil || sub.over() {
			return nil, noSuch("subscription", id)
		}
		s.setStatus(sub, "canceled")
		return sub, nil
	},
}
