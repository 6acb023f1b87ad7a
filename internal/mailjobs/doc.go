// Package mailjobs sends the mails of the service, as jobs: those of sign-ins, about settings, quotas,
// subscriptions, errors that readers report and endpoints that were disabled.
//
// What a mail says is in package mail, and whether it may be sent in the packages that ask for it: this
// package fetches, sends and counts, and decides nothing but what becomes of a mail that was not sent. A
// mail that is refused for good is not sent again; one whose link this node cannot make, because another
// secret made it, waits for another node. No job and no line of the log holds an address.
//
// Read the files in this order:
//
//	mailjobs.go  New, and what all mails share
//	turns.go     sign-in mails that wait for their turn
//	signins.go   the mails of sign-ins
//	settings.go  mails about changes of address and deleted accounts
//	usage.go     the mail about quotas
//	reports.go   mails about errors that readers report
//	webhooks.go  the mail about endpoints that were disabled
//	billing.go   the mails about subscriptions
package mailjobs
