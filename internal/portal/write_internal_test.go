package portal

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/secrets"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/web/server"
)

type fixed struct{ *catalog.Snapshot }

func (f fixed) Current() *catalog.Snapshot { return f.Snapshot }

// options are those of pages that need no engine.
func options(t *testing.T) Options {
	t.Helper()
	return Options{
		Catalog: fixed{catalogtest.Snapshot()}, BaseURL: "https://palmares.example",
		Secrets: testkit.Ring(t, strings.Repeat("x", secrets.MinLength)),
	}
}

// A page that cannot be made is one whole answer: 500, every header once, and our own fault in the
// log. It is read from a connection of package wire, on which headers that are set twice are sent
// twice.
func TestPortal_FailingTemplate(t *testing.T) {
	t.Parallel()
	p, err := newServer(options(t), []page.Route{page.Get(address.SignIn, func(*page.Request) (*page.Answer, error) {
		return &page.Answer{Body: "no such thing", Headers: []web.Field{web.NewField("X-Frame-Options", "DENY")}}, nil
	}, page.Open)})
	testkit.Must(t, err)
	var log testkit.Log
	status, header := onWire(t, web.NewObserver(web.ObserverOptions{Logger: log.Logger()}).Wrap(p), "/compte/connexion")
	testkit.Equal(t, "the status", status, "HTTP/1.1 500 Internal Server Error")
	for name, values := range header {
		if len(values) != 1 {
			t.Errorf("%s was sent %d times", name, len(values))
		}
	}
	testkit.Equal(t, "who may keep it", header.Get("Cache-Control"), "no-store")
	if header.Get("Content-Security-Policy") == "" || header.Get("X-Frame-Options") != "" {
		t.Errorf("the headers are not those of an error: %v", header)
	}
	if !strings.Contains(log.String(), "rendering the page sign-in") {
		t.Errorf("the log does not say what failed: %s", log.String())
	}
}

// A slash too many leads to the page, and to no other host.
func TestPortal_Typed(t *testing.T) {
	t.Parallel()
	p, err := New(options(t))
	testkit.Must(t, err)
	for target, to := range map[string]string{
		"/compte/": "/compte", "/en/account/": "/en/account", "/compte/cles/": "/compte/cles", "/compte/connexion/lien/?jeton=a%20b": "/compte/connexion/lien?jeton=a%20b",
		"/compte//": "", "//compte/": "", "/compte/nope/": "", "/compte/webhooks/abc/": "", "/compte/..//evil.example/": "",
	} {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://palmares.example"+target, http.NoBody))
		status := 308
		if to == "" {
			status = 404
		}
		testkit.Equal(t, target, w.Code, status)
		testkit.Equal(t, target, w.Header().Get("Location"), to)
	}
}

// onWire asks for a path, and gives the head of the answer.
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
