package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// The headers of every 200 and 304, in every encoding; HEAD has those of GET. A body decodes to
// what it is in identity, and small bodies are not compressed.
func TestHeaders(t *testing.T) {
	t.Parallel()
	c := newClient(t, unmetered, func(o *api.Options) { o.Usage = usageIn(t, redistest.URL(t), o.Now) })
	key := c.sign(account.Developer).bearer()
	for _, who := range []struct {
		key           []string
		targets       []string
		caching, tier string
	}{
		{nil, routes, sharedCaching, ""},
		{key, slices.Concat(routes, keyedRoutes), privateCaching, "free"},
	} {
		for _, target := range who.targets {
			plain, tags := c.get(target, who.key...).want(200), map[string]bool{}
			for _, accept := range []string{"", "gzip", "zstd"} {
				headers := with(who.key, []string{"Accept-Encoding", accept})
				c.get(target, headers...) // the second time it is cached
				got, coding := c.get(target, headers...), accept
				if len(plain.body) < api.MinCompressed {
					coding = ""
				}
				got.want(200, "Content-Encoding", coding).wantText(string(plain.body))
				if coding != "" && (len(got.body) >= len(plain.body) || tags[got.tag()]) {
					t.Errorf("%s in %s: %d bytes, tag %s", target, coding, len(got.body), got.tag())
				}
				tags[got.tag()] = true
				head := c.do("HEAD", target, headers...).want(200)
				notModified := c.get(target, with(headers, []string{"If-None-Match", got.tag()})...)
				for _, r := range []reply{got, head, notModified.want(304)} {
					r.has("ETag", got.tag(), "Link", plain.header.Get("Link"), "Cache-Control", who.caching,
						"X-RateLimit-Tier", who.tier, "X-RateLimit-Remaining", "", "X-Attribution", creditHeader,
						"X-Service-Updated-At", "2026-11-15")
					r.header.Del("X-Request-Id")
				}
				testkit.Equal(t, "headers of HEAD "+target, head.header, got.header)
			}
		}
	}
}

func TestEncoding_Negotiation(t *testing.T) {
	t.Parallel()
	c := newClient(t, unmetered)
	for accept, want := range map[string]string{
		"": "", "identity": "", "br": "", "gzip": "gzip", "GZIP": "gzip", "x-gzip": "gzip",
		"zstd": "zstd", "gzip, deflate, br": "gzip", "gzip, deflate, br, zstd": "zstd", "*": "zstd",
		"zstd;q=0.5, gzip;q=0.8": "gzip", "zstd;q=0, gzip;q=0": "", "*;q=0": "", "zstd;q=0, *": "gzip",
		"identity, gzip;q=0.5": "",
		"identity;q=0, *;q=0":  "", // nothing fits: identity rather than 406
	} {
		c.get("tools", "Accept-Encoding", accept).want(200, "Content-Encoding", want)
	}
	// Several lines are one list.
	c.get("tools", "Accept-Encoding", "br", "Accept-Encoding", "gzip").has("Content-Encoding", "gzip")
	// The size decides, and nothing else.
	sizes := map[bool]bool{}
	for limit := range 15 {
		got, coding := c.get(fmt.Sprint("tools?limit=", limit+1), "Accept-Encoding", "zstd"), ""
		if len(got.text) >= api.MinCompressed {
			coding = "zstd"
		}
		sizes[coding == ""] = true
		got.has("Content-Encoding", coding)
	}
	testkit.Equal(t, "sizes on both sides of the bound", len(sizes), 2)
}

func TestIfNoneMatch(t *testing.T) {
	t.Parallel()
	c := newClient(t, unmetered)
	for _, target := range routes {
		own := c.get(target).tag()
		gzip := c.get(target, "Accept-Encoding", "gzip").tag()
		for value, status := range map[string]int{
			own: 304, "W/" + own: 304, `"a", ` + own: 304, `"a,b" ,W/"c",` + own: 304, "*": 304,
			`"a"`: 200, `""`: 200, "": 200, `"a" "b"`: 200, strings.Trim(own, `"`): 200,
			own[:len(own)-2] + `"`: 200, strings.ToUpper(own): 200,
		} {
			for _, method := range []string{"GET", "HEAD"} {
				c.do(method, target, "If-None-Match", value).want(status, "ETag", own)
			}
		}
		c.get(target, "If-None-Match", `"a"`, "If-None-Match", own).want(304) // several lines are one list
		// A 304 names the variant that the client has, among those it accepts.
		c.get(target, "If-None-Match", own, "Accept-Encoding", "gzip").want(304, "ETag", own)
		c.get(target, "If-None-Match", gzip, "Accept-Encoding", "zstd, gzip;q=0.5").
			want(304, "ETag", gzip)
		if gzip != own { // other bytes are not what it asks for
			c.get(target, "If-None-Match", gzip).want(200)
			c.get(target, "If-None-Match", own, "Accept-Encoding", "gzip, identity;q=0").want(200)
		}
	}
}

