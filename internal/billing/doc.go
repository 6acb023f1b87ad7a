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
//   - scheme.go, invoice.go, subscription.go, paid.go, statement.go, texts.go,
//     details.go, order.go, issued.go, provider.go: what is ordered, paid and said about it
//   - vat.go, places.go, number.go, whole.go: an estimate of the tax, where none is sold, numbers of businesses, and what
//     details lack
//   - jobs.go, notice.go, store.go: what is kept, and what jobs do
//   - service.go: Service, and what owners see
//   - binding.go, price.go, tax.go, payer.go, mailing.go, vatnumber.go, state.go, offer.go, ended.go, refund.go,
//     compare.go, leave.go, sync.go, cancel.go, checkout.go, ordering.go, view.go: asking the provider, and what its
//     answers are compared with
//   - events.go, mail.go: what comes from the provider, and what jobs do
//   - report.go, reconcile.go, adopt.go: comparing both sides, and moving to another account
//   - export.go: all that was invoiced, for the books
//   - setup.go, check.go, making.go: how the provider is set up, what of it is wrong, and making it
package billing
