package stripefake

import "net/http"

// routes are the calls of Stripe's interface that package stripe makes, the pages, and the controls.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, c := range map[string]call{
		"POST /v1/customers":               createCustomer,
		"GET /v1/customers/{id}":           readCustomer,
		"POST /v1/customers/{id}":          updateCustomer,
		"GET /v1/prices/{id}":              readPrice,
		"POST /v1/checkout/sessions":       createCheckout,
		"GET /v1/checkout/sessions/{id}":   readCheckout,
		"POST /v1/billing_portal/sessions": createPortal,
		"GET /v1/subscriptions":            listSubscriptions,
		"POST /v1/subscriptions/{id}":      updateSubscription,
		"DELETE /v1/subscriptions/{id}":    endSubscription,
		"GET /v1/invoices":                 listInvoices,
	} {
		mux.Handle(pattern, s.handle(c))
	}
	mux.HandleFunc("GET /checkout/{id}", s.showCheckout)
	mux.HandleFunc("POST /checkout/{id}", s.payCheckout)
	mux.HandleFunc("GET /portal/{id}", s.showPortal)
	mux.HandleFunc("POST /_control/{verb}", s.control)
	mux.HandleFunc("GET /_control/state", s.state)
	return mux
}
