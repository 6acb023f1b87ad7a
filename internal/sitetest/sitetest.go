// Package sitetest fetches the pages of the site in tests, as a browser gets them. Only tests import it.
//
// Begin with New and Example, which make a Reader; its method Check compares pages with what they must say.
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

// Own is the base URL of the site under test.
const Own = "https://palmares.example"

// A Reader fetches pages of a site whose catalog and clock the test controls.
type Reader struct {
	*site.Site
	*testkit.Clock
	current atomic.Pointer[catalog.Snapshot]
	tb      testing.TB
}

// Current implements site.Catalog.
func (r *Reader) Current() *catalog.Snapshot { return r.current.Load() }

// New returns a Reader of a site that serves a snapshot, with the clock at the time of its edition. edits change the
// options of the site.
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

// Example returns a Reader of a site that serves examples/catalog.
func Example(tb testing.TB) *Reader {
	tb.Helper()
	return New(tb, catalogtest.Fixture(tb))
}

// contract is parsed once for all sites of a test binary: parsing takes longer than making a site.
var contract = sync.OnceValues(func() (*reference.Library, error) { return reference.Load(api.Contract()) })

// Described returns the API's contract and real responses for the pages of the reference. It has no Ask, so forms
// redirect to the call.
func Described() docs.API {
	return docs.API{Contract: contract, Show: func(s *catalog.Snapshot, target string, plan account.Plan) (docs.Shown, error) {
		a, err := api.Render(s, Own, target, plan)
		return docs.Shown(a), err
	}}
}

// Asked returns the data of the page about agents, with real answers of the MCP server.
func Asked() docs.MCP {
	return docs.MCP{
		Path: mcp.Path, Tools: mcp.Names(), Documents: mcp.DocumentPaths(),
		Show: func(s *catalog.Snapshot, tool string, arguments json.RawMessage) (json.RawMessage, error) {
			return mcp.Show(s, Own, tool, arguments)
		},
	}
}

// Serve replaces the snapshot without preparing the site for it.
func (r *Reader) Serve(s *catalog.Snapshot) { r.current.Store(s) }

// Swap prepares another snapshot and serves it.
func (r *Reader) Swap(s *catalog.Snapshot) {
	r.Prepare(s, nil)
	r.current.Store(s)
}

// Get sends a GET request. headers are names and values in turn.
func (r *Reader) Get(path string, headers ...string) testkit.Response {
	return r.Do(http.MethodGet, path, headers...)
}

// Do sends a request with a method. It fails the test if the response has raw formats in its text: see
// testkit.CheckRendered.
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

// Operations returns the operations of the API, in English.
func Operations(tb testing.TB) []*reference.Operation {
	tb.Helper()
	library, err := contract()
	testkit.Must(tb, err)
	return library.All(locale.English)
}
