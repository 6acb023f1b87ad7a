package purge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/purge"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A service is what Fastly and Cloudflare document of themselves: who may ask, how, and for how much. It keeps what it was
// asked to drop.
type service struct {
	mu         sync.Mutex
	requests   int
	dropped    []string
	everything int
}

const token = "a-token-that-is-secret"

// fastly is https://www.fastly.com/documentation/reference/api/purging/: POST of up to 256 surrogate_keys to /service/ID/purge,
// POST to /service/ID/purge_all, with the token in Fastly-Key.
func (s *service) fastly(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Keys []string `json:"surrogate_keys"`
	}
	switch {
	case r.Header.Get("Fastly-Key") != token:
		w.WriteHeader(http.StatusForbidden)
	case r.Method == http.MethodPost && r.URL.Path == "/service/S1/purge_all":
		s.drop(w, nil, `{"status":"ok"}`)
	case r.Method != http.MethodPost || r.URL.Path != "/service/S1/purge" || !strict(r, &body) || len(body.Keys) == 0 || len(body.Keys) > 256:
		w.WriteHeader(http.StatusBadRequest)
	default:
		s.drop(w, body.Keys, `{"key":"108-1391560174-974124"}`)
	}
}

// cloudflare is https://developers.cloudflare.com/api/resources/cache/methods/purge/: POST of up to 100 tags, or of
// purge_everything, to /client/v4/zones/ID/purge_cache. What it refuses may have status 200 and no success.
func (s *service) cloudflare(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Tags       []string `json:"tags"`
		Everything bool     `json:"purge_everything"`
	}
	switch {
	case r.Header.Get("Authorization") != "Bearer "+token:
		w.WriteHeader(http.StatusForbidden)
	case r.Method != http.MethodPost || r.URL.Path != "/client/v4/zones/Z1/purge_cache" || !strict(r, &body) || body.Everything == (len(body.Tags) > 0):
		w.WriteHeader(http.StatusBadRequest)
	case len(body.Tags) > 100:
		fmt.Fprint(w, `{"success":false,"errors":[{"code":1094,"message":"too many"}],"messages":[],"result":null}`)
	default:
		s.drop(w, body.Tags, `{"success":true,"errors":[],"messages":[],"result":{"id":"9a7806061c88ada191ed06f989cc3dac"}}`)
	}
}

// varnish is what deploy/varnish/default.vcl does; a real one is asked in package node.
func (s *service) varnish(w http.ResponseWriter, r *http.Request) {
	keys := r.Header.Get("Surrogate-Key")
	if r.Method != "PURGE" || len(keys) > 8<<10 {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	s.drop(w, strings.Fields(keys), "")
}

func strict(r *http.Request, into any) bool {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	return r.Header.Get("Content-Type") == "application/json" && d.Decode(into) == nil
}

func (s *service) drop(w http.ResponseWriter, tags []string, said string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	if len(tags) == 0 {
		s.everything++
	}
	s.dropped = append(s.dropped, tags...)
	io.WriteString(w, said)
}

// Each cache is asked as it documents, for no more at once than it takes, and for everything.
func TestCache_IsAskedAsItWants(t *testing.T) {
	t.Parallel()
	var tags []string
	for i := range purge.MaxTags {
		tags = append(tags, purge.Tools.Of(fmt.Sprintf("%s-%d", strings.Repeat("x", 70), i)))
	}
	for kind, c := range map[string]struct {
		path     string
		handler  func(*service) http.HandlerFunc
		requests int
	}{
		purge.Varnish:    {"/", func(s *service) http.HandlerFunc { return s.varnish }, 10},
		purge.Fastly:     {"/service/S1/purge", func(s *service) http.HandlerFunc { return s.fastly }, 2},
		purge.Cloudflare: {"/client/v4/zones/Z1/purge_cache", func(s *service) http.HandlerFunc { return s.cloudflare }, 5},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := new(service)
			server := httptest.NewServer(c.handler(s))
			t.Cleanup(server.Close)
			cache, err := purge.NewCache(kind, server.URL+c.path, token)
			testkit.Must(t, err)
			t.Cleanup(cache.Close)
			testkit.Must(t, cache.Drop(t.Context(), purge.Change{Edition: 2, Tags: tags}))
			testkit.Must(t, cache.Drop(t.Context(), purge.Change{Edition: 3, Tags: tags[:1]}))
			testkit.Equal(t, "dropped", s.dropped, append(slices.Clone(tags), tags[0]))
			testkit.Equal(t, "everything", s.everything, 0)
			testkit.Must(t, cache.Drop(t.Context(), purge.Change{Edition: 4, Everything: true}))
			testkit.Equal(t, "everything", s.everything, 1)
			testkit.Equal(t, "requests", s.requests, c.requests+2)
			wrong, err := purge.NewCache(kind, server.URL+c.path, "another")
			testkit.Must(t, err)
			t.Cleanup(wrong.Close)
			if err := wrong.Drop(t.Context(), purge.Change{Tags: tags}); kind != purge.Varnish &&
				(err == nil || !strings.Contains(err.Error(), "does not take PALMARES_PURGE_TOKEN") || strings.Contains(err.Error(), "another")) {
				t.Errorf("with a wrong token: %v", err)
			}
		})
	}
}

