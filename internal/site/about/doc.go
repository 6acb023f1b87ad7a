// Package about has the pages about the service itself: its plans, its status, and the pages that the
// operator writes.
//
// Begin with Plans, Written, Privacy, Method and Status: each makes a page of what it is given once, at the start.
// The package measures nothing on its own: a Status asks its sources while somebody reads, and never
// more often than every 15 s.
//
// Read the files in this order: plans.go, endcontract.go, operator.go, freshness.go, lag.go, status.go, about.go.
package about
