// Package server runs HTTP servers: their limits, the bound on their connections, their graceful
// end, and the operators' pages. It answers no request of the public: its Handler does.
//
// Read server.go, then connlimit.go with conn.go and body.go, which close the connections that wait
// longest when there are too many; admin.go stands alone.
package server
