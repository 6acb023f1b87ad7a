package stripefake

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
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
		var found []listedSubscription
		for _, sub := range slices.Backward(s.subscriptions) {
			if customer == "" || sub.Customer == customer {
				listed := listedSubscription{Subscription: clone(sub), Customer: sub.Customer}
				if expands(form, "data.latest_invoice") {
					listed.LatestInvoice = s.newest(sub)
				}
				if expands(form, "data.customer.tax_ids") {
					listed.Customer = s.withTaxIDs(sub.Customer)
				}
				found = append(found, listed)
			}
		}
		return page("/v1/subscriptions", found, form, func(sub listedSubscription) string { return sub.ID })
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
		if form.Get("expand[0]") == "default_payment_method" {
			read.DefaultPayment = PaymentMethod{
				ID: "pm_" + sub.ID, Object: "payment_method", Type: "card",
				Card: Card{Brand: "visa", ExpMonth: 12, ExpYear: 2034, Last4: "4242"},
			}
		}
		return read, nil
	},
}

// A listedSubscription has its customer whole where that was asked for.
type listedSubscription struct {
	Subscription
	Customer any `json:"customer"`
}

// expands reports whether a form asks for an object instead of its id.
func expands(form url.Values, what string) bool {
	for key, values := range form {
		if strings.HasPrefix(key, "expand[") && slices.Contains(values, what) {
			return true
		}
	}
	return false
}

// withTaxIDs returns a customer with its tax ids, which Stripe leaves out unless they are asked for.
func (s *Server) withTaxIDs(id string) any {
	c := s.customer(id)
	if c == nil || c.Deleted {
		return c
	}
	return struct {
		ID      string      `json:"id"`
		Object  string      `json:"object"`
		TaxIDs  List[TaxID] `json:"tax_ids"`
		Created int64       `json:"created"`
	}{c.ID, c.Object, listOf("/v1/customers/"+c.ID+"/tax_ids", s.taxIDsOf(id)...), c.Created}
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
