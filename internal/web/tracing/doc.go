// Package tracing makes spans of a sample of the requests, and exports them over OTLP.
//
// Begin at Wrap, in wrap.go; provider.go makes the exporter. A span contains no client address, no query
// string and no API key.
package tracing
