package live

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// TestEditionsReachEveryNode publishes small changes of a catalog of 10,000 tools
// under three nodes, first in peace, then while their connections are terminated
// and frozen. Plain `go test` does 20 publications in peace and 30 through 3
// terminations and 1 freeze; the long form (-long or PALMARES_LONG=1) 200 of each,
// through 20 and 5, in a minute and a half, and holds how soon. Both see that no edition
// is missed.
func TestEditionsReachEveryNode(t *testing.T) { //nolint:paralleltest // it measures
	calm, stormy, freezeEvery := testkit.Size(6, 20), testkit.Size(10, 30), testkit.Size(10, 30)
	if *long {
		calm, stormy, freezeEvery = 200, 200, 40
	}
	server := pgtest.NewServer(t)
	r := &race{tb: t, server: server, db: server.Open(), last: 1, published: map[int64]time.Time{}, cold: []int32{}}
	first := publish(t, r.db, put(large()))
	for i := range 3 {
		o := Options{Open: feedOf(server.Open())}
		if i == 0 && *long {
			o.File = filepath.Join(t.TempDir(), "copy") // one of them has a disk to write as well
		}
		n := run(t, o)
		n.wantEdition(t, first)
		r.nodes = append(r.nodes, n)
	}
	conn, err := pgx.Connect(t.Context(), server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	r.admin = conn

	for range calm {
		r.publish()
		r.caughtUp() // one at a time: it is not a queue that is measured
		time.Sleep(20 * time.Millisecond)
	}
	peace := r.figures()
	t.Logf("without faults: %v", peace)
	if *long && (peace.median > 250*time.Millisecond || peace.most > 2*time.Second) {
		t.Errorf("without faults: %v, want a median under 250ms and nothing over 2s", peace)
	}

	owed := 0 // terminations; while all feeds are frozen there is none to terminate
	for i := 0; i < stormy || owed > 0; i++ {
		if i < stormy && i%freezeEvery == freezeEvery/4 {
			r.freeze(4 * time.Second)
		}
		if i < stormy && i%10 == 5 {
			owed++
		}
		reading := i%2 == 0 // end connections as nodes wait, or as they read
		if owed > 0 && !reading && r.terminate() {
			owed--
		}
		r.publish()
		if owed > 0 && reading && r.terminate() {
			owed--
		}
		time.Sleep(200 * time.Millisecond)
	}
	r.thawing.Wait()
	storm := r.figures()
	t.Logf("through %d rounds of terminations (%d connections) and %d of freezes (%d): %v",
		r.terminations, r.terminated, r.freezes, r.frozen, storm)
	if *long && storm.most > 5*time.Second {
		t.Errorf("with faults an edition took %v, want 5s at most", storm.most)
	}
	if r.terminations != stormy/10 || r.freezes != stormy/freezeEvery {
		t.Errorf("%d terminations and %d freezes in %d publications", r.terminations, r.freezes, stormy)
	}
	if storm.most < 700*time.Millisecond { // noticing that a connection is frozen takes a second at least
		t.Errorf("the slowest edition took %v: the freezes did not reach the nodes", storm.most)
	}
	r.checkSwaps()
	wantWhole(t, read(t, r.db), r.nodes[0].Current(), r.nodes[1].Current(), r.nodes[2].Current())
}

// A race is one publisher against several nodes.
type race struct {
	tb        testing.TB
	server    *pgtest.Server
	db        *postgres.DB
	admin     *pgx.Conn
	nodes     []*runningNode
	published map[int64]time.Time // since the last figures
	last      int64

	terminations, freezes int // rounds of them
	terminated, frozen    int // connections
	cold                  []int32
	thawing               sync.WaitGroup
}

// publish changes a tool that no edition before has changed. The clock starts when
// the edition's rows are about to be written: a little before the commit.
//
// A real publication first reads the 10,000 tools, which under the race detector
// takes a core for a second and would measure little else. One in 25 is real; the
// others write what it writes for one tool.
func (r *race) publish() {
	r.tb.Helper()
	i := int(r.last)
	text := fmt.Sprintf("Changé une fois, le %dᵉ.", i)
	if i%25 == 10 {
		e := publish(r.tb, r.db, tagline(i, text))
		r.published[e.Number], r.last = e.PublishedAt, e.Number
		return
	}
	at := time.Now()
	ctx := r.tb.Context()
	err := pgx.BeginFunc(ctx, r.admin, func(tx pgx.Tx) error {
		for _, statement := range []string{
			`INSERT INTO editions (number, published_at, last_seq) SELECT number + 1, now(), last_seq FROM editions ORDER BY number DESC LIMIT 1`,
			`UPDATE tools SET tagline = $1, edition = (SELECT max(number) FROM editions) WHERE slug = $2`,
			`UPDATE current_edition SET number = number + 1`,
			`SELECT pg_notify('palmares_edition', number::text) FROM current_edition`,
		} {
			var args []any
			if strings.Contains(statement, "$1") {
				args = []any{text, large().Tools[i].Slug}
			}
			if _, err := tx.Exec(ctx, statement, args...); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	})
	if err != nil {
		r.tb.Fatal(err)
	}
	r.last++
	r.published[r.last] = at
}

type latencies struct {
	n                 int
	median, p99, most time.Duration
}

func (l latencies) String() string {
	return fmt.Sprintf("%d arrivals, median %v, p99 %v, max %v", l.n,
		l.median.Round(time.Millisecond/10), l.p99.Round(time.Millisecond), l.most.Round(time.Millisecond))
}

// figures waits for the nodes to catch up and tells how long it took from each
// edition's commit to each node's serving it or a later one.
func (r *race) figures() latencies {
	r.tb.Helper()
	var took []time.Duration
	r.caughtUp()
	for _, n := range r.nodes {
		swaps := n.seen()
		for number, at := range r.published {
			i := slices.IndexFunc(swaps, func(s seen) bool { return s.Edition.Number >= number })
			took = append(took, swaps[i].at.Sub(at))
		}
	}
	clear(r.published)
	slices.Sort(took)
	return latencies{len(took), took[len(took)/2], took[len(took)*99/100], took[len(took)-1]}
}

func (r *race) caughtUp() {
	r.tb.Helper()
	for _, n := range r.nodes {
		testkit.Eventually(r.tb, func() error {
			if s := n.seen(); s[len(s)-1].Edition.Number < r.last {
				return fmt.Errorf("a node is at edition %d of %d (%w)", s[len(s)-1].Edition.Number, r.last, n.Connected())
			}
			return nil
		})
	}
}

// checkSwaps wants every node to have gone forward from its own edition each time,
// reading what changed since and nothing else: every edition changed one tool.
func (r *race) checkSwaps() {
	r.tb.Helper()
	for i, n := range r.nodes {
		at := int64(1)
		for _, s := range n.seen()[1:] {
			if s.From != at || s.Edition.Number <= at || int64(s.Items) != s.Edition.Number-s.From {
				r.tb.Fatalf("node %d at edition %d: fetched %d items from %d to %d", i, at, s.Items, s.From, s.Edition.Number)
			}
			at = s.Edition.Number
		}
		if at != r.last {
			r.tb.Fatalf("node %d ended at edition %d of %d", i, at, r.last)
		}
	}
}

// feeds lists the backends of the nodes' feeds that are not frozen.
func (r *race) feeds() []int32 {
	r.tb.Helper()
	rows, err := r.admin.Query(r.tb.Context(),
		`SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND pid <> ALL ($2)`, postgres.FeedName, r.cold)
	if err != nil {
		r.tb.Fatal(err)
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int32])
	if err != nil {
		r.tb.Fatal(err)
	}
	return pids
}

// terminate ends the connections of all feeds; false when there is none.
func (r *race) terminate() bool {
	r.tb.Helper()
	ended := 0
	for _, pid := range r.feeds() {
		var done bool
		if err := r.admin.QueryRow(r.tb.Context(), `SELECT pg_terminate_backend($1)`, pid).Scan(&done); err != nil {
			r.tb.Fatal(err)
		}
		if done {
			ended++
		}
	}
	if ended == 0 {
		return false
	}
	r.terminated += ended
	r.terminations++
	return true
}

// freeze freezes the connections of all nodes for the given time.
func (r *race) freeze(d time.Duration) {
	r.tb.Helper()
	var pids []int32
	testkit.Eventually(r.tb, func() error {
		if pids = r.feeds(); len(pids) < len(r.nodes) {
			return fmt.Errorf("%d feeds, want %d", len(pids), len(r.nodes))
		}
		return nil
	})
	for _, pid := range pids {
		thaw := r.server.Freeze(int(pid))
		r.tb.Cleanup(thaw)
		testkit.Eventually(r.tb, func() error { return stopped(pid) })
		r.cold = append(r.cold, pid)
		r.frozen++
		r.thawing.Add(1)
		time.AfterFunc(d, func() { thaw(); r.thawing.Done() })
	}
	r.freezes++
}

// stopped reports whether the process is frozen: T, after its name in parentheses.
func stopped(pid int32) error {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return fmt.Errorf("looking at the backend: %w", err)
	}
	if _, state, _ := strings.Cut(string(stat), ") "); !strings.HasPrefix(state, "T") {
		return fmt.Errorf("backend %d is not frozen: %s", pid, state)
	}
	return nil
}
