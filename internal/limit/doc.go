// Package limit bounds what any client can cost a node, even one with an IPv6 /48, a thousand sockets, free accounts
// and patience.
//
// A Gate bounds how many callers are inside at once, with a share for each client and network, and refuses the rest.
// A Queue bounds how much work runs at once and makes the rest wait: networks take turns, and work may give its turn
// back while it waits for an engine (Outside). The errors of both tell a client that has used up its share, which is
// nobody's failure, from a node that is full. The package knows addresses and accounts, but no requests.
package limit

import "errors"

// ErrFull and ErrShare are the two reasons for which a client is asked to retry in a moment. They are distinct
// because a full node fails its clients, and one that refuses a client beyond its share protects all the others.
var (
	ErrFull  = errors.New("too many are at it at once")
	ErrShare = errors.New("too many of one client are at it at once")
)
