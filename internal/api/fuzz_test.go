package api_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/api"
)

// named is how the text of a 400 begins: with the parameter at fault.
var named = regexp.MustCompile(`^(page|limit|category|score_min|obsolescence_max|sort|reason|query): `)

// FuzzQuery asks every list with any query string: the answer is 200, or 400 with
// a text that names the parameter. The contract is checked on each.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		"", "page=2&limit=3", "page=0", "page=1&page=2", "limit=201", "limit=%zz", "page=1;limit=2", "&&&", "=", "%",
		"sort=name_asc&category=code&score_min=7.5&obsolescence_max=5", "sort=", "sort=score_desc%00", "reason=mort&reason=acquis",
		"score_min=NaN", "score_min=1e400", "score_min=0x1p-2", "score_min=-0", "obsolescence_max=5e-324",
		"page=9223372036854775807&limit=200", "page=9223372036854775808", "category=%FF%FE", "category=<script>", "category=%0d%0aX:1",
		"page=%2B1", "page=%D9%A3", "limit=1&utm_source=x&a[]=1&b.c=2", "score_min=1_0", "category=" + strings.Repeat("é", 300),
	} {
		f.Add(seed)
	}
	h := handler(f, api.Options{Catalog: shelve(fixture(f))})
	k := loadContract(f)
	f.Fuzz(func(t *testing.T, query string) {
		for _, path := range lists {
			got, ok := k.raw(t, h, "GET "+path+"?"+query)
			if !ok {
				return
			}
			switch got.status {
			case http.StatusOK:
				links(t, got)
			case http.StatusBadRequest:
				if text := errorText(t, got); !named.MatchString(text) {
					t.Errorf("%s?%s: the text names no parameter: %s", path, query, text)
				}
			case http.StatusNotFound:
				if !strings.ContainsAny(query, " #") { // the query broke the request line into another path
					t.Errorf("%s?%s: not found", path, query)
				}
			default:
				t.Errorf("%s?%s: status %d", path, query, got.status)
			}
		}
	})
}

// FuzzPath asks for any path: the answer is 200 or 404, 401 where a key is needed,
// and never a redirect.
func FuzzPath(f *testing.F) {
	for _, seed := range append([]string{
		"/", "//", "//api", "/api/v1", "/api/v1/tools/", "/api/v1/tools/a/b", "/api/v1/../x", "/api/v1/%2e%2e/x", "/api/v1/tools/a%2Fb",
		"/api/v1/tools/%00", "/api/v1/tools/%FF", "/api/v1/tools/%zz", "/api/v1/tools/;", "/api/v1/tools/{slug}", "/api/v1/%74ools",
		"*", "http://a/api/v1/stats", "/api/embeddings/x", "/api/v1/tools/feu-mort", "/api/v1/pricing/feu-pivot", "/.", "/..", "/%2F",
		"/api/v1/stats?page=0#x", "/api/v1/stats/.", "/api/v1/tools/" + strings.Repeat("a", 500),
	}, routes...) {
		f.Add(seed)
	}
	h := handler(f, api.Options{Catalog: shelve(fixture(f))})
	k := loadContract(f)
	f.Fuzz(func(t *testing.T, path string) {
		if strings.Contains(path, "?") {
			return // FuzzQuery has those
		}
		got, ok := k.raw(t, h, "GET "+path)
		if !ok {
			return
		}
		switch got.status {
		case http.StatusOK:
		case http.StatusNotFound:
			errorText(t, got)
		case http.StatusUnauthorized:
			if !strings.Contains(path, "mbeddings") && !strings.Contains(path, "%") { // or it is escaped
				t.Errorf("%q: a key is needed", path)
			}
		default:
			t.Errorf("%q: status %d", path, got.status)
		}
		head, _ := k.raw(t, h, "HEAD "+path)
		if head.status != got.status {
			t.Errorf("%q: GET answers %d, HEAD %d", path, got.status, head.status)
		}
		if post, _ := k.raw(t, h, "POST "+path); post.status != http.StatusMethodNotAllowed && post.status != http.StatusNotFound {
			t.Errorf("%q: POST answers %d", path, post.status)
		}
	})
}

func errorText(t *testing.T, got reply) string {
	t.Helper()
	var body struct{ Error string }
	if err := json.Unmarshal(got.text, &body); err != nil || body.Error == "" {
		t.Errorf("no error in %s", got.text)
	}
	return body.Error
}
