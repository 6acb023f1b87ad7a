package preview

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// Untidy paths are answered like all paths that lead nowhere, by the API to the byte. http.ServeMux
// would redirect them.
func TestMux_RedirectsNothing(t *testing.T) {
	t.Parallel()
	p := startPreview(t, exampleCatalog)
	for request, path := range map[string]string{
		"GET /": "/", "GET //": "//", "GET //x": "//x", "GET /a/../b": "/a/../b", "GET /api": "/api", "GET /api/": "/api/",
		"GET //api/v1/tools": "//api/v1/tools", "GET /api//v1/tools": "/api//v1/tools", "GET /api/v1/tools/": "/api/v1/tools/",
		"GET /api/v1/./tools": "/api/v1/./tools", "GET /api/v1/../v1/tools": "/api/v1/../v1/tools", "GET /api/v1/tools/..": "/api/v1/tools/..",
		"GET /x/../api/v1/tools": "/x/../api/v1/tools", "GET /api/../x": "/api/../x", "GET /%2e%2e/api/v1/tools": "/../api/v1/tools",
		"GET /api%2Fv1%2Ftools": "/api/v1/tools", "GET /apix": "/apix", "GET http://palmares//x/../y": "//x/../y",
		"POST //x": "//x", "POST /api//v1/tools": "/api//v1/tools", "OPTIONS /a/../b": "/a/../b", "PURGE /api/v1/tools/": "/api/v1/tools/",
		"HEAD /api/v1//tools": "/api/v1//tools", "CONNECT palmares:80": "",
	} {
		meant := ""
		switch tidy := strings.TrimSuffix(strings.ReplaceAll(path, "//", "/"), "/"); {
		case tidy == "/api":
			meant = "did you mean /api/v1? "
		case tidy == "/api/v1/tools" && path != tidy && strings.HasPrefix(path, "/api/"):
			meant = "did you mean /api/v1/tools? "
		}
		body := fmt.Sprintf(`{"error":"there is nothing at \"%s\": `+meant+`/api/v1/openapi.json lists what there is; %s/en/docs/errors says more","code":"no_such_path"}`, path, p.public)
		want := "HTTP/1.1 404 Not Found\r\n" +
			"Access-Control-Allow-Origin: *\r\n" +
			"Access-Control-Expose-Headers: ETag, Link, Retry-After, WWW-Authenticate, X-Attribution, X-Changes-Cursor, X-RateLimit-Remaining, " +
			"X-RateLimit-Reset, X-RateLimit-Tier, X-Request-Id, X-Service-Updated-At, X-Total-Count\r\n" +
			"Cache-Control: no-store\r\n" +
			fmt.Sprintf("Content-Length: %d\r\n", len(body)) +
			"Content-Type: application/json; charset=utf-8\r\n" +
			"Vary: Authorization, Accept-Encoding\r\n" +
			"X-Attribution: ATTRIBUTION\r\nX-Content-Type-Options: nosniff\r\nX-Request-Id: ID\r\nX-Service-Updated-At: DAY\r\nDate: NOW\r\n" +
			"Connection: close\r\n\r\n"
		if !strings.HasPrefix(request, "HEAD") {
			want += body
		}
		got := raw(t, strings.TrimPrefix(p.public, "http://"), request)
		if path != "/api" && !strings.HasPrefix(path, "/api/") {
			if status := pageStatus(request); !strings.HasPrefix(got, status) || !strings.Contains(got, "\r\nContent-Type: text/html") {
				t.Errorf("%s:\n%s\nwant a page, %s", request, got, status)
			}
			continue
		}
		if got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", request, got, want)
		}
	}
}

// pageStatus is what the site answers to a request of TestMux_RedirectsNothing.
func pageStatus(request string) string {
	switch method, path, _ := strings.Cut(request, " "); {
	case method != http.MethodGet:
		return "HTTP/1.1 405 "
	case path == "/":
		return "HTTP/1.1 200 "
	default:
		return "HTTP/1.1 404 "
	}
}

var varying = regexp.MustCompile(`(X-Attribution|X-Request-Id|X-Service-Updated-At|Date): [^\r]*`)

// raw sends a request as it is, and gives the response without what differs each time.
func raw(t *testing.T, address, request string) string {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	must(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, request+" HTTP/1.1\r\nHost: palmares\r\nConnection: close\r\n\r\n")
	must(t, err)
	response, err := io.ReadAll(bufio.NewReader(conn))
	must(t, err)
	return varying.ReplaceAllStringFunc(string(response), func(line string) string {
		name, _, _ := strings.Cut(line, ": ")
		return name + ": " + map[string]string{
			"X-Attribution": "ATTRIBUTION", "X-Request-Id": "ID", "X-Service-Updated-At": "DAY", "Date": "NOW",
		}[name]
	})
}
