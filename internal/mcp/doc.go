// Package mcp lets agents ask the catalog: the Model Context Protocol on POST /mcp, with the keys, the quotas and
// the snapshot of the API.
//
// Begin at Server.ServeHTTP, the way of a message, and at tools, the table of what agents can ask. The official SDK
// speaks the protocol, without sessions and in JSON. In front of it stand the bounds that it does not have: one
// message per request, its size, who pays for it, how many run at a time. Tools answer from the snapshot in memory;
// only the change log may ask the database.
//
// Read the files in this order; each uses only those before it.
//
//   - call.go: the call of a tool, and what all answers share
//   - schema.go: the schemas of arguments and answers
//   - search.go, tool.go, compare.go, alternatives.go, changed.go, stack.go: the tools
//   - tools.go: the table of tools
//   - message.go: a message, scanned and decoded, and the errors of the protocol
//   - free.go: the limit on messages that cost nothing
//   - server.go: the server and its list of tools
//   - query.go: how the server answers a message
//   - documents.go: the documents in which programs find it
package mcp
