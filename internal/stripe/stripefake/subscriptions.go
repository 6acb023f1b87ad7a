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
		var found []*Subscription
		for _, sub := range slices.Backward(s.subscriptions) {
			if customer == "" || sub.Customer == customer {
				found = append(found, sub)
			}
		}
		invoices, whole := expands(form, "data.latest_invoice"), expands(form, "data.customer.tax_ids")
		id := func(sub *Subscription) string { return sub.ID }
		return pageOf("/v1/subscriptions", found, form, id, func(sub *Subscription) listedSubscription {
			listed := listedSubscription{Subscription: clone(sub), Customer: sub.Customer}
			if invoices {
				listed.LatestInvoice = s.newest(sub)
			}
			if whole {
				listed.Customer = s.withTaxIDs(sub.Customer)
			}
			return listed
		})
	},
}

var readSubscription = call{
	params: []string{"expand[]"},
	do: func(s *Server, id string, form url.Values) (any, error) {
		sub := s.subscription(id)
		if sub == nil {
			return nil, noSuch("subscription", id)
		}
		read := clone(sub)
		if sub.method != nil {
			read.DefaultPayment = sub.method.ID
			if form.Get("expand[0]") == "default_payment_method" {
				read.DefaultPayment = sub.method
			}
		}
		return read, nil
	},
}

// A listedSubscription is a subscription in a list, with the whole customer if that was asked for.
type listedSubscription struct {
	Subscription
	Customer any `json:"customer"`
}

// withTaxIDs returns a customer with its tax ids, which Stripe leaves out unless they are asked for.
func (s *Server) withTaxIDs(id string) any {
	c := s.customer(id)
	if c == nil || c.Deleted {
		return c
	}
	whole, ids := *c, listOf("/v1/customers/"+c.ID+"/tax_ids", s.taxIDsOf(id)...)
	whole.TaxIDs = &ids
	return whole
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
