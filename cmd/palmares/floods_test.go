package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/stripetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Floods of one client with many sockets, most against a node that has 1,024 descriptors. In the short form there
// are few sockets, and it counts that everything is answered. With PALMARES_LONG=1 there are as many as the
// floods had that once stopped a node, and times and memory are held to.

// flooded starts a node of the roles api and site that a flood is sent to.
func flooded(t *testing.T, descriptors int, db string, settings ...string) *server {
	t.Helper()
	settings = append([]string{"PALMARES_BASE_URL=http://localhost:8080", "PALMARES_TRUSTED_PROXIES=127.0.0.0/8"}, settings...)
	cmd := command(t, onFreePorts(db, settings...), "serve", "--roles", "api,site")
	limited := exec.Command("sh", "-c", `ulimit -n "$0" && exec "$@"`, strconv.Itoa(descriptors), cmd.Path, "serve", "--roles", "api,site")
	limited.Env = cmd.Env
	n := serving(startCommand(t, limited))
	n.ready()
	return n
}

// sockets is how many a flood has: all of them in the long form.
func sockets(long int) int {
	if testkit.Long() {
		return long
	}
	return min(long, 100)
}

// A flood is sockets that do the same again and again, each on a new connection when the node closes its own.
type flood struct {
	stop chan struct{}
	wg   sync.WaitGroup
}

func startFlood(t *testing.T, address string, sockets int, talk func(c net.Conn, in *bufio.Reader, stop <-chan struct{}) error) *flood {
	t.Helper()
	f := &flood{stop: make(chan struct{})}
	for range sockets {
		f.wg.Go(func() {
			for {
				c, err := net.DialTimeout("tcp", address, 10*time.Second)
				if err == nil {
					in := bufio.NewReader(c)
					for err == nil && !ended(f.stop) {
						err = talk(c, in, f.stop)
					}
					_ = c.Close()
				}
				if pause(f.stop, 10*time.Millisecond) {
					return
				}
			}
		})
	}
	t.Cleanup(f.end)
	return f
}

func (f *flood) end() {
	if !ended(f.stop) {
		close(f.stop)
	}
	f.wg.Wait()
}

func ended(stop <-chan struct{}) bool { return pause(stop, 0) }

// pause waits, and reports whether the flood is to end.
func pause(stop <-chan struct{}, d time.Duration) bool {
	select {
	case <-stop:
		return true
	default:
	}
	if d == 0 {
		return false
	}
	select {
	case <-stop:
		return true
	case <-time.After(d):
		return false
	}
}

// asking sends whole requests with a cookie, one after the other with a pause between them.
func asking(cookie string, every time.Duration) func(net.Conn, *bufio.Reader, <-chan struct{}) error {
	return func(c net.Conn, in *bufio.Reader, stop <-chan struct{}) error {
		pause(stop, every)
		_ = c.SetDeadline(time.Now().Add(time.Minute))
		if _, err := io.WriteString(c, "GET /compte/cles HTTP/1.1\r\nHost: test\r\nX-Forwarded-For: 192.0.2.1\r\nCookie: __Host-session="+cookie+"\r\n\r\n"); err != nil {
			return err
		}
		a, err := http.ReadResponse(in, nil)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, a.Body)
		_ = a.Body.Close()
		return err
	}
}

// sending sends a header and then a body, in pieces with a pause after each.
func sending(header string, piece, pieces int, every time.Duration) func(net.Conn, *bufio.Reader, <-chan struct{}) error {
	body := strings.Repeat("x", piece)
	return func(c net.Conn, _ *bufio.Reader, stop <-chan struct{}) error {
		_ = c.SetDeadline(time.Now().Add(time.Minute))
		if _, err := io.WriteString(c, header); err != nil {
			return err
		}
		for range pieces {
			if _, err := io.WriteString(c, body); err != nil || pause(stop, every) {
				return io.EOF
			}
		}
		return nil
	}
}

