package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/stripetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

const backupGuide = "../../docs/operations/backup.md"

// The blocks of the guide, by what stands before them.
var guideBlock = regexp.MustCompile("(?ms)^ *<!-- (?:run|file): ([^>]+) -->\n *```\\w+\n(.*?)^ *```$")

// An operatorShell runs the commands of the guide as they stand, on the machine of the database. The paths of the guide are
// in a directory of the test.
type operatorShell struct {
	t      *testing.T
	pg     *pgtest.Server
	guide  string
	dir    string
	blocks map[string]string
	left   map[string]bool // blocks that nobody has used
	env    []string
}

func newOperatorShell(t *testing.T, pg *pgtest.Server, guide string, environ []string) *operatorShell {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "palmares-backup-") //nolint:usetesting // the user of the server must be able to reach it
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &operatorShell{t: t, pg: pg, guide: guide, dir: dir, blocks: map[string]string{}, left: map[string]bool{}}
	for _, m := range guideBlock.FindAllStringSubmatch(testkit.ReadFile(t, guide), -1) {
		indent := m[2][:len(m[2])-len(strings.TrimLeft(m[2], " "))] // of a list: Markdown shows the block without
		s.blocks[m[1]], s.left[m[1]] = strings.ReplaceAll("\n"+m[2], "\n"+indent, "\n")[1:], true
	}
	path, err := binary()
	must(t, err)
	script, err := filepath.Abs("../../deploy/backup/palmares-backup")
	must(t, err)
	for name, text := range map[string]string{
		"sudo":            "#!/bin/sh\nshift 2\nexec \"$@\"\n", // the whole shell is the server's user
		"palmares":        "#!/bin/sh\nexec " + path + " \"$@\"\n",
		"palmares-backup": "#!/bin/sh\nBACKUP_DIR=" + dir + " exec " + script + "\n",
		"pgbackrest":      "#!/bin/sh\nexec /usr/bin/pgbackrest --config=" + dir + "/pgbackrest.conf \"$@\"\n",
	} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
	}
	if os.Geteuid() == 0 {
		must(t, exec.Command("chown", "-R", "postgres", dir).Run())
		for d := filepath.Dir(path); len(d) > len("/tmp"); d = filepath.Dir(d) {
			must(t, os.Chmod(d, 0o755))
		}
	}
	bin, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	must(t, err)
	s.env = append([]string{
		"PATH=" + dir + ":" + bin[len(bin)-1] + ":" + os.Getenv("PATH"), "HOME=" + dir, "PGHOST=127.0.0.1",
		fmt.Sprint("PGPORT=", pg.Port()), "PGUSER=postgres",
	}, environ...)
	return s
}

// block is a block of the guide, in the test's directory.
func (s *operatorShell) block(name string) string {
	s.t.Helper()
	text, ok := s.blocks[name]
	if !ok {
		s.t.Fatalf("%s has no block %q", s.guide, name)
	}
	delete(s.left, name)
	return strings.NewReplacer("/var/backups/palmares", s.dir, "/var/lib/pgbackrest", s.dir+"/repo", "/var/lib/postgresql/15/main", s.pg.Data(),
		"'pgbackrest --stanza", "'"+s.dir+"/pgbackrest --stanza").Replace(text)
}

