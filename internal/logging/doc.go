// Package logging writes the log without making the program wait for it, and keeps out of it what
// does not belong there: API keys, whole addresses, line breaks that would forge a line.
//
// Read buffer.go, which gathers lines in front of an output that may be slow; handler.go, the
// slog.Handler on it; clean.go, what a value looks like in the log; and capture.go, which brings
// in what libraries print by themselves. Nothing here waits for the output: lines are dropped and counted
// first.
package logging
