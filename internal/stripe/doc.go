// Package stripe takes payments through Stripe: it implements billing.Provider. Nothing of Stripe's
// library leaves it, and no error of it holds a key or anything about a person.
//
// The program is written for one version of Stripe's interface, that of the library. Every request
// names it, so the version that is set in Stripe's account does not matter; the version of events is
// that of the endpoint they are sent to, and it may differ.
//
// Begin with New. The package decides nothing about plans, keeps nothing, and logs nothing.
//
// Read mode.go, error.go, client.go and call.go, then customer.go, price.go, tax.go, invoice.go,
// checkout.go, refund.go, issued.go, erase.go, subscription.go, statement.go and document.go, event.go, and last setup.go and making.go.
package stripe
