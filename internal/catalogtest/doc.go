// Package catalogtest builds catalogs for tests: single items, the fixture catalog of
// internal/testdata/catalog, generated catalogs of any size, and a World of random edits. Only
// tests import it.
//
// Read build.go first (items, contents and snapshots), then markdown.go, fixture.go, generated.go,
// world.go and answers.go (everything that a snapshot serves).
package catalogtest
