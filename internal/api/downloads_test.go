package api_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
)

// Every file is what package export makes of the edition, in both encodings, with its cursor and its name; it costs
// one request, a 304 none, and over the quota a tag is still compared.
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
			var got reply
			testkit.Equal(t, "cost of "+target, c.cost(&holder, func() {
				got = c.get(target, headers...).want(200, "Content-Encoding", coding, "Cache-Control", privateCaching,
					"Content-Disposition", `attachment; filename="`+name+`"`, "X-Changes-Cursor", s.Cursor().String()).wantText(want.String())
			}), 1)
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

// Eight clients of a network download at once, whoever comes next gets a 503 that costs nothing, and another network
// still has a place. A place is free once its client has gone.
func TestFiles_AreBounded(t *testing.T) {
	t.Parallel()
	const places = 8
	c := newClient(t, func(o *api.Options) {
		o.Catalog = serving(catalogtest.First(catalogtest.Generated(20_000), catalogtest.Edition(1)))
	})
	server := httptest.NewServer(web.NewObserver(web.ObserverOptions{WriteError: c.api.WriteError}).Wrap(c.api))
	defer server.Close()
	testkit.EventuallyTrue(t, "the file is made", func() bool { return c.do(http.MethodHead, "export/tools.jsonl").status == http.StatusOK })
	var held []net.Conn
	for range places { // read the header and no more: the rest does not fit into the buffers of a socket
		conn, err := new(net.Dialer).DialContext(context.Background(), "tcp", server.Listener.Addr().String())
		testkit.Must(t, err)
		defer conn.Close()
		testkit.Must(t, conn.(*net.TCPConn).SetReadBuffer(4<<10))
		_, err = io.WriteString(conn, "GET /api/v1/export/tools.jsonl HTTP/1.1\r\nHost: test\r\n\r\n")
		testkit.Must(t, err)
		line, err := bufio.NewReaderSize(conn, 16).ReadString('\n')
		testkit.Must(t, err)
		testkit.Equal(t, "status", strings.TrimSpace(line), "HTTP/1.1 200 OK")
		held = append(held, conn)
	}
	address := c.at("127.0.0.1")
	testkit.Equal(t, "cost of a 503", address.cost(nil, func() { address.get("export/tools.jsonl").want(503, "Retry-After", "5") }), 0)
	running, refused := c.api.Downloads()
	testkit.Equal(t, "downloads", [2]int64{int64(running), refused}, [2]int64{places, 1})
	c.get("export/tools.jsonl").want(200) // from another network
	address.do(http.MethodHead, "export/tools.jsonl").want(200)
	testkit.Must(t, held[0].Close())
	testkit.EventuallyTrue(t, "a place", func() bool { running, _ := c.api.Downloads(); return running < places })
	address.get("export/tools.jsonl").want(200)
}
