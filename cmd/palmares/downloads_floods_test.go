package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A download is a client that takes a file slowly.
type download struct {
	net.Conn
	in *bufio.Reader
}

// download asks for a file, and reads the status alone.
func (n *server) download(t *testing.T, from, key string) (d *download, status int) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(n.public, "http://"))
	must(t, err)
	head := "GET /api/v1/export/tools.jsonl HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: " + from + "\r\n"
	if key != "" {
		head += "Authorization: Bearer " + key + "\r\n"
	}
	_, err = io.WriteString(conn, head+"\r\n")
	must(t, err)
	d = &download{conn, bufio.NewReaderSize(conn, 16)}
	_, err = fmt.Fscanf(d.in, "HTTP/1.1 %d", &status)
	must(t, err)
	return d, status
}

// withDownloads serves a catalog whose files are larger than what sockets hold.
func withDownloads(t *testing.T) (n *server, db string) {
	t.Helper()
	db = pgtest.Migrated(t)
	dir := t.TempDir()
	palmares(t, nil, "generate", "--tools", "5000", dir)
	palmares(t, database(db), "publish", dir)
	n = serve(t, db, "PALMARES_TRUSTED_PROXIES=127.0.0.0/8")
	n.ready()
	testkit.Eventually(t, func() error { // it is made
		d, status := n.download(t, "192.0.2.250", "")
		defer d.Close()
		if status != http.StatusOK {
			return fmt.Errorf("the file: %d", status)
		}
		return nil
	})
	return n, db
}

// Strangers at 30 addresses and ten free accounts take all the places for downloads that they can get, and read nothing. Pro
// downloads 20 times, five at a time: all of it arrives.
func TestDownloads_FloodsLeavePlacesToPro(t *testing.T) {
	testkit.Night(t)
	t.Parallel()
	n, db := withDownloads(t)
	accounts := 4 // which is as many as get a place
	if testkit.Long() {
		accounts = 10
	}
	pro, free := newKey(t, db, "pro@example.org", "pro"), make([]string, accounts)
	for i := range free {
		free[i] = newKey(t, db, fmt.Sprintf("free-%d@example.org", i), "developer")
	}
	var held [2]int
	began := time.Now()
	hold := func(kind int, from, key string) {
		for range 9 { // one more than anybody gets
			d, status := n.download(t, from, key)
			t.Cleanup(func() { _ = d.Close() })
			switch status {
			case http.StatusOK:
				held[kind]++
			case http.StatusServiceUnavailable:
			default:
				t.Errorf("a download of %s: %d", from, status)
			}
		}
	}
	for i := range 30 {
		hold(0, fmt.Sprintf("192.0.2.%d", i), "")
	}
	for i, key := range free {
		hold(1, fmt.Sprintf("198.51.100.%d", i), key)
	}
	testkit.Equal(t, "places of strangers, of free accounts", held, [2]int{192, 32})
	_, status := n.download(t, "203.0.113.1", "")
	testkit.Equal(t, "another stranger", status, http.StatusServiceUnavailable)
	var mu sync.Mutex
	var all sync.WaitGroup
	arrived, size := 0, 0
	for w := range 5 {
		all.Go(func() {
			for range 4 {
				r, err := visit(http.DefaultClient, n.public+"/api/v1/export/tools.jsonl", pro, fmt.Sprintf("203.0.113.%d", w))
				mu.Lock()
				if err == nil && r.OK() && strings.HasSuffix(r.Body, "}\n") {
					arrived, size = arrived+1, len(r.Body)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	t.Logf("%d places of strangers and %d of free accounts were held for %v; Pro had %d of 20 downloads of %d KB",
		held[0], held[1], time.Since(began), arrived, size>>10)
	testkit.Equal(t, "downloads of Pro that arrived", arrived, 20)
	testkit.Equal(t, "refused because a client has its places", n.metric(`palmares_downloads_refused_total{why="client"}`), 192/8+32/8.0)
}

// Whoever takes 24 KB a second keeps the place, and whoever takes 4 loses it. It takes a minute, so it is part of
// the long form alone.
func TestDownloads_SlowReaders(t *testing.T) {
	if !testkit.Long() {
		t.Skip("it takes a minute")
	}
	t.Parallel()
	n, _ := withDownloads(t)
	testkit.EventuallyTrue(t, "no download", func() bool { return n.metric("palmares_downloads") == 0 })
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	for _, rate := range []int{4, 24} { // at the last the file lasts longer than the test
		d, status := n.download(t, fmt.Sprintf("192.0.2.%d", rate), "")
		defer d.Close()
		testkit.Equal(t, "status", status, http.StatusOK)
		all.Go(func() {
			began, taken := time.Now(), int64(0)
			for err := error(nil); err == nil && ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
				due := int64(time.Since(began).Seconds() * float64(rate<<10))
				_, err = io.CopyN(io.Discard, d.in, due-taken) // what the kernel holds, when the place is lost
				taken = due
			}
		})
	}
	for began := time.Now(); time.Since(began) < 60*time.Second; time.Sleep(10 * time.Second) {
		t.Logf("after %v: %v places", time.Since(began).Round(time.Second), n.metric("palmares_downloads"))
	}
	testkit.Equal(t, "places that are kept", n.metric("palmares_downloads"), 1.0)
}