// What a cache answers is no success unless it says so, and nobody else gets the token.
func TestCache_Refuses(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("a redirect was followed: %v", r.Header) }))
	t.Cleanup(elsewhere.Close)
	for _, c := range []struct {
		kind, path string
		status     int
		body, want string
	}{
		{purge.Varnish, "/", 405, "", "ACL operators"},
		{purge.Varnish, "/", 500, "", "answers 500"},
		{purge.Varnish, "/", 308, "", "a redirect"},
		{purge.Fastly, "/service/S1/purge", 401, "", "PALMARES_PURGE_TOKEN"},
		{purge.Fastly, "/service/S1/purge", 429, "", "answers 429"},
		{purge.Cloudflare, "/purge_cache", 200, `{"success":false}`, "not that it succeeded"},
		{purge.Cloudflare, "/purge_cache", 200, `<html>`, "not that it succeeded"},
		{purge.Cloudflare, "/purge_cache", 200, strings.Repeat(" ", 1<<20) + `{"success":true}`, "not that it succeeded"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", elsewhere.URL)
			w.WriteHeader(c.status)
			io.WriteString(w, c.body)
		}))
		cache, err := purge.NewCache(c.kind, server.URL+c.path, token)
		testkit.Must(t, err)
		err = cache.Drop(t.Context(), purge.Change{Tags: []string{"tools"}})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), token) {
			t.Errorf("%s, %d: %v, want %q", c.kind, c.status, err, c.want)
		}
		cache.Close()
		server.Close()
	}
}

// One that does not answer is not waited for beyond its time.
func TestCache_DoesNotWaitForever(t *testing.T) {
	t.Parallel()
	silent := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-silent }))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(silent) })
	cache, err := purge.NewCache(purge.Varnish, server.URL, "")
	testkit.Must(t, err)
	t.Cleanup(cache.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := cache.Drop(ctx, purge.Change{Everything: true}); err == nil || err.Error() != "the cache cannot be asked: context deadline exceeded" {
		t.Errorf("a cache that says nothing: %v", err)
	}
}

func TestNewCache_Refuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, url, token, want string }{
		{"squid", "http://127.0.0.1/", "", "PALMARES_PURGE_CACHE is \"squid\": it is varnish, fastly, cloudflare"},
		{purge.Varnish, "127.0.0.1:6081", "", "PALMARES_PURGE_URL cannot be read"},
		{purge.Varnish, "ftp://127.0.0.1/", "", "PALMARES_PURGE_URL cannot be read"},
		{purge.Varnish, "http:///purge", "", "PALMARES_PURGE_URL cannot be read"},
		{purge.Varnish, "http://me:hunter2@127.0.0.1/", "", "has a password or a query"},
		{purge.Varnish, "http://127.0.0.1/?key=hunter2", "", "has a password or a query"},
		{purge.Varnish, "http://127.0.0.1:hunter2/", "", "PALMARES_PURGE_URL cannot be read"},
		{purge.Fastly, "https://api.fastly.com/service/S1/purge", "", "PALMARES_PURGE_TOKEN is not set"},
		{purge.Fastly, "https://api.fastly.com/", token, "https://api.fastly.com/service/ID/purge"},
		{purge.Cloudflare, "https://api.cloudflare.com/", token, "zones/ID/purge_cache"},
	} {
		_, err := purge.NewCache(c.kind, c.url, c.token)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s %s: %v, want %q", c.kind, c.url, err, c.want)
		}
	}
}

// A header has at most 512 bytes of tags, whatever a response shows.
func TestTags_AreShort(t *testing.T) {
	t.Parallel()
	all := purge.About(purge.Comparisons, strings.Repeat("x", 80), purge.Tools, purge.Comparisons, purge.Retired, purge.Service, purge.Edition)
	if text := strings.Join(all, " "); len(text) > 512 {
		t.Errorf("%d bytes", len(text))
	}
}
