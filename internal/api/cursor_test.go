package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Lists say up to where they know the change log, with a key and without, cached or not, as a 200 and as a 304, over the
// quota too. It is the cursor of /api/v1/changes, and moves with the edition while the tag of a page stays.
func TestCursor_OfLists(t *testing.T) {
	t.Parallel()
	first, second := catalogtest.Fixture(t), amend(t, renameZebre)
	end := func(c *client) string {
		var log struct{ Next string }
		c.get("changes").want(200).into(&log)
		return log.Next
	}
	lists := []string{
		"tools", "tools?q=zebre", "tools?limit=1&page=9999", "comparatifs", "pricing", "pricing/oeuvre", "cimetiere", "cimetiere?limit=1",
		"facts", "endings", "categories", "/api/embeddings",
	}
	for _, target := range lists {
		keyed := strings.HasPrefix(target, "/api/embeddings")
		for _, plan := range account.Plans() {
			if keyed && plan == account.Anonymous {
				continue
			}
			c := newClient(t)
			var holds *holder
			var key []string
			if plan != account.Anonymous {
				h := c.sign(plan)
				holds, key = &h, h.bearer()
			}
			expected := first.Cursor().String()
			testkit.Equal(t, "the cursor of the log", end(c), expected)
			var tag string
			for range 3 { // made, made and cached, cached
				got := c.get(target, key...).want(200, "X-Changes-Cursor", expected)
				if exposed := got.header.Get("Access-Control-Expose-Headers"); !strings.Contains(exposed, "X-Changes-Cursor") {
					t.Errorf("%s: scripts may read %s", target, exposed)
				}
				tag = got.tag()
			}
			c.do("HEAD", target, key...).want(200, "X-Changes-Cursor", expected)
			for _, matches := range []string{tag, "*"} {
				c.get(target, with(key, []string{"If-None-Match", matches})...).want(304, "X-Changes-Cursor", expected)
			}
			c.edition.Store(second)
			testkit.Equal(t, "the cursor of the log", end(c), second.Cursor().String())
			c.get(target, key...).want(200, "X-Changes-Cursor", second.Cursor().String())
			if target == "cimetiere" {
				c.get(target, with(key, []string{"If-None-Match", tag})...).want(304, "X-Changes-Cursor", second.Cursor().String())
			}
			c.edition.Store(first)
			if daily := plan.Limits().Daily; daily > 0 && target == "tools" {
				c.get(target, key...)
				c.get(target, key...)
				c.spend(holds, daily)
				c.get(target, with(key, []string{"If-None-Match", tag})...).want(304, "X-Changes-Cursor", expected)
				c.get(target, key...).want(429, "X-Changes-Cursor", "")
			}
		}
	}
	c := newClient(t, unmetered)
	for _, target := range []string{"tools/oeuvre", "stats", "findings?slugs=oeuvre", "changes", "openapi.json"} {
		c.get(target).want(200, "X-Changes-Cursor", "")
	}
	c.get("tools?limit=0").want(400, "X-Changes-Cursor", "")
	newClient(t, of(catalog.Empty())).get("tools").want(503, "X-Changes-Cursor", "")
}

// paged publishes an edition right before it answers request number before, and counts requests for pages.
type paged struct {
	*client
	before   int64
	next     *catalog.Snapshot
	requests atomic.Int64
}

func (p *paged) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.requests.Add(1) == p.before {
		p.edition.Store(p.next)
	}
	p.handler.ServeHTTP(w, r)
}

// Whoever pages while an edition is published sees one tool twice or another never, and the events since the first page
// do not name it. The program of the guide sees that the cursor moves, and ends with the tools of one edition.
func TestDocs_PagingProgram(t *testing.T) {
	t.Parallel()
	const tools, limit = 450, 200 // three pages
	contents := catalogtest.Generated(tools)
	first := catalogtest.First(contents, catalogtest.FixtureEdition())
	best := first.Tools(catalog.ToolQuery{Paging: catalog.Paging{Page: 1, Limit: limit + 1}}).Items
	top, moved := best[0], best[limit] // first of all, and first on page 2
	retired := catalogtest.Amend(first, func(c *catalog.Contents) { catalogtest.Retire(c, top.Slug) })
	added := catalogtest.Amend(first, func(c *catalog.Contents) {
		c.Tools = append(c.Tools, catalogtest.Tool("tout-nouveau", catalogtest.Scored(1000)))
		c.Sort()
	})
	slugs := func(s *catalog.Snapshot) (list []string) {
		for _, tool := range s.Contents().Tools {
			list = append(list, tool.Slug)
		}
		slices.Sort(list)
		return list
	}

	// Somebody who does not look at the cursor.
	c := newClient(t, unmetered)
	c.edition.Store(first)
	page := func(n int) reply { return c.get(fmt.Sprintf("tools?limit=%d&page=%d", limit, n)).want(200) }
	pageOne := page(1)
	c.edition.Store(retired)
	seen := pageOne.slugs() + " " + page(2).slugs() + " " + page(3).slugs()
	if strings.Contains(" "+seen+" ", " "+moved.Slug+" ") {
		t.Errorf("%s is seen, so nothing moves", moved.Slug)
	}
	if events := c.get("changes?since=" + pageOne.header.Get("X-Changes-Cursor")).want(200); strings.Contains(string(events.text), `"`+moved.Slug+`"`) {
		t.Errorf("%s is in the log, so reading it would do", moved.Slug)
	}

	for name, next := range map[string]*catalog.Snapshot{"a tool is retired": retired, "a tool is added": added} {
		for before := int64(2); before <= 4; before++ { // 4: after the last page
			t.Run(fmt.Sprintf("%s before request %d", name, before), func(t *testing.T) {
				t.Parallel()
				dir, command := docProgram(t, "caching", "pages.py", "python3")
				served := &paged{client: newClient(t, unmetered), before: before, next: next}
				served.edition.Store(first)
				server := httptest.NewServer(served)
				t.Cleanup(server.Close)
				cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "BASE="+server.URL)
				out, err := cmd.Output()
				testkit.Must(t, err)
				want, requests := slugs(first), int64(3)
				if before <= 3 {
					want, requests = slugs(next), before+3
				}
				testkit.Equal(t, "tools", slices.Sorted(strings.FieldsSeq(string(out))), want)
				testkit.Equal(t, "requests", served.requests.Load(), requests)
			})
		}
	}
}
