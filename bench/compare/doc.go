// Command compare measures Palmarès against the best possible server, a bare one that does nothing but write,
// and against what one would use instead. It starts everything on this machine, sends load in paired slices,
// and writes docs/performance.md and docs/performance.svg. It talks to loopback addresses only.
//
// Read the files in this order.
//
//   - process.go, cpu.go, database.go, wrk.go: programs, their CPU time, and the load they get
//   - stats.go, machine.go: figures, and the machine they were measured on
//   - stand.go, servers.go, classes.go, node.go, field.go: what is compared, and for which requests
//   - measure.go, growth.go: measuring class by class, and catalog size by catalog size
//   - report.go, plot.go, plotgrowth.go: the report and its plots
//   - options.go, floods.go, deadredis.go: what floods cost, and a Redis that dies
//   - main.go: the command line
package main
