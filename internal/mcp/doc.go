// Package mcp lets agents ask the catalog: the Model Context Protocol on POST /mcp, on the keys, the quotas and
// the snapshot of the API.
//
// Begin at Server.ServeHTTP, the way of a message, and at tools, the table of what can be asked. The protocol is
// the business of the official SDK, which runs here without sessions and answers in JSON. In front of it stand the
// bounds that the SDK does not have: one message per request, its size, who pays for it, how many run at a time.
// Tools answer from the snapshot in memory; the change log alone may ask the database.
//
// Read the files in this order; each uses only those before it.
//
//   - text.go: catalog text as agents may see it
//   - name.go: where the server is, and its name
//   - call.go: what a tool answers from
//   - card.go: what all answers have, and a tool in a few fields
//   - schema.go: the schemas of arguments and answers
//   - search.go, tool.go, compare.go, prices.go, retired.go, alternatives.go, changed.go, stack.go: the tools
//   - tools.go: all of them, in their order
//   - show.go: what a tool answers to a page about it
//   - message.go: a message and the errors of the protocol
//   - scan.go: what its beginning tells before it is decoded
//   - free.go: how many messages cost nothing
//   - answer.go: what the SDK answers
//   - list.go: the list of tools, kept ready
//   - server.go: what the server stands on
//   - query.go: how a message goes through all of this
//   - documents.go: where programs find it
package mcp
