// Command bench measures Palmarès and prints tables: beside the best possible server, a bare one that does nothing
// but write, and beside what one would use instead; what floods cost; how the search index does. It starts what it
// needs on this machine, and talks to loopback addresses only.
//
// Read the files in this order.
//
//   - failure.go, table.go, process.go, wrk.go: statistics and tables, programs and their CPU time, and the load they get
//   - stand.go, node.go: engines, and a Palmarès with a catalog of its own
//   - bare.go, field.go, growth.go, compare.go: compare
//   - floods.go, search.go: floods and search
//   - load.go, receiver.go: for scripts/scale and scripts/webhooks
//   - main.go: the command line
package main
