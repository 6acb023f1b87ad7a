// Package web is the HTTP layer that all surfaces share: the JSON interface, the site, the account pages
// and the endpoint for the payment provider's events. Begin at Response and Handler. It depends on no
// surface and on no engine.
//
// Read the files in this order:
//
//   - code.go, error.go: errors with a message and a code for the client and a cause for the log.
//   - proxies.go, requestid.go: the address of the client, and the id of the request.
//   - recorder.go: the ResponseWriter that handlers see, from which RequestID, ClientAddr and SetError
//     read and write.
//   - fields.go: sending headers and bodies made in advance, through package wire on its connections and
//     through net/http on others.
//   - response.go, download.go: a complete response of any surface, and the streaming of a large one.
//   - handler.go, mux.go: handlers return their errors. The cause is logged, and the surface's own
//     ErrorWriter sends the message, as JSON or as a page.
//   - metrics.go, accesslog.go, observe.go: the Observer, which wraps all surfaces.
//   - answers.go: a surface's responses counted by class of status.
//   - latency.go: percentiles of a surface's response times over the last hour.
//   - form.go: reading a submitted form.
//   - charge.go: the charge of a request on its caller's quota.
//
// Package negotiate chooses encodings and compares entity tags, package tracing makes spans, and
// package server runs servers. A node combines them as
//
//	server.New(server.Options{Handler: observer.Wrap(tracing.Wrap(mux, …)), …})
//
// Serving a response costs little more than net/http writing its bytes: there is one wrapper instead of
// a stack of them, its state is pooled, the request is never copied, and metric labels are resolved
// once.
package web
