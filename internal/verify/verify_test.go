package verify

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/charmap"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// endless sends a page that ends when its reader goes.
func endless(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	for more := bytes.Repeat([]byte("mot "), 10_000); ; {
		if _, err := w.Write(more); err != nil {
			return
		}
	}
}

// bomb sends an endless page in very few bytes.
func bomb(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	for more := bytes.Repeat([]byte("mot "), 250_000); ; {
		if _, err := z.Write(more); err != nil {
			return
		}
	}
}

func latin(s string) string {
	b, err := charmap.Windows1252.NewEncoder().String(s)
	if err != nil {
		panic(err)
	}
	return b
}

// at is the address that most cases are about.
const at = "http://a.example/p"

// verdicts are servers, a fact and what is said of it. Paths are what was asked for; nil does not tell.
var verdicts = []struct {
	name     string
	handlers map[string]http.Handler
	fact     catalog.ItemFact
	want     string
	paths    []string
}{
	{"after a space", map[string]http.Handler{"a.example/p": send200("à 20 €/mois")}, price("", at), "found", []string{"a.example/robots.txt", "a.example/p"}},
	{"after a narrow space", map[string]http.Handler{"a.example/p": send200("1&#8239;200&nbsp;€")}, price("1200 €/an", at), "found", nil},
	{"before", map[string]http.Handler{"a.example/p": send200("only €20.00 a month")}, price("", at), "found", nil},
	{"as EUR", map[string]http.Handler{"a.example/p": send200("EUR 20 / month")}, price("", at), "found", nil},
	{"with decimals", map[string]http.Handler{"a.example/p": send200("<b>19</b>,<i>90</i> €")}, price("19,90 €/mois", at), "found", nil},
	{"in cells", map[string]http.Handler{"a.example/p": send200("<table><tr><td>1<td>200<td>€</table>")}, price("200 €/mois", at), "found", nil},
	{"by text", map[string]http.Handler{"a.example/p": send200("From $20\u00a0/\n<b>Month</b>")}, withText(price("", at), "$20 / month"), "found", nil},
	{"by text, longer", map[string]http.Handler{"a.example/p": send200("From $200")}, withText(price("", at), "$20"), "absent", nil},
	{"for nothing", map[string]http.Handler{"a.example/p": send200("Commencez gratuitement")}, price("0 €/mois", at), "found", nil},
	{"for nothing, in figures", map[string]http.Handler{"a.example/p": send200("0 € par mois")}, price("0 €/mois", at), "found", nil},
	{"freedom is not free", map[string]http.Handler{"a.example/p": send200("freedom, freemium, 10 €")}, price("0 €/mois", at), "absent", nil},
	{"absent", map[string]http.Handler{"a.example/p": send200("à 25 €/mois")}, price("", at), "absent", nil},
	{"part of a longer number", map[string]http.Handler{"a.example/p": send200("120 €, 20,50 €, 200 €, 1 020 €, 20€99, $20, 20 %")}, price("", at), "absent", nil},
	{"in a script alone", map[string]http.Handler{"a.example/p": send200("<script>var p='20 €'</script><style>20 €</style><!-- 20 € --><template>20 €</template><noscript>20 €</noscript>")}, price("", at), "absent", nil},
	{"a score", map[string]http.Handler{"a.example/p": send200("Note : 8,7/10")}, fact(catalog.ScoreFact, "8.7", at), "found", nil},
	{"another score", map[string]http.Handler{"a.example/p": send200("18.7, 8.75, 8.7.1, v8.7")}, fact(catalog.ScoreFact, "8.7", at), "absent", nil},
	{"a day", map[string]http.Handler{"a.example/p": send200("Fermé le 1<sup>er</sup> mars 2024.")}, fact(catalog.RetiredAtFact, "2024-03-01", at), "found", nil},
	{"another day", map[string]http.Handler{"a.example/p": send200("Fermé le 11 mars 2024, 2024-03-011.")}, fact(catalog.RetiredAtFact, "2024-03-01", at), "absent", nil},
	{"the domain answers", map[string]http.Handler{"www.a.example/p": send("application/pdf", "%PDF")}, fact(catalog.DomainFact, "a.example", "http://www.a.example/p"), "found", nil},
	{"the domain is named", map[string]http.Handler{"a.example/p": send200("Voir https://www.b.example/.")}, fact(catalog.DomainFact, "b.example", at), "found", nil},
	{"another domain", map[string]http.Handler{"a.example/p": send200("notb.example b.example.org")}, fact(catalog.DomainFact, "b.example", at), "absent", nil},
	{"plain text", map[string]http.Handler{"a.example/p": send("text/plain", "20\n€")}, price("", at), "found", nil},
	{"Markdown", map[string]http.Handler{"a.example/p": send("text/markdown", "**20 €**")}, price("", at), "found", nil},
	{"JSON", map[string]http.Handler{"a.example/p": send("application/json", `{"price":"20\u00a0\u20ac"}`)}, price("", at), "found", nil},

	{"404", map[string]http.Handler{}, price("", at), "gone", nil},
	{"410", map[string]http.Handler{"a.example/p": status(http.StatusGone)}, price("", at), "gone", nil},
	{"403", map[string]http.Handler{"a.example/p": status(http.StatusForbidden)}, price("", at), "not checked: the server answered 403", nil},
	{"429", map[string]http.Handler{"a.example/p": status(http.StatusTooManyRequests)}, price("", at), "not checked: the server answered 429", nil},
	{"500", map[string]http.Handler{"a.example/p": status(http.StatusInternalServerError)}, price("", at), "not checked: the server answered 500", nil},
	{"204", map[string]http.Handler{"a.example/p": status(http.StatusNoContent)}, price("", at), "not checked: the server answered 204", nil},

	{"redirect on the host", map[string]http.Handler{"a.example/p": redirect("/q#20"), "a.example/q": send200("20 €")}, price("", at), "found", []string{"a.example/robots.txt", "a.example/p", "a.example/q"}},
	{"redirect to www and https", map[string]http.Handler{"http://example.com/p": redirect("https://www.example.com/q"), "https://www.example.com/q": send200("20 €")}, price("", "http://example.com/p"), "found", []string{"example.com/robots.txt", "example.com/p", "www.example.com/robots.txt", "www.example.com/q"}},
	{"redirect to another host", map[string]http.Handler{"a.example/p": redirect("https://b.example/p"), "b.example/p": send200("20 €")}, price("", at), "moved to b.example", []string{"a.example/robots.txt", "a.example/p"}},
	{"redirect to a private address", map[string]http.Handler{"a.example/p": redirect("http://127.0.0.1/p")}, price("", at), "moved to 127.0.0.1", []string{"a.example/robots.txt", "a.example/p"}},
	{"redirect to a private address of the host", map[string]http.Handler{"a.example/p": redirect("http://a.example:8080/p")}, price("", at), "not checked: its robots.txt could not be read: its address is not public", []string{"a.example/robots.txt", "a.example/p"}},
	{"redirect to what cannot be shown", map[string]http.Handler{"a.example/p": redirect("http://\u202eb\u0301.example/")}, price("", at), "moved to another host", nil},
	{"redirect to a file", map[string]http.Handler{"a.example/p": redirect("file:///etc/passwd")}, price("", at), "not checked: it redirects to what is not an http or https address", nil},
	{"redirect to nowhere", map[string]http.Handler{"a.example/p": status(http.StatusFound)}, price("", at), "not checked: it redirects to what is not an http or https address", nil},
	{"redirect loop", map[string]http.Handler{"a.example/p": redirect("/p")}, price("", at), "not checked: it redirects more than 5 times", slices.Concat([]string{"a.example/robots.txt"}, slices.Repeat([]string{"a.example/p"}, 6))},
	{"redirect to what robots.txt forbids", map[string]http.Handler{"a.example/robots.txt": send("text/plain", "User-agent: *\nDisallow: /q"), "a.example/p": redirect("/q"), "a.example/q": send200("20 €")}, price("", at), "not checked: its robots.txt forbids it", []string{"a.example/robots.txt", "a.example/p"}},

	{"private", map[string]http.Handler{"private.example/p": send200("20 €")}, price("", "http://private.example/p"), "not checked: its robots.txt could not be read: its address is not public", []string{}},
	{"refused", nil, price("", "http://refused.example/p"), "not checked: its robots.txt could not be read: the connection was refused", []string{}},
	{"certificate", map[string]http.Handler{"b.example/p": send200("20 €")}, price("", "https://b.example/p"), "not checked: its robots.txt could not be read: its certificate is not valid", []string{}},
	{"no address", nil, price("", "ftp://a.example/p"), "not checked: its source is not an http or https address", []string{}},
	{"cut short", map[string]http.Handler{"a.example/p": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte("20 €"))
	})}, price("", at), "not checked: it could not be read to its end: the connection failed", nil},

	{"huge", map[string]http.Handler{"a.example/p": send200(strings.Repeat("mot ", 600_000) + "20 €")}, price("", at), "not checked: it is larger than 2 MB", nil},
	{"huge, found before", map[string]http.Handler{"a.example/p": send200("20 € " + strings.Repeat("mot ", 600_000))}, price("", at), "found", nil},
	{"endless", map[string]http.Handler{"a.example/p": http.HandlerFunc(endless)}, price("", at), "not checked: it is larger than 2 MB", nil},
	{"gzip bomb", map[string]http.Handler{"a.example/p": http.HandlerFunc(bomb)}, price("", at), "not checked: it is larger than 2 MB", nil},
	{"another compression", map[string]http.Handler{"a.example/p": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("20 €"))
	})}, price("", at), "not checked: it is compressed in a way that was not asked for", nil},
	{"binary", map[string]http.Handler{"a.example/p": send("application/pdf", "20 €")}, price("", at), "not checked: it is application/pdf", nil},
	{"a type that cannot be shown", map[string]http.Handler{"a.example/p": send("text/\u202ehtml", "20 €")}, price("", at), "not checked: it is of an unknown type", nil},
	{"no type", map[string]http.Handler{"a.example/p": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		_, _ = w.Write([]byte("20 €"))
	})}, price("", at), "not checked: it does not say what type it is of", nil},
	{"empty", map[string]http.Handler{"a.example/p": send("text/html", "")}, price("", at), "not checked: the page is empty", nil},
	{"needs JavaScript", map[string]http.Handler{"a.example/p": send("text/html", "<title>App</title><div id=root></div><script src=/app.js></script>")}, price("", at), "not checked: the page needs JavaScript", nil},
	{"has JavaScript", map[string]http.Handler{"a.example/p": send("text/html", "<p>20 €</p><script src=/app.js></script>")}, price("", at), "found", nil},
	{"short, without JavaScript", map[string]http.Handler{"a.example/p": send("text/html", "<p>25 €</p>")}, price("", at), "absent", nil},

	{"charset of the header", map[string]http.Handler{"a.example/p": send("text/html; charset=iso-8859-15", latin(filler)+"20 \xa4")}, price("", at), "found", nil},
	{"charset of the page", map[string]http.Handler{"a.example/p": send("text/html", `<meta charset="windows-1252"><p>`+latin("20 €"))}, price("", at), "found", nil},
	{"wrong charset, UTF-8 in truth", map[string]http.Handler{"a.example/p": send("text/html; charset=iso-8859-1", "<p>20 €</p>")}, price("", at), "found", nil},
	{"wrong charset, Western in truth", map[string]http.Handler{"a.example/p": send("text/html; charset=utf-8", "<p>"+latin("20 €"))}, price("", at), "found", nil},

	{"robots.txt forbids", map[string]http.Handler{"a.example/robots.txt": send("text/plain", "User-agent: *\nDisallow: /"), "a.example/p": send200("20 €")}, price("", at), "not checked: its robots.txt forbids it", []string{"a.example/robots.txt"}},
	{"robots.txt allows us", map[string]http.Handler{"a.example/robots.txt": send("text/plain", "User-agent: *\nDisallow: /\n\nUser-agent: Palmares-Verify/2\nDisallow:\n"), "a.example/p": send200("20 €")}, price("", at), "found", nil},
	{"robots.txt is 500", map[string]http.Handler{"a.example/robots.txt": status(http.StatusInternalServerError), "a.example/p": send200("20 €")}, price("", at), "not checked: its robots.txt could not be read: the server answered 500", []string{"a.example/robots.txt"}},
	{"robots.txt is 403", map[string]http.Handler{"a.example/robots.txt": status(http.StatusForbidden), "a.example/p": send200("20 €")}, price("", at), "found", nil},
	{"robots.txt is 429", map[string]http.Handler{"a.example/robots.txt": status(http.StatusTooManyRequests), "a.example/p": send200("20 €")}, price("", at), "not checked: its server asks for fewer requests", []string{"a.example/robots.txt"}},
	{"robots.txt redirects", map[string]http.Handler{"a.example/robots.txt": redirect("http://b.example/r"), "b.example/r": send("text/plain", "User-agent: *\nDisallow: /p"), "a.example/p": send200("20 €")}, price("", at), "not checked: its robots.txt forbids it", []string{"a.example/robots.txt", "b.example/r"}},
	{"robots.txt redirects for ever", map[string]http.Handler{"a.example/robots.txt": redirect("/robots.txt"), "a.example/p": send200("20 €")}, price("", at), "not checked: its robots.txt redirects more than 5 times", slices.Repeat([]string{"a.example/robots.txt"}, 6)},
	{"robots.txt redirects to a private address", map[string]http.Handler{"a.example/robots.txt": redirect("http://private.example/r"), "a.example/p": send200("20 €")}, price("", at), "not checked: its robots.txt could not be read: its address is not public", []string{"a.example/robots.txt"}},
	{"robots.txt is huge", map[string]http.Handler{"a.example/robots.txt": send("text/plain", strings.Repeat("# rien\n", 100_000)+"User-agent: *\nDisallow: /"), "a.example/p": send200("20 €")}, price("", at), "found", nil},
	{"robots.txt is a page", map[string]http.Handler{"a.example/robots.txt": send200("Bienvenue"), "a.example/p": send200("20 €")}, price("", at), "found", nil},
	{"the query counts", map[string]http.Handler{"a.example/robots.txt": send("text/plain", "User-agent: *\nDisallow: /*?plan="), "a.example/p": send200("20 €")}, price("", at+"?plan=pro"), "not checked: its robots.txt forbids it", []string{"a.example/robots.txt"}},
	{"no amount", map[string]http.Handler{"a.example/p": send200("20 €")}, price("sur devis", at), "not checked: its price has no amount to look for: write how the page says it as text", nil},
	{"no amount, by text", map[string]http.Handler{"a.example/p": send200("Prix sur devis")}, withText(price("sur devis", at), "Sur Devis"), "found", nil},
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	for _, c := range verdicts {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.handlers)
			results, left := w.verifier.Run(t.Context(), []catalog.ItemFact{c.fact}, 0)
			if len(results) != 1 || left != 0 || results[0].String() != c.want {
				t.Errorf("got %v, want %s", results, c.want)
			}
			visits := w.log(t)
			if got := paths(visits); c.paths != nil && !slices.Equal(got, c.paths) {
				t.Errorf("asked for %q, want %q", got, c.paths)
			}
			for _, v := range visits {
				if v.header.Get("User-Agent") != w.verifier.Agent || v.header.Get("Cookie") != "" || v.header.Get("Referer") != "" {
					t.Errorf("%s: %v", v.path, v.header)
				}
			}
		})
	}
}

