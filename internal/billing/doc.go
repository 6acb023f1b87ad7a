// Package billing has the rules of payment: what a subscription gives an account, who may buy, and
// what happens to an account whose payments stop. It depends on no particular provider or database:
// a Provider takes payments, and a Store keeps what it last said.
//
// Only the provider's current state decides, never what an event or a page's address claims: an
// event only names the customer whose subscriptions to fetch.
//
// Begin with Service. The package sends no mail, holds no card and believes no browser.
//
// Read the files in this order:
//
//   - scheme.go, invoice.go, subscription.go, paid.go, statement.go, texts.go,
//     details.go, order.go, issued.go, provider.go: orders, payments and documents, and what a Provider can do
//   - vat.go, places.go, number.go, whole.go: estimates the tax, knows where nothing is sold, checks business numbers
//     and order details
//   - jobs.go, notice.go, store.go: what is stored, and the arguments of the jobs
//   - service.go: Service, and what owners see
//   - binding.go, price.go, tax.go, payer.go, mailing.go, vatnumber.go, state.go, offer.go, ended.go, refund.go,
//     compare.go, leave.go, sync.go, cancel.go, checkout.go, ordering.go, view.go: asks the provider, and checks its
//     answers
//   - events.go, mail.go: takes the provider's events, and sends the mails about subscriptions
//   - report.go, reconcile.go, adopt.go: compares both sides, and moves customers to another account at the provider
//   - export.go: lists every invoice and credit note, for the books
//   - setup.go, check.go, making.go: describes how the provider is set up, finds faults in it, and sets it up
package billing
