package api_test

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/api"
)

func TestEncoding_DecodesToIdentity(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	for _, target := range routes {
		plain := c.get(t, target)
		plain.wantHeader(t, "Content-Encoding", "")
		for _, coding := range []string{"gzip", "zstd"} {
			got := c.get(t, target, "Accept-Encoding", coding)
			if string(got.text) != string(plain.body) {
				t.Errorf("%s in %s is not what it is in identity", target, coding)
			}
			if len(plain.body) < api.MinCompressed {
				coding = "" // small bodies are left alone
			}
			got.wantHeader(t, "Content-Encoding", coding)
			if coding != "" && len(got.body) >= len(plain.body) {
				t.Errorf("%s in %s has %d bytes instead of %d", target, coding, len(got.body), len(plain.body))
			}
		}
	}
}

func TestEncoding_Negotiation(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	for accept, want := range map[string]string{
		"":                          "",
		"identity":                  "",
		"br":                        "",
		"gzip":                      "gzip",
		"GZIP":                      "gzip",
		"x-gzip":                    "gzip",
		"zstd":                      "zstd",
		"gzip, deflate, br":         "gzip",
		"gzip, deflate, br, zstd":   "zstd",
		"zstd;q=0.5, gzip;q=0.8":    "gzip",
		"zstd;q=0, gzip;q=0":        "",
		"gzip;q=0":                  "",
		"*":                         "zstd",
		"*;q=0":                     "",
		"zstd;q=0, *":               "gzip",
		"identity, gzip;q=0.5":      "",
		"gzip;q=0.001":              "gzip",
		"gzip;q=2":                  "",
		"gzip;q=-1":                 "",
		"gzip;level=9":              "",
		",, gzip ; q=0.3 ,,":        "gzip",
		"identity;q=0, *;q=0":       "", // nothing fits: identity rather than 406
		strings.Repeat("a,", 2_000): "",
	} {
		got := c.get(t, "/api/v1/tools", "Accept-Encoding", accept).wantStatus(t, http.StatusOK)
		if coding := got.header.Get("Content-Encoding"); coding != want {
			t.Errorf("%.40q gives %q, want %q", accept, coding, want)
		}
	}
	// Several lines are one list.
	c.get(t, "/api/v1/tools", "Accept-Encoding", "br", "Accept-Encoding", "gzip").wantHeader(t, "Content-Encoding", "gzip")
}

// The size decides, and nothing else.
func TestEncoding_SmallBodiesAreNotCompressed(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	small, large := 0, 0
	for limit := 1; limit <= 15; limit++ {
		target := "/api/v1/tools?limit=" + strconv.Itoa(limit)
		got := c.get(t, target, "Accept-Encoding", "zstd")
		if len(got.text) < api.MinCompressed {
			small++
			got.wantHeader(t, "Content-Encoding", "")
		} else {
			large++
			got.wantHeader(t, "Content-Encoding", "zstd")
		}
	}
	if small == 0 || large == 0 {
		t.Errorf("%d small bodies and %d large ones: the bound was not crossed", small, large)
	}
	c.get(t, "/api/v1/nope", "Accept-Encoding", "zstd").wantHeader(t, "Content-Encoding", "")
}

func TestEncoding_HeadIsGetWithoutBody(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	for _, target := range slices.Concat(routes, []string{
		"/api/v1/tools?limit=3&page=2", "/api/v1/tools/nope", "/api/v1/tools?page=0", "/nope", "//",
	}) {
		for _, headers := range [][]string{
			nil,
			{"Accept-Encoding", "gzip"},
			{"Accept-Encoding", "zstd"},
			{"If-None-Match", "*"},
			{"Authorization", "x"},
		} {
			c.get(t, target, headers...) // from the second time on it is compressed
			get, head := c.get(t, target, headers...), c.do(t, http.MethodHead, target, headers...)
			if head.status != get.status || len(head.body) > 0 {
				t.Errorf("HEAD %s: status %d and %d bytes, GET answers %d", target, head.status, len(head.body), get.status)
			}
			for _, h := range []http.Header{get.header, head.header} {
				h.Del("Date")
				h.Del("X-Request-Id")
			}
			for name := range get.header {
				head.wantHeader(t, name, strings.Join(get.header.Values(name), " | "))
			}
			if len(head.header) != len(get.header) {
				t.Errorf("%s:\nHEAD %v\nGET  %v", target, head.header, get.header)
			}
		}
	}
}

func TestMethods_NotAllowed(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	for _, target := range slices.Concat(routes, []string{"/api/v1/tools/nope", "/api/v1/tools?page=0"}) {
		for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "TRACE", "QUERY", "PROPFIND", "get", "GETS", "X-" + strings.Repeat("A", 200)} {
			got := c.do(t, method, target, "If-None-Match", "*", "Authorization", "x")
			got.wantError(t, http.StatusMethodNotAllowed, quoted(method)+" is not allowed here: use GET, HEAD or OPTIONS")
			got.wantHeader(t, "Allow", "GET, HEAD, OPTIONS")
		}
	}
	c.do(t, http.MethodPost, "/nope").wantStatus(t, http.StatusNotFound)
	c.do(t, http.MethodPost, "/").wantStatus(t, http.StatusNotFound)
}