// A page that does not end in time was not checked, whether it does not begin or does not end.
func TestRun_TimesOut(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]bool{"before the page": false, "within it": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]http.Handler{"a.example/p": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if begin {
					w.Header().Set("Content-Type", "text/html")
					_, _ = w.Write([]byte("20 €"))
					_ = http.NewResponseController(w).Flush()
				}
				<-r.Context().Done()
			})})
			w.verifier.timeout = 300 * time.Millisecond
			results, _ := w.verifier.Run(t.Context(), []catalog.ItemFact{price("", at)}, 0)
			if got := results[0].String(); !strings.HasPrefix(got, "not checked: ") || !strings.HasSuffix(got, "it took longer than 20 seconds") {
				t.Error(got)
			}
		})
	}
}

// A cookie that a page sets is not sent back.
func TestRun_KeepsNoCookies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]http.Handler{
		"a.example/p": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: "visitor", Value: "1"})
			w.Header().Set("Location", "/q")
			w.WriteHeader(http.StatusFound)
		}),
		"a.example/q": send200("20 €"),
	})
	results, _ := w.verifier.Run(t.Context(), []catalog.ItemFact{price("", at)}, 0)
	if visits := w.log(t); results[0].Verdict != Found || len(visits) != 3 || visits[2].header.Get("Cookie") != "" {
		t.Errorf("%v %v", results, visits)
	}
}

