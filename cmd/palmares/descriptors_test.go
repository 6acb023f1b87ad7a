package main

import (
	"io"
	"net"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A node with few descriptors and many more clients that hold connections goes on answering, on
// both listeners.
func TestServe_FewDescriptors(t *testing.T) {
	t.Parallel()
	const descriptors, clients = 256, 600
	db := pgtest.Migrated(t)
	palmares(t, database(db), "publish", fixtureCatalog)
	cmd := command(t, onFreePorts(db, "PALMARES_TRUSTED_PROXIES=127.0.0.0/8"), "serve")
	limited := exec.Command("sh", "-c", `ulimit -n "$0" && exec "$@"`, strconv.Itoa(descriptors), cmd.Path, "serve")
	limited.Env = cmd.Env
	n := serving(startCommand(t, limited))
	n.ready()

	const request = "GET /api/v1/categories HTTP/1.1\r\nHost: test\r\n"
	for _, x := range []struct{ server, url, sent string }{
		{"public", n.public, ""},
		{"public", n.public, request},
		{"public", n.public, request + "\r\n"},
		{"public", n.public, request + "\r\nGET"},
		{"admin", n.admin, ""},
		{"admin", n.admin, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"},
	} {
		var held []net.Conn
		for range clients {
			c, err := net.Dial("tcp", strings.TrimPrefix(x.url, "http://"))
			must(t, err)
			held = append(held, c)
			_, _ = io.WriteString(c, x.sent) // the node may have closed it
		}
		for path, url := range map[string]string{
			"/livez": n.admin, "/readyz": n.admin, "/metrics": n.admin, "/api/v1/tools/ame": n.public,
		} {
			if a, err := testkit.Fetch(url+path, http.Header{"X-Forwarded-For": {"192.0.2.1"}}); err != nil || !a.OK() {
				t.Fatalf("beside clients that sent %q, %s: %v %v", x.sent, path, a, err)
			}
		}
		open := n.metric(`palmares_http_connections\{server="` + x.server + `"\}`)
		closed := n.metric(`palmares_http_connections_closed_total\{server="` + x.server + `"\}`)
		if open > descriptors || closed < 1 {
			t.Errorf("%s, %q: %v connections are open, %v have been closed for room", x.server, x.sent, open, closed)
		}
		for _, c := range held {
			_ = c.Close()
		}
	}
	n.stop()
}
