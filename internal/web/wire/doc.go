// Package wire sends responses that are complete in memory for less than net/http does.
//
// Its listener wraps each connection. What net/http reads and writes passes through unchanged,
// unless a handler asks for more, for one response at a time:
//
//   - Headers set with Conn.Add and Conn.Set go to the connection as bytes, most of them made in
//     advance, and are inserted after the status line when net/http writes the header. In net/http's
//     map they would be filled in, copied, sorted and thrown away.
//   - A complete body is sent with its header in one system call, where net/http needs two for more
//     than 4 KiB.
//
// Deadlines that net/http sets and soon removes are noted instead of set (deadline.go). The package
// reads no request and decides nothing about a response: net/http does.
//
// Built with the tag nowire, the package does nothing, so that its benefit can be measured.
//
// Read enabled.go and disabled.go, which are the tag; field.go, conn.go, deadline.go, listener.go.
package wire
