// Package server runs HTTP servers, with timeouts, a limit on connections, a graceful shutdown, and the
// operators' pages. It answers no public requests itself: Options.Handler does.
//
// Read server.go, then connlimit.go with conn.go and body.go, which close the connections that wait
// longest when there are too many; admin.go stands alone.
package server
