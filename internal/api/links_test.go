package api_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

var linkElement = regexp.MustCompile(`^<([^<>"\s]+)>; rel="(first|prev|next|last)"$`)

// links reads a Link header, strictly.
func (r reply) links() map[string]string {
	r.t.Helper()
	all := map[string]string{}
	header := r.header.Get("Link")
	if header == "" {
		return all
	}
	for element := range strings.SplitSeq(header, ", ") {
		m := linkElement.FindStringSubmatch(element)
		if m == nil || all[m[2]] != "" {
			r.t.Fatalf("%q is no link, or twice in %q", element, header)
		}
		all[m[2]] = m[1]
	}
	return all
}

// Following next from the first page shows each item once, in order; following prev from the last
// shows the same pages backwards.
func TestLinks_WalkAllPages(t *testing.T) {
	t.Parallel()
	c := newClient(t, unmetered)
	for _, start := range []string{
		"tools?limit=4",
		"tools?limit=1&sort=name_desc",
		"tools?limit=2&category=code&score_min=7.99&obsolescence_max=6&sort=name_asc",
		"comparatifs?limit=1&category=image",
		"pricing?limit=2&category=chat",
		"cimetiere?limit=2",
		"cimetiere?limit=1&reason=mort&category=code",
	} {
		whole := c.get(strings.Replace(start, "limit=", "limit=20&was=", 1)).slugs()
		var forward, backward []string
		last := ""
		for next := start; next != ""; {
			page := c.get(next)
			forward = append(forward, page.slugs())
			next, last = page.links()["next"], page.links()["last"]
		}
		for last != "" {
			page := c.get(last)
			backward = append(backward, page.slugs())
			last = page.links()["prev"]
		}
		testkit.Equal(t, start, strings.Join(forward, " "), whole)
		slices.Reverse(backward)
		testkit.Equal(t, start+", backwards", backward, forward)
	}
}

// Links to the letter: relative, and absolute where the service knows its address.
func TestLinks_ToTheLetter(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "https://api.example", "http://127.0.0.1:8080/catalogue"} {
		c := newClient(t, unmetered, func(o *api.Options) { o.BaseURL = base })
		for target, want := range map[string][]string{
			"tools": {"first /api/v1/tools?page=1", "last /api/v1/tools?page=1"},
			"tools?utm=x&sort=name_asc&page=2&limit=4&category=code&score_min=%2B1.0": {
				"first /api/v1/tools?category=code&limit=4&page=1&score_min=1&sort=name_asc",
				"prev /api/v1/tools?category=code&limit=4&page=1&score_min=1&sort=name_asc",
				"last /api/v1/tools?category=code&limit=4&page=2&score_min=1&sort=name_asc",
			},
			"cimetiere?limit=2&page=2": {
				"first /api/v1/cimetiere?limit=2&page=1", "prev /api/v1/cimetiere?limit=2&page=1",
				"next /api/v1/cimetiere?limit=2&page=3", "last /api/v1/cimetiere?limit=2&page=3",
			},
			"cimetiere?limit=2&page=9": { // past the last page, prev leads back to it
				"first /api/v1/cimetiere?limit=2&page=1", "prev /api/v1/cimetiere?limit=2&page=3",
				"last /api/v1/cimetiere?limit=2&page=3",
			},
			"cimetiere?category=nope": nil,
			// Defaults are left out, whoever wrote them.
			"tools?limit=50&sort=score_desc": {"first /api/v1/tools?page=1", "last /api/v1/tools?page=1"},
			"/api/v1/%74ools?limit=200":      {"first /api/v1/tools?limit=200&page=1", "last /api/v1/tools?limit=200&page=1"},
			"pricing?obsolescence_max=1":     {"first /api/v1/pricing?page=1", "last /api/v1/pricing?page=1"},
			"tools?obsolescence_max=10&reason=mort": {
				"first /api/v1/tools?obsolescence_max=10&page=1",
				"last /api/v1/tools?obsolescence_max=10&page=1",
			},
		} {
			var links []string
			for _, link := range want {
				rel, path, _ := strings.Cut(link, " ")
				links = append(links, "<"+base+path+`>; rel="`+rel+`"`)
			}
			for range 3 { // as it is made, and as it is cached
				c.get(target).has("Link", strings.Join(links, ", "))
			}
		}
	}
}

// A category is free text to this package: whatever it is, it cannot break out of the link.
func TestLinks_HostileCategory(t *testing.T) {
	t.Parallel()
	for _, hostile := range []string{
		`a>; rel="next", <https://mal.example/`, "a\r\nSet-Cookie: x=1", `"><script>`, "é & ü",
		"a b+c%2", "\xff", "?page=9#",
	} {
		c := newClient(t, of(amend(t, func(n *catalog.Contents) {
			n.Categories = append(n.Categories, catalog.Category{Slug: hostile, Label: "Hostile"})
			catalogtest.Find(n, "oeuvre").Category = hostile
		})))
		target := "comparatifs?limit=1&category=" + url.QueryEscape(hostile)
		first := c.get(target).want(200, "X-Total-Count", "2", "Set-Cookie", "")
		next, err := url.Parse(first.links()["next"])
		if err != nil || len(first.links()) != 3 || next.Query().Get("category") != hostile || next.Host != "" {
			t.Fatalf("%q: next is %v, %v", hostile, next, err)
		}
		c.get(first.links()["next"]).wantSlugs("oeuvre-ou-zebre")
		c.get(target+"x").has("Link", "") // a category that is not there is in no header
	}
}
