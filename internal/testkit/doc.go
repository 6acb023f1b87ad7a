// Package testkit holds what the tests of every package need: waiting, a clock, comparing, a log
// to read. It knows nothing of the product and only tests import it.
package testkit
