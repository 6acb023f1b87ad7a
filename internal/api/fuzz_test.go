package api_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// namesParam returns how the text of a 400 begins: with the parameter at fault, or "query" for all of them.
func namesParam(c *client) *regexp.Regexp {
	names := []string{"query"}
	for _, item := range c.contract.doc.Paths.Map() {
		for _, p := range item.Get.Parameters {
			if p.Value.In == "query" {
				names = append(names, regexp.QuoteMeta(p.Value.Name))
			}
		}
	}
	return regexp.MustCompile(`^(` + strings.Join(names, "|") + `): `)
}

// FuzzQuery asks every list with any query string: the response is 200, or 400 with a text that
// names the parameter. The contract is checked on each.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		"", "page=2&limit=3", "page=0", "page=1&page=2", "limit=201", "limit=%zz",
		"page=1;limit=2", "&&&", "=", "%",
		"sort=name_asc&category=code&score_min=7.5&obsolescence_max=5", "sort=",
		"sort=score_desc%00", "reason=mort&reason=acquis", "score_min=NaN", "score_min=1e400",
		"score_min=0x1p-2", "score_min=-0", "obsolescence_max=5e-324",
		"page=9223372036854775807&limit=200", "page=9223372036854775808", "category=%FF%FE",
		"category=<script>", "category=%0d%0aX:1",
		"q", "q=%20", "q=l%27outil+d", "slugs=a,,b", "slugs=zebre,feu-mort&score_min=10.01", "slugs=oeuvre&score_min=-0", "slugs=" + strings.Repeat("a,", 101), "price_max=1.234", "price_max=-1", "updated_since=2026-02-30",
		"page=%2B1", "page=%D9%A3", "limit=1&utm_source=x&a[]=1&b.c=2", "score_min=1_0", "category=" + strings.Repeat("é", 300),
	} {
		f.Add(seed)
	}
	c := newClient(f, unmetered)
	named := namesParam(c)
	f.Fuzz(func(t *testing.T, query string) {
		for _, list := range append(lists, "findings", "compare") {
			got, _, ok := c.in(t).raw("GET " + path(list) + "?" + query)
			if !ok {
				return
			}
			switch got.status {
			case http.StatusOK:
				got.links()
			case http.StatusBadRequest:
				if text := got.errorText(); !named.MatchString(text) {
					t.Errorf("%s?%s: the text names no parameter: %s", list, query, text)
				}
			default:
				// A query may make another path of it.
				if got.status != http.StatusNotFound || !strings.ContainsAny(query, " #") {
					t.Errorf("%s?%s: status %d", list, query, got.status)
				}
			}
		}
	})
}

// FuzzPath asks for any path: the response is 200 or 404, 401 where a key is needed, and never a
// redirect.
func FuzzPath(f *testing.F) {
	for _, seed := range append([]string{
		"/", "//", "//api", "/api/v1", "tools/", "tools/a/b", "/api/v1/../x", "/api/v1/%2e%2e/x",
		"tools/a%2Fb", "tools/%00", "tools/%FF", "tools/%zz", "tools/;", "tools/{slug}",
		"/api/v1/%74ools", "*", "http://a/api/v1/stats", "/api/embeddings/x", "tools/feu-mort",
		"pricing/feu-pivot", "/.", "/..", "/%2F",
		"stats/.", "tools/\x8d%2F", "tools/%2F", "tools/..", "tools/a%2F..%2Fb", "tools/" + strings.Repeat("a", 500),
	}, routes...) {
		f.Add(path(seed))
	}
	c := newClient(f, unmetered)
	f.Fuzz(func(t *testing.T, target string) {
		if strings.Contains(target, "?") {
			return // FuzzQuery has those
		}
		c := c.in(t)
		got, _, ok := c.raw("GET " + target)
		if !ok {
			return
		}
		switch {
		case got.status == http.StatusOK, got.status == http.StatusNotFound:
		case got.status == http.StatusUnauthorized && strings.ContainsAny(target, "eu%"): // embeddings and usage, or it is escaped
		default:
			t.Errorf("%q: status %d", target, got.status)
		}
		if head, _, _ := c.raw("HEAD " + target); head.status != got.status {
			t.Errorf("%q: GET answers %d, HEAD %d", target, got.status, head.status)
		}
		if post, _, _ := c.raw("POST " + target); post.status != 404 && post.status != 405 {
			t.Errorf("%q: POST answers %d", target, post.status)
		}
	})
}
