// Package stripefake stands in for Stripe: an HTTP server with the few calls that package stripe
// makes, and a state. It knows customers and their tax ids, products and prices, what a seller sets up, checkouts, subscriptions, invoices
// and credit notes, honours idempotency keys, refuses parameters it does not know, and signs events,
// which it sends late, twice and out of order. Whoever runs it moves time, fails payments, and takes
// it away. Where Stripe documents what becomes of an object, the address stands beside the rule.
//
// It is for tests and for the journey of a browser: a page stands for Stripe's checkout and one for
// its portal. That its requests and answers look like Stripe's is checked against stripe-mock, in the
// tests of package stripe.
//
// Read object.go, setup.go, invoice.go, fault.go, sender.go and server.go, then idempotency.go,
// request.go, event.go and lookup.go; what happens: taxids.go, tax.go, buyers.go, status.go, charges.go,
// invoicing.go, collecting.go, life.go, amounts.go, and creditnotes.go; the other calls in
// customers.go, erasing.go, prices.go, checkouts.go, subscriptions.go, invoices.go and setupcalls.go; and last pages.go, control.go
// and routes.go.
package stripefake