// raw sends a request line as it is, which no client would: it goes through the
// same parser as on the wire. It reports whether that would let it through at all.
func (c *contract) raw(t testing.TB, h http.Handler, line string) (reply, bool) {
	t.Helper()
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(line + " HTTP/1.1\r\nHost: test\r\n\r\n")))
	if err != nil {
		return reply{}, false
	}
	r.RemoteAddr = "192.0.2.1:1"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	response := w.Result()
	defer response.Body.Close()
	got, err := c.read(r, response)
	if err != nil {
		t.Fatalf("%.200q: %v", line, err)
	}
	return got, true
}

func TestPaths_NotFound(t *testing.T) {
	t.Parallel()
	h := handler(t, api.Options{Catalog: shelve(fixture(t))})
	k := loadContract(t)
	long := "/" + strings.Repeat("a", 9_000)
	for path, shown := range map[string]string{
		"/":                               "/",
		"//":                              "//",
		"//api":                           "//api",
		"//api/v1/tools":                  "//api/v1/tools",
		"/api":                            "/api",
		"/api/":                           "/api/",
		"/api/v1":                         "/api/v1",
		"/api/v1/":                        "/api/v1/",
		"/api/v1/tools/":                  "/api/v1/tools/",
		"/api/v1/tools//":                 "/api/v1/tools//",
		"/api/v1//tools":                  "/api/v1//tools",
		"/api/v1/tools/a/b":               "/api/v1/tools/a/b",
		"/api/v1/tools/oeuvre/":           "/api/v1/tools/oeuvre/",
		"/api/v1/stats/":                  "/api/v1/stats/",
		"/api/v1/stats/x":                 "/api/v1/stats/x",
		"/api/v1/../x":                    "/api/v1/../x",
		"/api/v1/tools/..":                "/api/v1/tools/..",
		"/api/v1/./tools":                 "/api/v1/./tools",
		"/api/v1/x/../tools":              "/api/v1/x/../tools",
		"/api/v1/%2e%2e/x":                "/api/v1/../x",
		"/api/v1/tools/%2e":               "/api/v1/tools/.",
		"/api/v1/tools/%2E%2e":            "/api/v1/tools/..",
		"/api/v1/tools/a%2F..%2Fb":        "/api/v1/tools/a/../b",
		"/api%2Fv1%2Ftools":               "/api/v1/tools",
		"/api/v1/Tools":                   "/api/v1/Tools",
		"/api/v1/cimetiere/feu-mort":      "/api/v1/cimetiere/feu-mort",
		"/api/v1/categories/code":         "/api/v1/categories/code",
		"/api/v1/openapi.yaml":            "/api/v1/openapi.yaml",
		"/api/embeddings/":                "/api/embeddings/",
		"/api/v1/embeddings/oeuvre":       "/api/v1/embeddings/oeuvre",
		"/favicon.ico":                    "/favicon.ico",
		"http://autre.example":            "",
		"http://autre.example/api/v1/../": "/api/v1/../",
		"*":                               "*",
		long:                              long,
	} {
		got, ok := k.raw(t, h, "GET "+path)
		if !ok {
			t.Fatalf("%q is no request", path)
		}
		got.wantError(t, http.StatusNotFound, "there is nothing at "+quoted(shown)+": /api/v1/openapi.json lists what there is")
		got.wantHeader(t, "Location", "")
		got.wantHeader(t, "X-Service-Updated-At", "2026-11-15")
	}
	// An escaped slash belongs to the slug, which no item has.
	got, _ := k.raw(t, h, "GET /api/v1/tools/a%2Fb")
	got.wantError(t, http.StatusNotFound, `no tool has the slug "a/b"`)

	for line, status := range map[string]int{
		"GET http://autre.example/api/v1/stats": http.StatusOK, // absolute form, as to a proxy
		"GET /api/v1/%73tats":                   http.StatusOK,
		"GET /api/v1/tools/%6Feuvre?":           http.StatusOK,
		"CONNECT /api/v1/stats":                 http.StatusMethodNotAllowed,
		"CONNECT /api/v1/tools/":                http.StatusNotFound,
		"CONNECT autre.example:443":             http.StatusNotFound,
		"OPTIONS *":                             http.StatusNotFound, // net/http answers it before us
	} {
		got, ok := k.raw(t, h, line)
		if !ok {
			t.Fatalf("%q is no request", line)
		}
		if got.status != status {
			t.Errorf("%s: %d, want %d", line, got.status, status)
		}
	}
}

// The same paths through a real connection, where net/http may redirect.
func TestPaths_NotFoundOnTheWire(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	for _, path := range []string{
		"/", "//api", "/api/v1/tools/", "/api/v1/tools/a/b", "/api/v1/../x", "/api/v1/%2e%2e/x", "/api/v1//tools",
		"/api%2Fv1%2Ftools", "/" + strings.Repeat("a/", 4_000), "/api/embeddings/",
	} {
		for _, method := range []string{"GET", "HEAD", "POST"} {
			got := c.do(t, method, path).wantStatus(t, http.StatusNotFound)
			got.wantHeader(t, "Location", "")
		}
	}
}
