package node

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A clock that is wrong by ninety seconds shows, on both sides; one that is right does not.
func TestClockOffset(t *testing.T) {
	t.Parallel()
	db := open(t, pgtest.Migrated(t))
	for _, wrong := range []time.Duration{0, 90 * time.Second, -90 * time.Second} {
		got, err := clockOffset(t.Context(), db, func() time.Time { return time.Now().Add(wrong) })
		must(t, err)
		if off := (got - wrong).Abs(); off > 5*time.Second { // both clocks are this machine's
			t.Errorf("a clock that is %v ahead shows as %v", wrong, got)
		}
	}
}

// What is archived has an age only where something is archived. What nobody knows is not told.
func TestNode_TellsOfItsDatabase(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	n := startRoles(t, []string{Worker}, server.URL())
	n.metrics(map[string]float64{"palmares_secret_ok": 1}) // before another one comes: the first says which is the database's
	other := startRoles(t, []string{API}, server.URL(), "PALMARES_SECRET=another-0123456789abcdef0123456789abcdef")
	const age = "palmares_wal_archived_age_seconds"
	other.metrics(map[string]float64{"palmares_secret_ok": 0})
	if offset := n.metric("palmares_clock_offset_seconds"); offset < -5 || offset > 5 {
		t.Errorf("the clock of this machine is %v s ahead of itself", offset)
	}
	if _, found := testkit.FindMetric(t, n.admin, age); found {
		t.Error("a server that archives nothing tells when it last did")
	}
	execute(t, server.URL(), `ALTER SYSTEM SET archive_mode = on`, `ALTER SYSTEM SET archive_command = '/bin/true'`)
	server.Stop()
	testkit.EventuallyTrue(t, "nobody knows", func() bool { return math.IsNaN(n.metric("palmares_secret_ok")) })
	server.Start()
	execute(t, server.URL(), `SELECT pg_switch_wal()`)
	testkit.EventuallyTrue(t, age, func() bool {
		is, found := testkit.FindMetric(t, n.admin, age)
		return found && is >= 0 && is < 60
	})
	n.metrics(map[string]float64{"palmares_secret_ok": 1})
}

// Where the server has no such database, what to change is the first that the log says of it, as an error. The node serves its copy, and goes on by
// itself.
func TestNode_WithAWrongNameOfItsDatabase(t *testing.T) {
	t.Parallel()
	db, file := pgtest.Migrated(t), filepath.Join(t.TempDir(), "copy")
	publishDir(t, db, fixtureCatalog)
	first := startRoles(t, []string{API}, db, "PALMARES_SNAPSHOT_FILE="+file)
	testkit.EventuallyTrue(t, "the disk copies are written", func() bool {
		found, err := filepath.Glob(file + "*")
		return err == nil && slices.Contains(found, file) && slices.Contains(found, file+".keys")
	})
	first.stop()
	cfg, err := pgx.ParseConfig(db)
	must(t, err)
	name := cfg.Database
	execute(t, strings.Replace(db, "/"+name, "/postgres", 1), `ALTER DATABASE `+name+` RENAME TO `+name+`_elsewhere`)
	n := startRoles(t, []string{API}, db, "PALMARES_SNAPSHOT_FILE="+file)
	n.logs(`"msg":"not following editions`)
	advice := `PostgreSQL has no database \"` + name + `\": create it, or correct its name in PALMARES_DATABASE_URL`
	for line := range strings.Lines(n.log.String()) {
		if strings.Contains(line, name) {
			if !strings.Contains(line, `"level":"ERROR"`) || !strings.Contains(line, advice) {
				t.Errorf("the first line about it: %s", line)
			}
			break
		}
	}
	testkit.Equal(t, "an answer out of the copy", n.get("/api/v1/tools/ame", "").Status, http.StatusOK)
	execute(t, strings.Replace(db, "/"+name, "/postgres", 1), `ALTER DATABASE `+name+`_elsewhere RENAME TO `+name)
	n.logs(`"msg":"following editions"`)
}

// execute runs statements, each in a transaction of its own.
func execute(t *testing.T, url string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	for _, sql := range statements {
		_, err := conn.Exec(t.Context(), sql)
		must(t, err)
	}
}

// Values are counted by the age of their checks, on the day of the question, and of the edition that is served.
func TestFactCount(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC))
	c := live.New(live.Options{Logger: (&testkit.Log{}).Logger()})
	facts := &factCount{catalog: c, now: clock.Now}
	testkit.Equal(t, "values before the first edition", facts.count(factFresh), 0.0)
	edition := func(number int64, checked ...catalog.Date) {
		delta := catalog.Delta{Edition: catalog.Edition{Number: number, ID: fmt.Sprint(number)}}
		for i, day := range checked {
			tool := &catalog.Tool{Slug: fmt.Sprintf("t%d", i), Name: "T", Category: "code", Price: "1 €", Domain: "t.example"}
			tool.Facts.Price = catalog.Fact{Source: "https://t.example", Checked: day}
			delta.Tools = append(delta.Tools, tool)
		}
		c.Swap(delta)
	}
	want := func(fresh, overdue, unsourced float64) {
		t.Helper()
		for state, n := range map[string]float64{factFresh: fresh, factOverdue: overdue, factUnsourced: unsourced} {
			testkit.Equal(t, state, facts.count(state), n)
		}
	}
	edition(1, "2026-11-15", "2026-08-17", "2026-08-16") // the last of 90 days, and one more
	unsourced := facts.count(factUnsourced)
	want(2, 1, unsourced)
	clock.Advance(24 * time.Hour)
	want(1, 2, unsourced)
	edition(2, "2026-11-16")
	want(1, 0, unsourced/3)
}

// A server whose clock is wrong shows on every node.
func TestNode_TellsOfAWrongClock(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	server.Stop()
	server.StartWithClockOff(90 * time.Second)
	n := startRoles(t, []string{API}, server.URL())
	testkit.EventuallyTrue(t, "ninety seconds behind", func() bool {
		offset := n.metric("palmares_clock_offset_seconds")
		return offset < -85 && offset > -95
	})
}
