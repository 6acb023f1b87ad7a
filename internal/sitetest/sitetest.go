// Package sitetest reads the pages of the site in tests, as a browser gets them. Only tests import it.
//
// Begin with New and Example, which make a Reader; its Check says what pages must say.
package sitetest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/mcp"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/site/docs"
	"github.com/palmares-hq/palmares/internal/site/reference"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Own is the address of the site that a Reader reads.
const Own = "https://palmares.example"

// A Reader reads the site over a catalog that a test may change.
type Reader struct {
	*site.Site
	*testkit.Clock
	current atomic.Pointer[catalog.Snapshot]
	tb      testing.TB
}

// Current implements site.Catalog.
func (r *Reader) Current() *catalog.Snapshot { return r.current.Load() }

// New reads the site over a snapshot, on the day of its edition.
func New(tb testing.TB, s *catalog.Snapshot, edits ...func(*site.Options)) *Reader {
	tb.Helper()
	r := &Reader{Clock: testkit.NewClock(s.Edition().PublishedAt), tb: tb}
	r.current.Store(s)
	o := site.Options{Catalog: r, API: Described(), MCP: Asked(), Now: r.Now, BaseURL: Own}
	for _, edit := range edits {
		edit(&o)
	}
	var err error
	r.Site, err = site.New(o)
	testkit.Must(tb, err)
	return r
}

// Example reads the site over examples/catalog.
func Example(tb testing.TB) *Reader {
	tb.Helper()
	return New(tb, catalogtest.Fixture(tb))
}

// contract is read once for all sites of a test: it takes longer than to make one.
var contract = sync.OnceValues(func() (*reference.Library, error) { return reference.Load(api.Contract()) })

// Described is what the reference says of the API, of the API itself.
func Described() docs.API {
	return docs.API{Contract: contract, Show: func(s *catalog.Snapshot, target string, plan account.Plan) (docs.Shown, error) {
		a, err := api.Show(s, Own, target, plan)
		return docs.Shown(a), err
	}}
}

// Asked is what the page about agents says of the server that they ask, of the server itself.
func Asked() docs.MCP {
	return docs.MCP{
		Path: mcp.Path, Tools: mcp.Names(), Documents: mcp.DocumentPaths(),
		Show: func(s *catalog.Snapshot, tool string, arguments json.RawMessage) (json.RawMessage, error) {
			return mcp.Show(s, Own, tool, arguments)
		},
	}
}

// Serve serves a snapshot that nothing was prepared for.
func (r *Reader) Serve(s *catalog.Snapshot) { r.current.Store(s) }

// Swap prepares another snapshot and serves it.
func (r *Reader) Swap(s *catalog.Snapshot) {
	r.Prepare(s, nil)
	r.current.Store(s)
}

// Get asks for a page. Headers are names and values in turn.
func (r *Reader) Get(path string, headers ...string) testkit.Response {
	return r.Do(http.MethodGet, path, headers...)
}

// Do asks with a method. Whatever a test looks for, no text that it is answered with is raw.
func (r *Reader) Do(method, path string, headers ...string) testkit.Response {
	q := httptest.NewRequestWithContext(r.tb.Context(), method, path, http.NoBody)
	for i := 0; i < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, q)
	got := testkit.Response{Status: w.Code, Header: w.Header(), Body: w.Body.String()}
	testkit.CheckRendered(r.tb, path, got)
	return got
}

// Operations are those of the API, in English.
func Operations(tb testing.TB) []*reference.Operation {
	tb.Helper()
	library, err := contract()
	testkit.Must(tb, err)
	return library.All(locale.English)
}
