package node

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

type fields = map[string]any

// A mirror is a copy of the catalog that somebody keeps: it starts from the downloads, and then reads changes alone,
// from whichever node answers.
type mirror struct {
	t     *testing.T
	nodes []*running
	key   string

	cursor                   string
	tables                   map[string]int64 // up to which event each file knows
	tools, retired, compared map[string]fields
	endings                  map[string]fields // of living tools
	labels                   map[string]any    // of categories
	prices                   map[string]*priceHistory
	starts, waited, stale    int
	types                    map[string]int
	random                   *rand.Rand
}

// A priceHistory is that of a tool, as of an event.
type priceHistory struct {
	rows []any
	asOf int64
}

// fetch asks any node, again while it cannot answer.
func (m *mirror) fetch(path string) (a testkit.Response) {
	m.t.Helper()
	testkit.Eventually(m.t, func() error {
		n := m.nodes[m.random.IntN(len(m.nodes))]
		var err error
		if a, err = testkit.Fetch(n.public+path, testkit.Bearer(m.key)); err != nil {
			return err
		}
		if a.Status == http.StatusServiceUnavailable {
			m.waited++
			return fmt.Errorf("%s: %v", path, a)
		}
		return nil
	})
	return a
}

// ask fetches an object.
func (m *mirror) ask(path string) (body fields, a testkit.Response) {
	m.t.Helper()
	a = m.fetch(path)
	must(m.t, json.Unmarshal([]byte(a.Body), &body))
	return body, a
}

// list reads a whole list, by slug.
func (m *mirror) list(name string) map[string]fields {
	m.t.Helper()
	all := make(map[string]fields)
	for page := 1; ; page++ {
		body, _ := m.ask(fmt.Sprintf("/api/v1/%s?limit=200&page=%d", name, page))
		for _, item := range body["data"].([]any) {
			all[item.(fields)["slug"].(string)] = item.(fields)
		}
		if len(body["data"].([]any)) < 200 {
			return all
		}
	}
}

// start fills the mirror from the downloads. Each has a cursor of its own; the oldest is followed from.
func (m *mirror) start() {
	m.t.Helper()
	m.starts++
	m.tables, m.prices = make(map[string]int64), make(map[string]*priceHistory)
	var oldest catalog.Cursor
	load := func(table string) map[string]fields {
		rows, c := m.download(table)
		if m.tables[table] = c.Seq; len(m.tables) == 1 || c.Seq < oldest.Seq {
			oldest = c
		}
		return rows
	}
	m.tools, m.retired, m.compared = load("tools"), load("cimetiere"), load("comparatifs")
	for _, tool := range m.tools { // events do not have them
		delete(tool, "price_cents")
		delete(tool, "price_period")
	}
	for slug, row := range load("pricing") {
		rows, _ := row["price_history"].([]any)
		m.prices[slug] = &priceHistory{rows, m.tables["pricing"]}
	}
	m.endings = make(map[string]fields)
	for slug, row := range load("facts") {
		if ending, _ := row["ending"].(fields); ending != nil && row["retired"] == false {
			m.endings[slug] = ending
		}
	}
	m.labels = make(map[string]any)
	for slug, row := range load("categories") {
		m.labels[slug] = row["label"]
	}
	m.cursor = oldest.String()
}

// download reads a file by slug. One whose cursor the log does not have is of another history, and asked for again.
func (m *mirror) download(table string) (rows map[string]fields, c catalog.Cursor) {
	m.t.Helper()
	testkit.Eventually(m.t, func() error {
		a := m.fetch("/api/v1/export/" + table + ".jsonl")
		testkit.Equal(m.t, "status of "+table, a.Status, http.StatusOK)
		cursor := a.Header.Get("X-Changes-Cursor")
		if known := m.fetch("/api/v1/changes?limit=1&since=" + cursor); known.Status != http.StatusOK {
			m.stale++
			return fmt.Errorf("%s is of another history: %v", table, known)
		}
		rows = make(map[string]fields)
		for line := range strings.Lines(a.Body) {
			var row fields
			must(m.t, json.Unmarshal([]byte(line), &row))
			rows[row["slug"].(string)] = row
		}
		c, _ = catalog.ParseCursor(cursor)
		return nil
	})
	return rows, c
}

