// Package workers has what a node with the role worker does in the background, as jobs in PostgreSQL: it sends the mails
// of the service, asks the payment provider about subscriptions and delivers webhooks.
//
// What a mail says is in package mail, what a subscription gives in package billing, and the rules about deliveries are in
// package webhook. This package fetches, sends, counts, and decides what becomes of what failed: mail that is refused for
// good is not sent again; mail whose link this node cannot make, because another secret made it, waits for another node; a
// job about a payment is never given up. No job and no line of the log holds an address.
//
// Read the files in this order:
//
//	workers.go         New, and what all mails share
//	signins.go         the mails of sign-ins, which wait for their turn
//	settings.go        mails about changes of address and deleted accounts
//	usage.go           the mail about quotas
//	reports.go         mails about errors that readers report
//	deliveries.go      webhooks, how far they are behind, and the mail about endpoints that were disabled
//	subscriptions.go   the mails about subscriptions
//	reconcile.go       compares all subscriptions with the provider's, every day
//	payments.go        asks the provider after its events, for accounts that leave, and every day
//	paymentmetrics.go  what billing finds, and whether the price is right
package workers