// A page keeps its tag across editions as long as its items and its meta do.
func TestETag_AcrossEditions(t *testing.T) {
	t.Parallel()
	c := newClient(t, unmetered)
	before, changes := map[string]string{}, map[string]bool{
		// zebre is on the third page, and a score is no price
		"tools?limit=5&page=1": false, "tools?score_min=8": false, "tools/oeuvre": false,
		"pricing": false, "comparatifs/ame-ou-ame": false, "cimetiere": false, "openapi.json": false, "/api/v1": false,
		"tools": true, "tools?limit=5&page=3": true, "tools/zebre": true, "comparatifs": true,
		"comparatifs/oeuvre-ou-zebre": true, "categories": true, "stats": true,
	}
	for target := range changes {
		before[target] = c.get(target).tag()
	}
	c.edition.Store(amend(t, func(n *catalog.Contents) {
		catalogtest.Find(n, "zebre").Score = catalog.Hundredths(544)
	}))
	for target, changed := range changes {
		got := c.get(target, "If-None-Match", before[target]).has("X-Service-Updated-At", "2026-11-16")
		if (got.status == http.StatusOK) != changed || (got.tag() != before[target]) != changed {
			t.Errorf("%s: %d with the tag %s after %s", target, got.status, got.tag(), before[target])
		}
	}
	texts := map[string]string{} // by tag: bodies that differ have tags that differ
	for _, target := range slices.Concat(routes, slices.Collect(maps.Keys(changes)), everything) {
		got := c.get(target, c.sign(account.Pro).bearer()...)
		if text, ok := texts[got.tag()]; ok && text != string(got.text) {
			t.Errorf("%s has the tag of another body", target)
		}
		texts[got.tag()] = string(got.text)
	}
}

// A response is compressed the first time, and hardly less than later. Whatever tag a client was
// given, it gets a 304 for it; no tag has two bodies.
func TestCompression_FirstTime(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"tools", "tools?score_min=5", "pricing", "openapi.json"} {
		for accept, coding := range map[string]string{
			"gzip": "gzip", "zstd, gzip": "zstd", "gzip, identity;q=0": "gzip", "zstd, *;q=0": "zstd",
			"br": "",
		} {
			c := newClient(t, unmetered)
			newClient(t).do("HEAD", target, "Accept-Encoding", accept).has("Content-Encoding", coding)
			bodies, first := map[string]string{}, 0 // by tag
			for range 4 {
				got := c.get(target, "Accept-Encoding", accept).has("Content-Encoding", coding)
				if body, ok := bodies[got.tag()]; ok && body != string(got.body) {
					t.Errorf("%s in %s: other bytes have the tag %s too", target, coding, got.tag())
				}
				bodies[got.tag()] = string(got.body)
				if first == 0 {
					first = len(got.body)
				}
				if n := len(got.body); n > first || first > 5*n/4 { // the contract repeats itself, which the quicker level sees less of
					t.Errorf("%s in %s: %d bytes at first and %d then", target, coding, first, n)
				}
				for tag := range bodies {
					c.get(target, "Accept-Encoding", accept, "If-None-Match", tag).want(304, "ETag", tag)
				}
			}
			testkit.Equal(t, "cached responses", c.cached(), 1)
			for tag := range bodies { // a tag of bytes that the client does not accept is not its own
				if coding != "" {
					c.get(target, "If-None-Match", tag).want(200, "Content-Encoding", "")
				}
			}
		}
	}
}

// A client that asks for ever different pages has them compressed as far as the limiter allows,
// and gets them uncompressed beyond it.
func TestCompression_IsLimited(t *testing.T) {
	t.Parallel()
	c := newClient(t, unmetered)
	next, size := 0, 0
	ask := func(accept string) string { // for a page that was not asked for before
		next++
		target := fmt.Sprintf("tools?score_min=0.%02d&obsolescence_max=9.%02d", next/100, next%100)
		got := c.get(target, "Accept-Encoding", accept)
		size = len(got.text)
		return got.header.Get("Content-Encoding")
	}
	testkit.Equal(t, "the first page", ask("gzip"), "gzip")
	c.api.Compress(api.CompressBurst - size - size/2) // not enough is left for one more
	testkit.Equal(t, "beyond the limit", ask("gzip"), "")
	testkit.Equal(t, "uncompressed responses", c.api.Uncompressed(), int64(1))
	testkit.Equal(t, "for a client that refuses identity", ask("gzip, identity;q=0"), "gzip")
	// What is asked for again is compressed and cached.
	c.get("tools?score_min=5", "Accept-Encoding", "zstd").has("Content-Encoding", "")
	c.get("tools?score_min=5", "Accept-Encoding", "zstd").has("Content-Encoding", "zstd")
	// Each second allows as many bytes, and a long time no more than a burst.
	c.clock.Advance(time.Second)
	c.api.Compress(api.CompressPerSecond - size)
	testkit.Equal(t, "a second later", ask("zstd")+", "+ask("zstd"), "zstd, ")
	c.clock.Advance(1000 * time.Hour)
	c.api.Compress(api.CompressBurst - size)
	testkit.Equal(t, "long after", ask("gzip")+", "+ask("gzip"), "gzip, ")
}