// askPrice reads the price history of a tool as it is at an event or later.
func (m *mirror) askPrice(slug string, seq int64) {
	m.t.Helper()
	testkit.Eventually(m.t, func() error {
		body, a := m.ask("/api/v1/pricing/" + slug)
		if a.Status == http.StatusNotFound { // gone since, as a later event will say, or this node is behind
			for _, n := range m.nodes {
				other, err := testkit.Fetch(n.public+"/api/v1/pricing/"+slug, testkit.Bearer(m.key))
				if err != nil {
					return err
				}
				if other.Status != a.Status {
					return fmt.Errorf("a node answers %d for %s, another %d", other.Status, slug, a.Status)
				}
			}
			return nil
		}
		at, _ := catalog.ParseCursor(a.Header.Get("X-Changes-Cursor"))
		if at.Seq < seq {
			return fmt.Errorf("the price of %s is that of %d, before %d", slug, at.Seq, seq)
		}
		rows, _ := body["price_history"].([]any)
		m.prices[slug] = &priceHistory{rows, at.Seq}
		return nil
	})
}

// follow reads changes to their end. It dies after as many events as it has left to live; 0 is for ever.
func (m *mirror) follow(life int) {
	m.t.Helper()
	for {
		body, a := m.ask(fmt.Sprintf("/api/v1/changes?since=%s&limit=%d", m.cursor, 1+m.random.IntN(40)))
		if a.Status == http.StatusGone {
			m.start()
			continue
		}
		if a.Status != http.StatusOK {
			m.t.Fatalf("changes since %s: %v", m.cursor, a)
		}
		for _, e := range body["data"].([]any) {
			m.apply(e.(fields))
			if life--; life == 0 {
				return // the cursor was not kept: the page is applied again
			}
		}
		m.cursor = body["next"].(string)
		if more, _ := body["more"].(bool); !more {
			return
		}
	}
}

// put sets an item of a table, or removes it, unless the file knew of it.
func (m *mirror) put(table string, items map[string]fields, slug string, seq int64, object fields) {
	switch {
	case seq <= m.tables[table]:
	case object == nil:
		delete(items, slug)
	default:
		items[slug] = object
	}
}

func (m *mirror) apply(e fields) {
	m.t.Helper()
	data := e["data"].(fields)
	slug, seq := data["slug"].(string), int64(data["seq"].(float64))
	object, _ := data["object"].(fields)
	kind := e["type"].(string)
	m.types[kind]++
	if data["correction"] != nil {
		m.types["correction"]++
	}
	switch catalog.EventType(kind) {
	case catalog.ToolCreated:
		m.put("tools", m.tools, slug, seq, object)
		if seq > m.tables["pricing"] {
			m.askPrice(slug, seq) // it may be back, with the history it had
		}
	case catalog.ToolUpdated:
		m.put("tools", m.tools, slug, seq, object)
	case catalog.ToolRemoved:
		m.put("tools", m.tools, slug, seq, nil)
		m.put("facts", m.endings, slug, seq, nil)
	case catalog.ToolEnding:
		delete(object, "slug") // as the facts of a tool have it
		delete(object, "name")
		m.put("facts", m.endings, slug, seq, object)
	case catalog.ToolRetired:
		m.put("tools", m.tools, slug, seq, nil)
		m.put("facts", m.endings, slug, seq, nil)
		m.put("cimetiere", m.retired, slug, seq, object)
	case catalog.PriceChanged:
		m.reprice(slug, seq, e)
	case catalog.PriceAnnounced:
	case catalog.CemeteryAdded, catalog.CemeteryUpdated, catalog.CemeteryRemoved:
		m.put("cimetiere", m.retired, slug, seq, object)
	case catalog.ComparisonPublished, catalog.ComparisonUpdated, catalog.ComparisonUnpublished:
		m.put("comparatifs", m.compared, slug, seq, object)
	case catalog.CatalogUpdated:
		if seq > m.tables["categories"] {
			m.labels = labelsOf(object["categories"])
		}
	case catalog.EmbeddingsUpdated:
	case catalog.ToolRenamed, catalog.ComparisonRenamed, catalog.CemeteryRenamed: // what follows says it, too
	}
}

// labelsOf are the labels of categories by their slugs.
func labelsOf(list any) map[string]any {
	labels := make(map[string]any)
	for _, c := range list.([]any) {
		labels[c.(fields)["slug"].(string)] = c.(fields)["label"]
	}
	return labels
}

