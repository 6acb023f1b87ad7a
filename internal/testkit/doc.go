// Package testkit holds what the tests of every package need: waiting, a clock, comparing, a log
// to read. It knows nothing of the product but its ring of secrets, and only tests import it.
//
// Read wait.go, testkit.go (comparing, clock, log), race.go or norace.go, files.go, authority.go, port.go, schema.go, ring.go,
// http.go, rendered.go (what no reader may see) and browser.go, then what tests talk to: proxy.go, receiver.go and mailbox.go.
package testkit
