// Package tracing makes spans of a sample of the requests, and exports them over OTLP.
package tracing
