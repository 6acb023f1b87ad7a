// Package web is the HTTP plumbing under the JSON interface and the portal:
// errors with a public face, one observing wrapper (request id, recovery, access
// log, metrics), client addresses behind proxies, content codings and entity
// tags, sampled tracing, the admin pages, and serving with a graceful end.
//
// It is written for a read path that costs little more than net/http writing
// ready bytes. There is one wrapper instead of a stack of them, its state is
// pooled, the request is never copied, and metric labels are resolved once.
//
// Package wire, beneath net/http, sends the answers of handlers that ask for it with
// SetFields, SetField and WriteWhole.
//
// A server is put together from the outside in as
//
//	Observer.Wrap(Trace(options, mux))
package web