// run runs a block of the guide.
func (s *operatorShell) run(name string, environ ...string) string {
	s.t.Helper()
	cmd := s.pg.As(exec.Command("bash", "-euo", "pipefail", "-c", s.block(name)))
	cmd.Dir, cmd.Env = s.dir, slices.Concat(s.env, environ)
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

// A rehearsal is the worst day: a backup, changes, and the state before them.
type rehearsal struct {
	*installation
	pg      *pgtest.Server
	shell   *operatorShell
	now     build
	n       *server
	fake    *stripefake.Server
	kept    string // a key that nobody revoked
	revoked string
	id      string // of the latter
	buyer   string // a key of whoever buys Pro
	stays   *testkit.Browser
	leaves  *testkit.Browser
	cursor  string // of the change log, from after the backup
}

func newRehearsal(t *testing.T, prepare func(*rehearsal)) *rehearsal {
	t.Helper()
	pg := pgtest.NewServer(t)
	conn, err := pgx.Connect(t.Context(), pg.URL())
	must(t, err)
	_, err = conn.Exec(t.Context(), `CREATE DATABASE palmares`)
	must(t, err)
	must(t, conn.Close(t.Context()))
	now := thisBuild(t)
	r := &rehearsal{installation: install(t, now.catalog), pg: pg, now: now, fake: stripetest.New(t, stripefake.Options{})}
	r.db = strings.Replace(pg.URL(), "/postgres?", "/palmares?", 1)
	r.environ = append(append(r.environ, database(r.db)...), sells(r.fake)...)
	r.shell = newOperatorShell(t, pg, backupGuide, r.environ)
	if prepare != nil {
		prepare(r)
	}
	r.run(now, "migrate")
	r.run(now, "publish", r.content)
	r.n = r.serve(now)
	r.works(now, r.n) // an endpoint, among others

	for _, email := range []string{"keeps@example.org", "buys@example.org"} {
		r.run(now, "account", "create", email)
	}
	r.kept, r.revoked, r.buyer = r.run(now, "key", "create", "keeps@example.org"), r.run(now, "key", "create", "keeps@example.org", "--name", "lost"),
		r.run(now, "key", "create", "buys@example.org")
	r.id = r.keyNamed("lost")
	r.stays, r.leaves = r.signIn(r.n, "keeps@example.org"), r.signIn(r.n, "keeps@example.org")
	for _, key := range []string{r.kept, r.revoked, r.buyer} {
		r.status(key, http.StatusOK, "free")
	}
	return r
}

// keyNamed is the id of a key.
func (r *rehearsal) keyNamed(name string) (id string) {
	r.t.Helper()
	conn, err := pgx.Connect(r.t.Context(), r.db)
	must(r.t, err)
	defer conn.Close(context.Background())
	must(r.t, conn.QueryRow(r.t.Context(), `SELECT id FROM keys WHERE name = $1`, name).Scan(&id))
	return id
}

// status waits until a key gets a status and a tier.
func (r *rehearsal) status(key string, status int, tier string) {
	r.t.Helper()
	testkit.Eventually(r.t, func() error {
		a, err := testkit.Fetch(r.n.public+"/api/v1/tools?limit=1", testkit.Bearer(key))
		if err == nil && (a.Status != status || a.Header.Get("X-RateLimit-Tier") != tier) {
			err = fmt.Errorf("the key gets %d on %q, want %d on %q", a.Status, a.Header.Get("X-RateLimit-Tier"), status, tier)
		}
		time.Sleep(50 * time.Millisecond)
		return err
	})
}

// change does what a restore undoes.
func (r *rehearsal) change() {
	r.t.Helper()
	before := len(r.receiver.Requests())
	r.publish(r.now, r.n)
	testkit.EventuallyTrue(r.t, "it is delivered", func() bool { return len(r.receiver.Requests()) > before })
	r.cursor = testkit.Get(r.t, r.n.public+"/api/v1/export/tools.jsonl").Header.Get("X-Changes-Cursor")
	testkit.Equal(r.t, "a cursor of now", testkit.Get(r.t, r.n.public+"/api/v1/changes?since="+r.cursor).Status, http.StatusOK)
	r.run(r.now, "key", "revoke", r.id)
	r.status(r.revoked, http.StatusUnauthorized, "")
	r.leaves.Get("/compte/cles")
	testkit.Equal(r.t, "signing out", r.leaves.Submit("/compte/connexion", "sign-out", nil).Status, http.StatusSeeOther)
	checkOut(r.t, r.fake, r.db, "buys@example.org")
	must(r.t, r.fake.Deliver(r.t.Context(), r.n.public+"/stripe/events", r.fake.Events()...))
	r.status(r.buyer, http.StatusOK, account.Pro.Limits().Tier)
	r.shell.run("keep")
	r.fake.Away(true) // or a worker may bring the plan back by itself
}

// after wants all to be as the guide says, the database being an earlier one.
func (r *rehearsal) after(price string) {
	r.t.Helper()
	testkit.EventuallyGet(r.t, r.n.public+"/api/v1/tools/ame", says(price))
	r.n.ready()
	r.status(r.kept, http.StatusOK, "free")
	r.status(r.buyer, http.StatusOK, "free")
	r.status(r.revoked, http.StatusOK, "free") // it has come to life
	for what, b := range map[string]*testkit.Browser{"a session that was there": r.stays, "one that was ended since": r.leaves} {
		testkit.EventuallyTrue(r.t, what+" is ended", func() bool { return b.Get("/compte/cles").Status == http.StatusSeeOther })
	}
	testkit.Equal(r.t, "a cursor of a later time", testkit.Get(r.t, r.n.public+"/api/v1/changes?since="+r.cursor).Status, http.StatusGone)

	r.shell.run("revoke")
	r.status(r.revoked, http.StatusUnauthorized, "")
	r.status(r.kept, http.StatusOK, "free")
	r.fake.Away(false)
	r.shell.run("reconcile")
	r.status(r.buyer, http.StatusOK, account.Pro.Limits().Tier)

	before := len(r.receiver.Requests())
	r.run(r.now, "publish", r.content)
	testkit.EventuallyTrue(r.t, "the next publication is delivered", func() bool { return len(r.receiver.Requests()) > before })
	r.works(r.now, r.n)
}

// currentPrice is what the last publication said.
func (r *rehearsal) currentPrice() string { return fmt.Sprintf("%d €/mois", 5+r.used) }

// The small road.
func TestBackup_Dump(t *testing.T) {
	t.Parallel()
	r := newRehearsal(t, nil)
	price := r.currentPrice()
	files := map[string]struct {
		age   time.Duration
		stays bool
	}{
		"palmares-20200101T000000Z.dump":      {15 * 24 * time.Hour, false},
		"palmares-20200102T000000Z.dump":      {13 * 24 * time.Hour, true},
		"palmares-20200103T000000Z.dump.part": {24 * time.Hour, false}, // of a dump that was killed the night before
		"palmares-20200104T000000Z.dump.part": {time.Hour, true},       // of one that is at work
		"another-20200101T000000Z.dump":       {15 * 24 * time.Hour, true},
	}
	for name, f := range files {
		name = filepath.Join(r.shell.dir, name)
		must(t, os.WriteFile(name, nil, 0o600))
		must(t, os.Chtimes(name, time.Time{}, time.Now().Add(-f.age)))
	}
	if out := r.shell.run("dump"); !strings.Contains(out, ".dump: ") {
		t.Errorf("the backup says %q", out)
	}
	for name, f := range files {
		name = filepath.Join(r.shell.dir, name)
		_, err := os.Stat(name)
		testkit.Equal(t, name+" is there", err == nil, f.stays)
		_ = os.Remove(name) // the guide restores the only dump there is
	}
	r.change()
	r.shell.run("restore dump")
	r.after(price)
}

// A dump that cannot be written whole leaves nothing that looks like one.
func TestBackup_DumpThatFails(t *testing.T) {
	t.Parallel()
	pg := pgtest.NewServer(t)
	s := newOperatorShell(t, pg, backupGuide, nil)
	cmd := pg.As(exec.Command(filepath.Join(s.dir, "palmares-backup")))
	cmd.Dir, cmd.Env = s.dir, s.env
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), `database "palmares" does not exist`) {
		t.Errorf("without a database: %v\n%s", err, out)
	}
	left, err := filepath.Glob(filepath.Join(s.dir, "*.dump*"))
	must(t, err)
	testkit.Equal(t, "files", left, []string(nil))
}

