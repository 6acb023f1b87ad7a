package stripefake

import (
	"net/url"
	"time"
)

// A Request is a call that the server got, and what it answered.
type Request struct {
	Method, Path string
	Form         url.Values // of the query or the body
	Status       int
	Answer       []byte
}

// An answer is what a call with an idempotency key got, and what its repetitions get.
type answer struct {
	of     string // the call, with its parameters
	at     time.Time
	status int
	body   []byte // nil for what is not repeated
	busy   bool   // it was not sent yet
}

// An Event tells that something happened.
type Event struct {
	ID, Type string
	Customer string // whose it is; Stripe does not say so of a dispute
	Body     []byte

	at time.Time
}
