package main

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/pgtest"
)

// A node that is restarted while PostgreSQL is gone refuses no key holder.
func TestKeys_RestartWithoutPostgres(t *testing.T) {
	t.Parallel()
	pg := pgtest.NewServer(t)
	db := pg.URL()
	palmares(t, database(db), "publish", fixtureCatalog)
	used, unused := newKey(t, db, "used@example.org", "developer"), newKey(t, db, "unused@example.org", "pro")
	file := "PALMARES_SNAPSHOT_FILE=" + filepath.Join(t.TempDir(), "snapshot")
	n := serve(t, db, file)
	n.ready(20 * time.Second)
	late := newKey(t, db, "late@example.org", "developer")
	wantStatus(t, n, late, http.StatusOK) // at once
	wantStatus(t, n, used, http.StatusOK)
	if got := n.metric("palmares_keys"); got != 3 {
		t.Errorf("%v keys are held, want 3", got)
	}
	n.stop()
	pg.Stop()

	alone := serve(t, db, file)
	alone.ready(20 * time.Second)
	for _, key := range []string{used, unused, late} {
		wantStatus(t, alone, key, http.StatusOK)
	}
	wantStatus(t, alone, "plm_IUXqnZQVzC9cJZ0YQWqBvQbCkXhJ5n3Vr3Fz", http.StatusUnauthorized) // its checksum is wrong
	if connected, age := alone.metric("palmares_keys_connected"), alone.metric("palmares_keys_age_seconds"); connected != 0 || age <= 0 {
		t.Errorf("without PostgreSQL palmares_keys_connected is %v and palmares_keys_age_seconds %v", connected, age)
	}
	pg.Start()
	eventually(t, alone.admin+"/metrics", 20*time.Second, says("palmares_keys_connected 1"))
	palmares(t, database(db), "key", "revoke", liveKey(t, db, "unused@example.org"))
	eventually(t, alone.admin+"/livez", 20*time.Second, func(answer) bool {
		a, err := fetch(alone.public+"/api/v1/openapi.json", bearing(unused))
		return err == nil && a.status == http.StatusUnauthorized
	})
}

func wantStatus(t *testing.T, n *node, key string, status int) {
	t.Helper()
	if a, err := fetch(n.public+"/api/v1/tools/ame", bearing(key)); err != nil || a.status != status {
		t.Errorf("%s…: %d %s %v, want %d", key[:8], a.status, a.body, err, status)
	}
}

// lockTables makes everybody wait who wants to read those tables, until release.
func lockTables(t *testing.T, db string, tables ...string) (release func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	if _, err := conn.Exec(t.Context(), `BEGIN; LOCK TABLE `+strings.Join(tables, ", ")); err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := conn.Exec(context.Background(), `ROLLBACK`); err != nil {
			t.Error(err)
		}
	}
}

// Reading keys, which may take its time, delays no edition.
func TestKeys_DoNotDelayEditions(t *testing.T) {
	t.Parallel()
	db, dir := pgtest.Migrated(t), copyOf(t, fixtureCatalog)
	palmares(t, database(db), "publish", dir)
	key := newKey(t, db, "ada@example.org", "developer")
	n := serve(t, db)
	n.ready(20 * time.Second)
	release := lockTables(t, db, "keys", "accounts", "current_access")
	for edition, price := range []string{"5 €/mois", "6 €/mois", "7 €/mois"} {
		if edition > 0 {
			edit(t, filepath.Join(dir, "tools/ame.md"), []string{"5 €/mois", "6 €/mois"}[edition-1], price)
			palmares(t, database(db), "publish", dir)
		}
		eventually(t, n.public+"/api/v1/openapi.json", 20*time.Second, func(answer) bool {
			return n.metric("palmares_edition") == float64(edition+1)
		})
	}
	wantStatus(t, n, key, http.StatusOK)
	release()
}

// However busy the workers' connections are, a key works at its first use.
func TestKeys_DeliveriesDoNotSlowTheFirstUse(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	palmares(t, database(db), "publish", fixtureCatalog)
	n := serve(t, db, "PALMARES_DB_CONNS=4", "PALMARES_WEBHOOK_NETWORKS=127.0.0.0/8")
	n.ready(20 * time.Second)
	conn, err := pgx.Connect(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	// All that a worker has to do with waits for this.
	release := lockTables(t, db, "endpoints", "deliveries", "events", "river_job", "river_leader", "river_queue")
	defer release()
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		var stuck int
		err := conn.QueryRow(t.Context(), `
			SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&stuck)
		if err != nil {
			t.Fatal(err)
		}
		if stuck >= 3 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of the worker's connections wait: this proves nothing", stuck)
		}
	}
	for i := range 5 {
		key := newKey(t, db, "k"+string(rune('a'+i))+"@example.org", "developer")
		wantStatus(t, n, key, http.StatusOK)
	}
	var names []string
	rows, err := conn.Query(t.Context(), `
		SELECT application_name FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'palmares %' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	if names, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, name := range names {
		count[name]++
	}
	// River listens on a connection beside the pool.
	if count["palmares worker"] > 4+1 || count["palmares feed"] != 1 || count["palmares keys"] != 1 || count["palmares api"] > apiConns {
		t.Errorf("the connections are %v", count)
	}
}
