// Package testkit has helpers for the tests of all packages: waiting, a clock, comparing, a log to read. Of the product
// it knows only the ring of secrets and the mailbox. Only tests import it.
//
// Read wait.go, testkit.go (comparing, clock, log), race.go or norace.go, files.go, authority.go, port.go, schema.go,
// ring.go, http.go, rendered.go (raw formats that no reader may see) and browser.go, then what tests talk to: proxy.go,
// receiver.go and mailbox.go.
package testkit
