package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Two nodes behind a proxy with the configuration that is shipped, and a line more for the second. They are restarted one after the other,
// under load, and take three seconds each to load their catalog. No GET fails; what becomes of POST, which no proxy may send twice, is counted.
//
// Nothing asks /readyz: neither nginx nor Caddy does, as shipped.
func TestServe_RollingRestartFailsNoRequest(t *testing.T) {
	t.Parallel()
	rollingRestarts(t, 1, "nginx")
}

func TestServe_TenRollingRestarts(t *testing.T) {
	testkit.Night(t)
	t.Parallel()
	rollingRestarts(t, 10, "nginx", "Caddy")
}

func rollingRestarts(t *testing.T, rolls int, behind ...string) {
	t.Helper()
	proxies := map[string]func(t *testing.T, nodes [2]string) (url string){"nginx": behindNginx, "Caddy": behindCaddy}
	for _, name := range behind {
		proxy := proxies[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.Migrated(t)
			palmares(t, database(db), "publish", fixtureCatalog)
			key := newKey(t, db, "rolling@example.org", "pro") // without a limit
			addresses := [2]string{testkit.FreeAddress(t), testkit.FreeAddress(t)}
			launch := func(i int) *server {
				n := serve(t, db, "PALMARES_LISTEN="+addresses[i], "PALMARES_TRUSTED_PROXIES=127.0.0.1", "PALMARES_DRAIN_DELAY=2s")
				n.ready()
				return n
			}
			nodes := [2]*server{launch(0), launch(1)}
			load := startLoad(t, proxy(t, addresses), key)
			for roll := range rolls {
				for i := range nodes {
					load.sends(100) // both carry it
					nodes[i].stop()
					loaded := slowLoad(t, db, 3*time.Second)
					nodes[i] = launch(i)
					loaded()
				}
				t.Logf("roll %d: %v", roll+1, load)
			}
			load.stop()
			t.Logf("%s, %d rolls: %v", name, rolls, load)
		})
	}
}

