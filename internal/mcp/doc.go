// Package mcp lets agents query the catalog: it serves the Model Context Protocol on POST /mcp, with the keys, the
// quotas and the snapshot of the API.
//
// Begin at Server.ServeHTTP, which handles a message, and at tools, the table of what agents can call. The official
// SDK implements the protocol, without sessions and in JSON. This package adds the limits that the SDK lacks: one
// message per request, the size of a message, quotas, and how many messages run at a time. Tools answer from the
// snapshot in memory; only the change log may query the database.
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
//   - query.go: how the server answers a message
//   - documents.go: the documents through which programs discover the server
package mcp
