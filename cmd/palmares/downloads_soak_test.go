package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Files for download are made while others ask the API, 200 times a second: in the quiet, while the files of a format
// are made, and again for the next format. With PALMARES_LONG=1 there are 100,000 tools, and p99 while files are made
// is at most 1.2 times that of the quiet. Another node makes the same bytes under the same tag.
func TestDownloads_OthersDoNotFeelThem(t *testing.T) { //nolint:paralleltest // measures says when
	measures(t)
	tools, quiet := 500, 500*time.Millisecond
	if testkit.Long() {
		tools, quiet = 100_000, 8*time.Second
	}
	db, dir := pgtest.Migrated(t), t.TempDir()
	palmares(t, nil, "generate", "--tools", fmt.Sprint(tools), dir)
	palmares(t, database(db), "publish", dir)
	n := serve(t, db, "PALMARES_TRUSTED_PROXIES=127.0.0.0/8")
	n.ready()
	download := func(n *server, name string) (tag string, sum [32]byte) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, n.public+"/api/v1/export/"+name, http.NoBody)
		must(t, err)
		resp, err := http.DefaultClient.Do(req) // which asks for gzip, and gives what is in it
		must(t, err)
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s", name, resp.Status)
		}
		h := sha256.New()
		_, err = io.Copy(h, resp.Body)
		must(t, err)
		return resp.Header.Get("Etag"), [32]byte(h.Sum(nil))
	}
	var calm, loud []time.Duration
	for _, format := range export.Formats() {
		calm = append(calm, n.timed(t, func() { time.Sleep(quiet) })...)
		began := n.metric("palmares_export_seconds_total")
		loud = append(loud, n.timed(t, func() {
			for _, table := range []string{"tools", "pricing"} {
				testkit.Eventually(t, func() error { // whoever comes first waits for a while
					req, err := http.NewRequestWithContext(t.Context(), http.MethodHead, n.public+"/api/v1/export/"+table+"."+string(format), http.NoBody)
					must(t, err)
					if r, err := testkit.Do(http.DefaultClient, req); err != nil || !r.OK() {
						return fmt.Errorf("%s: %v %w", table, r, err)
					}
					return nil
				})
			}
		})...)
		t.Logf("the files of %s took %.1f s", format, n.metric("palmares_export_seconds_total")-began)
	}
	ratio := float64(p99(loud)) / float64(p99(calm))
	t.Logf("p99 of %d requests in the quiet %v, of %d while files are made %v: %.2f times; medians %v and %v",
		len(calm), p99(calm), len(loud), p99(loud), ratio, median(calm), median(loud))
	if testkit.Long() && ratio > 1.2 {
		t.Errorf("p99 is %.2f times as long while files are made, want 1.2 at most", ratio)
	}
	other := serve(t, db)
	other.ready()
	for _, name := range []string{"tools.jsonl", "tools.fr.csv"} {
		tag, sum := download(n, name)
		sameTag, sameSum := download(other, name)
		testkit.Equal(t, "the tag and the bytes of "+name+" on another node", fmt.Sprint(sameTag, sameSum), fmt.Sprint(tag, sum))
	}
}

// timed asks a node for tools, 200 times a second and each from an address of its own, for as long as do takes.
func (n *server) timed(t *testing.T, do func()) (took []time.Duration) {
	t.Helper()
	const workers, every = 10, 50 * time.Millisecond
	client := &http.Client{Timeout: timeLimit(10 * time.Second), Transport: &http.Transport{MaxIdleConnsPerHost: workers}}
	defer client.CloseIdleConnections()
	stop := make(chan struct{})
	var mu sync.Mutex
	var all sync.WaitGroup
	began := time.Now()
	for w := range workers {
		all.Go(func() {
			due := began.Add(every * time.Duration(w) / workers)
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				case <-time.After(time.Until(due)):
				}
				r, err := visit(client, fmt.Sprintf("%s/api/v1/tools?limit=20&page=%d", n.public, 1+(i*workers+w)%20), "",
					fmt.Sprintf("100.%d.%d.%d", 64+w, time.Now().UnixNano()%251, i%251))
				mu.Lock()
				if err != nil || !r.OK() {
					t.Errorf("a request was answered with %v %v", r, err)
				}
				took = append(took, time.Since(due))
				mu.Unlock()
				due = due.Add(every)
			}
		})
	}
	do()
	close(stop)
	all.Wait()
	return took
}
