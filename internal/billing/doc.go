// Package billing has the rules of payment: what a subscription gives an account, who may buy, and
// what becomes of an account whose payments stop. It knows no provider and no database: a Provider
// takes payments, and a Store keeps what it last said.
//
// What the provider says now decides, never what an event or a page's address claims: an event only
// names whose subscription is to be asked for.
//
// Begin with Service. The package sends no mail, holds no card and believes no browser.
//
// Read the files in this order:
//
//   - bill.go, invoice.go, subscription.go, paid.go, statement.go, texts.go, order.go, provider.go: what is ordered, paid and said about it
//   - vat.go, places.go, number.go: an estimate of the tax, where none is sold, and numbers of businesses
//   - notice.go, jobs.go, queue.go, store.go: what is kept, and what jobs do
//   - service.go: Service, and what owners see
//   - refusal.go, price.go, tax.go, vatnumber.go, state.go, offer.go, refund.go, sync.go, checkout.go, ordering.go, view.go: asking the
//     provider, and what its answers are compared with
//   - events.go, mail.go, leave.go: what jobs do
//   - reconcile.go: comparing both sides
//   - setup.go, check.go: how the provider is set up, and what of it is wrong
package billing
