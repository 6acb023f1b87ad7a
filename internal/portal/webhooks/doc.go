// Package webhooks is the account pages about webhooks: the list of endpoints, the page of one with
// its deliveries, and the page of a delivery with its attempts.
//
// Begin with Pages in pages.go: a handler is a method of it. webhook.Endpoints decides what an owner
// may do; the pages show what it answers. A secret is in the answer that made it and nowhere else.
// Verifying and testing wait for the owner's server, which package portal's list of routes says.
//
// Read the files in this order:
//
//   - reason_texts.go, webhooks_texts.go: the texts
//   - pages.go: what the pages stand on, how they write JSON, and reasons of package webhook
//   - deliveries.go: deliveries and their attempts
//   - endpoint.go, endpoint_actions.go: what the page of an endpoint shows, and what its forms do
//   - webhooks.go: the list of endpoints
package webhooks
