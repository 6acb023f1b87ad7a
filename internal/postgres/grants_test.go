package postgres_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/riverqueue/river"

	"github.com/palmares-hq/palmares/internal/catalog"
	ct "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// notForPublishers are the relations of which a role that may only publish has nothing. A new table belongs here, or into
// publisherRights.
var notForPublishers = []string{
	"access_changes", "accounts", "activity", "activity_id_seq", "address_mails", "answer_hours", "attempts", "attempts_id_seq",
	"backups", "backups_id_seq", "billing_cancellations", "billing_customers", "billing_details", "billing_documents", "billing_events", "billing_forged", "billing_notices", "billing_notices_id_seq", "billing_orders", "billing_provider",
	"billing_reconciliations", "billing_texts", "current_access", "deliveries", "digests", "email_changes", "endpoints", "farewells",
	"file_changes_id_seq", "goose_db_version_id_seq", "keys", "limited_acts", "limited_acts_id_seq", "lineage", "purges", "report_digests",
	"report_digests_id_seq", "reports", "reports_id_seq", "river_job", "river_job_id_seq", "river_leader", "river_migration",
	"river_notification", "river_notification_id_seq", "river_queue", "secret_canary", "sessions", "sign_ins", "sign_ups", "usage_looks",
	"usage_notices", "watched", "watchlists", "wrong_codes",
}

// A publisher is a database with a role that may only publish, and a process that connects as it.
type publisher struct {
	*testDB
	role string
	p    *postgres.DB
	c    *pgx.Conn
}

// script runs SQL of many statements as a superuser.
func (db *testDB) script(sql string) error {
	conn := db.conn()
	defer conn.Close(db.Context())
	_, err := conn.PgConn().Exec(db.Context(), sql).ReadAll()
	return err
}

// grant runs the script for a role.
func (db *testDB) grant(role string) error {
	db.Helper()
	sql, err := postgres.PublisherScript(role)
	db.must(err)
	return db.script(sql)
}

// newRole is the name of a role for the test alone, which is dropped with it.
func (db *testDB) newRole(prefix string) string {
	db.Helper()
	role := prefix + strings.ToLower(rand.Text()[:12])
	name := pgx.Identifier{role}.Sanitize()
	db.Cleanup(func() {
		conn, err := pgx.Connect(context.Background(), db.url)
		if err != nil {
			db.Errorf("dropping %s: %v", role, err)
			return
		}
		defer conn.Close(context.Background())
		_, err = conn.Exec(context.Background(), `DROP OWNED BY `+name)
		if err == nil {
			_, err = conn.Exec(context.Background(), `DROP ROLE `+name)
		}
		if pg, ok := err.(*pgconn.PgError); err != nil && (!ok || pg.Code != "42704") { //nolint:errorlint // as it comes
			db.Errorf("dropping %s: %v", role, err)
		}
	})
	return role
}

func newPublisher(t *testing.T) *publisher {
	t.Helper()
	db := newDB(t)
	role := db.newRole(`Éd'it"eur $$ <role> %I `)
	// What everybody has by default is not what the role lives on.
	db.exec(`DO $$ BEGIN EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database()); END $$`)
	db.exec(`REVOKE ALL ON SCHEMA public FROM PUBLIC`)
	db.must(db.grant(role))
	db.exec(`ALTER ROLE ` + pgx.Identifier{role}.Sanitize() + ` PASSWORD 'hunter2'`)
	return db.publisherAs(role)
}

// publisherAs connects as a role that may only publish.
func (db *testDB) publisherAs(role string) *publisher {
	db.Helper()
	u, err := url.Parse(db.url)
	db.must(err)
	u.User = url.UserPassword(role, "hunter2")
	p := &publisher{testDB: db, role: role}
	p.p, err = postgres.Open(db.Context(), u.String(), postgres.Options{})
	db.must(err)
	db.Cleanup(p.p.Close)
	p.c, err = pgx.Connect(db.Context(), u.String())
	db.must(err)
	db.Cleanup(func() { p.c.Close(context.Background()) })
	return p
}

// tries runs a statement as the role, and undoes it.
func (p *publisher) tries(sql string) error {
	tx, err := p.c.Begin(p.Context())
	p.must(err)
	defer tx.Rollback(p.Context())
	_, err = tx.Exec(p.Context(), sql)
	return err
}

// wantDenied wants that the role may not run a statement.
func (p *publisher) wantDenied(sql string) {
	p.Helper()
	if err := p.tries(sql); !denied(err) {
		p.Errorf("%s: %v", sql, err)
	}
}

