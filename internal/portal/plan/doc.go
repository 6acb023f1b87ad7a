// Package plan is the account pages of the plan and its payment: what the account has, what Pro costs, the way
// to the payment provider and back, and cancelling.
//
// Begin with Pages in pages.go: each handler is a method of it. Package billing decides which plan follows from
// which subscription. No page takes a payment: the provider's pages do. What a page says about a payment comes
// from the provider, never from a URL.
//
// Read the files in this order:
//
//   - pay_texts.go, order_texts.go, details_texts.go, statement_texts.go, plan_texts.go: the texts
//   - pages.go: what the pages need
//   - problem.go: what is known of a subscription, and sentences for the errors of package billing
//   - estimate.go, subscription.go: what Pro costs, and a subscription in words
//   - downgrade.go: what is suspended on Developer, and the keys that stay active
//   - cancel.go, payment.go, plan.go, statement.go, details.go, order.go: the pages
package plan
