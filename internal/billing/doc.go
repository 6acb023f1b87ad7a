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
//   - subscription.go, provider.go, vat.go: the types, and an estimate of the tax
//   - notice.go, jobs.go, queue.go, store.go: what is kept, and what jobs do
//   - service.go: Service, and what owners see
//   - price.go, state.go, sync.go, checkout.go: asking the provider
//   - events.go, mail.go, leave.go: what jobs do
//   - reconcile.go: comparing both sides
package billing