func denied(err error) bool { return postgres.IsViolation(err, "42501") }

// decides publishes as the role what decide says.
func (p *publisher) decides(decide func(current *catalog.Contents, past catalog.Past) (catalog.Changes, error)) error {
	_, err := p.p.Catalog.Publish(p.Context(), p.clock,
		func(_ context.Context, current *catalog.Contents, _ catalog.Edition, past catalog.Past) (catalog.Changes, error) {
			return decide(current, past)
		})
	return err
}

// everyStep does all that publish, publish --dry-run and editions do, on any state of the catalog. With reviews there are so many
// that they get a dictionary.
func (p *publisher) everyStep(reviews bool) error {
	ctx := p.Context()
	first, second := before(), after()
	first.Tools[0].Review.Markdown = catalog.Markdown{Text: fmt.Sprint("Texte ", rand.Text()), Hash: rand.Text()}
	first.Files = []*catalog.OperatorFile{catalog.NewOperatorFile("about.md", rand.Text())}
	first.Incidents = []catalog.Incident{{At: p.now, Title: catalog.Localized{French: rand.Text()}}}
	for i, next := range []*catalog.Contents{first, second} {
		next.Tools[0].Price = fmt.Sprint(20+i, " €/mois")
		next.Categories[0].Label = rand.Text()
		if reviews {
			p.exec(`DELETE FROM review_dictionaries`)
			many, _ := manyReviews(500)
			next.Tools = append(next.Tools, many.Tools...)
		}
	}
	diff := func(next *catalog.Contents, edit func(c *catalog.Changes, past catalog.Past) error) func() error {
		return func() error {
			return p.decides(func(current *catalog.Contents, past catalog.Past) (catalog.Changes, error) {
				c := catalog.Diff(current, next, catalog.DateOf(p.now))
				if edit == nil {
					return c, nil
				}
				return c, edit(&c, past)
			})
		}
	}
	priced := func(price string) *catalog.Contents {
		return ct.Edited(second, func(c *catalog.Contents) { ct.Find(c, "a").Price = price })
	}
	correct := func(c *catalog.Changes, past catalog.Past) error {
		moves, err := past.LastMoves(ctx, []catalog.Bearer{{Slug: "a"}})
		c.Correct("a", moves["a"])
		return err
	}
	rewritten := ct.Edited(second, func(c *catalog.Contents) {
		c.Tools[0].Source, c.Comparisons[0].Source, c.Retired[0].Source = rand.Text(), rand.Text(), rand.Text()
	})
	renamed := ct.Edited(second, func(c *catalog.Contents) {
		t := ct.Find(c, "a")
		t.Slug, t.Formerly = "a-neuf", []string{"a"}
		for _, x := range c.Comparisons {
			for _, side := range []*string{&x.ToolA, &x.ToolB, &x.Winner} {
				if *side == "a" {
					*side = "a-neuf"
				}
			}
		}
		c.Sort()
	})
	files := []catalog.FileChange{{Path: "tools/a.md", Before: rand.Text(), After: rand.Text()}}
	for _, step := range []func() error{
		func() error { return p.p.CheckSchema(ctx, func(string) {}) },
		diff(first, func(c *catalog.Changes, _ catalog.Past) error { c.FileChanges = files; return nil }),
		diff(second, nil),
		diff(priced("2400 €/mois"), nil),
		diff(priced("24 €/mois"), correct), // another price
		diff(priced("2400 €/mois"), nil),
		diff(priced("24 €/mois"), correct), // the one before: the row goes
		diff(ct.Edited(second, func(c *catalog.Contents) { ct.Find(c, "a").Since = "2026-01-01" }), func(_ *catalog.Changes, past catalog.Past) error {
			_, err := past.Histories(ctx, []catalog.Bearer{{Slug: "a"}})
			return err
		}),
		diff(second, nil),
		diff(rewritten, func(c *catalog.Changes, _ catalog.Past) error { c.Rewritten = files; return nil }),
		diff(renamed, nil),
		func() error { _, _, err := p.p.Catalog.Current(ctx); return err },
		func() error { _, err := p.p.Catalog.Past().Files(ctx, []string{"tools/a.md"}); return err },
		func() error { _, err := p.p.Catalog.Past().LastMoves(ctx, []catalog.Bearer{{Slug: "a"}}); return err },
		func() error { _, err := p.p.Catalog.Past().LastValues(ctx, []catalog.Bearer{{Slug: "a"}}); return err },
		func() error { _, err := p.p.Catalog.Past().Commits(ctx); return err },
		func() error { _, err := p.p.Catalog.Editions(ctx, 0); return err },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// A role that may only publish does so, a worker hears of it, and nothing else in the database is there for it.
func TestGrants_PublishAndNothingElse(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	f := &fanOut{editions: make(chan int64, 100)}
	workers := river.NewWorkers()
	river.AddWorker(workers, f)
	client, err := p.process().Jobs(&river.Config{
		Workers: workers, Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 1}}, TestOnly: true,
	})
	p.must(err)
	p.must(client.Start(t.Context()))
	wantError(t, "all that a publisher does", p.everyStep(true), nil)
	editions := ask[int64](p.testDB, `SELECT DISTINCT edition FROM events ORDER BY 1`)
	if len(editions) < 6 {
		t.Fatalf("it published %v", editions)
	}
	for range editions {
		select {
		case e := <-f.editions:
			if !slices.Contains(editions, e) {
				t.Errorf("a job for edition %d", e)
			}
		case <-time.After(long):
			t.Fatal("a job is not worked on")
		}
	}
	wantError(t, "stopping", client.Stop(context.WithoutCancel(t.Context())), nil)

	p.exec(`CREATE TABLE later (id bigint GENERATED ALWAYS AS IDENTITY, secret text)`)
	p.exec(`CREATE VIEW glance AS SELECT email FROM accounts`)
	refused := append([]string{"later", "later_id_seq", "glance"}, notForPublishers...)
	rights := postgres.PublisherRights()
	type relation struct {
		Name, Kind string
		Column     *string
	}
	rows, err := p.admin.Query(t.Context(), `
		SELECT c.oid::regclass::text, c.relkind::text,
		       (SELECT quote_ident(a.attname) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		        AND a.attidentity = '' AND a.attgenerated = '' ORDER BY c.relname = 'price_history' AND a.attname = 'slug', a.attnum LIMIT 1)
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND c.relkind NOT IN ('i', 'I', 'c', 't')`)
	p.must(err)
	relations, err := pgx.CollectRows(rows, pgx.RowToStructByPos[relation])
	p.must(err)
	seen := 0
	for _, r := range relations {
		granted, listed := rights[r.Name]
		if listed == slices.Contains(refused, r.Name) {
			t.Errorf("%s: decide what a role that may only publish does with it: publisherRights in grants.go, or notForPublishers here", r.Name)
		}
		if r.Kind == "S" {
			p.wantDenied(`SELECT last_value FROM ` + r.Name)
			p.wantDenied(`SELECT nextval('` + r.Name + `')`)
			p.wantDenied(`SELECT setval('` + r.Name + `', 1)`)
			continue
		}
		seen++
		for right, sql := range map[string]string{
			"SELECT": `SELECT count(*) FROM ` + r.Name, "INSERT": `INSERT INTO ` + r.Name + ` DEFAULT VALUES`,
			"UPDATE": `UPDATE ` + r.Name + ` SET ` + *r.Column + ` = NULL`, "DELETE": `DELETE FROM ` + r.Name + ` WHERE true`,
			"TRUNCATE": `TRUNCATE ` + r.Name + ` CASCADE`, "LOCK": `LOCK TABLE ` + r.Name + ` IN ACCESS EXCLUSIVE MODE`,
			"COPY": `COPY ` + r.Name + ` TO STDOUT`,
		} {
			whole := slices.ContainsFunc(granted, func(g string) bool {
				return g == right || right == "COPY" && g == "SELECT" || right == "LOCK" && (g == "UPDATE" || g == "DELETE")
			})
			if !whole && (right != "TRUNCATE" || r.Kind == "r") {
				p.wantDenied(sql)
			}
		}
	}
	if seen < 50 {
		t.Errorf("%d tables were tried", seen)
	}
	for name := range rights {
		if !slices.ContainsFunc(relations, func(r relation) bool { return r.Name == name }) {
			t.Errorf("there is no %s", name)
		}
	}

	// What runs with the owner's rights is four functions, which find the tables of the schema whatever the caller's path is. The
	// others run with the role's own.
	wantSame(t, "the functions of the owner's rights", ask[string](p.testDB, `
		SELECT p.oid::regprocedure || ' ' || array_to_string(p.proconfig, ' ') FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
		WHERE n.nspname = 'public' AND p.prosecdef ORDER BY 1`),
		[]string{
			"move_reports() search_path=public, pg_temp", "note_history() search_path=public, pg_temp",
			"queue_fan_out(bigint) search_path=public, pg_temp", "record_history(bigint) search_path=public, pg_temp",
		})
	wantSame(t, "the functions that the role may run", ask[string](p.testDB, `
		SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
		WHERE n.nspname = 'public' AND has_function_privilege($1, p.oid, 'EXECUTE') ORDER BY 1`, p.role), []string{
		"move_reports()", "note_access_changes(uuid[])", "note_changed_accounts()", "note_changed_keys()", "queue_fan_out(bigint)",
		"river_job_state_in_bitmask(bit,river_job_state)",
	})
	p.wantDenied(`SELECT note_access_changes(ARRAY[gen_random_uuid()])`)
	for _, sql := range []string{
		`CREATE TABLE mine (id int)`, `CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'`, `CREATE SCHEMA mine`,
		`CREATE ROLE mine`, `ALTER TABLE tools ADD COLUMN mine int`, `CREATE TRIGGER mine AFTER INSERT ON tools EXECUTE FUNCTION note_changed_keys()`,
		`ALTER FUNCTION queue_fan_out(bigint) SECURITY INVOKER`, `COPY tools TO PROGRAM 'id'`, `SELECT pg_read_file('/etc/passwd')`,
		`SELECT rolpassword FROM pg_authid`,
	} {
		if err := p.tries(sql); err == nil {
			t.Errorf("the role may: %s", sql)
		}
	}
	_, err = p.p.Accounts.Find(t.Context(), operator, owner)
	if err := postgres.Explain(err); err == nil || !strings.Contains(err.Error(), "palmares grants") {
		t.Errorf("looking for an account: %v", err)
	}
}

