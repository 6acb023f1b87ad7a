// Package stripefake stands in for Stripe: an HTTP server with the few calls that package stripe
// makes, and a state. It knows customers, a price, checkouts, subscriptions and invoices, honours
// idempotency keys, refuses parameters it does not know, and signs events. Whoever runs it moves
// time, fails payments and takes it away.
//
// It is for tests and for the journey of a browser: a page stands for Stripe's checkout and one for
// its portal. That its requests and answers look like Stripe's is checked against stripe-mock, in the
// tests of package stripe.
//
// Read object.go, record.go, fault.go, sender.go and server.go, then idempotency.go and request.go,
// event.go and life.go, the calls in customers.go, checkouts.go and subscriptions.go, and last
// pages.go, control.go and routes.go.
package stripefake
