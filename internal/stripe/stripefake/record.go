package stripefake

import "net/url"

// A Request is a call that the server got, and what it answered.
type Request struct {
	Method, Path string
	Form         url.Values // of the query or the body
	Status       int
	Answer       []byte
}

// An answer is that of a call with an idempotency key. Stripe keeps those of calls that were made,
// and not of those that it refused.
type answer struct {
	of   string // the call, with its parameters
	body []byte
	made bool // the call came to something
	busy bool // it was not sent yet
}

// An Event tells that something happened.
type Event struct {
	ID, Type string
	Customer string // whose it is; Stripe does not say so of a dispute
	Body     []byte
}
