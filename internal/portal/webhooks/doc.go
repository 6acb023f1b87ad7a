// Package webhooks is the account pages about webhooks: the list of endpoints, the page of an endpoint with its
// deliveries, and the page of a delivery with its attempts.
//
// Begin with Pages in pages.go: each handler is a method of it. webhook.Endpoints decides what an owner may do,
// and the pages show the result. A secret appears only in the response to the form that made it. Verifying and
// testing wait for the owner's server; those routes have page.Outside in package portal.
//
// Read the files in this order:
//
//   - hours.go: the last 24 hours as a drawing
//   - reason_texts.go, webhooks_texts.go: the texts
//   - pages.go: what the pages need, reasons of package webhook in words, and JSON as HTML
//   - deliveries.go: deliveries and their attempts
//   - endpoint.go, endpoint_actions.go: what the page of an endpoint shows, and what its forms do
//   - webhooks.go: the list of endpoints
package webhooks
