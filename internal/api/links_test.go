package api_test

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
)

var linkElement = regexp.MustCompile(`^<([^<>"\s]+)>; rel="(first|prev|next|last)"$`)

// links reads a Link header, strictly.
func links(t testing.TB, r reply) map[string]string {
	t.Helper()
	all := map[string]string{}
	header := r.header.Get("Link")
	if header == "" {
		return all
	}
	for element := range strings.SplitSeq(header, ", ") {
		m := linkElement.FindStringSubmatch(element)
		if m == nil {
			t.Fatalf("%q is no link, in %q", element, header)
		}
		if all[m[2]] != "" {
			t.Fatalf("%s twice in %q", m[2], header)
		}
		all[m[2]] = m[1]
	}
	return all
}

// Following next from the first page shows each item once, in order; following
// prev from the last shows the same pages backwards.
func TestLinks_WalkAllPages(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	for _, start := range []string{
		"/api/v1/tools?limit=4",
		"/api/v1/tools?limit=1&sort=name_desc",
		"/api/v1/tools?limit=5",
		"/api/v1/tools?limit=2&category=code&score_min=7.99&obsolescence_max=6&sort=name_asc",
		"/api/v1/comparatifs?limit=1&category=image",
		"/api/v1/pricing?limit=7",
		"/api/v1/pricing?limit=2&category=chat",
		"/api/v1/cimetiere?limit=2",
		"/api/v1/cimetiere?limit=1&reason=mort&category=code",
	} {
		whole := c.get(t, strings.Replace(start, "limit=", "limit=20&was=", 1)).slugs(t)
		var forward, backward []string
		next, last := start, ""
		for next != "" {
			page := c.get(t, next)
			forward = append(forward, page.slugs(t))
			next, last = links(t, page)["next"], links(t, page)["last"]
		}
		for last != "" {
			page := c.get(t, last)
			backward = append(backward, page.slugs(t))
			last = links(t, page)["prev"]
		}
		if got := strings.Join(forward, " "); got != whole {
			t.Errorf("%s:\nwalk  %s\nwhole %s", start, got, whole)
		}
		slices.Reverse(backward)
		if !slices.Equal(forward, backward) {
			t.Errorf("%s:\nforward  %q\nbackward %q", start, forward, backward)
		}
	}
}

func TestLinks_ToTheLetter(t *testing.T) {
	t.Parallel()
	c := open(t, fixture(t))
	for target, want := range map[string]string{
		"/api/v1/tools": `</api/v1/tools?page=1>; rel="first", </api/v1/tools?page=1>; rel="last"`,
		"/api/v1/tools?utm=x&sort=name_asc&page=2&limit=4&category=code&score_min=%2B1.0": `</api/v1/tools?category=code&limit=4&page=1&score_min=1&sort=name_asc>; rel="first", ` +
			`</api/v1/tools?category=code&limit=4&page=1&score_min=1&sort=name_asc>; rel="prev", ` +
			`</api/v1/tools?category=code&limit=4&page=2&score_min=1&sort=name_asc>; rel="last"`,
		"/api/v1/cimetiere?limit=2&page=2": `</api/v1/cimetiere?limit=2&page=1>; rel="first", ` +
			`</api/v1/cimetiere?limit=2&page=1>; rel="prev", </api/v1/cimetiere?limit=2&page=3>; rel="next", ` +
			`</api/v1/cimetiere?limit=2&page=3>; rel="last"`,
		// Past the last page, prev leads back to it.
		"/api/v1/cimetiere?limit=2&page=9": `</api/v1/cimetiere?limit=2&page=1>; rel="first", ` +
			`</api/v1/cimetiere?limit=2&page=3>; rel="prev", </api/v1/cimetiere?limit=2&page=3>; rel="last"`,
		"/api/v1/cimetiere?category=nope": "",
		// What is the default is left out, whoever wrote it.
		"/api/v1/tools?limit=50&sort=score_desc": `</api/v1/tools?page=1>; rel="first", </api/v1/tools?page=1>; rel="last"`,
		"/api/v1/%74ools?limit=200":              `</api/v1/tools?limit=200&page=1>; rel="first", </api/v1/tools?limit=200&page=1>; rel="last"`,
	} {
		c.get(t, target).wantHeader(t, "Link", want)
	}
}

// A category is free text to this package: whatever it is, it cannot break out of
// the link.
func TestLinks_HostileCategory(t *testing.T) {
	t.Parallel()
	for _, hostile := range []string{
		`a>; rel="next", <https://mal.example/`, "a\r\nSet-Cookie: x=1", `"><script>`, "é & ü", "a b+c%2", "\xff", "?page=9#",
	} {
		s := amend(fixture(t), func(n *catalog.Contents) {
			n.Categories = append(n.Categories, catalog.Category{Slug: hostile, Label: "Hostile"})
			tool(n, "oeuvre").Category = hostile
		})
		c := open(t, s)
		target := "/api/v1/comparatifs?limit=1&category=" + url.QueryEscape(hostile)
		first := c.get(t, target).wantStatus(t, http.StatusOK)
		first.wantHeader(t, "X-Total-Count", "2")
		first.wantHeader(t, "Set-Cookie", "")
		all := links(t, first)
		next, err := url.Parse(all["next"])
		if err != nil || len(all) != 3 {
			t.Fatalf("%q: %v", first.header.Get("Link"), err)
		}
		if got := next.Query().Get("category"); got != hostile || next.Host != "" {
			t.Errorf("next keeps %q of %q", got, hostile)
		}
		c.get(t, all["next"]).wantSlugs(t, "oeuvre-ou-zebre")

		// A category that is not there is in no header at all.
		c.get(t, target+"x").wantHeader(t, "Link", "")
	}
}

// A service that knows its address gives whole links, which lead to the same pages.
func TestLinks_AbsoluteWithABaseURL(t *testing.T) {
	t.Parallel()
	relative := open(t, fixture(t))
	for _, base := range []string{"https://api.example", "http://127.0.0.1:8080/catalogue"} {
		c := serve(t, api.Options{Catalog: shelve(fixture(t)), BaseURL: base})
		for _, target := range []string{
			"/api/v1/tools?limit=2&page=2", "/api/v1/tools?category=%3C/api/%3E", "/api/v1/comparatifs?limit=1", "/api/v1/pricing?limit=3", "/api/v1/cimetiere?limit=1",
		} {
			for range 2 { // as it is made, and as it is kept
				got, want := links(t, c.get(t, target)), links(t, relative.get(t, target))
				for rel := range want {
					want[rel] = base + want[rel]
				}
				if !maps.Equal(got, want) {
					t.Errorf("%s at %s: %q, want %q", target, base, got, want)
				}
			}
		}
	}
}
