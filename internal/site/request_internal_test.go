package site

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/site/docs"
	"github.com/palmares-hq/palmares/internal/site/reference"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/web/server"
)

type fixed struct{ *catalog.Snapshot }

func (f fixed) Current() *catalog.Snapshot { return f.Snapshot }

var contract = sync.OnceValues(func() (*reference.Library, error) { return reference.Load(api.Contract()) })

func newFixed(t *testing.T) *Site {
	t.Helper()
	s, err := New(Options{
		Catalog: fixed{catalogtest.Fixture(t)}, BaseURL: "https://palmares.example",
		API: docs.API{Contract: contract, Show: func(s *catalog.Snapshot, target string, plan account.Plan) (docs.Shown, error) {
			a, err := api.Render(s, "", target, plan)
			return docs.Shown(a), err
		}},
	})
	testkit.Must(t, err)
	return s
}

// within reports whether a string is a part of another, in the same memory.
func within(part, whole string) bool {
	start, at := uintptr(unsafe.Pointer(unsafe.StringData(whole))), uintptr(unsafe.Pointer(unsafe.StringData(part)))
	return part != "" && start <= at && at < start+uintptr(len(whole))
}

// What the cache keeps is no part of a request: a slug of seven bytes would keep alive a request of
// 16 KB.
func TestCache_KeepsNothingOfRequests(t *testing.T) {
	t.Parallel()
	s := newFixed(t)
	tool := s.current().snapshot.Tools(catalog.ToolQuery{Paging: catalog.Paging{Page: 1, Limit: 1}}).Items[0]
	for _, target := range []string{
		"/outils/" + tool.Slug + "?" + strings.Repeat("x", 10_000), "/outils?category=" + tool.Category, "/badge/" + tool.Slug + ".svg?theme=dark",
	} {
		q := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, http.NoBody)
		path, query := q.URL.Path, q.URL.RawQuery
		s.ServeHTTP(httptest.NewRecorder(), q)
		s.ServeHTTP(httptest.NewRecorder(), q) // from the cache
		var kept []string
		for _, k := range s.current().cache.pages.Popular(10) {
			kept = append(kept, k.slug)
			if p, ok := k.params.(params.Tools); ok {
				kept = append(kept, p.Category)
			}
		}
		if len(kept) == 0 {
			t.Errorf("%.60s: the cache keeps nothing", target)
		}
		for _, part := range kept {
			if within(part, path) || within(part, query) {
				t.Errorf("%.60s: the cache keeps %q of the request", target, part)
			}
		}
	}
}

// A page that cannot be made is one whole answer: 500, every header once, and our own fault in the
// log.
func TestSite_FailingTemplate(t *testing.T) {
	t.Parallel()
	s := newFixed(t)
	s.router.exact["/tarifs"].route.handler = page(func(*view.View) (*view.Document, error) {
		return &view.Document{Template: "plans", Body: "no such thing"}, nil
	})
	var log testkit.Log
	h := web.NewObserver(web.ObserverOptions{Logger: log.Logger()}).Wrap(s)
	for range 2 {
		status, header := onWire(t, h, "/tarifs")
		testkit.Equal(t, "the status", status, "HTTP/1.1 500 Internal Server Error")
		for name, values := range header {
			if len(values) != 1 {
				t.Errorf("%s was sent %d times", name, len(values))
			}
		}
		testkit.Equal(t, "who may keep it", header.Get("Cache-Control"), "no-store")
		if !strings.Contains(log.String(), "rendering the page plans") {
			t.Errorf("the log does not say what failed: %s", log.String())
		}
	}
}

// onWire asks for a path, and gives the head of the answer. It is a connection of package wire, on
// which headers that are set twice are sent twice.
func onWire(t *testing.T, h http.Handler, path string) (status string, header textproto.MIMEHeader) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	testkit.Must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.New(server.Options{Listener: l, Handler: h, Wire: true}).Run(ctx) }()
	defer func() { stop(); <-ended }()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
	testkit.Must(t, err)
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: palmares.example\r\nConnection: close\r\n\r\n", path)
	r := textproto.NewReader(bufio.NewReader(conn))
	status, err = r.ReadLine()
	testkit.Must(t, err)
	header, err = r.ReadMIMEHeader()
	testkit.Must(t, err)
	return status, header
}
