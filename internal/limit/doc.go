// Package limit bounds what strangers can cost: somebody with a /48, a thousand sockets, free accounts and patience.
//
// A Gate bounds how many do something at once, with a share for each client and network, and refuses the rest. A Queue bounds
// how much is done at a time where all that wait get their turn: networks take turns, and work that holds one may give it
// back while it waits for an engine (Outside). What either answers tells a client that has its share, which is nobody's
// failure, from a node that is full. The package knows addresses and nothing of requests.
package limit

import "errors"

// Why somebody is told to come back in a moment. It matters whose doing it is: a node that is full fails its clients, and one
// that refuses a client who has his share protects all others.
var (
	ErrFull  = errors.New("too many are at it at once")
	ErrShare = errors.New("too many of one client are at it at once")
)
