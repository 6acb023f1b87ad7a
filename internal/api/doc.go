// Package api is the JSON API: its routes, parameters, headers and errors. openapi.yaml is the
// contract. It is written first, and the tests check every response against it.
//
// Begin at routes, the table of all paths with what answers them, and at API.get, the way of a request. The
// package answers from the snapshot in memory alone: it never sees the database, and asks Redis only
// through package quota.
//
// Read the files in this order; each uses only those before it.
//
//   - header.go, error.go, cors.go: the headers of every response, and the errors
//   - links.go: the links between the pages of a list
//   - limiter.go, response.go: a response and its variants, one per encoding
//   - tools.go, comparatifs.go, pricing.go, facts.go, cimetiere.go, overview.go, embeddings.go, changes.go,
//     files.go, openapi.go: the endpoints, whose parameters package params reads
//   - route.go, meant.go, index.go: the routing table, the query that a request comes down to, slips in
//     paths, and the index of the operations
//   - cache.go, caches.go: the cached responses of a snapshot
//   - auth.go, keyauth.go: who sent a request
//   - charge.go, usage.go: what it costs, and what was used
//   - api.go: how a request goes through all of this
//   - getchanges.go, downloads.go: how one for the change log does, and one for a file, which package export makes
//   - admit.go: how another surface answers on the same terms
//   - show.go: the contract and real answers, for the documentation
package api