// Each page is asked for once, however many facts name it, and the one with the oldest check first.
func TestRun_AsksOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]http.Handler{
		"a.example/p": send200("20 €, 30 €"), "a.example/q": send200("20 €"), "a.example/r": send200("20 €"),
	})
	add := func(slug, value, source string, checked catalog.Date) catalog.ItemFact {
		f := price(value, source)
		f.Slug, f.Checked = slug, checked
		return f
	}
	unknown := fact(catalog.DomainFact, "a.example", "")
	facts := []catalog.ItemFact{
		add("delta", "20 €/mois", "http://a.example/r", "2024-05-01"),
		add("gamma", "30 €/mois", "http://a.example/p#b", "2023-01-01"),
		add("beta", "40 €/mois", "http://a.example/p", "2025-01-01"),
		add("alpha", "20 €/mois", "http://a.example/q", "2024-01-01"),
		unknown,
	}
	drawn := []int{}
	w.verifier.Progress = func(done, total int) { drawn = append(drawn, done, total) }
	results, left := w.verifier.Run(t.Context(), facts, 2)
	var got []string
	for _, r := range results {
		got = append(got, r.Slug+" "+r.String())
	}
	if want := []string{"alpha found", "beta absent", "gamma found"}; !slices.Equal(got, want) || left != 1 {
		t.Errorf("got %q and %d left, want %q and 1", got, left, want)
	}
	if got, want := paths(w.log(t)), []string{"a.example/robots.txt", "a.example/p", "a.example/q"}; !slices.Equal(got, want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
	if !slices.Equal(drawn, []int{1, 2, 2, 2}) {
		t.Errorf("drawn: %v", drawn)
	}
}

