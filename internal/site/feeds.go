package site

import (
	"encoding/xml"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/web"
)

// Feeds are in French, as what they tell of is. The titles of links to them are in the language of
// the page that has the link.
var feedTexts = texts{
	"feed.feed-prices":   {"les prix", "prices"},
	"feed.feed-new":      {"les nouveaux", "new tools"},
	"feed.feed-cemetery": {"le cimetière", "the cemetery"},
	"feed.feed-category": {"la catégorie", "the category"},
	"feed.title":         {"%s\u00a0: %s", "%s: %s"},

	"feed.price":       {"%s\u00a0: %s", "%s: %s"},
	"feed.price.text":  {"%s\u00a0: %s, le %s.", "%s: %s, on %s."},
	"feed.new":         {"%s entre au catalogue", "%s enters the catalog"},
	"feed.new.scored":  {"%s Note\u00a0: %s. Prix\u00a0: %s.", "%s Score: %s. Price: %s."},
	"feed.new.plain":   {"%s Pas encore noté. Prix\u00a0: %s.", "%s Not scored yet. Price: %s."},
	"feed.dead":        {"%s\u00a0: %s", "%s: %s"},
	"feed.dead.text":   {"Retiré le %s. %s", "Retired on %s. %s"},
	"feed.dead.before": {"Auparavant\u00a0: note %s, %s.", "Before: score %s, %s."},
}

const (
	atomType  = "application/atom+xml; charset=utf-8"
	feedSize  = 50
	feedEpoch = "2026" // when the names of entries began; part of them for good
)

// An atomFeed is a feed as RFC 4287 has it.
type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Lang    string      `xml:"xml:lang,attr"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"`
	Author  string      `xml:"author>name"`
	Rights  string      `xml:"rights"`
	Links   []atomLink  `xml:"link"`
	Entries []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID       string       `xml:"id"`
	Title    string       `xml:"title"`
	Updated  string       `xml:"updated"`
	Link     atomLink     `xml:"link"`
	Category atomCategory `xml:"category"`
	Summary  string       `xml:"summary"`

	at time.Time
}

type atomCategory struct {
	Term  string `xml:"term,attr"`
	Label string `xml:"label,attr"`
}

func feedPrices(r *request) (string, []byte, error) {
	return r.feed("prices", r.Must("feed.feed-prices"), r.priceEntries(""))
}

func feedNew(r *request) (string, []byte, error) {
	entries, err := r.newEntries("")
	if err != nil {
		return "", nil, err
	}
	return r.feed("tools", r.Must("feed.feed-new"), entries)
}

func feedCemetery(r *request) (string, []byte, error) {
	entries, err := r.deadEntries("")
	if err != nil {
		return "", nil, err
	}
	return r.feed("cemetery", r.Must("feed.feed-cemetery"), entries)
}

// feedCategory tells all that happens in a category: prices, new tools and dead ones.
func feedCategory(r *request) (string, []byte, error) {
	if !r.hasCategory(r.slug) {
		return "", nil, web.Errorf(http.StatusNotFound, "there is no category %s", r.slug)
	}
	entries := r.priceEntries(r.slug)
	for _, more := range []func(string) ([]atomEntry, error){r.newEntries, r.deadEntries} {
		found, err := more(r.slug)
		if err != nil {
			return "", nil, err
		}
		entries = append(entries, found...)
	}
	slices.SortStableFunc(entries, func(a, b atomEntry) int { return b.at.Compare(a.at) })
	return r.feed("category", r.category(r.slug), entries[:min(len(entries), feedSize)])
}

// feed writes a feed about what a kind of page shows. Without entries it is as old as the edition.
func (r *request) feed(kind, title string, entries []atomEntry) (string, []byte, error) {
	updated := r.Snapshot.Edition().PublishedAt
	if len(entries) > 0 {
		updated = entries[0].at
	}
	path := r.kind.paths.At(locale.French, r.slug)
	f := atomFeed{
		Lang: locale.French.String(), ID: r.tag(path[1:]), Updated: stamp(updated),
		Title:  r.Must("feed.title", r.Service().Name, locale.FrenchText(title)),
		Author: r.Service().Name, Rights: r.Service().Credit(), Entries: entries,
		Links: []atomLink{
			{"self", "application/atom+xml", r.base() + path},
			{"alternate", "text/html", r.base() + r.path(kind, r.slug)},
		},
	}
	body, err := xml.Marshal(f)
	return atomType, append([]byte(xml.Header), body...), err
}