func (m *mirror) reprice(slug string, seq int64, e fields) {
	m.t.Helper()
	data := e["data"].(fields)
	h := m.prices[slug]
	switch {
	case h == nil, data["correction"] != nil && seq > h.asOf:
		m.askPrice(slug, seq)
	case seq > h.asOf:
		was, is := data["previous"].(fields), data["object"].(fields)
		row := fields{
			"changed_at": e["timestamp"].(string)[:10], "old_pricing": was["pricing"], "old_price": was["price"],
			"new_pricing": is["pricing"], "new_price": is["price"],
		}
		m.prices[slug] = &priceHistory{append([]any{row}, h.rows...), seq}
	}
}

// check compares the mirror with the API, item by item.
func (m *mirror) check(when string) {
	m.t.Helper()
	same := func(what string, got, want any) {
		m.t.Helper()
		g, err := json.Marshal(got)
		testkit.Must(m.t, err)
		w, err := json.Marshal(want)
		testkit.Must(m.t, err)
		if string(g) != string(w) {
			m.t.Errorf("%s: %s:\nthe mirror has %s\nthe API has    %s", when, what, g, w)
		}
	}
	tools := m.list("tools")
	same("tools", m.tools, tools)
	same("the cemetery", m.retired, m.list("cimetiere"))
	endings := m.list("endings")
	for _, e := range endings {
		delete(e, "slug")
		delete(e, "name")
	}
	same("announced ends", m.endings, endings)
	compared := m.list("comparatifs")
	same("comparisons", slices.Sorted(maps.Keys(m.compared)), slices.Sorted(maps.Keys(compared)))
	for slug, item := range compared {
		mine := m.compared[slug]
		for key, value := range item {
			same(slug+"."+key, mine[key], value)
		}
		detail, _ := m.ask("/api/v1/comparatifs/" + slug)
		for key, value := range detail {
			if side, ok := mine[key].(fields); ok { // an event has the slug, too
				side = maps.Clone(side)
				delete(side, "slug")
				same(slug+"."+key, side, value)
			} else {
				same(slug+"."+key, mine[key], value)
			}
		}
	}
	for slug := range tools {
		body, _ := m.ask("/api/v1/pricing/" + slug)
		same("price history of "+slug, m.prices[slug].rows, body["price_history"])
	}
	body, _ := m.ask("/api/v1/categories")
	same("categories", m.labels, labelsOf(body["data"]))
}

// A scene is a catalog that is published again and again, a day apart, behind two nodes.
type scene struct {
	t      *testing.T
	server *pgtest.Server
	db     *postgres.DB
	world  *catalogtest.World
	at     time.Time
}

// publish publishes the world. Some of the prices that it changed before are corrected.
func (s *scene) publish(correct bool) catalog.Edition {
	s.t.Helper()
	s.at = s.at.Add(24 * time.Hour)
	e, err := s.db.Catalog.Publish(s.t.Context(), func() time.Time { return s.at },
		func(ctx context.Context, current *catalog.Contents, _ catalog.Edition, past catalog.Past) (catalog.Changes, error) {
			changes := catalog.Diff(current, s.world.Contents(), catalog.DateOf(s.at))
			if !correct {
				return changes, nil
			}
			var tools []catalog.Bearer
			for _, ch := range changes.Tools {
				if ch.Before() != nil && !ch.Removed() {
					tools = append(tools, catalog.Bearer{Slug: ch.Slug, Formerly: ch.New.Formerly})
				}
			}
			moves, err := past.LastMoves(ctx, tools)
			for slug, last := range moves {
				changes.Correct(slug, last)
			}
			return changes, err
		})
	must(s.t, err)
	return e
}

// follows waits until a node serves an edition.
func follows(t *testing.T, n *running, e catalog.Edition) {
	t.Helper()
	testkit.EventuallyTrue(t, "the node follows", func() bool { return n.b.follower.Current().Edition().ID == e.ID })
}