// slowLoad makes a catalog take that long to load. What it gives waits for the end of that.
func slowLoad(t *testing.T, db string, took time.Duration) (wait func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), db)
	must(t, err)
	tx, err := conn.Begin(t.Context())
	must(t, err)
	_, err = tx.Exec(t.Context(), "LOCK TABLE tools IN ACCESS EXCLUSIVE MODE")
	must(t, err)
	var waiting sync.WaitGroup
	waiting.Go(func() {
		time.Sleep(took)
		if err := conn.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return waiting.Wait
}

// A load is requests by several clients: pages and the API with a key, and every tenth a POST of an agent. Each has an address of its own,
// so that none comes from a cache.
type load struct {
	t      *testing.T
	client *http.Client
	url    string
	key    string

	done            chan struct{}
	running         sync.WaitGroup
	gets, posts     atomic.Int64
	failed, refused atomic.Int64 // GET, POST
}

func startLoad(t *testing.T, url, key string) *load {
	t.Helper()
	const clients, pause = 8, 100 * time.Millisecond
	transport := &http.Transport{MaxIdleConnsPerHost: clients, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // Caddy's own, and not what is looked at
	l := &load{t: t, url: url, key: key, done: make(chan struct{}), client: &http.Client{Transport: transport, Timeout: 10 * time.Minute}}
	for c := range clients {
		l.running.Go(func() {
			for n := c; ; n += clients {
				select {
				case <-l.done:
					return
				case <-time.After(pause):
					l.send(n)
				}
			}
		})
	}
	t.Cleanup(l.stop)
	return l
}

func (l *load) send(n int) {
	method, path, body := http.MethodGet, []string{
		"/api/v1/tools", "/outils/ame", "/api/v1/tools/ame", "/comparatifs", "/api/v1/stats", "/en/tools/ame", "/api/v1/comparatifs", "/",
	}[n%8]+"?n="+strconv.Itoa(n), ""
	switch n % 10 {
	case 9:
		method, path, body = http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	case 8:
		method = http.MethodHead
	}
	req, err := http.NewRequest(method, l.url+path, strings.NewReader(body))
	if err != nil {
		l.t.Error(err)
		return
	}
	if n%2 == 0 {
		req.Header = testkit.Bearer(l.key)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
	}
	resp, err := l.client.Do(req)
	status := 0
	if err == nil {
		status = resp.StatusCode
		_, err = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	good := err == nil && status == http.StatusOK
	if method == http.MethodPost {
		l.posts.Add(1)
		if !good {
			l.refused.Add(1)
			l.t.Logf("POST %d: %d %v", n, status, err)
		}
		return
	}
	l.gets.Add(1)
	if !good {
		l.failed.Add(1)
		l.t.Errorf("%s %s: %d %v", method, path, status, err)
	}
}

// sends waits for that many requests more.
func (l *load) sends(requests int64) {
	l.t.Helper()
	from := l.gets.Load()
	testkit.EventuallyTrue(l.t, "requests are sent", func() bool { return l.gets.Load() > from+requests })
}

func (l *load) stop() {
	select {
	case <-l.done:
	default:
		close(l.done)
	}
	l.running.Wait()
	l.client.CloseIdleConnections()
}

func (l *load) String() string {
	return fmt.Sprintf("%d GET and HEAD, of which %d failed, and %d POST, of which %d did", l.gets.Load(), l.failed.Load(), l.posts.Load(), l.refused.Load())
}

// shipped copies a configuration of deploy with other values in it. Each must be there.
func shipped(t *testing.T, name string, oldnew ...string) (text string) {
	t.Helper()
	text = testkit.ReadFile(t, root+"/deploy/"+name)
	for i := 0; i < len(oldnew); i += 2 {
		if !strings.Contains(text, oldnew[i]) {
			t.Fatalf("%s does not hold %q", name, oldnew[i])
		}
	}
	return strings.NewReplacer(oldnew...).Replace(text)
}

// listens waits until something listens on the address.
func listens(t *testing.T, address string) {
	t.Helper()
	testkit.Eventually(t, func() error {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		return c.Close()
	})
}

// installed is a command of a program that may not be there.
func installed(t *testing.T, program, debian string, args ...string) *exec.Cmd {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		pgtest.SkipOrFail(t, "no %s: install one, for instance with apt-get install %s", program, debian)
	}
	return exec.Command(program, args...)
}

func behindNginx(t *testing.T, nodes [2]string) string {
	t.Helper()
	dir, listen := t.TempDir(), testkit.FreeAddress(t)
	site := shipped(t, "nginx/palmares.conf", "listen 80;", "listen "+listen+";", "/var/cache/nginx/palmares", dir+"/cache",
		"    server 127.0.0.1:8080 max_fails=0;", fmt.Sprintf("    server %s max_fails=0;\n    server %s max_fails=0;", nodes[0], nodes[1]))
	around := strings.ReplaceAll(testkit.ReadFile(t, root+"/internal/node/testdata/nginx/nginx.conf"), "DIR", dir)
	must(t, os.WriteFile(filepath.Join(dir, "site.conf"), []byte(site), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(around), 0o600))
	args := []string{"-p", dir, "-c", filepath.Join(dir, "nginx.conf")}
	if os.Geteuid() == 0 {
		args = append(args, "-g", "user root;") // the directory is the test's
	}
	startCommand(t, installed(t, "/usr/sbin/nginx", "nginx-light", args...))
	listens(t, listen)
	return "http://" + listen
}

func behindCaddy(t *testing.T, nodes [2]string) string {
	t.Helper()
	dir, ca := t.TempDir(), testkit.NewAuthority(t)
	certificate, key := ca.Issue(t, "127.0.0.1", time.Now().Add(time.Hour))
	secure, plain := testkit.FreePort(t), testkit.FreePort(t)
	file := filepath.Join(dir, "Caddyfile")
	must(t, os.WriteFile(file, []byte(shipped(t, "caddy/Caddyfile",
		"\tservers {", fmt.Sprintf("\tadmin off\n\tstorage file_system %s\n\thttp_port %d\n\thttps_port %d\n\tservers {", dir, plain, secure),
		"catalogue.example.org {", fmt.Sprintf("127.0.0.1 {\n\ttls %s %s", certificate, key),
		"\treverse_proxy 127.0.0.1:8080 {", fmt.Sprintf("\treverse_proxy %s %s {", nodes[0], nodes[1]))), 0o600))
	cmd := installed(t, "/usr/bin/caddy", "caddy", "run", "--adapter", "caddyfile", "--config", file)
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+dir)
	startCommand(t, cmd)
	listens(t, fmt.Sprintf("127.0.0.1:%d", secure))
	return fmt.Sprintf("https://127.0.0.1:%d", secure)
}