// tag names something for good (RFC 4151), wherever the site is: readers tell by it what they have
// read.
func (r *request) tag(parts ...string) string {
	authority := "catalogue.invalid"
	if u, err := url.Parse(r.Service().URL); err == nil && u.Hostname() != "" {
		authority = u.Hostname()
	}
	return "tag:" + authority + "," + feedEpoch + ":" + strings.Join(parts, "/")
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// entry makes the entry about a tool.
func (r *request) entry(id string, at time.Time, slug, category string) atomEntry {
	return atomEntry{
		ID: id, at: at, Updated: stamp(at),
		Link:     atomLink{"alternate", "text/html", r.toolURL(slug)},
		Category: atomCategory{category, locale.FrenchText(r.category(category))},
	}
}

// priceEntries are the newest changes of prices.
func (r *request) priceEntries(category string) []atomEntry {
	page := r.prices.moves(category, catalog.Paging{Page: 1, Limit: feedSize})
	entries := make([]atomEntry, 0, len(page.Items))
	for _, m := range page.Items {
		c := m.change()
		// The history only changes at its newest end, so a change has its place from the other end
		// for good. One that is corrected keeps its name: readers replace what they have.
		place := strconv.Itoa(len(m.tool.History) - m.at)
		e := r.entry(r.tag("prix", m.tool.Slug, string(c.ChangedAt), place), c.ChangedAt.Time(), m.tool.Slug, m.tool.Category)
		e.Title = r.Must("feed.price", m.tool.Name, r.repricing(repricingOf(c)))
		e.Summary = r.Must("feed.price.text", m.tool.Name, r.repricing(repricingOf(c)), r.Date(c.ChangedAt.Time()))
		entries = append(entries, e)
	}
	return entries
}

// newEntries are the newest tools, as far as the change log goes back. One that is no longer there
// has no page to lead to.
func (r *request) newEntries(category string) ([]atomEntry, error) {
	var entries []atomEntry
	for _, created := range r.journal.created {
		if len(entries) == feedSize {
			break
		}
		_, living := r.Tool(created.Slug)
		_, retired := r.Retired(created.Slug)
		if !living && !retired || category != "" && !slices.Contains(created.Categories, category) {
			continue
		}
		_, is, err := r.amended.logged(created)
		if err != nil {
			return nil, err
		}
		e := r.entry(r.tag("nouveaux", created.Slug, strconv.FormatInt(created.Seq, 10)), created.At, created.Slug, is.Category)
		e.Title = r.Must("feed.new", is.Name)
		tagline, price := sentence(locale.FrenchText(is.Tagline)), r.offer(offerOf(is))
		if is.Score.Known {
			e.Summary = r.Must("feed.new.scored", tagline, r.Measure(is.Score), price)
		} else {
			e.Summary = r.Must("feed.new.plain", tagline, price)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// deadEntries are the newest retired tools, with what they were as far as the change log knows.
func (r *request) deadEntries(category string) ([]atomEntry, error) {
	page := r.Cemetery(catalog.CemeteryQuery{Paging: catalog.Paging{Page: 1, Limit: feedSize}, Category: category})
	entries := make([]atomEntry, 0, len(page.Items))
	for _, dead := range page.Items {
		at := dead.RetiredAt.Time()
		e := r.entry(r.tag("cimetiere", dead.Slug, string(dead.RetiredAt)), at, dead.Slug, dead.Category)
		e.Title = r.Must("feed.dead", dead.Name, r.reason(dead.Reason))
		e.Summary = r.Must("feed.dead.text", r.Date(at), sentence(locale.FrenchText(dead.Note)))
		if entry := r.journal.retired[dead.Slug]; entry != nil {
			was, _, err := r.amended.logged(entry)
			if err != nil {
				return nil, err
			}
			if was.Score.Known {
				e.Summary += " " + r.Must("feed.dead.before", r.Measure(was.Score), r.offer(offerOf(was)))
			}
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// toolURL is the address of a tool's page, which the API names too.
func (r *request) toolURL(slug string) string {
	if pattern := r.Service().Site.Tool; pattern != "" {
		return strings.ReplaceAll(pattern, catalog.SlugPlaceholder, slug)
	}
	return r.base() + r.path("tool", slug)
}
