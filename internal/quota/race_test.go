//go:build race

package quota

// raced says that the race detector slows this build down tenfold.
const raced = true
