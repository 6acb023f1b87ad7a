// Package workers has the background work of a node with the role worker, as jobs in PostgreSQL: it sends the mails of
// the service, asks the payment provider about subscriptions and delivers webhooks.
//
// Package mail has the texts of mails, package billing says what a subscription gives, and package webhook has the
// rules about deliveries. This package fetches, sends, counts, and handles failures: mail that is refused for good is
// not sent again; mail whose link needs another secret than this node has waits for another node; a job about a
// payment is never given up. No job and no line of the log holds an address.
//
// Read the files in this order:
//
//	workers.go         New, and what all mails share
//	signins.go         the mails for signing in, which wait for their turn
//	settings.go        mails about changes of address and deleted accounts
//	usage.go           the mail about quotas
//	digests.go         digests of lists of tools, which are sent at most once
//	reports.go         mails about errors that readers report
//	deliveries.go      webhooks, how far they are behind, and the mail about endpoints that were disabled
//	subscriptions.go   the mails about subscriptions
//	reconcile.go       compares all subscriptions with the provider's, every day
//	payments.go        asks the provider after its events, for deleted accounts, and every day
//	paymentmetrics.go  counts what billing finds, and watches the price
package workers
