package main

import (
	"io"
	"net"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/pgtest"
)

// A node with few descriptors and many more clients that hold connections goes on
// answering, on both listeners.
func TestServe_FewDescriptors(t *testing.T) {
	t.Parallel()
	const descriptors, clients = 256, 600
	db := pgtest.Migrated(t)
	palmares(t, database(db), "publish", fixtureCatalog)
	cmd := command(t, append(database(db), "PALMARES_SECRET="+secret, "PALMARES_LISTEN=127.0.0.1:0",
		"PALMARES_ADMIN_LISTEN=127.0.0.1:0", "PALMARES_DRAIN_DELAY=0s", "PALMARES_TRUSTED_PROXIES=127.0.0.0/8"), "serve")
	limited := exec.Command("sh", "-c", `ulimit -n "$0" && exec "$@"`, strconv.Itoa(descriptors), cmd.Path, "serve")
	limited.Env = cmd.Env
	n := serving(startCommand(t, limited))
	n.ready(10 * time.Second)

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
			c, err := net.DialTimeout("tcp", strings.TrimPrefix(x.url, "http://"), 10*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, c)
			_, _ = io.WriteString(c, x.sent) // the node may have closed it
		}
		for path, url := range map[string]string{
			"/livez": n.admin, "/readyz": n.admin, "/metrics": n.admin, "/api/v1/tools/ame": n.public,
		} {
			if a, err := fetch(url+path, http.Header{"X-Forwarded-For": {"192.0.2.1"}}); err != nil || !ok(a) {
				t.Errorf("beside clients that sent %q, %s: %d %.200s %v", x.sent, path, a.status, a.body, err)
			}
		}
		if t.Failed() {
			return
		}
		open := n.metric(`palmares_http_connections\{server="` + x.server + `"\}`)
		closed := n.metric(`palmares_http_connections_closed_total\{server="` + x.server + `"\}`)
		t.Logf("%s, %q: %v connections are open, %v have been closed for room", x.server, x.sent, open, closed)
		if open > descriptors || closed < 1 {
			t.Error("these are too many, or too few")
		}
		for _, c := range held {
			_ = c.Close()
		}
	}
	n.stop()
}

func TestShareDescriptors(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{16, 64, 256, 1024, 65_536, 1 << 30} {
		for _, worker := range []bool{false, true} {
			d := shareDescriptors(limit, worker)
			own := limit - d.public - d.admin - d.webhooks
			t.Logf("%d, worker %v: %+v, and %d for the node itself", limit, worker, d, own)
			if d.public < limit/4 || limit >= 256 && own < ownFiles+engineConns {
				t.Errorf("%d, worker %v: %+v, and %d for the node itself", limit, worker, d, own)
			}
		}
	}
}