// latencies are how long an address takes to answer 200, in order, each time from another client and on a
// connection of its own. A node at its limit may close one before it has read the request, and clients connect
// again, which counts.
func latencies(t *testing.T, address string, times int, header http.Header) []time.Duration {
	t.Helper()
	took := make([]time.Duration, 0, times)
	for i := range times {
		h := header.Clone()
		if h == nil {
			h = make(http.Header)
		}
		h.Set("X-Forwarded-For", fmt.Sprintf("198.51.%d.%d", i/250, i%250))
		began := time.Now()
		for again := 0; ; again++ {
			a, err := testkit.Fetch(address, h)
			if err == nil && a.OK() {
				break
			}
			if err == nil || again == 10 {
				t.Fatalf("%s beside a flood: %v %v", address, a, err)
			}
		}
		took = append(took, time.Since(began))
		time.Sleep(10 * time.Millisecond)
	}
	slices.Sort(took)
	return took
}

// half and most are the median and the 99th percentile.
func half(d []time.Duration) time.Duration { return d[len(d)/2].Round(100 * time.Microsecond) }
func most(d []time.Duration) time.Duration { return d[len(d)*99/100].Round(100 * time.Microsecond) }

func samples() int {
	if testkit.Long() {
		return 100
	}
	return 20
}

// session signs an account in, by a link of the operator, and gives its cookie.
func session(t *testing.T, n *server, db, email string) string {
	t.Helper()
	environ := append(database(db), "PALMARES_SECRET="+secret, "PALMARES_BASE_URL="+n.public)
	printed, _ := palmares(t, environ, "account", "login-link", email)
	link, err := url.Parse(strings.TrimSpace(printed))
	must(t, err)
	b := testkit.NewBrowser(t, n.public)
	b.Get(link.RequestURI())
	if a := b.Submit(link.Path, "enter", map[string]string{"link": link.Query().Get("jeton")}); b.Cookies["__Host-session"] == "" {
		t.Fatalf("signing in: %v", a)
	}
	return b.Cookies["__Host-session"]
}

// Sockets that ask for an account page while PostgreSQL is frozen, with a cookie that they invented and with
// one of an account: the API answers.
func TestFloods_FrozenDatabase(t *testing.T) { //nolint:paralleltest // measures says when
	measures(t)
	server := pgtest.NewServer(t)
	palmares(t, database(server.URL()), "publish", fixtureCatalog)
	palmares(t, database(server.URL()), "account", "create", "ada@example.org")
	n := flooded(t, 1024, server.URL())
	cookies := map[string]string{"invented": strings.Repeat("A", 43), "of an account": session(t, n, server.URL(), "ada@example.org")}
	stats := n.public + "/api/v1/stats"
	quiet := latencies(t, stats, samples(), nil)
	thaw := server.FreezeAll()
	for whose, cookie := range cookies {
		f := startFlood(t, strings.TrimPrefix(n.public, "http://"), sockets(950), asking(cookie, 0))
		beside := latencies(t, stats, samples(), nil)
		f.end()
		t.Logf("PostgreSQL frozen, %d sockets with a cookie %s: /api/v1/stats p50 %v, p99 %v (quiet: %v, %v)",
			sockets(950), whose, half(beside), most(beside), half(quiet), most(quiet))
		if testkit.Long() && most(beside) > 2*time.Second {
			t.Errorf("with a cookie %s p99 is %v, want 2 s at most", whose, most(beside))
		}
	}
	thaw()
}

// Sockets that send a form or an agent's message byte by byte: the API answers.
func TestFloods_SlowForms(t *testing.T) { //nolint:paralleltest // measures says when
	measures(t)
	db := pgtest.Migrated(t)
	palmares(t, database(db), "publish", fixtureCatalog)
	n := flooded(t, 1024, db)
	stats := n.public + "/api/v1/stats"
	quiet := latencies(t, stats, samples(), nil)
	for what, head := range map[string]string{
		"a form":             "POST /compte/connexion HTTP/1.1\r\nHost: test\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n",
		"an agent's message": "POST /mcp HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n",
	} {
		f := startFlood(t, strings.TrimPrefix(n.public, "http://"), sockets(1100), sending(head, 1, 1000, 200*time.Millisecond))
		time.Sleep(2 * time.Second) // they are all there
		beside := latencies(t, stats, samples(), nil)
		f.end()
		t.Logf("%d sockets that send %s byte by byte: /api/v1/stats p50 %v, p99 %v (quiet: %v, %v), %v connections closed for room",
			sockets(1100), what, half(beside), most(beside), half(quiet), most(quiet), n.metric(`palmares_http_connections_closed_total\{server="public"\}`))
		if testkit.Long() && most(beside) > 2*time.Second {
			t.Errorf("beside %s p99 is %v, want 2 s at most", what, most(beside))
		}
	}
}

