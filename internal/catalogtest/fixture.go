package catalogtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
)

// FixtureDay is the date of the first edition of the fixture, in UTC.
const FixtureDay = catalog.Date("2026-11-15")

// FixtureEdition returns the first edition of the fixture. It was published when it was already the
// next day in Paris: dates are UTC.
func FixtureEdition() catalog.Edition {
	return catalog.Edition{
		Number: 1, ID: "test",
		PublishedAt: time.Date(2026, 11, 16, 0, 30, 0, 0, time.FixedZone("Paris", 3600)),
	}
}

// Fixture returns the first edition of the catalog in internal/testdata/catalog.
func Fixture(tb testing.TB) *catalog.Snapshot {
	tb.Helper()
	s, err := loadFixture()
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

var loadFixture = sync.OnceValues(func() (*catalog.Snapshot, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(root, "internal", "testdata", "catalog")
	result, err := content.Load(context.Background(), dir, content.Options{})
	if err != nil {
		return nil, err
	}
	if err := result.Err(); err != nil {
		return nil, err
	}
	return First(result.Contents, FixtureEdition()), nil
})

// moduleRoot returns the closest directory with a go.mod: the working directory or one above it.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("catalogtest: no go.mod above the working directory")
		}
		dir = filepath.Dir(dir)
	}
	return "", err
}
