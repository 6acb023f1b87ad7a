package api_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/web/server"
)

// Every file is what package export makes of the edition, in both encodings, with its cursor and its name; it costs
// one request, or none if it has identifiers and gzip is accepted, a 304 none, and over the quota a tag is still compared.
func TestFiles(t *testing.T) {
	t.Parallel()
	s := catalogtest.Fixture(t)
	for _, f := range append(export.Files(), export.Embeddings) {
		c := newClient(t)
		holder := c.sign(account.Developer)
		key, target, name := holder.bearer(), "export/"+f.Name(), f.Name()
		if f == export.Embeddings {
			target = "/api/embeddings/export.jsonl"
			c.get(target).want(401)
		} else {
			c.get(target).want(200, "Cache-Control", sharedCaching)
		}
		var want bytes.Buffer
		_, err := export.Write(&want, f, s, nil)
		testkit.Must(t, err)
		for accept, coding := range map[string]string{"": "", "gzip": "gzip", "zstd": "", "zstd, gzip;q=0.5": "gzip"} {
			if want.Len() < api.MinCompressed {
				coding = ""
			}
			headers := with(key, []string{"Accept-Encoding", accept})
			cost := 1
			if f.Table == export.Identifiers && strings.Contains(accept, "gzip") {
				cost = 0
			}
			var got reply
			testkit.Equal(t, "cost of "+target, c.cost(&holder, func() {
				got = c.get(target, headers...).want(200, "Content-Encoding", coding, "Cache-Control", privateCaching,
					"Content-Disposition", `attachment; filename="`+name+`"`, "X-Changes-Cursor", s.Cursor().String()).wantText(want.String())
			}), cost)
			head := c.do("HEAD", target, headers...).want(200)
			got.header.Del("X-Request-Id")
			head.header.Del("X-Request-Id")
			got.header.Del("X-RateLimit-Remaining")
			head.header.Del("X-RateLimit-Remaining")
			testkit.Equal(t, "headers of HEAD "+target, head.header, got.header)
			testkit.Equal(t, "cost of a 304", c.cost(&holder, func() {
				c.get(target, with(headers, []string{"If-None-Match", got.tag()})...).want(304, "X-Changes-Cursor", s.Cursor().String())
			}), 0)
		}
		tag := c.get(target, key...).tag()
		c.spend(&holder, account.Developer.Limits().Daily)
		c.get(target, key...).want(429)
		c.get(target, with(key, []string{"If-None-Match", tag})...).want(304)
	}
	c := newClient(t)
	for _, target := range []string{"export/tools.xml", "export/embeddings.jsonl", "export/tools", "export/..csv"} {
		testkit.Equal(t, "cost of "+target, c.cost(nil, func() { c.get(target).want(404) }), 1)
	}
	newClient(t, of(catalog.Empty())).get("export/tools.csv").want(503)
}

// Identifiers are free twelve times an hour for each /24 and /48 where gzip is accepted, on whichever node, also for
// those who have used up their quota. Then they are charged, or refused; without gzip they always are. What costs nothing
// anyway takes none of the twelve, and neither do other tables, those who have no quota, and a file that is not sent.
func TestFiles_IdentifiersAreFree(t *testing.T) {
	t.Parallel()
	redis := redistest.NewServer(t)
	here := newClient(t, func(o *api.Options) { o.Meter = meterIn(t, redis.URL(), o.Now) })
	clock := here.clock
	there := newClient(t, func(o *api.Options) { o.Now, o.Meter = clock.Now, meterIn(t, redis.URL(), clock.Now) })
	there.clock = clock
	const file = "export/identifiers.jsonl"
	gzipped := []string{"Accept-Encoding", "gzip"}
	for _, site := range [][3]string{
		{"192.0.2.1", "192.0.2.200", "192.0.3.1"},
		{"2001:db8:1:1::1", "2001:db8:1:ffff::1", "2001:db8:2:1::1"},
	} {
		nodes := []*client{here.at(site[0]), there.at(site[0])}
		tag := here.at(site[2]).get(file, gzipped...).want(200).tag()
		c := nodes[0]
		c.get(file, with(gzipped, []string{"If-None-Match", tag})...).want(304)
		c.get(file, with(gzipped, c.sign(account.Pro).bearer())...).want(200)
		testkit.Equal(t, "cost without gzip", c.cost(nil, func() { c.get(file).want(200) }), 1)
		testkit.Equal(t, "cost of *", c.cost(nil, func() { c.get(file, with(gzipped, []string{"If-None-Match", "*"})...).want(304) }), 1)
		testkit.Equal(t, "cost of another table", c.cost(nil, func() { c.get("export/tools.jsonl", gzipped...).want(200) }), 1)
		for _, c := range nodes {
			c.spend(nil, account.Anonymous.Limits().Daily)
			c.get(file).want(429)
			c.get(file, with(gzipped, []string{"If-None-Match", "*"})...).want(429)
		}
		for i := range api.FreeIdentifiers.Most {
			nodes[i%2].get(file, gzipped...).want(200, "Cache-Control", sharedCaching)
		}
		for _, c := range nodes {
			c.get(file, gzipped...).want(429)
			c.get(file, with(gzipped, []string{"If-None-Match", tag})...).want(304)
			neighbour := c.at(site[1])
			testkit.Equal(t, "cost for a neighbour", neighbour.cost(nil, func() { neighbour.get(file, gzipped...).want(200) }), 1)
			other := c.at(site[2])
			testkit.Equal(t, "cost for another site", other.cost(nil, func() { other.get(file, gzipped...).want(200) }), 0)
		}
	}
	clock.Advance(time.Hour)
	here.at("192.0.2.1").get(file, gzipped...).want(200)
}

