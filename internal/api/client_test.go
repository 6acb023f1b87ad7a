package api_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/web"
)

// A client is how every test asks: it holds each answer against openapi.yaml.
type client struct {
	url      string
	http     *http.Client
	contract *contract
}

// A reply is an answer that kept the contract.
type reply struct {
	status int
	header http.Header
	body   []byte // as it was sent
	text   []byte // without its content coding
}

// handler is the real chain around the interface.
func handler(t testing.TB, o api.Options) http.Handler {
	t.Helper()
	a, err := api.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return chain(a)
}

func chain(a *api.API) http.Handler {
	return web.NewObserver(web.ObserverOptions{WriteError: a.WriteError}).Wrap(a)
}

// serve starts a server and gives the client to ask it with.
func serve(t testing.TB, o api.Options) *client {
	t.Helper()
	return serveChain(t, handler(t, o))
}

// serveHandler serves an interface that the test keeps a hand on.
func serveHandler(t testing.TB, a *api.API) *client {
	t.Helper()
	return serveChain(t, chain(a))
}

func serveChain(t testing.TB, h http.Handler) *client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c := server.Client()
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.Transport.(*http.Transport).DisableCompression = true
	return &client{url: server.URL, http: c, contract: loadContract(t)}
}

// open serves one snapshot.
func open(t testing.TB, s *catalog.Snapshot) *client {
	t.Helper()
	return serve(t, api.Options{Catalog: shelve(s)})
}

// get asks for a target, with headers given as names and values in turn.
func (c *client) get(t testing.TB, target string, headers ...string) reply {
	t.Helper()
	return c.do(t, http.MethodGet, target, headers...)
}

func (c *client) do(t testing.TB, method, target string, headers ...string) reply {
	t.Helper()
	got, err := c.ask(t.Context(), method, target, headers...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, target, err)
	}
	return got
}

// ask is for goroutines that may not stop the test.
func (c *client) ask(ctx context.Context, method, target string, headers ...string) (reply, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.url+target, http.NoBody)
	if err != nil {
		return reply{}, err
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	response, err := c.http.Do(r)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	return c.contract.read(r, response)
}

// read takes an answer in, and fails if it breaks the contract.
func (c *contract) read(r *http.Request, response *http.Response) (reply, error) {
	// As any client reads them: names have no case.
	header := make(http.Header, len(response.Header))
	for name, values := range response.Header {
		for _, v := range values {
			header.Add(name, v)
		}
	}
	response.Header = header
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return reply{}, err
	}
	got := reply{status: response.StatusCode, header: response.Header, body: body}
	if got.text, err = decode(got.header.Get("Content-Encoding"), body); err != nil {
		return got, err
	}
	if err := c.check(r, got); err != nil {
		return got, fmt.Errorf("the answer breaks the contract: %w", err)
	}
	return got, nil
}

// decode takes the content coding off.
func decode(coding string, body []byte) ([]byte, error) {
	if len(body) == 0 {
		return body, nil
	}
	switch coding {
	case "":
		return body, nil
	case "gzip":
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(z)
	case "zstd":
		z, err := zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		defer z.Close()
		return io.ReadAll(z)
	}
	return nil, fmt.Errorf("unknown content coding %q", coding)
}

// wantStatus stops the test on any other status.
func (r reply) wantStatus(t testing.TB, status int) reply {
	t.Helper()
	if r.status != status {
		t.Fatalf("status %d, want %d: %s", r.status, status, r.text)
	}
	return r
}

// wantError checks an error to the letter.
func (r reply) wantError(t testing.TB, status int, text string) {
	t.Helper()
	var body struct{ Error string }
	if err := json.Unmarshal(r.text, &body); err != nil {
		t.Fatalf("%v: %s", err, r.text)
	}
	if r.status != status || body.Error != text {
		t.Errorf("got  %d %s\nwant %d %s", r.status, body.Error, status, text)
	}
}

// wantHeader checks one header to the letter; "" is for a header that is not there.
func (r reply) wantHeader(t testing.TB, name, value string) {
	t.Helper()
	if got := strings.Join(r.header.Values(name), " | "); got != value {
		t.Errorf("%s is %q, want %q", name, got, value)
	}
}

// into decodes the body.
func (r reply) into(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal(r.text, v); err != nil {
		t.Fatalf("%v: %s", err, r.text)
	}
}

// A list is what all four paginated lists have in common.
type list struct {
	Data []struct{ Slug string }
	Meta *meta
}

type meta struct{ Total, Page, Limit, Pages int }

func (r reply) list(t testing.TB) list {
	t.Helper()
	var l list
	r.wantStatus(t, http.StatusOK).into(t, &l)
	return l
}

// slugs gives the slugs of a list, joined by spaces.
func (r reply) slugs(t testing.TB) string {
	t.Helper()
	var all []string
	for _, e := range r.list(t).Data {
		all = append(all, e.Slug)
	}
	return strings.Join(all, " ")
}

func (r reply) wantSlugs(t testing.TB, want string) {
	t.Helper()
	if got := r.slugs(t); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