// The long road, to a moment.
func TestBackup_PointInTime(t *testing.T) {
	testkit.Night(t)
	t.Parallel()
	if _, err := exec.LookPath("/usr/bin/pgbackrest"); err != nil {
		pgtest.SkipOrFail(t, "no pgbackrest: apt-get install pgbackrest")
	}
	r := newRehearsal(t, func(r *rehearsal) {
		conf := fmt.Sprintf("%spg1-port=%d\npg1-socket-path=%s\n\n[global]\nlog-path=%s\nlock-path=%s/lock\n",
			r.shell.block("pgbackrest.conf"), r.pg.Port(), filepath.Dir(r.pg.Data()), r.shell.dir, r.shell.dir)
		must(t, os.WriteFile(filepath.Join(r.shell.dir, "pgbackrest.conf"), []byte(conf), 0o644))
		r.shell.run("archive")
		r.pg.Stop()
		r.pg.Start()
	})
	r.shell.run("backup")
	time.Sleep(1100 * time.Millisecond) // pgBackRest counts in seconds: the moment must be in a later one
	price := r.publish(r.now, r.n)      // after the backup: only the log has it
	conn, err := pgx.Connect(t.Context(), r.db)
	must(t, err)
	var moment time.Time
	must(t, conn.QueryRow(t.Context(), `SELECT clock_timestamp()`).Scan(&moment))
	must(t, conn.Close(t.Context()))
	r.change()
	r.switchLog()
	r.pg.Stop()
	r.shell.run("restore point", "TO="+moment.UTC().Format("2006-01-02 15:04:05.999999")+"+00")
	r.pg.Start()
	r.after(price)
	for _, name := range []string{"dump", "restore dump"} { // TestBackup_Dump runs them
		delete(r.shell.left, name)
	}
	testkit.Equal(t, "blocks of the guide that no test runs", r.shell.left, map[string]bool{})
}

// switchLog has PostgreSQL hand over its log, as it does by itself after a minute, and waits for that.
func (r *rehearsal) switchLog() {
	r.t.Helper()
	conn, err := pgx.Connect(r.t.Context(), r.db)
	must(r.t, err)
	defer conn.Close(context.Background())
	var wal string
	must(r.t, conn.QueryRow(r.t.Context(), `SELECT pg_walfile_name(pg_switch_wal())`).Scan(&wal))
	testkit.EventuallyTrue(r.t, "the log is handed over", func() bool {
		var last *string
		must(r.t, conn.QueryRow(r.t.Context(), `SELECT last_archived_wal FROM pg_stat_archiver`).Scan(&last))
		return last != nil && *last >= wal
	})
}