// A host has one request at a time, with a pause after it, robots.txt and redirects included; eight hosts are asked at
// once, and no more.
func TestRun_IsPolite(t *testing.T) {
	t.Parallel()
	const hosts, pages = 20, 3
	var facts []catalog.ItemFact
	handlers := make(map[string]http.Handler)
	meet := make(chan struct{}, maxSites) // full once eight hosts are there together
	full := make(chan struct{})
	for h := range hosts {
		host := fmt.Sprintf("h%02d.example", h)
		handlers[host+"/robots.txt"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if h < maxSites { // the first eight wait for each other
				if meet <- struct{}{}; len(meet) == maxSites {
					close(full)
				}
				select {
				case <-full:
				case <-r.Context().Done():
				}
			}
			_, _ = w.Write([]byte("User-agent: *\nCrawl-delay: 0.5\n"))
		})
		for p := range pages {
			path := fmt.Sprintf("/p%d", p)
			handlers[host+path] = redirect(path + "/q")
			handlers[host+path+"/q"] = send200("20 €")
			handlers["www."+host+path] = redirect("http://" + host + path)
			f := price("", "http://"+host+path)
			f.Slug = fmt.Sprintf("outil-%d-%d", h, p)
			facts = append(facts, f)
		}
		f := price("", "http://www."+host+"/p0") // another spelling of the host
		f.Slug = fmt.Sprintf("outil-%d-www", h)
		facts = append(facts, f)
	}
	w := newWorld(t, handlers)
	const pause = 5 * time.Millisecond
	w.verifier.second = pause
	results, _ := w.verifier.Run(t.Context(), facts, 0)
	for _, r := range results {
		if r.Verdict != Found {
			t.Errorf("%s: %s", r.Slug, r)
		}
	}
	if len(results) != len(facts) || w.most != 8 {
		t.Errorf("%d results, %d hosts at once", len(results), w.most)
	}
	visits, last := w.log(t), make(map[string]visit)
	for _, v := range visits {
		site := strings.TrimPrefix(v.host, "www.")
		if before, again := last[site]; again && v.begun.Sub(before.ended) < pause-time.Millisecond {
			t.Errorf("%s%s came %v after %s%s", v.host, v.path, v.begun.Sub(before.ended), before.host, before.path)
		}
		last[site] = v
	}
	// Two robots.txt, three pages with a redirect each, and the one that begins at www.
	if want := hosts * (2 + 2*pages + 3); len(visits) != want {
		t.Errorf("%d requests, want %d", len(visits), want)
	}
}

