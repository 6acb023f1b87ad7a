package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/pgtest"
)

// What the operators were promised.
const (
	seenWithin  = 2 * time.Second // a publication, on every node
	readyWithin = 2 * time.Second // a start from the disk copy, the database being down
)

func TestServe_FollowsPublications(t *testing.T) {
	t.Parallel()
	db, dir := pgtest.Migrated(t), copyOf(t, fixtureCatalog)
	n := serve(t, db)

	// Before anything is published.
	a, _ := eventually(t, n.admin+"/readyz", 10*time.Second, func(a answer) bool {
		return strings.Contains(a.body, "run palmares publish")
	})
	if a.status != http.StatusServiceUnavailable {
		t.Errorf("ready without a catalog: %d %s", a.status, a.body)
	}
	if a := get(t, n.public+"/api/v1/tools"); a.status != http.StatusServiceUnavailable || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("tools without a catalog: %d %v", a.status, a.header)
	}
	if a := get(t, n.admin+"/livez"); !ok(a) {
		t.Errorf("alive is not ready, but livez says %d %s", a.status, a.body)
	}

	palmares(t, database(db), "publish", dir)
	_, took := eventually(t, n.admin+"/readyz", seenWithin, ok)
	t.Logf("the first edition was served %v after its publication", took.Round(time.Millisecond))
	a = get(t, n.public+"/api/v1/tools/ame")
	if !says(`"price":"5 €/mois"`)(a) || a.header.Get("X-Attribution") == "" || a.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("ame: %d %s %v", a.status, a.body, a.header)
	}
	if a := get(t, n.public+"/api/v1/tools/personne"); a.status != http.StatusNotFound {
		t.Errorf("an unknown tool: %d %s", a.status, a.body)
	}

	file := filepath.Join(dir, "tools/ame.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.Replace(text, []byte("5 €/mois"), []byte("6 €/mois"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	palmares(t, database(db), "publish", dir)
	_, took = eventually(t, n.public+"/api/v1/tools/ame", seenWithin, says(`"price":"6 €/mois"`))
	t.Logf("the second edition was served %v after its publication", took.Round(time.Millisecond))

	for name, want := range map[string]float64{"palmares_edition": 2, "palmares_feed_connected": 1} {
		if got := n.metric(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if got := n.metric("palmares_http_requests_total"); got < 4 {
		t.Errorf("palmares_http_requests_total is %v", got)
	}
	n.stop()
}

// The log says which network a request came from, never from whom, and nothing of
// what it asked beyond the path.
func TestServe_LogHoldsNoPersonalData(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	palmares(t, database(db), "publish", fixtureCatalog)
	n := serve(t, db, "PALMARES_TRUSTED_PROXIES=127.0.0.0/8")
	n.ready(10 * time.Second)
	for forwarded, path := range map[string]string{
		"203.0.113.77":               "/api/v1/tools?limit=3&email=ada%40example.org",
		"198.51.100.9, 203.0.114.78": "/api/v1/stats?token=s3cr3t",
		"2001:db8:1:2:3:4:5:6":       "/api/v1/absent?x=y",
	} {
		if _, err := fetch(n.public+path, http.Header{"X-Forwarded-For": {forwarded}}); err != nil {
			t.Fatal(err)
		}
	}
	n.stop()

	clients := map[string]string{}
	for _, line := range n.logLines() {
		if line["msg"] == "request" {
			clients[fmt.Sprint(line["path"])] = fmt.Sprint(line["client"])
		}
	}
	want := map[string]string{
		"/api/v1/tools": "203.0.113.0/24", "/api/v1/stats": "203.0.114.0/24", "/api/v1/absent": "2001:db8:1::/48",
	}
	for path, network := range want {
		if clients[path] != network {
			t.Errorf("%s was logged as from %q, want %s", path, clients[path], network)
		}
	}
	printed := n.stderr.from(0)
	for _, private := range []string{
		"203.0.113.77", "198.51.100.9", "203.0.114.78", "2001:db8:1:2", "ada", "s3cr3t", "limit=3", "?", secret,
	} {
		if strings.Contains(printed, private) {
			t.Errorf("the log holds %q:\n%s", private, printed)
		}
	}
}

// On SIGTERM a node is not ready any more but answers on, so that load balancers
// have time to notice; then it finishes what it has begun and ends with status 0.
func TestServe_DrainsOnSIGTERM(t *testing.T) {
	t.Parallel()
	db, dir := pgtest.Migrated(t), filepath.Join(t.TempDir(), "catalog")
	palmares(t, nil, "generate", dir, "--tools", "300")
	palmares(t, database(db), "publish", dir)
	n := serve(t, db, "PALMARES_DRAIN_DELAY=700ms")
	key := newKey(t, db, "slow@example.org", "pro") // it asks for more than a quota allows
	n.ready(10 * time.Second)
	get(t, n.public+"/api/v1/stats") // from here on requests are counted

	// One client has sent half a request, another does not read what it asked for.
	half := dial(t, n.public)
	write(t, half, "GET /api/v1/stats HTTP/1.1\r\nHost: palmares\r\n")
	slow := dial(t, n.public)
	// Far more than a connection's buffers hold, asked for in one packet, so that
	// nothing is left unread when the server closes: that would be a reset.
	const asked = 60
	write(t, slow, strings.Repeat("GET /api/v1/tools?limit=200 HTTP/1.1\r\nHost: palmares\r\nAuthorization: Bearer "+key+"\r\n\r\n", asked))
	stuck(n)

	n.signal(syscall.SIGTERM)
	eventually(t, n.admin+"/readyz", 500*time.Millisecond, func(a answer) bool {
		return a.status == http.StatusServiceUnavailable && strings.Contains(a.body, "draining")
	})
	write(t, half, "\r\n")
	if got := answers(t, half); got != 1 {
		t.Errorf("the request that was half sent got %d answers", got)
	}
	for range 20 {
		a := get(t, n.public+"/api/v1/stats")
		if !ok(a) {
			t.Fatalf("while draining: %d %s", a.status, a.body)
		}
	}
	began := time.Now()
	for { // until the listener is closed
		if _, err := fetch(n.public+"/api/v1/stats", nil); err != nil {
			break
		}
		if time.Since(began) > patience(10*time.Second) {
			t.Fatal("it goes on accepting requests")
		}
		time.Sleep(20 * time.Millisecond)
	}

	select {
	case <-n.exited:
		t.Fatal("it ended with a request in flight")
	case <-time.After(100 * time.Millisecond):
	}
	if got := answers(t, slow); got == 0 || got == asked {
		t.Errorf("the client that did not read got %d answers of %d: it was not held up", got, asked)
	}
	n.wait(10 * time.Second)
}

// stuck waits until a request is being answered and none gets any further.
func stuck(n *node) {
	n.t.Helper()
	before := -1.0
	for began := time.Now(); time.Since(began) < patience(10*time.Second); time.Sleep(100 * time.Millisecond) {
		answered := n.metric("palmares_http_requests_total")
		if answered == before && n.metric("palmares_http_requests_in_flight") == 1 {
			return
		}
		before = answered
	}
	n.t.Fatal("no request got stuck: the test needs larger answers")
}

func dial(t *testing.T, url string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return c
}

func write(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
}

// answers reads answers until the server closes the connection, and counts them.
// All must be whole, and good.
func answers(t *testing.T, r io.Reader) int {
	t.Helper()
	b := bufio.NewReader(r)
	for n := 0; ; n++ {
		if _, err := b.Peek(1); errors.Is(err, io.EOF) {
			return n
		}
		resp, err := http.ReadResponse(b, nil)
		if err != nil {
			t.Fatalf("answer %d: %v", n+1, err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK || !json.Valid(body) {
			t.Fatalf("answer %d: %d, %d bytes, %v", n+1, resp.StatusCode, len(body), err)
		}
	}
}

func TestServe_StartsFromItsDiskCopy(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	palmares(t, database(server.URL()), "publish", fixtureCatalog)
	file := filepath.Join(t.TempDir(), "catalog.snapshot")
	setting := "PALMARES_SNAPSHOT_FILE=" + file
	n := serve(t, server.URL(), setting)
	n.ready(10 * time.Second)
	want := get(t, n.public+"/api/v1/tools")
	n.stop() // ends when the copy is written

	server.Stop()
	n = serve(t, server.URL(), setting)
	took := n.ready(10 * time.Second)
	t.Logf("ready %v after its start, the database being down", took.Round(time.Millisecond))
	if took > patience(readyWithin) {
		t.Errorf("ready after %v, want %v", took, readyWithin)
	}
	got := get(t, n.public+"/api/v1/tools")
	if got.body != want.body || got.header.Get("Etag") != want.header.Get("Etag") {
		t.Errorf("from the disk copy: %d %.200s", got.status, got.body)
	}
	for name, value := range map[string]float64{"palmares_edition": 1, "palmares_feed_connected": 0} {
		if got := n.metric(name); got != value {
			t.Errorf("%s is %v, want %v", name, got, value)
		}
	}
	n.stop()

	// A copy that went bad is never served, and readyz says which and why.
	damage(t, file)
	n = serve(t, server.URL(), setting)
	a, _ := eventually(t, n.admin+"/readyz", 10*time.Second, func(a answer) bool {
		return strings.Contains(a.body, file) && strings.Contains(a.body, "connect")
	})
	if a.status != http.StatusServiceUnavailable || !strings.Contains(a.body, "the disk copy is corrupt") || !strings.Contains(a.body, "checksum") {
		t.Errorf("with a corrupt copy and no database: %d %s", a.status, a.body)
	}
	if a := get(t, n.public+"/api/v1/tools"); a.status != http.StatusServiceUnavailable {
		t.Errorf("with a corrupt copy and no database: %d %.200s", a.status, a.body)
	}

	// The database comes back: the node serves, and mends its copy.
	server.Start()
	n.ready(10 * time.Second)
	n.stop()
	server.Stop()
	n = serve(t, server.URL(), setting)
	n.ready(10 * time.Second)
	n.stop()
}

// damage flips one bit in the middle of a file.
func damage(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestServe_SaysThatAPortIsTaken(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, variable := range []string{"PALMARES_LISTEN", "PALMARES_ADMIN_LISTEN"} {
		environ := append(database("postgres://127.0.0.1:1/palmares"), "PALMARES_SECRET="+secret,
			"PALMARES_LISTEN=127.0.0.1:0", "PALMARES_ADMIN_LISTEN=127.0.0.1:0", variable+"="+taken.Addr().String())
		out, err := command(t, environ, "serve").CombinedOutput()
		want := "palmares: " + taken.Addr().String() + " is taken by another program: choose another address with " + variable + "\n"
		if err == nil || !strings.HasSuffix(string(out), want) {
			t.Errorf("%v, printed:\n%swant:\n%s", err, out, want)
		}
	}
}

// A node tells which build it is, warns of a trust that is too wide, and answers
// operators only under names that no web page can have.
func TestServe_TellsOperators(t *testing.T) {
	t.Parallel()
	n := serve(t, "postgres://127.0.0.1:1/palmares", "PALMARES_TRUSTED_PROXIES=10.0.0.0/8,128.0.0.0/1")
	if warned := n.await(0, `"network":"128.0.0.0/1"`, 20*time.Second); strings.Contains(warned, `"10.0.0.0/8"`) {
		t.Errorf("it warns of a network that is not too wide:\n%s", warned)
	}
	metrics := get(t, n.admin+"/metrics").body
	if !regexp.MustCompile(`(?m)^palmares_build_info\{commit="[^"]*",go="go1[^"]*",version="[^"]+"\} 1$`).MatchString(metrics) {
		t.Error("the metrics do not tell the build")
	}
	for host, status := range map[string]int{"localhost:9090": 200, "evil.example": http.StatusMisdirectedRequest} {
		req, err := http.NewRequest(http.MethodGet, n.admin+"/livez", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != status {
			t.Errorf("as %s: %d, want %d", host, resp.StatusCode, status)
		}
	}
	n.stop()
}
