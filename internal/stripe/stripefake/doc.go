// Package stripefake stands in for Stripe: an HTTP server with state and the few calls that package
// stripe makes. It has customers and their tax ids, products and prices, what a seller sets up,
// checkouts, subscriptions, invoices and credit notes, honours idempotency keys, refuses parameters
// it does not know, and signs events, which it sends late, twice and out of order. Its user moves
// time, fails payments, and makes it unreachable. Rules that Stripe documents have the URL beside
// them.
//
// It is for tests and for make journey, which drives a browser: one page stands for Stripe's checkout
// and one for its portal. The tests of package stripe check against stripe-mock that its requests and
// answers look like Stripe's.
//
// Read object.go, setup.go, invoice.go, fault.go, sender.go and server.go, then idempotency.go,
// request.go, event.go and lookup.go; what happens: taxids.go, tax.go, buyers.go, status.go, charges.go,
// invoicing.go, collecting.go, life.go, amounts.go, and creditnotes.go; the other calls in
// customers.go, erasing.go, prices.go, checkouts.go, subscriptions.go, invoices.go and setupcalls.go; and last pages.go, control.go
// and routes.go.
package stripefake