// After a publication the file before is served, with its own cursor and date, until the next one is made.
func TestFiles_FollowEditions(t *testing.T) {
	t.Parallel()
	c := newClient(t, unmetered)
	first, second := c.edition.Load(), amend(t, renameZebre)
	before := c.get("export/tools.csv").want(200, "X-Changes-Cursor", first.Cursor().String())
	c.edition.Store(second)
	testkit.EventuallyTrue(t, "the file of the next edition", func() bool {
		got := c.get("export/tools.csv").want(200)
		if got.header.Get("X-Changes-Cursor") == first.Cursor().String() {
			got.has("ETag", before.tag(), "X-Service-Updated-At", "2026-11-15")
			return false
		}
		got.has("X-Changes-Cursor", second.Cursor().String(), "X-Service-Updated-At", "2026-11-16")
		return strings.Contains(string(got.text), "Zèbre neuf")
	})
	// Other tables stay as they were, and so do their tags.
	tag := newClient(t, of(first)).get("export/cimetiere.csv").tag()
	c.get("export/cimetiere.csv", "If-None-Match", tag).want(304, "X-Changes-Cursor", second.Cursor().String())
}

// Of 256 places an address, a /64 and an account have eight, a /48 has 32, all without a key have 192 and all without Pro 224.
// Whoever has no place gets a 503 that costs nothing; whose fault it is decides whether it is a failure. A place is free
// once its client has gone. The sockets are real: the places are held by clients that do not read.
func TestFiles_AreBounded(t *testing.T) {
	t.Parallel()
	why := make(map[string]int)
	var mu sync.Mutex
	c := newClient(t, func(o *api.Options) {
		o.Catalog = serving(catalogtest.First(catalogtest.Generated(2_000), catalogtest.Edition(1))) // a file of more than sockets hold
		o.Slack = testkit.Patience                                                                   // nobody is cut off for what the machine is slow in
		o.DownloadRefused = func(w string) { mu.Lock(); why[w]++; mu.Unlock() }
	})
	testkit.EventuallyTrue(t, "the file is made", func() bool { return c.do(http.MethodHead, "export/tools.jsonl").status == http.StatusOK })
	r := newReaders(t, c.api)
	answers := func() [2]uint64 { answered, failed := r.answers.Totals(); return [2]uint64{answered, failed} }
	refused := func(what string, by map[string]int) {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		testkit.Equal(t, what, why, by)
	}

	const greedy = "192.0.2.1"
	testkit.Equal(t, "an address", r.hold(9, greedy), 8)
	refused("an address has its share", map[string]int{"client": 1})
	c = c.at(greedy)
	testkit.Equal(t, "cost of a 503", c.cost(nil, func() {
		testkit.Equal(t, "code", c.get("export/tools.jsonl").want(503, "Retry-After", "5").code(), web.CodeBusy)
	}), 0)
	c.do(http.MethodHead, "export/tools.jsonl").want(200)
	c.get("export/tools.jsonl", "If-None-Match", "*").want(304)

	testkit.Equal(t, "a /64", r.hold(5, "2001:db8:1:1::1")+r.hold(5, "2001:db8:1:1:2::1"), 8)
	for i := range 3 {
		testkit.Equal(t, "another /64 of the /48", r.hold(8, fmt.Sprintf("2001:db8:1:%d::1", 2+i)), 8)
	}
	testkit.Equal(t, "one more", r.hold(1, "2001:db8:1:9::1"), 0)
	refused("a /48 has its share", map[string]int{"client": 5})

	for i := range 19 { // 8 + 32 + 152 are 192
		testkit.Equal(t, "another address", r.hold(8, fmt.Sprintf("198.51.100.%d", i)), 8)
	}
	testkit.Equal(t, "one more without a key", r.hold(1, "198.51.100.99"), 0)
	refused("the node has no place for it", map[string]int{"client": 5, "node": 1})
	testkit.EventuallyTrue(t, "which is a failure, and the only one", func() bool { return answers() == [2]uint64{1, 1} })

	free := c.sign(account.Developer).bearer() // at an address that has its share
	testkit.Equal(t, "an account", r.hold(9, greedy, free...), 8)
	refused("an account has its share", map[string]int{"client": 6, "node": 1})
	for range 3 {
		testkit.Equal(t, "another account", r.hold(8, greedy, c.sign(account.Developer).bearer()...), 8)
	}
	testkit.Equal(t, "one more without Pro", r.hold(1, greedy, c.sign(account.Developer).bearer()...), 0)
	for range 4 {
		testkit.Equal(t, "Pro", r.hold(8, greedy, c.sign(account.Pro).bearer()...), 8)
	}
	testkit.Equal(t, "one more", r.hold(1, greedy, c.sign(account.Pro).bearer()...), 0)
	refused("the node has no place at all", map[string]int{"client": 6, "node": 3})
	testkit.Equal(t, "downloads", c.api.Downloads(), 256)

	r.leave()
	testkit.EventuallyTrue(t, "all places", func() bool { return c.api.Downloads() == 0 })
	c.get("export/tools.jsonl").want(200)
}

