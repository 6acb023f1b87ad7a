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
	"syscall"
	"testing"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// serveUnread starts a node whose log goes to a pipe that nobody reads, and gives the end to
// read from.
func serveUnread(t *testing.T, url string, flags ...string) (*server, *os.File) {
	t.Helper()
	unread, log, err := os.Pipe()
	must(t, err)
	defer log.Close() // the process has its own
	t.Cleanup(func() { unread.Close() })
	public, admin := testkit.FreeAddress(t), testkit.FreeAddress(t) // it cannot tell where it listens
	cmd := command(t, onFreePorts(url, "PALMARES_LISTEN="+public, "PALMARES_ADMIN_LISTEN="+admin, "PALMARES_TRUSTED_PROXIES=127.0.0.0/8"), append([]string{"serve"}, flags...)...)
	cmd.Stdout, cmd.Stderr = log, log
	n := &server{process: startCommand(t, cmd), public: "http://" + public, admin: "http://" + admin}
	testkit.EventuallyGet(t, n.admin+"/livez", testkit.Response.OK)
	return n, unread
}

// askUnlogged asks the i-th time, each time from another address, so that no quota is met.
func askUnlogged(n *server, i int) {
	n.t.Helper()
	from := http.Header{"X-Forwarded-For": {fmt.Sprintf("198.18.%d.%d", i>>8&255, i&255)}}
	if a, err := testkit.Fetch(n.public+"/api/v1/stats", from); err != nil || !a.OK() {
		n.t.Fatalf("request %d while nobody reads the log: %v %v", i, a, err)
	}
}

const droppedLines = "palmares_log_lines_dropped_total"

// A log reader that stalls stops nothing: requests are answered, editions followed, and when it
// is back the log says what it lacks.
func TestServe_NothingWaitsForTheLog(t *testing.T) {
	t.Parallel()
	db, dir := pgtest.Migrated(t), testkit.CopyOf(t, fixtureCatalog)
	palmares(t, database(db), "publish", dir)
	n, unread := serveUnread(t, db)
	n.ready()
	asked := 0
	for ; asked < 1500 || n.metric(droppedLines) == 0; asked++ { // a fast machine notices the reader late
		if askUnlogged(n, asked); asked > 20_000 {
			t.Fatal("no line was dropped, or none was counted")
		}
	}
	// Background work goes on, although each step of it is logged.
	testkit.Edit(t, filepath.Join(dir, "tools/ame.md"), "5 €/mois", "6 €/mois")
	palmares(t, database(db), "publish", dir)
	testkit.EventuallyGet(t, n.public+"/api/v1/tools/ame", func(a testkit.Response) bool { return a.Says(`"price":"6 €/mois"`) })

	dropped := n.metric(droppedLines)
	read := make(chan struct{})
	go func() {
		defer close(read)
		io.Copy(&n.log, unread) // ends with the process
	}()
	n.await(0, `"msg":"log lines were dropped`)
	n.stop()
	<-read
	n.await(0, `"msg":"stopped"`)
	told := regexp.MustCompile(`"msg":"log lines were dropped[^"]*","lines":\d+,"total":(\d+)}\n`).FindAllStringSubmatch(n.log.String(), -1)
	if len(told) == 0 {
		t.Fatal("the log does not say how many lines it lacks")
	}
	if total, _ := strconv.ParseFloat(told[len(told)-1][1], 64); total < dropped {
		t.Errorf("the log says that %v lines were dropped, the metric %v", total, dropped)
	}
	n.wantLines() // no line is torn
}

// SIGTERM is obeyed while nobody reads the log; the status says that it was not written.
func TestServe_EndsThoughNobodyReadsTheLog(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	palmares(t, database(db), "publish", fixtureCatalog)
	n, _ := serveUnread(t, db)
	n.ready()
	for i := range 500 { // about twice of what a pipe holds
		askUnlogged(n, i)
	}
	must(t, n.cmd.Process.Signal(syscall.SIGTERM))
	<-n.exited
}

// A reader of the log that dies does not take the node with it.
func TestServe_OutlivesTheReaderOfTheLog(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	palmares(t, database(db), "publish", fixtureCatalog)
	n, unread := serveUnread(t, db)
	n.ready()
	unread.Close()
	testkit.EventuallyTrue(t, "lines that nobody can read are counted", func() bool {
		testkit.Get(t, n.public+"/api/v1/stats")
		return n.metric(droppedLines) > 0
	})
	must(t, n.cmd.Process.Signal(syscall.SIGTERM))
	<-n.exited
	if got := n.cmd.ProcessState.String(); strings.Contains(got, "signal") {
		t.Errorf("it ended by a %s", got)
	}
}