// A mirror that starts from the downloads and is kept by changes alone equals the API, item by item and with its price histories, through
// publications of every sort, corrections, a database that is away, a client that is killed, a node that is
// behind and a database that is restored.
func TestMirror(t *testing.T) {
	t.Parallel()
	editions := testkit.Size(130, 200)
	server := pgtest.NewServer(t)
	_, err := postgres.Migrate(t.Context(), server.URL(), nil, nil)
	must(t, err)
	s := &scene{
		t: t, server: server, db: server.Open(), world: catalogtest.NewWorld(11, 25),
		at: time.Now().UTC().AddDate(0, 0, -260).Truncate(time.Second),
	}
	pro, _ := newKey(t, openServices(t, server.URL()), "pro@example.org", account.Pro)
	first := s.publish(false)
	a, b := startRoles(t, []string{API}, server.URL()), startRoles(t, []string{API}, server.URL())
	m := &mirror{
		t: t, nodes: []*running{a, b}, key: pro, types: map[string]int{}, random: rand.New(rand.NewPCG(3, 4)),
	}
	for _, n := range m.nodes {
		n.ready()
		follows(t, n, first)
	}
	m.start()
	var dump string
	status := func(n *running, since string) int { return n.get("/api/v1/changes?since="+since, pro).Status }
	at := func(percent int) int { return editions * percent / 100 }
	for i := range editions {
		s.world.Change(3 + s.world.IntN(10)) // not of the mirror's chance, which depends on how often it waits
		e := s.publish(i%5 == 4)
		switch {
		case i == at(30): // a client that is killed in the middle of a page, and knows its last cursor
			m.follow(3)
			m.follow(0)
		case i == at(45):
			for _, n := range m.nodes {
				follows(t, n, e)
			}
			m.follow(0)
			server.Stop()
			for _, n := range m.nodes {
				testkit.Equal(t, "a cursor that the node has, without the database", status(n, m.cursor), 200)
				testkit.Equal(t, "one that nobody can check", status(n, "99999-0123456789abcdef"), 503)
				testkit.Equal(t, "one that seems to be of another history", status(n, strings.Split(m.cursor, "-")[0]+"-0123456789abcdef"), 503)
			}
			server.Start()
			s.db = server.Open()
		case i == at(60): // the second node falls behind
			for _, n := range m.nodes {
				follows(t, n, e)
			}
			thaw := server.Freeze(feedOf(t, server.URL()))
			s.world.Change(3)
			s.publish(false)
			m.follow(0)
			thaw()
		case i == at(70):
			dump = filepath.Join(t.TempDir(), "dump")
			run(t, "pg_dump", "-Fc", "-f", dump, server.URL())
		case i == at(75):
			for _, n := range m.nodes { // or the cursor is one that the dump has too
				follows(t, n, e)
			}
			m.follow(0)
			before := m.cursor
			run(t, "pg_restore", "--clean", "--if-exists", "--exit-on-error", "-d", server.URL(), dump)
			s.db = server.Open()
			s.world.Change(5)
			e = s.publish(false)
			for _, n := range m.nodes {
				follows(t, n, e)
				var got int // 503 where a connection still knows the tables from before
				testkit.EventuallyTrue(t, "the node has looked again", func() bool { got = status(n, before); return got != 503 })
				testkit.Equal(t, "a cursor from before the restore", got, 410)
			}
			starts := m.starts
			m.follow(0)
			if m.starts == starts {
				t.Error("the mirror did not start again after a restore")
			}
			m.check("after a restore")
		case i%7 == 0:
			m.follow(0)
		}
	}
	last := s.publish(false)
	for _, n := range m.nodes {
		follows(t, n, last)
	}
	m.follow(0)
	m.check("at the end")

	// The beginning of the log, which a node no longer holds.
	for _, n := range m.nodes {
		held, _ := n.b.follower.Current().ChangesSince(catalog.Cursor{})
		if held != nil {
			t.Error("the node holds the whole log: the database was not asked for any of it")
		}
		testkit.Equal(t, "the beginning", status(n, "0"), 200)
	}
	for _, kind := range append(each(), "correction") {
		if m.types[kind] == 0 {
			t.Errorf("no %s happened: %v", kind, m.types)
		}
	}
	t.Logf("%v; %d starts, %d requests waited, %d downloads of another history", m.types, m.starts, m.waited, m.stale)
}

// feedOf is the server's process of a feed.
func feedOf(t *testing.T, url string) (pid int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	must(t, conn.QueryRow(t.Context(), `SELECT max(pid) FROM pg_stat_activity WHERE application_name = $1`, postgres.FeedName).Scan(&pid))
	return pid
}

func each() []string {
	var all []string
	for _, t := range webhook.Types() {
		all = append(all, string(t))
	}
	return all
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}
