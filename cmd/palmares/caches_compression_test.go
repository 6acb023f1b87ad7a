package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/pgtest"
)

// What a client that takes gzip gets from a cache has at most 1.2 times the bytes that
// the node itself would send, from the first ask on: a page that was kept uncompressed
// would be sent so for an hour. The recommended configurations see to it by themselves,
// should a node send something uncompressed.
func TestCaches_KeepCompressedPages(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	palmares(t, database(db), "publish", fixtureCatalog)
	for _, cfg := range cacheConfigurations {
		t.Run(cfg.name, func(t *testing.T) {
			t.Parallel()
			n := serve(t, db, proxied(t)...)
			n.ready(10 * time.Second)
			c := cfg.start(t, cfg.file, n.public)
			c.pages(t, n, 1)
			if cfg.recommended {
				alone := cfg.start(t, cfg.file, uncompressed(t, n.public))
				alone.pages(t, n, 2)
			}
			n.stop()
		})
	}
}

// pages asks for pages that the node has not been asked for before, three times over.
func (c *cache) pages(t *testing.T, n *node, number int) {
	t.Helper()
	for i, path := range []string{
		"/api/v1/tools?score_min=0.0" + strconv.Itoa(number), "/api/v1/tools?limit=1" + strconv.Itoa(number),
		"/api/v1/pricing?limit=4" + strconv.Itoa(number), "/api/v1/openapi.json?" + strconv.Itoa(number),
	} {
		for round, accepted := range []string{"gzip, deflate, br", "gzip, deflate, br", "gzip"} {
			a := c.ask(t, address(i), path, http.Header{"Accept-Encoding": {accepted}})
			if a.status != http.StatusOK || a.header.Get("Content-Encoding") != "gzip" {
				t.Errorf("%s, ask %d: %d %v", path, round+1, a.status, a.header)
				continue
			}
			// The node has been asked by now: it answers as well as it can.
			direct, err := fetch(n.public+path, http.Header{"Accept-Encoding": {"gzip"}})
			if err != nil {
				t.Fatal(err)
			}
			if most := 12 * len(direct.body) / 10; len(a.body) > most || gunzip(t, a.body) != gunzip(t, direct.body) {
				t.Errorf("%s, ask %d: %d bytes, %d from the node itself", path, round+1, len(a.body), len(direct.body))
			}
		}
		plain := c.ask(t, address(i), path, nil)
		if coding := plain.header.Get("Content-Encoding"); coding != "" || len(plain.body) < 1024 {
			t.Errorf("%s without Accept-Encoding: %d bytes in %q", path, len(plain.body), coding)
		}
	}
}

// uncompressed stands between a cache and a node that sends nothing compressed.
func uncompressed(t *testing.T, node string) string {
	t.Helper()
	target, err := url.Parse(node)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Header.Set("Accept-Encoding", "identity")
	}})
	t.Cleanup(s.Close)
	return s.URL
}
