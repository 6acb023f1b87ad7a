package api_test

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
)

// firstDay is the date of the first edition, in UTC.
const firstDay = catalog.Date("2026-11-15")

// firstEdition was published when it was already the next day in Paris: dates are UTC.
var firstEdition = catalog.Edition{
	Number: 1, ID: "test", PublishedAt: time.Date(2026, 11, 16, 0, 30, 0, 0, time.FixedZone("Paris", 3600)),
}

// credit is the credit line of the fixture, and creditHeader how it is sent.
const (
	credit       = "Source : Palmarès (https://palmares.example)"
	creditHeader = "Source : Palmar%C3%A8s (https://palmares.example)"
)

var loadFixture = sync.OnceValues(func() (*catalog.Snapshot, error) {
	result, err := content.Load(context.Background(), "../testdata/catalog", content.Options{})
	if err != nil {
		return nil, err
	}
	if err := result.Err(); err != nil {
		return nil, err
	}
	return catalog.Empty().Apply(catalog.Diff(&catalog.Contents{}, result.Contents, firstDay).Delta(firstEdition)), nil
})

// fixture is the first edition of the fixture catalog.
func fixture(t testing.TB) *catalog.Snapshot {
	t.Helper()
	s, err := loadFixture()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// amend publishes the edition that follows s, changed by f, one day later.
func amend(s *catalog.Snapshot, f func(*catalog.Contents)) *catalog.Snapshot {
	current, next := s.Contents(), s.Contents()
	next.Categories = slices.Clone(next.Categories)
	for i, t := range next.Tools {
		c := *t
		next.Tools[i] = &c
	}
	for i, x := range next.Comparisons {
		c := *x
		next.Comparisons[i] = &c
	}
	for i, r := range next.Retired {
		c := *r
		next.Retired[i] = &c
	}
	f(next)
	next.Sort()
	last := s.Edition()
	e := catalog.Edition{
		Number:      last.Number + 1,
		ID:          "test-" + strconv.FormatInt(last.Number+1, 10),
		PublishedAt: last.PublishedAt.AddDate(0, 0, 1),
	}
	return s.Apply(catalog.Diff(current, next, e.Date()).Delta(e))
}

// tool finds a tool to change.
func tool(c *catalog.Contents, slug string) *catalog.Tool {
	i := slices.IndexFunc(c.Tools, func(t *catalog.Tool) bool { return t.Slug == slug })
	return c.Tools[i]
}

// retire moves a tool to the cemetery, on a day of its own.
func retire(c *catalog.Contents, slug string) {
	t := *tool(c, slug)
	c.Tools = slices.DeleteFunc(c.Tools, func(t *catalog.Tool) bool { return t.Slug == slug })
	c.Comparisons = slices.DeleteFunc(c.Comparisons, func(x *catalog.Comparison) bool {
		return x.ToolA == slug || x.ToolB == slug
	})
	c.Retired = append(c.Retired, &catalog.Retired{
		Slug: slug, Name: t.Name, Category: t.Category,
		Reason: catalog.Dead, RetiredAt: "2026-11-10", Note: "Fermé.",
	})
}

// A shelf holds the snapshot that a test serves, as a node does.
type shelf struct {
	atomic.Pointer[catalog.Snapshot]
}

func shelve(s *catalog.Snapshot) *shelf {
	var sh shelf
	sh.Store(s)
	return &sh
}

func (s *shelf) Current() *catalog.Snapshot { return s.Load() }