// readers are clients of a real server that download a file and do not read it.
type readers struct {
	testing.TB
	address string
	answers web.Answers
	held    []net.Conn
}

func newReaders(t *testing.T, a *api.API) *readers {
	t.Helper()
	r := &readers{TB: t}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	testkit.Must(t, err)
	proxies, err := web.ParseProxies([]string{"127.0.0.0/8"})
	testkit.Must(t, err)
	observer := web.NewObserver(web.ObserverOptions{WriteError: a.WriteError, Proxies: proxies})
	s := server.New(server.Options{Listener: listener, Handler: observer.Wrap(r.answers.Wrap(a)), ShutdownTimeout: time.Millisecond})
	r.address = listener.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() { r.leave(); stop(); <-ended })
	return r
}

// hold begins so many downloads, and says how many began. It reads the status and no more: the rest does not fit into
// the buffers of a socket.
func (r *readers) hold(times int, from string, headers ...string) (began int) {
	r.Helper()
	for range times {
		conn, err := new(net.Dialer).DialContext(r.Context(), "tcp", r.address)
		testkit.Must(r, err)
		r.held = append(r.held, conn)
		testkit.Must(r, conn.(*net.TCPConn).SetReadBuffer(4<<10))
		head := "GET /api/v1/export/tools.jsonl HTTP/1.1\r\nHost: test\r\nX-Forwarded-For: " + from + "\r\n"
		for i := 0; i < len(headers); i += 2 {
			head += headers[i] + ": " + headers[i+1] + "\r\n"
		}
		_, err = io.WriteString(conn, head+"\r\n")
		testkit.Must(r, err)
		line, err := bufio.NewReaderSize(conn, 16).ReadString('\n')
		testkit.Must(r, err)
		switch {
		case strings.HasPrefix(line, "HTTP/1.1 200"):
			began++
		case !strings.HasPrefix(line, "HTTP/1.1 503"):
			r.Fatalf("a download is answered %q", line)
		}
	}
	return began
}

func (r *readers) leave() {
	for _, conn := range r.held {
		_ = conn.Close()
	}
	r.held = nil
}
