// Package api is the JSON API: its routes, parameters, headers and errors. openapi.yaml is the
// contract. It is written first, and the tests check every response against it.
//
// Begin at routes, the table of all paths and their operations, and at API.get, which handles a request. The
// package answers from the snapshot in memory: it never sees the database, and asks Redis only through
// package quota.
//
// Read the files in this order; each uses only those before it.
//
//   - header.go, error.go: the headers of every response, CORS, and the errors
//   - response.go: a response and its variants, one per encoding
//   - endpoints.go, openapi.go: the endpoints, whose parameters package params reads
//   - route.go, router.go, index.go: the table of routes, the path of a request, and the index of the operations
//   - cache.go: the cached responses of a snapshot
//   - auth.go: who sent a request
//   - charge.go, usage.go: charging a request to a quota, and the usage report
//   - api.go: how a request goes through all of this
//   - downloads.go: requests for the files that package export makes
//   - admit.go: keys, quotas and headers for another surface
//   - show.go: the contract and real responses, for the documentation
package api
