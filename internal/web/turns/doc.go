// Package turns shares what is dear between clients: the CPU, for pages that are not cached, or the few connections of a
// pool. It bounds how much is done at a time, and lets networks take turns, so that whoever asks for much waits for work
// of their own and keeps nobody else waiting.
//
// Begin at Gate.Enter, which is also for turns at an engine itself. Work on the CPU that may have to wait for an engine takes its
// turn by Gate.Take, and gives it back while it waits (Outside). The package knows addresses and nothing of requests: what
// the work is, and how to answer ErrBusy, is the caller's affair.
package turns
