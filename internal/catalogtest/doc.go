// Package catalogtest builds catalogs for tests: single items, the fixture catalog of
// internal/testdata/catalog, generated catalogs of any size, and a World of random edits. Only
// tests import it.
//
// Read build.go first (items, contents and snapshots), then markdown.go, fixture.go, generated.go,
// world.go, worldstate.go (what the World publishes), renames.go, answers.go (everything that a snapshot serves) and fields.go (every field of an item, and
// the places in which it has to appear).
package catalogtest
