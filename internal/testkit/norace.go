//go:build !race

package testkit

// Raced reports whether the race detector is on. A test that only computes, shares nothing and is ten times as slow
// under the detector skips it or runs a small version. scripts/test finds every test that uses Raced, and runs the full
// version without the detector.
const Raced = false
