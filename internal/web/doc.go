// Package web is what every HTTP surface stands on: the JSON interface, the site, the account pages and
// the address of provider events. Begin at Response and Handler. It knows no surface, and no engine.
//
// Read the files in this order:
//
//   - error.go: errors with two faces, a message for the client and a cause for the log.
//   - proxies.go, requestid.go: who sent a request, and what it is called.
//   - recorder.go: the ResponseWriter that handlers see, which RequestID, ClientAddr and SetError
//     reach.
//   - fields.go: answers with headers and bodies made beforehand, which package wire sends where it
//     is beneath, and net/http elsewhere.
//   - response.go, download.go: a whole answer, of the JSON interface and of pages alike, and a large one.
//   - handler.go, mux.go: handlers return their errors. The cause is logged, and the surface's own
//     ErrorWriter sends the message, as JSON or as a page.
//   - metrics.go, accesslog.go, observe.go: the Observer, which wraps all surfaces.
//   - answers.go: what a surface answered, by class of status.
//   - latency.go: how long a surface took to answer during the last hour.
//   - form.go: what a form sends.
//   - charge.go: what a request costs its caller.
//
// Package negotiate chooses encodings and compares entity tags, package tracing makes spans, and
// package server runs servers. A node puts them together as
//
//	server.New(server.Options{Handler: observer.Wrap(tracing.Wrap(mux, …)), …})
//
// The read path costs little more than net/http writing bytes: there is one wrapper instead of a
// stack of them, its state is pooled, the request is never copied, and metric labels are resolved
// once.
package web
