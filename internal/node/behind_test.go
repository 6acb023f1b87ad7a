package node

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/services"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A program on a schema that it has not migrated yet says so, and nothing else. A node with a disk
// copy serves it, and both follow the database as soon as it is migrated.
func TestNode_BeforeItsMigration(t *testing.T) {
	t.Parallel()
	server := pgtest.NewServer(t)
	publishDir(t, server.URL(), fixtureCatalog)
	exec := func(statements ...string) {
		t.Helper()
		conn, err := pgx.Connect(t.Context(), server.URL())
		must(t, err)
		defer conn.Close(context.WithoutCancel(t.Context()))
		for _, s := range statements {
			_, err = conn.Exec(t.Context(), s)
			must(t, err)
		}
	}
	program, err := postgres.Program()
	must(t, err)
	setting := "PALMARES_SNAPSHOT_FILE=" + t.TempDir() + "/copy"
	roles := []string{API, Site, Worker}
	n := startRoles(t, roles, server.URL(), setting)
	n.ready()
	n.metrics(map[string]float64{"palmares_snapshot_copy_edition": 1})
	n.stop()

	// As it was before the last migrations.
	exec(fmt.Sprintf(`DELETE FROM goose_db_version WHERE version_id > %d`, program.Level-5), `ALTER TABLE pages RENAME TO later`)
	want := fmt.Sprintf("the schema is at %d, this program needs %d: run palmares migrate", program.Level-5, program.Level)
	held, bare, worker := startRoles(t, roles, server.URL(), setting), startRoles(t, roles, server.URL()), startRoles(t, []string{Worker}, server.URL())
	for _, node := range []*running{bare, worker} {
		testkit.EventuallyGet(t, node.admin+"/readyz", func(a testkit.Response) bool {
			return a.Status == http.StatusServiceUnavailable && a.Body == want
		})
	}
	testkit.EventuallyGet(t, held.admin+"/readyz", func(a testkit.Response) bool { return a.OK() && strings.Contains(a.Body, want) })
	testkit.Equal(t, "a tool of the disk copy", held.get("/api/v1/tools/ame", "").Status, 200)
	testkit.Equal(t, "a page of the disk copy", held.get("/outils/ame", "").Status, 200)
	testkit.Equal(t, "signing in", held.get("/compte/connexion", "").Status, http.StatusServiceUnavailable)
	for _, node := range []*running{held, bare, worker} {
		node.logs(`"level":"ERROR","msg":"` + want + `"`)
		for line := range strings.Lines(node.log.String()) {
			if strings.Contains(line, "restored") || strings.Contains(line, "SQLSTATE") || strings.Contains(line, `"error"`) && !strings.Contains(line, want) {
				t.Errorf("it says something else: %s", line)
			}
		}
	}
	if _, err := services.Open(t.Context(), environ(server.URL())); err == nil || err.Error() != want {
		t.Errorf("a command: %v", err)
	}
	db := open(t, server.URL())
	if err := db.CheckSchema(t.Context(), func(string) { t.Error("it warns") }); err == nil || err.Error() != want {
		t.Errorf("a publication: %v", err)
	}

	exec(`ALTER TABLE later RENAME TO pages`,
		fmt.Sprintf(`INSERT INTO goose_db_version (version_id, is_applied) SELECT v, true FROM generate_series(%d, %d) v`, program.Level-4, program.Level))
	for _, node := range []*running{held, bare, worker} {
		testkit.EventuallyGet(t, node.admin+"/readyz", func(a testkit.Response) bool { return a.OK() && a.Body == "ready" })
	}
	testkit.Equal(t, "signing in after it", held.get("/compte/connexion", "").Status, 200)
	n = held
	n.metrics(map[string]float64{"palmares_feed_connected": 1, "palmares_keys_connected": 1, "palmares_jobs_running": 1})
}

// An empty database is called that.
func TestNode_WithoutASchema(t *testing.T) {
	t.Parallel()
	db := pgtest.URL(t)
	const want = "the database has no schema yet: run palmares migrate"
	n := startRoles(t, []string{API, Site, Worker}, db)
	testkit.EventuallyGet(t, n.admin+"/readyz", func(a testkit.Response) bool {
		return a.Status == http.StatusServiceUnavailable && a.Body == want
	})
	n.logs(`"level":"ERROR","msg":"` + want + `"`)
	n.logs(`"error":"` + want + `"`)
	for line := range strings.Lines(n.log.String()) {
		// Where a statement came before the look at the schema, the cause follows the advice.
		if strings.Contains(line, "SQLSTATE") && !strings.Contains(line, want+" (") {
			t.Errorf("it says what PostgreSQL says, and not what to do: %s", line)
		}
	}
	if _, err := services.Open(t.Context(), environ(db)); err == nil || err.Error() != want {
		t.Errorf("a command: %v", err)
	}
	_, err := postgres.Migrate(t.Context(), db, nil, nil)
	must(t, err)
	publishDir(t, db, fixtureCatalog)
	n.ready()
}
