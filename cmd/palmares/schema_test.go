package main

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/pgtest"
)

// migratedBy makes the database look as a later program's migrate leaves it.
func migratedBy(t *testing.T, url, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

const (
	newerSchema = `INSERT INTO goose_db_version (version_id, is_applied) VALUES (90000, true)`
	needsNewer  = `UPDATE schema_compatibility SET oldest = 90000`
)

func TestSchema_NewerIsAWarningTooNewARefusal(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	migratedBy(t, db, newerSchema)
	_, printed := palmares(t, database(db), "publish", fixtureCatalog)
	if want := "warning: the database's schema is newer than this program: it is at migration 90000"; !strings.Contains(printed, want) {
		t.Errorf("publish on a newer schema printed\n%s", printed)
	}
	n := serve(t, db)
	n.ready(20 * time.Second)
	n.stop()
	if warned := strings.Count(n.stderr.from(0), "schema is newer than this program"); warned != 1 {
		t.Errorf("serve warned %d times of a newer schema, want once", warned)
	}

	migratedBy(t, db, needsNewer)
	for _, args := range [][]string{{"publish", fixtureCatalog}, {"publish", fixtureCatalog, "--dry-run"}, {"serve"}} {
		environ := append(database(db), "PALMARES_SECRET="+secret, "PALMARES_LISTEN=127.0.0.1:0", "PALMARES_ADMIN_LISTEN=127.0.0.1:0")
		out, err := command(t, environ, args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "palmares: this program is too old for the database: its schema is at migration 90000") {
			t.Errorf("%v on a schema that needs a newer program: %v\n%s", args, err, out)
		}
	}
}

// A node that starts while the database is down learns later that it is too old for it.
// It then serves its disk copy, follows nothing, and says why.
func TestSchema_LearntAfterTheStart(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	palmares(t, database(server.URL()), "publish", fixtureCatalog)
	setting := "PALMARES_SNAPSHOT_FILE=" + t.TempDir() + "/copy"
	n := serve(t, server.URL(), setting)
	n.ready(20 * time.Second)
	eventually(t, n.admin+"/metrics", 20*time.Second, says("palmares_snapshot_copy_edition 1\n"))
	n.stop()
	migratedBy(t, server.URL(), needsNewer)
	server.Stop()

	n = serve(t, server.URL(), setting)
	without := serve(t, server.URL())
	n.ready(20 * time.Second)
	server.Start()
	eventually(t, without.admin+"/readyz", 20*time.Second, func(a answer) bool {
		return !ok(a) && strings.Contains(a.body, "this program is too old for the database")
	})
	if a := get(t, n.public+"/api/v1/tools"); !ok(a) || n.metric("palmares_feed_connected") != 0 || !ok(get(t, n.admin+"/readyz")) {
		t.Errorf("a node with a disk copy: %d %.200s", a.status, a.body)
	}
	n.await(0, `"msg":"no edition is followed any more"`, 20*time.Second)
	n.stop()
	without.stop()
}
