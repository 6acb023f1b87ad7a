// Package api is the JSON API: its routes, parameters, headers and errors. openapi.yaml is the
// contract. It is written first, and the tests check every response against it.
//
// Begin at routes, the table of all paths with what answers them, and at API.get, the way of a request. The
// package answers from the snapshot in memory alone: it never sees the database, and asks Redis only
// through package quota.
//
// Read the files in this order; each uses only those before it.
//
//   - header.go, error.go: the headers of every response, CORS, and the errors
//   - response.go: a response and its variants, one per encoding
//   - endpoints.go, openapi.go: the endpoints, whose parameters package params reads
//   - route.go, router.go, index.go: the table of routes, the path of a request, and the index of the operations
//   - cache.go: the cached responses of a snapshot
//   - auth.go: who sent a request
//   - charge.go, usage.go: what it costs, and what was used
//   - api.go: how a request goes through all of this
//   - downloads.go: how one for a file does, which package export makes
//   - admit.go: how another surface answers on the same terms
//   - show.go: the contract and real answers, for the documentation
package api
