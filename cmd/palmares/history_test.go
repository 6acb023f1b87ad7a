package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/historytest"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// What was true of a tool on a day is what the commits say that were published: with the whole log, without its events, and in
// a database that was restored.
func TestHistory_IsThatOfTheCommits(t *testing.T) {
	t.Parallel()
	dir, db := t.TempDir(), pgtest.Migrated(t)
	editions, err := historytest.Generate(dir, historytest.Options{Seed: 41, Editions: testkit.Size(20, 60), Tools: testkit.Size(30, 60)})
	must(t, err)
	for _, e := range editions {
		must(t, exec.CommandContext(t.Context(), "git", "-C", dir, "checkout", "-q", e.Commit).Run())
		args := []string{"publish", dir, "--at", e.Day, "--allow-removal", "--allow-price-jump"}
		if len(e.Correct) > 0 {
			args = append(args, "--correct", strings.Join(e.Correct, ","))
		}
		palmares(t, database(db), args...)
	}
	h := &histories{T: t, Rand: rand.New(rand.NewPCG(41, 2)), key: newKey(t, db, "ada@example.org", "pro")}
	h.first, h.last = editions[0].Day, editions[len(editions)-1].Day
	h.oracle, err = historytest.Read(dir)
	must(t, err)
	pairs := testkit.Size(300, 1000)
	h.compare("with the whole log", db, pairs)

	store, err := postgres.Open(t.Context(), db, postgres.Options{})
	must(t, err)
	defer store.Close()
	pruned, err := store.Webhooks.PruneEvents(t.Context(), time.Now(), 1_000_000)
	must(t, err)
	testkit.Equal(t, "some events are pruned", pruned > 0, true)
	h.compare("without events", db, pairs)

	restored := pgtest.URL(t)
	psql := exec.Command("psql", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null", plainURL(restored))
	psql.Stdin = strings.NewReader(dumpDatabase(t, plainURL(db)))
	if out, err := psql.CombinedOutput(); err != nil {
		t.Fatalf("restoring: %v\n%s", err, out)
	}
	h.compare("after a restore", restored, pairs)
}

// plainURL returns the URL of a database for PostgreSQL's own programs, which refuse settings in it.
func plainURL(url string) string {
	plain, _, _ := strings.Cut(url, "?")
	return plain
}

// histories compares what nodes say with what an oracle does.
type histories struct {
	*testing.T
	*rand.Rand

	key         string
	oracle      historytest.Oracle
	first, last string // days
}

// compare asks a node on the database about random tools on random days.
func (h *histories) compare(when, db string, pairs int) {
	h.Helper()
	n := serving(start(h.T, onFreePorts(db), "serve", "--roles", "api"))
	n.ready()
	defer n.stop()
	slugs := make([]string, 0, len(h.oracle))
	for slug := range h.oracle {
		slugs = append(slugs, slug)
	}
	slices.Sort(slugs)
	first, err := time.Parse(time.DateOnly, h.first)
	must(h.T, err)
	last, err := time.Parse(time.DateOnly, h.last)
	must(h.T, err)
	days := int(last.Sub(first).Hours()/24) + 1
	known := make(map[string]map[string]string) // by day and slug
	intervals := make(map[string]string)        // by slug
	lived := 0
	for range pairs {
		slug := slugs[h.IntN(len(slugs))]
		day := first.AddDate(0, 0, h.IntN(days+10)-10).Format(time.DateOnly)
		if known[day] == nil {
			known[day] = h.on(n, day)
		}
		if intervals[slug] == "" {
			intervals[slug] = h.intervals(n, slug)
			testkit.Equal(h, when+", "+slug+"'s history", intervals[slug], h.wantIntervals(slug))
		}
		want := h.wantOn(slug, day)
		if testkit.Equal(h, when+", "+slug+" on "+day, known[day][slug], want); want != "" {
			lived++
		}
		if h.Failed() {
			h.Fatalf("the history of %s: %s", slug, intervals[slug])
		}
	}
	h.Logf("%s: %d pairs, in %d of which the tool lived", when, pairs, lived)
}

func (h *histories) get(n *server, path string, into any) {
	h.Helper()
	r, err := testkit.Fetch(n.public+path, http.Header{"Authorization": {"Bearer " + h.key}})
	must(h.T, err)
	if !r.OK() {
		h.Fatalf("%s answers %s", path, r)
	}
	must(h.T, json.Unmarshal([]byte(r.Body), into))
}

// on returns the tools of a day in words, by slug.
func (h *histories) on(n *server, day string) map[string]string {
	h.Helper()
	var page struct {
		Data []struct {
			Slug, Name, Category, Pricing, Price, Period string
			Cents                                        int64
			Score                                        *float64
		}
		Meta struct{ Total int }
	}
	h.get(n, "/api/v1/history?limit=200&on="+day, &page)
	testkit.Equal(h, "tools on "+day, len(page.Data), page.Meta.Total)
	tools := make(map[string]string)
	for _, r := range page.Data {
		score := ""
		if r.Score != nil {
			score = strconv.FormatFloat(*r.Score, 'g', -1, 64)
		}
		tools[r.Slug] = fmt.Sprintf("%s, %s: %s %s (%d/%s), score %q", r.Name, r.Category, r.Pricing, r.Price, r.Cents, r.Period, score)
	}
	return tools
}

// wantOn returns what the oracle says of a tool on a day, as on does; "" if it did not live.
func (h *histories) wantOn(slug, day string) string {
	h.Helper()
	tool, lived := h.oracle[slug], false
	var price catalog.Price
	var pricing, text, score string
	for _, i := range tool.History() {
		switch {
		case !i.Holds(day):
		case i.Field == "life":
			lived = true
		case i.Field == "score":
			score = i.Value
		default:
			price, _ = catalog.ParsePrice(i.Value)
			pricing, text = i.Pricing, i.Value
		}
	}
	if !lived {
		return ""
	}
	return fmt.Sprintf("%s, %s: %s %s (%d/%s), score %q",
		tool.Front["name"], tool.Front["category"], pricing, text, price.Cents, price.Period, score)
}

// intervals returns the history of a tool in words.
func (h *histories) intervals(n *server, slug string) string {
	h.Helper()
	var body struct {
		Slug, Name string
		Data       []struct {
			Field, Pricing, From, Until, Basis string
			Value                              any
			Corrected                          bool
		}
	}
	h.get(n, "/api/v1/history/"+slug, &body)
	var lines []string
	for _, i := range body.Data {
		if i.Value == nil {
			i.Value = ""
		}
		lines = append(lines, inWords(historytest.Interval{
			Field: i.Field, Value: fmt.Sprint(i.Value), Pricing: i.Pricing, From: i.From, Until: i.Until, Basis: i.Basis, Corrected: i.Corrected,
		}))
	}
	return body.Name + "\n" + strings.Join(lines, "\n")
}

func (h *histories) wantIntervals(slug string) string {
	all := h.oracle[slug].History()
	lines := []string{h.oracle[slug].Front["name"]}
	for _, field := range []string{"price", "score", "life"} {
		for _, i := range all {
			if i.Field == field {
				lines = append(lines, inWords(i))
			}
		}
	}
	return strings.Join(lines, "\n")
}

func inWords(i historytest.Interval) string {
	return fmt.Sprintf("%s %s %s from %s until %s, %s, corrected %v", i.Field, i.Pricing, i.Value, i.From, i.Until, i.Basis, i.Corrected)
}
