// Command compare measures Palmarès against what it could be at best, a bare server that does
// nothing but write, and against what one would use instead. It starts all of it on this machine,
// sends load in paired slices, and writes docs/performance.md and docs/performance.svg. It talks to
// loopback only.
//
// Read the files in this order.
//
//   - process.go, cpu.go, database.go, wrk.go: programs, what they cost, and the load they get
//   - stats.go, machine.go: figures, and where they were measured
//   - stand.go, servers.go, classes.go, node.go, field.go: what is compared, and for which requests
//   - measure.go, growth.go: one class after the other, and one size of catalog after the other
//   - report.go, plot.go, plotgrowth.go: what was found, written and drawn
//   - options.go, floods.go, deadredis.go: what floods cost, and a Redis that dies
//   - main.go: the command line
package main
