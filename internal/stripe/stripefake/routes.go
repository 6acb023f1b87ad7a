package stripefake

import (
	"net/http"
	"net/url"
)

// routes returns the handler of the calls of Stripe's API that package stripe makes, the pages, and the controls.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, c := range map[string]call{
		"POST /v1/customers":                     createCustomer,
		"GET /v1/customers/{id}":                 readCustomer,
		"POST /v1/customers/{id}":                updateCustomer,
		"GET /v1/prices/{id}":                    readPrice,
		"POST /v1/prices/{id}":                   updatePrice,
		"POST /v1/checkout/sessions":             createCheckout,
		"GET /v1/checkout/sessions/{id}":         readCheckout,
		"POST /v1/billing_portal/sessions":       createPortal,
		"GET /v1/subscriptions":                  listSubscriptions,
		"GET /v1/subscriptions/{id}":             readSubscription,
		"POST /v1/subscriptions/{id}":            updateSubscription,
		"DELETE /v1/subscriptions/{id}":          endSubscription,
		"POST /v1/checkout/sessions/{id}/expire": expireCheckout,
		"GET /v1/invoices":                       listInvoices,
		"GET /v1/invoices/{id}":                  readInvoice,
		"POST /v1/invoices/{id}":                 updateInvoice,
		"POST /v1/invoices/{id}/void":            voidInvoice,
		"DELETE /v1/customers/{id}":              deleteCustomer,
		"GET /v1/customers/{id}/payment_methods": listPaymentMethods,
		"POST /v1/payment_methods/{id}/detach":   detachPaymentMethod,
		"GET /v1/charges":                        listCharges,
		"GET /v1/charges/{id}":                   readCharge,
		"GET /v1/credit_notes":                   listCreditNotes,
		"POST /v1/credit_notes":                  createCreditNote,
		"GET /v1/credit_notes/{id}":              readCreditNote,
		"POST /v1/credit_notes/{id}":             updateCreditNote,
		"GET /v1/customers/{id}/tax_ids":         listTaxIDs,
		"POST /v1/customers/{id}/tax_ids":        createTaxID,
	} {
		mux.Handle(pattern, s.handle(c))
	}
	for pattern, c := range setupCalls {
		mux.Handle(pattern, s.handle(c))
	}
	mux.HandleFunc("DELETE /v1/customers/{id}/tax_ids/{part}", func(w http.ResponseWriter, r *http.Request) {
		s.handle(call{do: func(s *Server, id string, _ url.Values) (any, error) {
			return deleteTaxID(s, id, r.PathValue("part"))
		}}).ServeHTTP(w, r)
	})
	mux.HandleFunc("GET /invoice/{id}", s.showInvoice)
	mux.HandleFunc("POST /invoice/{id}", s.payPage)
	mux.HandleFunc("GET /checkout/{id}", s.showCheckout)
	mux.HandleFunc("POST /checkout/{id}", s.payCheckout)
	mux.HandleFunc("GET /portal/{id}", s.showPortal)
	mux.HandleFunc("POST /_control/{verb}", s.control)
	mux.HandleFunc("GET /_control/state", s.state)
	return mux
}
