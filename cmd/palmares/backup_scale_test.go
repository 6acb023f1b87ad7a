package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// How long a dump and its restore take: with PALMARES_LONG=1 of 100,000 tools and a million accounts, which are the
// figures of the guide; else of few.
func TestBackup_AtScale(t *testing.T) { //nolint:paralleltest // it measures
	testkit.Night(t)
	tools, accounts := 200, 2000
	if testkit.Long() {
		tools, accounts = 100_000, 1_000_000
	}
	pg := pgtest.NewServer(t)
	conn, err := pgx.Connect(t.Context(), pg.URL())
	must(t, err)
	_, err = conn.Exec(t.Context(), `CREATE DATABASE palmares`)
	must(t, err)
	must(t, conn.Close(t.Context()))
	db := strings.Replace(pg.URL(), "/postgres?", "/palmares?", 1)
	shell := newOperatorShell(t, pg, backupGuide, database(db))
	content := filepath.Join(t.TempDir(), "content")
	palmares(t, nil, "generate", content, "--tools", strconv.Itoa(tools))
	palmares(t, database(db), "migrate")
	palmares(t, database(db), "publish", content)
	fillKeys(t, db, accounts)

	began := time.Now()
	shell.run("dump")
	dumped := time.Since(began)
	files, err := filepath.Glob(filepath.Join(shell.dir, "*.dump"))
	must(t, err)
	info, err := os.Stat(files[0])
	must(t, err)
	began = time.Now()
	shell.run("restore dump")
	restored := time.Since(began)
	n := serve(t, db)
	n.ready()
	t.Logf("%d tools, %d accounts: a dump of %d MB in %v, restored in %v; a new node was ready %v after that", tools, accounts,
		info.Size()>>20, dumped.Round(time.Second/10), restored.Round(time.Second/10), (time.Since(began) - restored).Round(time.Second/10))
	testkit.EventuallyTrue(t, "all keys are there", func() bool { return n.metric("palmares_keys") == float64(accounts*3/2) })
	if got := testkit.Get(t, n.public+"/api/v1/tools?limit=1").Header.Get("X-Total-Count"); got != strconv.Itoa(tools) {
		t.Errorf("%s tools came back, want %d", got, tools)
	}
}
