// Package stripe takes payments through Stripe: it implements billing.Provider. Its interface exposes
// no type of Stripe's library, and its errors hold neither a key nor anything about a person.
//
// The program is written for one version of Stripe's API, that of the library. Every request names
// it, so the version set in the Stripe account does not matter. Events have the version of the
// endpoint they are sent to, which may differ.
//
// Begin with New. The package decides nothing about plans, keeps nothing, and logs nothing.
//
// Read mode.go, error.go, client.go and call.go, then customer.go, price.go, tax.go, invoice.go,
// checkout.go, refund.go, issued.go, erase.go, subscription.go, statement.go and document.go, event.go, and last setup.go and making.go.
package stripe
