// Package turns shares the CPU between clients that ask for work which is dear: pages that are not
// cached. It bounds how much of it is done at a time, and lets networks take turns, so that whoever
// asks for much waits for work of their own and keeps nobody else waiting.
//
// Begin at Gate.Enter. The package knows addresses and nothing of requests: what the work is, and how to
// answer ErrBusy, is the caller's affair.
package turns