// rightForm is one privilege of a list, with its columns.
var rightForm = regexp.MustCompile(`[A-Z]+( \([^)]*\))?`)

// Without any single right of the script, something that a publisher does fails.
func TestGrants_NothingThatIsNotNeeded(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	name := pgx.Identifier{p.role}.Sanitize()
	sql, err := postgres.PublisherScript(p.role)
	p.must(err)
	n := 0
	for line := range strings.Lines(sql) {
		rights, on, found := strings.Cut(strings.TrimPrefix(line, "GRANT "), " ON ")
		if !strings.HasPrefix(line, "GRANT ") || !found {
			continue
		}
		from := strings.Replace(strings.TrimSpace(on), " TO ", " FROM ", 1)
		for _, right := range rightForm.FindAllString(rights, -1) {
			n++
			p.exec(`REVOKE ` + right + ` ON ` + from)
			err := p.everyStep(strings.HasPrefix(on, "public.review_dictionaries"))
			if !denied(err) && (err == nil || right != "USAGE") { // what is in a schema that it may not use is not there
				t.Errorf("without %s on %s: %v", right, strings.TrimSuffix(from, " FROM "+name+";"), err)
			}
			p.exec(`GRANT ` + right + ` ON ` + on)
		}
	}
	if n < 40 {
		t.Errorf("%d rights were taken away", n)
	}
	wantError(t, "with all of them", p.everyStep(false), nil)
}