// A site that asks for a longer pause gets it, up to ten seconds.
func TestRun_HonoursCrawlDelay(t *testing.T) {
	t.Parallel()
	for delay, units := range map[string]int{"3": 3, "600": 10, "0.2": 1, "-1": 1, "soon": 1} {
		t.Run(delay, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]http.Handler{
				"a.example/robots.txt": send("text/plain", "User-agent: *\nCrawl-delay: "+delay), "a.example/p": send200("20 €"), "a.example/q": send200("20 €"),
			})
			w.verifier.second = 10 * time.Millisecond
			w.verifier.Run(t.Context(), []catalog.ItemFact{price("", at), price("", "http://a.example/q")}, 0)
			visits := w.log(t)
			if len(visits) != 3 {
				t.Fatal(paths(visits))
			}
			for i, v := range visits[1:] {
				if gap := v.begun.Sub(visits[i].ended); gap < time.Duration(units)*w.verifier.second-time.Millisecond {
					t.Errorf("%s came after %v", v.path, gap)
				}
			}
		})
	}
}

// Whoever interrupts a run has what it has found out, and the rest is not checked.
func TestRun_CanBeInterrupted(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	w := newWorld(t, map[string]http.Handler{
		"a.example/p": send200("20 €"),
		"a.example/q": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			stop()
			<-r.Context().Done()
		}),
		"a.example/r": send200("20 €"),
	})
	facts := []catalog.ItemFact{price("", "http://a.example/p"), price("", "http://a.example/q"), price("", "http://a.example/r")}
	for i := range facts {
		facts[i].Slug = fmt.Sprintf("outil-%d", i)
	}
	results, _ := w.verifier.Run(ctx, facts, 0)
	var got []string
	for _, r := range results {
		got = append(got, r.String())
	}
	if want := []string{"found", "not checked: interrupted", "not checked: interrupted"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := paths(w.log(t)); slices.Contains(got, "a.example/r") {
		t.Errorf("asked for %q", got)
	}
}

// The Verifier of the command connects to nothing that is not public.
func TestRun_AllowsNothingByItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]http.Handler{"a.example/p": send200("20 €")})
	w.verifier.allow = nil
	results, _ := w.verifier.Run(t.Context(), []catalog.ItemFact{price("", at)}, 0)
	if got := results[0].String(); got != "not checked: its robots.txt could not be read: its address is not public" || len(w.log(t)) > 0 {
		t.Errorf("%s %v", got, w.log(t))
	}
}
