// Package negotiate chooses the encoding of a response body, compresses it, and compares entity
// tags: what a surface needs to answer with 200 in zstd or gzip, or with 304.
//
// Begin at ParseAccepted; accept.go, compress.go and etag.go stand alone. The package works on headers and
// bodies as values: it writes no response and keeps none.
package negotiate
