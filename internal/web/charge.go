package web

import "context"

// A Charge charges one request to the quota of its caller; nothing is charged until Count. Package api makes it for
// other surfaces.
type Charge interface {
	// Account returns the id of the caller's account; "" for a caller without a key.
	Account() string
	// Exhausted reports whether the quota is known to be used up.
	Exhausted() bool
	// Count counts the request and sets the headers of its quota. The error is the response: a 429, or a 503 before
	// there is a catalog.
	Count(ctx context.Context) error
	// Refuse returns the 429 for a quota that is used up, and sets its headers.
	Refuse() error
	// SetHeaders sets the headers of the quota for a request that is not counted.
	SetHeaders(ctx context.Context)
}