// The script may run again, takes back what was granted by hand, and refuses roles that would have more all the same.
func TestGrants_AgainAndForWhom(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	name := pgx.Identifier{p.role}.Sanitize()
	p.exec(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ` + name)
	p.exec(`GRANT SELECT (email) ON accounts TO ` + name)
	p.exec(`GRANT ALL ON SEQUENCE river_job_id_seq TO ` + name)
	p.exec(`GRANT CREATE ON SCHEMA public TO PUBLIC`) // as it was before PostgreSQL 15
	p.must(p.grant(p.role))
	p.wantDenied(`SELECT email FROM accounts`)
	p.wantDenied(`SELECT nextval('river_job_id_seq')`)
	p.wantDenied(`CREATE TABLE mine (id int)`)
	wantError(t, "publishing then", p.everyStep(false), nil)

	other := p.newRole("other_")
	for what, c := range map[string]struct{ do, undo, want string }{
		"rights of everybody":      {`GRANT SELECT ON accounts TO PUBLIC`, `REVOKE ALL ON accounts FROM PUBLIC`, "may do more than publish, with accounts"},
		"a column of everybody":    {`GRANT SELECT (email) ON accounts TO PUBLIC`, `REVOKE ALL ON accounts FROM PUBLIC`, "with accounts"},
		"rights on later tables":   {`ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC`, `ALTER DEFAULT PRIVILEGES REVOKE SELECT ON TABLES FROM PUBLIC`, "later tables"},
		"membership":               {`GRANT pg_read_all_data TO ` + name, `REVOKE pg_read_all_data FROM ` + name, "member of another role"},
		"a role that makes others": {`ALTER ROLE ` + name + ` CREATEROLE`, `ALTER ROLE ` + name + ` NOCREATEROLE`, "may do more"},
		"an owner":                 {`ALTER TABLE purges OWNER TO ` + name, `ALTER TABLE purges OWNER TO CURRENT_USER`, "owns something here"},
		"an older schema":          {`ALTER FUNCTION queue_fan_out(bigint) RENAME TO aside`, `ALTER FUNCTION aside(bigint) RENAME TO queue_fan_out`, "run palmares migrate first"},
	} {
		p.exec(c.do)
		if err := p.grant(p.role); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
		if strings.Contains(c.do, "PUBLIC") {
			if err := p.grant(other); err == nil || p.count(`pg_roles WHERE rolname = $1`, other) > 0 {
				t.Errorf("%s: a refused script left its role: %v", what, err)
			}
		}
		p.exec(c.undo)
		p.must(p.grant(p.role))
	}
	wantError(t, "publishing in the end", p.everyStep(false), nil)

	for _, bad := range []string{"", "a\nb", `a\b`, "a\x00", "public", "none", "pg_monitor", strings.Repeat("é", 32), "a\u202eb", "a\xff"} {
		if _, err := postgres.PublisherScript(bad); err == nil {
			t.Errorf("%q is taken for a name", bad)
		}
	}
}

// On a managed server nobody is a superuser: the role that owns the database runs the script, if it may make roles.
func TestGrants_ByTheOwner(t *testing.T) {
	t.Parallel()
	super := emptyDB(t)
	owner := super.newRole("owner_")
	super.exec(`CREATE ROLE ` + owner + ` LOGIN CREATEROLE PASSWORD 'hunter2'`)
	own := `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I OWNER TO <role>', current_database()); END $$`
	super.exec(strings.Replace(own, "<role>", owner, 1))
	t.Cleanup(func() { // else the role cannot be dropped
		conn, err := pgx.Connect(context.Background(), super.url)
		super.must(err)
		defer conn.Close(context.Background())
		_, err = conn.Exec(context.Background(), strings.Replace(own, "<role>", "CURRENT_USER", 1))
		super.must(err)
	})
	super.exec(`ALTER SCHEMA public OWNER TO ` + owner) // as it is by default from PostgreSQL 15 on
	u, err := url.Parse(super.url)
	super.must(err)
	u.User = url.UserPassword(owner, "hunter2")
	_, err = postgres.Migrate(t.Context(), u.String(), nil, nil)
	super.must(err)
	db := openDB(t, u.String())
	role := super.newRole("publisher_")
	for range 2 {
		db.must(db.grant(role))
	}
	db.exec(`ALTER ROLE ` + role + ` PASSWORD 'hunter2'`)
	p := db.publisherAs(role)
	wantError(t, "all that a publisher does", p.everyStep(false), nil)
	p.wantDenied(`SELECT email FROM accounts`)
}

// The function queues one job for the edition that is being published, and none for any other.
func TestQueueFanOut_TakesNothingElse(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	wantError(t, "publishing", p.everyStep(false), nil)
	last := ask[int64](p.testDB, `SELECT number FROM current_edition`)[0]
	jobs := p.count(`river_job`)
	for _, number := range []string{"NULL", "-1", "0", "1", fmt.Sprint(last), fmt.Sprint(last + 1), "9223372036854775807"} {
		if err := p.tries(`SELECT queue_fan_out(` + number + `)`); !postgres.IsViolation(err, "22023") {
			t.Errorf("edition %s: %v", number, err)
		}
	}
	// Tables of the caller's are not taken for those of the schema.
	_, err := p.c.Exec(t.Context(), fmt.Sprintf(`
		BEGIN;
		CREATE TEMP TABLE river_job (LIKE editions) ON COMMIT DROP;
		CREATE TEMP TABLE current_edition ON COMMIT DROP AS SELECT true AS only_row, 0::bigint AS number;
		SET LOCAL search_path = pg_temp, public;
		INSERT INTO public.editions (number, published_at, last_seq) SELECT %[1]d, now(), max(last_seq) FROM public.editions;
		SELECT public.queue_fan_out(%[1]d), public.queue_fan_out(%[1]d), public.queue_fan_out(%[1]d);
		COMMIT`, last+1), pgx.QueryExecModeSimpleProtocol)
	p.must(err)
	wantEqual(t, "the jobs that three calls queued", p.count(`river_job`)-jobs, 1)
	testkit.Equal(t, "the last job", p.jobs(webhook.FanOut{})[jobs], fmt.Sprintf(`{"edition": %d} default 25`, last+1))
}
