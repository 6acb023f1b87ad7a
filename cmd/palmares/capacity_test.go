package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A grown table is one whose rows docs/operations/capacity.md counts.
type grown struct {
	table string
	fill  string // with the number of rows
	most  int    // bytes of a row with its indexes, in the long form
}

// What a service grows by, in rows as the program writes them. Ids and hashes are random, as there, so that indexes are as full.
var grownTables = []grown{
	{"accounts", `INSERT INTO accounts (email, plan) SELECT md5(i::text) || '@example.org', 'developer' FROM generate_series(1, %d) i`, 300},
	{"keys", `INSERT INTO keys (id, account_id, slot, name, preview, hash, last_used_on)
		SELECT 'key_' || left(md5(id::text), 12), id, 1, 'laptop', 'plm_IUXq…', sha256(id::text::bytea), current_date FROM accounts LIMIT %d`, 470},
	{"sessions", `INSERT INTO sessions (id, token_hash, account_id, data, browser, created_at, seen_on, expires_at)
		SELECT 'ses_' || left(md5(id::text), 12), encode(sha256(id::text::bytea), 'base64'), id, decode(md5(id::text) || md5(id::text), 'hex'),
			'Firefox, Linux', now(), current_date, now() + interval '30 days' FROM accounts LIMIT %d`, 500},
	{"activity", `INSERT INTO activity (account_id, at, action, subject, actor)
		SELECT id, now(), 'key.created', 'laptop', 'owner' FROM accounts LIMIT %d`, 260},
	{"endpoints", `INSERT INTO endpoints (id, account_id, slot, url, description, types, categories, state, reason, secret, cursor, created_at, verified_at)
		SELECT 'ep_' || left(md5(id::text), 16), id, 1, 'https://hooks.example.org/palmares', 'price watch', '{}', '{}', 'active', '',
			decode(repeat(md5(id::text), 5), 'hex'), 0, now(), now() FROM accounts LIMIT %d / 100`, 1200},
	{"deliveries", `INSERT INTO deliveries (id, endpoint_id, seq, type, state, attempts, status, took_ms, next_at, made_at, done_at, response)
		SELECT 'msg_' || left(md5(e.id || i), 24), e.id, i, 'price.changed', 'delivered', 1, 200, 40, now(), now(), now(), ''
		FROM generate_series(1, 100) i, endpoints e LIMIT %d`, 460},
	{"reports", `INSERT INTO reports (slug, field, value, said, source, email, wanted, language, net48, net56, net64, digest, created_at, closed_at)
		SELECT 'tool-' || i, 'price', '12 €/mois', repeat('The price is another one. ', 8), 'https://example.org/pricing', NULL, false, 'en',
			NULL, NULL, NULL, sha256(i::text::bytea), now(), CASE WHEN i > 10000 THEN now() END FROM generate_series(1, %d) i`, 700},
}

// What docs/operations/capacity.md says of rows, keys and connections. With PALMARES_LONG=1 it measures at a size at which
// the figures no longer move, and holds them to bounds; else it is small, and asks only that all can be counted.
func TestCapacity_BytesAndConnections(t *testing.T) { //nolint:paralleltest // it measures
	testkit.Night(t)
	c := &capacity{t: t, db: pgtest.Migrated(t)}
	rows, tools := 2000, 200
	if testkit.Long() {
		rows, tools = 300_000, 20_000
	}
	content := filepath.Join(t.TempDir(), "content")
	palmares(t, database(c.db), "generate", content, "--tools", strconv.Itoa(tools))
	palmares(t, database(c.db), "publish", content)
	var err error
	c.conn, err = pgx.Connect(t.Context(), c.db)
	must(t, err)
	defer c.conn.Close(context.Background())
	c.connections()

	c.measure("events", 1200)
	c.run(`CREATE TEMPORARY TABLE made AS SELECT * FROM events`)
	c.run(`TRUNCATE events`)
	c.run(`UPDATE made SET type = 'tool.updated', previous = object`)
	c.run(`INSERT INTO events SELECT * FROM made`)
	c.measure("events", 2500) // with what was before

	n := serving(start(t, onFreePorts(c.db), "serve", "--roles", "api"))
	n.ready()
	empty := n.heap()
	c.run(`ALTER TABLE keys DISABLE TRIGGER USER`) // a change of access for each of them is not what this is about
	for _, g := range grownTables {
		c.run(fmt.Sprintf(g.fill, rows))
		c.measure(g.table, g.most)
	}
	c.run(`ALTER TABLE keys ENABLE TRIGGER USER`)
	c.run(`INSERT INTO access_changes (number) SELECT max(number) + 1 FROM access_changes`) // concerns everybody
	c.run(`UPDATE current_access SET number = number + 1`)
	testkit.EventuallyTrue(t, "the node has all keys", func() bool { return n.metric("palmares_keys") >= float64(rows) })
	if testkit.Long() { // a few keys drown in what else a node keeps
		t.Logf("a key on the heap of a node: %.0f bytes", (n.heap()-empty)/float64(rows))
	}
}

// capacity measures a database.
type capacity struct {
	t    *testing.T
	db   string
	conn *pgx.Conn
}

func (c *capacity) run(statement string) {
	c.t.Helper()
	if _, err := c.conn.Exec(c.t.Context(), statement); err != nil {
		c.t.Fatalf("%.80s: %v", statement, err)
	}
}

// measure tells what a row of a table takes, which is most bytes at most.
func (c *capacity) measure(table string, most int) {
	c.t.Helper()
	c.run(`VACUUM ANALYZE ` + table)
	var bytes, indexes, count int
	must(c.t, c.conn.QueryRow(c.t.Context(), fmt.Sprintf(`SELECT pg_total_relation_size('%s'), pg_indexes_size('%[1]s'), (SELECT count(*) FROM %[1]s)`, table)).
		Scan(&bytes, &indexes, &count))
	if count == 0 {
		c.t.Fatalf("%s has no rows", table)
	}
	c.t.Logf("%s: %d bytes a row, %d of them in indexes (%d rows)", table, bytes/count, indexes/count, count)
	if testkit.Long() && bytes/count > most {
		c.t.Errorf("%s: %d bytes a row, the page is written for %d at most", table, bytes/count, most)
	}
}

// connections tells which connections nodes have that do nothing.
func (c *capacity) connections() {
	c.t.Helper()
	for _, roles := range []string{"api", "site", "worker", "api,site,worker"} {
		n := start(c.t, onFreePorts(c.db), "serve", "--roles", roles)
		n.await(0, `"msg":"listening","server":"admin"`)
		time.Sleep(2 * time.Second) // River begins to listen, and whatever else begins late
		rows, err := c.conn.Query(c.t.Context(), `SELECT application_name || ' ' || count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name LIKE 'palmares %' GROUP BY application_name ORDER BY 1`)
		must(c.t, err)
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		must(c.t, err)
		c.t.Logf("connections of %s: %s", roles, strings.Join(names, ", "))
		n.stop()
	}
}
