package site_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A reader reads the site over a catalog that a test may change.
type reader struct {
	*site.Site
	*testkit.Clock
	current atomic.Pointer[catalog.Snapshot]
	tb      testing.TB
}

// Current implements site.Catalog.
func (r *reader) Current() *catalog.Snapshot { return r.current.Load() }

// newReader reads the site over a snapshot, on the day of its edition.
func newReader(tb testing.TB, s *catalog.Snapshot, edits ...func(*site.Options)) *reader {
	tb.Helper()
	r := &reader{Clock: testkit.NewClock(s.Edition().PublishedAt), tb: tb}
	r.current.Store(s)
	o := site.Options{Catalog: r, API: described(), Now: r.Now, BaseURL: "https://palmares.example"}
	for _, edit := range edits {
		edit(&o)
	}
	var err error
	r.Site, err = site.New(o)
	testkit.Must(tb, err)
	return r
}

// described is what the reference says of the API, of the API itself.
func described() site.API {
	english, french := api.Contract()
	return site.API{Contract: english, French: french, Show: func(s *catalog.Snapshot, target string, plan account.Plan) (site.Shown, error) {
		a, err := api.Show(s, own, target, plan)
		return site.Shown(a), err
	}}
}

// swap serves another snapshot.
func (r *reader) swap(s *catalog.Snapshot) {
	r.Prepare(s, func() {})
	r.current.Store(s)
}

// get asks for a page. Headers are names and values in turn.
func (r *reader) get(path string, headers ...string) testkit.Response {
	return r.do(http.MethodGet, path, headers...)
}

func (r *reader) do(method, path string, headers ...string) testkit.Response {
	q := httptest.NewRequestWithContext(r.tb.Context(), method, path, http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, q)
	return testkit.Response{Status: w.Code, Header: w.Header(), Body: w.Body.String()}
}

// example reads the site over examples/catalog.
func example(tb testing.TB) *reader {
	tb.Helper()
	return newReader(tb, catalogtest.Fixture(tb))
}