// Sockets that send 250 KB to the address for provider events and then wait: memory stays, and an event of the
// provider is taken.
func TestFloods_Events(t *testing.T) { //nolint:paralleltest // measures says when
	measures(t)
	db := pgtest.Migrated(t)
	palmares(t, database(db), "publish", fixtureCatalog)
	fake := stripetest.New(t, stripefake.Options{})
	n := flooded(t, 1024, db, "PALMARES_STRIPE_KEY="+fake.Key, "PALMARES_STRIPE_WEBHOOK_SECRET="+fake.Secret,
		"PALMARES_STRIPE_PRICE="+fake.Price, "PALMARES_STRIPE_URL="+fake.URL)
	before := n.resident()
	forged := fmt.Sprintf("t=%d,v1=%s", time.Now().Unix(), strings.Repeat("0", 64))
	startFlood(t, strings.TrimPrefix(n.public, "http://"), sockets(1500), sending("POST /stripe/events HTTP/1.1\r\nHost: test\r\n"+
		"X-Forwarded-For: 192.0.2.1\r\nStripe-Signature: "+forged+"\r\nContent-Length: 262144\r\n\r\n", 25_000, 10, 500*time.Millisecond))
	peak := before
	for range samples() / 5 {
		time.Sleep(100 * time.Millisecond)
		peak = max(peak, n.resident())
	}
	fake.Emit("balance.available", "", []byte(`{"object": "balance"}`))
	must(t, fake.Deliver(t.Context(), n.public+"/stripe/events", fake.Events()...))
	t.Logf("%d sockets that send to /stripe/events: memory from %d to %d MB, %v refused for the crowd",
		sockets(1500), before>>20, peak>>20, n.metric(`palmares_billing_events_total\{outcome="crowded"\}`))
	if testkit.Long() && peak-before > 100<<20 {
		t.Errorf("memory rose by %d MB, want 100 at most", (peak-before)>>20)
	}
}

// resident is the memory of the node's process.
func (n *server) resident() int {
	n.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", n.cmd.Process.Pid))
	must(n.t, err)
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	must(n.t, err)
	return pages * os.Getpagesize()
}

// Sockets that ask with invented cookies while the database is 2 ms away: the pages of an account take about as
// long as beside any other flood that needs no database.
func TestFloods_InventedCookies(t *testing.T) { //nolint:paralleltest // measures says when
	measures(t)
	db := pgtest.Migrated(t)
	palmares(t, database(db), "publish", fixtureCatalog)
	palmares(t, database(db), "account", "create", "ada@example.org")
	at, err := url.Parse(db)
	must(t, err)
	way := testkit.NewProxy(t, at.Host)
	at.Host = way.Addr
	n := flooded(t, 4096, at.String()) // the database is what is short
	way.ToServer(testkit.Fault{Delay: 2 * time.Millisecond})
	header := http.Header{"Cookie": {"__Host-session=" + session(t, n, db, "ada@example.org")}}
	keys := n.public + "/compte/cles"
	quiet := latencies(t, keys, samples(), header)
	startFlood(t, strings.TrimPrefix(n.public, "http://"), sockets(1000), asking(strings.Repeat("A", 43), 100*time.Millisecond)) // or this process, in which the proxy is, is what is short
	beside := latencies(t, keys, samples(), header)
	t.Logf("a database 2 ms away, %d sockets of invented cookies: account pages p50 %v, p99 %v (quiet: %v, %v)",
		sockets(1000), half(beside), most(beside), half(quiet), most(quiet))
	if testkit.Long() && half(beside) > time.Second {
		t.Errorf("p50 is %v, want 1 s at most", half(beside))
	}
}
