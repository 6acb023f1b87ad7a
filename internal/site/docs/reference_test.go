package docs_test

import (
	"context"
	"fmt"
	"html"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/site/docs"
	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/site/reference"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

var formField = regexp.MustCompile(`<(?:input|select) [^>]*name="([^"]+)"`)

// Every operation is a page in each language: whole, within its size, with links that lead somewhere,
// a form that has its parameters and never a key, and programs that both languages share.
func TestReference(t *testing.T) {
	t.Parallel()
	r := sitetest.Example(t)
	for _, o := range sitetest.Operations(t) {
		var programs [2][]guide.Sample
		for l, path := range []string{"/docs/api/" + o.Slug, "/en/docs/api/" + o.Slug} {
			page := r.Get(path)
			testkit.Equal(t, path, page.Status, 200)
			if len(page.Body) > 60_000 {
				t.Errorf("%s has %d bytes", path, len(page.Body))
			}
			_, body, _ := strings.Cut(page.Body, "<main")
			wantHeadings(t, path, body)
			follow(t, r, path, body)
			testkit.Equal(t, path+": the fields of its form", fields(body), wantedFields(o))
			for _, out := range o.Outcomes {
				for _, text := range out.Texts {
					said := strings.NewReplacer(" /en/docs/", " "+sitetest.Own+"/en/docs/", " /compte/", " "+sitetest.Own+"/compte/").Replace(text.Text)
					if !strings.Contains(html.UnescapeString(tagsOut.ReplaceAllString(body, "")), strings.Trim(fmt.Sprintf("%q", said), `"`)) {
						t.Errorf("%s does not say %q", path, text.Text)
					}
				}
			}
			samples, err := guide.Samples(r.Get(path + ".md").Body)
			testkit.Must(t, err)
			for _, s := range samples {
				if !s.Shown {
					programs[l] = append(programs[l], s)
				}
			}
		}
		testkit.Equal(t, o.ID+": its programs", programs[0], programs[1])
	}
	for _, path := range []string{"/docs/api/nope", "/docs/api/nope.md", "/docs/api//", "/docs/api/appel", "/docs/api/appel/nope"} {
		testkit.Equal(t, path, r.Get(path).Status, 404)
	}
}

var tagsOut = regexp.MustCompile(`<[^>]*>`)

func fields(body string) (names []string) {
	for _, m := range formField.FindAllStringSubmatch(body, -1) {
		names = append(names, m[1])
	}
	return names
}

// wantedFields are the parameters of an operation that a form can send.
func wantedFields(o *reference.Operation) (names []string) {
	for _, p := range o.Parameters {
		if p.In != "header" && !o.Keyed {
			names = append(names, p.Name)
		}
	}
	return names
}

// The answer on the page is the one that the API gives, with its headers.
func TestReference_RealAnswers(t *testing.T) {
	t.Parallel()
	r := sitetest.Example(t)
	r.Check(t, []sitetest.Wanted{
		{Path: "/docs/api/get-stats", Says: []string{
			"La réponse de ce catalogue", `"tools_total"</span>: ` + fmt.Sprint(r.Current().Stats().Tools),
			"<code>s-maxage=3600, stale-while-revalidate=86400</code>", "curl 'https://palmares.example/api/v1/stats'",
			"100 par jour sans clé", "https://palmares.example/en/docs/authentication says how to get one",
		}},
		{Path: "/en/docs/api/list-embeddings", Says: []string{
			"Key required", "<code>private, no-cache</code>", "<code>free</code>", "no form ever sends one", "KEY=plm_…",
			"Authorization: Bearer $KEY", "counts against your account's quota",
		}, Silent: []string{`class="call-form"`}},
		{Path: "/en/docs/api/get-usage", Says: []string{"The response depends on your account", "does not count against the quota"}},
		{Path: "/docs/api", Says: []string{"GET /api/v1/cimetiere", "Clé obligatoire", `href="/api/v1/openapi.json"`}},
	})
	shown, err := api.Render(r.Current(), sitetest.Own, "/api/v1/stats", account.Anonymous)
	testkit.Must(t, err)
	if tag := html.EscapeString(shown.Header.Get("Etag")); !strings.Contains(r.Get("/docs/api/get-stats").Body, "<code>"+tag+"</code>") {
		t.Errorf("the page does not show the tag %s", tag)
	}
	// A catalog that has nothing of the kind, or nothing at all.
	empty := sitetest.New(t, catalogtest.Snapshot())
	for _, o := range sitetest.Operations(t) {
		page := empty.Get("/en/docs/api/" + o.Slug)
		if page.Status != 200 || o.Item() && !page.Says("This catalogue has no response to show here") {
			t.Errorf("%s without a tool: %v", o.ID, page)
		}
	}
	named := sitetest.New(t, catalogtest.Amend(catalogtest.Fixture(t), func(c *catalog.Contents) { c.Service.Name = sitetest.Hostile }))
	for _, o := range sitetest.Operations(t) {
		if body := named.Get("/docs/api/" + o.Slug).Body; strings.Contains(body, "<b>\"O'Reilly") {
			t.Errorf("%s: the name of the service is markup", o.ID)
		}
	}
}

// Where a node has no API, a form leads to the call that it stands for, on this host alone.
func TestReference_Form(t *testing.T) {
	t.Parallel()
	r := sitetest.Example(t)
	for query, want := range map[string]string{
		"list-tools?category=&score_min=8&sort=&limit=1": "/api/v1/tools?limit=1&score_min=8",
		"list-tools?limit=1&limit=2&other=x":             "/api/v1/tools?limit=1&limit=2",
		"list-tools":                                     "/en/docs/api/list-tools", // nobody pressed the button
		"list-tools?send=1":                              "/api/v1/tools",
		"get-tool?slug=tournevis":                        "/api/v1/tools/tournevis",
		"get-tool?slug=%2F%2Fevil.example%2F..":          "/api/v1/tools/%2F%2Fevil.example%2F..",
		"get-tool?slug=a%0d%0aSet-Cookie:x":              "/api/v1/tools/a%0D%0ASet-Cookie:x",
		"get-tool?slug=":                                 "/en/docs/api/get-tool",
		"get-stats?slug=x":                               "/api/v1/stats",
		"get-description?send=1":                         "/api/v1/openapi.json",
		"get-index?send=1":                               "/api/v1",
		"get-usage":                                      "/en/docs/api/get-usage",
		"get-embeddings?slug=tournevis":                  "/en/docs/api/get-embeddings",
	} {
		page := r.Get("/en/docs/api/call/" + query)
		testkit.Equal(t, query, [3]string{fmt.Sprint(page.Status), page.Header.Get("Location"), page.Header.Get("Cache-Control")},
			[3]string{"303", want, "no-store"})
	}
	testkit.Equal(t, "a query that is none", r.Get("/docs/api/appel/list-tools?limit=%zz").Status, 400)
}

// A list within the text of a parameter stays one, below its item.
func TestReference_MarkdownKeepsLists(t *testing.T) {
	t.Parallel()
	r := sitetest.Example(t)
	for path, want := range map[string]string{
		"/docs/api/list-tools.md":    "Ordre de la liste.\n  - `score_desc`\u00a0: les mieux notés d’abord.\n  - `score_asc`\u00a0: les moins bien notés d’abord.\n  - `name_asc`",
		"/en/docs/api/list-tools.md": "The order of the list.\n  - `score_desc`: highest score first.\n",
	} {
		body := r.Get(path).Body
		if !strings.Contains(body, want) || !strings.Contains(body, "\n\n  Tools without a score") && !strings.Contains(body, "\n\n  Dans les deux ordres") {
			t.Errorf("%s has no %q:\n%.3000s", path, want, body)
		}
	}
}

// A call from a form is made as the reader's own, and its answer is on the page, within bounds.
func TestReference_Tries(t *testing.T) {
	t.Parallel()
	s := catalogtest.Fixture(t)
	var targets []string
	r := sitetest.New(t, s, func(o *site.Options) {
		show := o.API.Show
		o.API.Ask = func(_ context.Context, _ netip.Addr, target string, _ int) (docs.Shown, error) {
			targets = append(targets, target)
			a, err := show(s, target, account.Anonymous)
			if strings.Contains(target, "/export/") { // what is shown of a file
				a.Body, a.Cut = a.Body[:len(a.Body)-1], true
			}
			return a, err
		}
	})
	r.Check(t, []sitetest.Wanted{
		{Path: "/docs/api/appel/list-tools?category=code&score_min=8&limit=2&sort=&send=1", Says: []string{
			`La réponse à votre appel : <b class="num" lang="en">200 OK</b>`, "<b>GET</b> /api/v1/tools?category=code&amp;limit=2&amp;score_min=8<",
			`<option value="code" selected>`, `name="limit" type="text" value="2"`, "<code>X-Total-Count</code>", `content="noindex"`,
			`<span class="k">"limit"</span>: 2`, `href="/api/v1/tools?category=code&amp;limit=2&amp;score_min=8">L'ouvrir telle quelle`,
		}},
		{Path: "/en/docs/api/call/get-tool?slug=%3Cscript%3E&send=1", Says: []string{"404 Not Found", "&lt;script"}, Silent: []string{"<script>"}},
		{Path: "/en/docs/api/call/list-tools?limit=201&send=1", Says: []string{"400 Bad Request", "an integer from 1 to 200"}},
		{Path: "/docs/api/appel/get-description?send=1", Says: []string{"La suite n'est pas montrée"}},
		{Path: "/docs/api/appel/download-file?file=categories.csv&send=1", Says: []string{"Ce n'est que le début du fichier."}, Silent: []string{"La suite n'est pas montrée"}},
	})
	testkit.Equal(t, "what was asked", fmt.Sprint(targets), fmt.Sprint([]string{
		"/api/v1/tools?category=code&limit=2&score_min=8", "/api/v1/tools/%3Cscript%3E", "/api/v1/tools?limit=201", "/api/v1/openapi.json", "/api/v1/export/categories.csv",
	}))
	if page := r.Get("/docs/api/appel/get-description?send=1"); len(page.Body) > 200_000 || page.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("a large answer makes a page of %d bytes: %v", len(page.Body), page.Header)
	}
	for _, path := range []string{"/docs/api/appel/get-usage?send=1", "/docs/api/appel/list-tools", "/docs/api/appel/get-tool?slug=&send=1"} {
		testkit.Equal(t, path, r.Get(path).Status, 303)
	}
	testkit.Equal(t, "calls", len(targets), 6)
}
