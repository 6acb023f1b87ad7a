// Package mcp lets agents query the catalog: it serves the Model Context Protocol on POST /mcp, with the keys, the
// quotas and the snapshot of the API.
//
// Begin at Server.ServeHTTP, which handles a message, and at tools, the table of what agents can call. Of the protocol
// the package speaks the few methods that a server of tools needs, without sessions and in JSON; the official SDK is the
// client of its tests. It bounds what a message may cost: one per request, its size, quotas, and how many run at a time.
// Tools answer from the snapshot in memory; only the change log may query the database.
//
// Read the files in this order; each uses only those before it.
//
//   - schema.go: the schemas of arguments and answers
//   - call.go: the call of a tool, and the parts that all answers share
//   - resolve.go: which tool or category an argument names
//   - search.go, tool.go, compare.go, alternatives.go, changed.go, stack.go: the tools
//   - tools.go: the table of tools
//   - message.go: reading, scanning and decoding a message, and the errors of the protocol
//   - free.go: the limit on messages that cost nothing
//   - server.go: the server and its list of tools
//   - protocol.go: the rules of the protocol, and its methods
//   - query.go: how the server answers a message
//   - documents.go: the documents through which programs discover the server
package mcp
