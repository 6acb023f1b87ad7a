//go:build race

package testkit

// Raced reports whether the race detector watches. A test of computation alone, which is ten times as
// slow under it and shares nothing, has a small form there or none. Its large form is run without:
// scripts/test finds every test that asks.
const Raced = true
