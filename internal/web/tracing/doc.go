// Package tracing makes spans of a sample of the requests, and exports them over OTLP.
//
// Begin at Wrap, in wrap.go; provider.go makes what exports. A span tells nothing that the access log
// keeps to itself: no address, no query string, no key.
package tracing
