package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/pgtest"
)

// serveUnread starts a node whose log goes to a pipe that nobody reads, and gives the
// end to read from.
func serveUnread(t *testing.T, url string, settings ...string) (*node, *os.File) {
	t.Helper()
	unread, log, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close() // the process has its own
	t.Cleanup(func() { unread.Close() })
	public, admin := freeAddress(t), freeAddress(t) // it cannot tell where it listens
	environ := append(database(url), "PALMARES_SECRET="+secret, "PALMARES_LISTEN="+public, "PALMARES_ADMIN_LISTEN="+admin,
		"PALMARES_DRAIN_DELAY=0s")
	p := &process{t: t, cmd: command(t, append(environ, settings...), "serve"), exited: make(chan struct{})}
	p.stderr.grown = sync.NewCond(&p.stderr.mu)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.exited)
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill() // it has gone already, as a rule
		<-p.exited
	})
	n := &node{process: p, public: "http://" + public, admin: "http://" + admin}
	eventually(t, n.admin+"/livez", 20*time.Second, ok)
	return n, unread
}

// askUnlogged asks the i-th time, each time from another address, so that no quota is met.
func askUnlogged(n *node, i int) {
	n.t.Helper()
	from := http.Header{"X-Forwarded-For": {fmt.Sprintf("198.18.%d.%d", i>>8&255, i&255)}}
	if a, err := fetch(n.public+"/api/v1/stats", from); err != nil || a.status != http.StatusOK {
		n.t.Fatalf("request %d while nobody reads the log: %d %v", i, a.status, err)
	}
}

const droppedLines = "palmares_log_lines_dropped_total"

// A log reader that stalls stops nothing: requests are answered, editions followed, and
// when it is back the log says what it lacks.
func TestServe_NothingWaitsForTheLog(t *testing.T) {
	t.Parallel()
	db, dir := pgtest.Migrated(t), copyOf(t, fixtureCatalog)
	palmares(t, database(db), "publish", dir)
	n, unread := serveUnread(t, db, "PALMARES_TRUSTED_PROXIES=127.0.0.0/8")
	n.ready(20 * time.Second)

	asked := 0
	for ; asked < 1500; asked++ {
		askUnlogged(n, asked)
	}
	// On a very fast machine the node has not noticed yet that the reader stands still.
	for ; n.metric(droppedLines) == 0; asked++ {
		if askUnlogged(n, asked); asked > 20_000 {
			t.Fatal("no line was dropped, or none was counted")
		}
	}
	// Background work goes on, although each step of it is logged.
	edit(t, filepath.Join(dir, "tools/ame.md"), "5 €/mois", "6 €/mois")
	palmares(t, database(db), "publish", dir)
	eventually(t, n.public+"/api/v1/tools/ame", 20*time.Second, says(`"price":"6 €/mois"`))

	dropped := n.metric(droppedLines)
	go io.Copy(&n.stderr, unread) // ends with the process
	n.await(0, `"msg":"log lines were dropped`, 20*time.Second)
	n.stop()
	n.await(0, `"msg":"stopped"`, 20*time.Second)
	told := regexp.MustCompile(`"msg":"log lines were dropped[^"]*","lines":\d+,"total":(\d+)}\n`).
		FindAllStringSubmatch(n.stderr.from(0), -1)
	if len(told) == 0 {
		t.Fatalf("the log does not say how many lines it lacks:\n%s", n.stderr.from(max(0, n.stderr.mark()-2000)))
	}
	if total, _ := strconv.ParseFloat(told[len(told)-1][1], 64); total < dropped {
		t.Errorf("the log says that %v lines were dropped, the metric %v", total, dropped)
	}
	n.logLines() // no line is torn
}

// SIGTERM is obeyed while nobody reads the log.
func TestServe_EndsThoughNobodyReadsTheLog(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	palmares(t, database(db), "publish", fixtureCatalog)
	n, _ := serveUnread(t, db, "PALMARES_TRUSTED_PROXIES=127.0.0.0/8")
	n.ready(20 * time.Second)
	for i := range 500 { // about twice of what a pipe holds
		askUnlogged(n, i)
	}
	n.signal(syscall.SIGTERM)
	select {
	case <-n.exited: // its status says that the log was not written to the end
	case <-time.After(30 * time.Second):
		t.Fatal("it still runs")
	}
}

// A reader of the log that dies does not take the node with it.
func TestServe_OutlivesTheReaderOfTheLog(t *testing.T) {
	t.Parallel()
	n, unread := serveUnread(t, "postgres://127.0.0.1:1/palmares")
	unread.Close()
	for began := time.Now(); n.metric(droppedLines) == 0; time.Sleep(20 * time.Millisecond) {
		get(t, n.public+"/api/v1/stats")
		if time.Since(began) > 20*time.Second {
			t.Fatal("lines that nobody can read any more are not counted")
		}
	}
	n.signal(syscall.SIGTERM)
	select {
	case <-n.exited:
	case <-time.After(30 * time.Second):
		t.Fatal("it still runs")
	}
	if got := n.cmd.ProcessState.String(); strings.Contains(got, "signal") {
		t.Errorf("it ended by a %s", got)
	}
}
