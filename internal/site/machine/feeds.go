package machine

import (
	"encoding/xml"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/figures"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/site/pages"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/web"
)

var feedTexts = layout.Texts{
	"feed.feed-prices":   {"les prix", "prices"},
	"feed.feed-new":      {"les nouveautés", "new tools"},
	"feed.feed-cemetery": {"le cimetière", "the cemetery"},
	"feed.feed-endings":  {"les fins annoncées", "announced ends"},
	"feed.feed-watch":    {"votre liste", "your list"},
	"feed.feed-category": {"la catégorie", "the category"},
	"feed.title":         {"%s\u00a0: %s", "%s: %s"},

	"feed.price":       {"%s\u00a0: %s", "%s: %s"},
	"feed.price.text":  {"%s\u00a0: %s, le %s.", "%s: %s, on %s."},
	"feed.new":         {"%s entre au catalogue", "%s joins the catalogue"},
	"feed.new.scored":  {"%s Note\u00a0: %s. Prix\u00a0: %s.", "%s Score: %s. Price: %s."},
	"feed.new.plain":   {"%s Pas encore noté. Prix\u00a0: %s.", "%s Not scored yet. Price: %s."},
	"feed.dead":        {"%s\u00a0: %s", "%s: %s"},
	"feed.dead.text":   {"Retiré le %s. %s", "Retired on %s. %s"},
	"feed.dead.before": {"Auparavant\u00a0: note %s, %s.", "Previously: score %s, %s."},
}

const (
	atomType  = "application/atom+xml; charset=utf-8"
	feedSize  = 50
	feedEpoch = "2026" // the date part of all ids (RFC 4151): it must never change
)

// An atomFeed is a feed of RFC 4287.
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
	Summary  atomText     `xml:"summary"`

	at time.Time
}

// An atomText is plain text, or HTML if its type is "html". A feed in English uses HTML to mark French text as such.
type atomText struct {
	Type string `xml:"type,attr,omitempty"`
	Text string `xml:",chardata"`
}

type atomCategory struct {
	Term  string `xml:"term,attr"`
	Label string `xml:"label,attr"`
}

// FeedPrices returns the feed of price changes.
func FeedPrices(v *view.View) (*view.File, error) {
	return feed(v, about{feed: address.FeedPrices, page: address.Prices}, v.Text.Must("feed.feed-prices"), priceEntries(v, ""))
}

// FeedNew returns the feed of new tools.
func FeedNew(v *view.View) (*view.File, error) {
	entries, err := newEntries(v, "")
	if err != nil {
		return nil, err
	}
	return feed(v, about{feed: address.FeedNew, page: address.Tools}, v.Text.Must("feed.feed-new"), entries)
}

// FeedCemetery returns the feed of retired tools.
func FeedCemetery(v *view.View) (*view.File, error) {
	entries, err := deadEntries(v, "")
	if err != nil {
		return nil, err
	}
	return feed(v, about{feed: address.FeedCemetery, page: address.Cemetery}, v.Text.Must("feed.feed-cemetery"), entries)
}

// FeedCategory returns the feed of a category: its price changes, new tools and retired tools. An unknown category is a
// 404.
func FeedCategory(v *view.View, slug string) (*view.File, error) {
	if !v.HasCategory(slug) {
		return nil, web.Errorf(http.StatusNotFound, "there is no category %s", slug)
	}
	entries := priceEntries(v, slug)
	for _, more := range []func(*view.View, string) ([]atomEntry, error){newEntries, deadEntries} {
		found, err := more(v, slug)
		if err != nil {
			return nil, err
		}
		entries = append(entries, found...)
	}
	slices.SortStableFunc(entries, func(a, b atomEntry) int { return b.at.Compare(a.at) })
	return feed(v, about{feed: address.FeedCategory, page: address.Category, slug: slug}, v.Category(slug), entries[:min(len(entries), feedSize)])
}

// about says which feed is written and which page it belongs to.
type about struct {
	feed, page address.Page
	slug       string // of feed and page; "" if they have none
	query      string // of both
}

// feed returns a feed with the given entries, newest first. It was updated with its first entry or, without entries,
// with the edition.
func feed(v *view.View, a about, title string, entries []atomEntry) (*view.File, error) {
	updated := v.Catalog.Edition().PublishedAt
	if len(entries) > 0 {
		updated = entries[0].at
	}
	path := v.Path(a.feed, a.slug) + a.query
	f := atomFeed{
		Lang: v.Text.String(), ID: tag(v, path[1:]), Updated: stamp(updated),
		Title:  v.Text.Must("feed.title", v.Catalog.Service().Name, title),
		Author: v.Catalog.Service().Name, Rights: v.Catalog.Service().Credit(), Entries: entries,
		Links: []atomLink{
			{"self", "application/atom+xml", v.Base() + path},
			{"alternate", "text/html", v.Base() + v.Path(a.page, a.slug) + a.query},
		},
	}
	if l := v.Catalog.Service().License; l != "" {
		f.Links = append(f.Links, atomLink{"license", "text/html", l.URL()}) // RFC 4946
	}
	body, err := xml.Marshal(f)
	return &view.File{Type: atomType, Body: append([]byte(xml.Header), body...)}, err
}

// tag returns a permanent id (RFC 4151), which does not depend on where the site is: feed readers recognise by it what
// they have shown already. A slug in it must be the first that the tool had, or the one in the change log, so that a
// rename does not make readers show old entries again.
func tag(v *view.View, parts ...string) string {
	return "tag:" + authority(v) + "," + feedEpoch + ":" + strings.Join(parts, "/")
}

// authority returns the host name in ids, which is that of the catalog's URL.
func authority(v *view.View) string {
	if u, err := url.Parse(v.Catalog.Service().URL); err == nil && u.Hostname() != "" {
		return u.Hostname()
	}
	return "catalogue.invalid"
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// entry returns an entry about a tool, without title and summary. Its id is made of parts, and of the language too,
// because the text depends on it.
func entry(v *view.View, at time.Time, slug, category string, parts ...string) atomEntry {
	if v.Foreign() {
		parts = append([]string{v.Text.String()}, parts...)
	}
	return atomEntry{
		ID: tag(v, parts...), at: at, Updated: stamp(at),
		Link:     atomLink{"alternate", "text/html", toolURL(v, slug)},
		Category: atomCategory{category, v.Category(category)},
	}
}

// priceEntries returns entries for the newest price changes, in one category or, if that is "", in all.
func priceEntries(v *view.View, category string) []atomEntry {
	page := v.Figures.Prices.Moves(category, catalog.Paging{Page: 1, Limit: feedSize})
	entries := make([]atomEntry, 0, len(page.Items))
	for _, m := range page.Items {
		c := m.Change()
		// Number changes from the oldest: the history only grows at its newest end, so each keeps its number. A
		// corrected change keeps its id, too: readers replace what they have.
		place := strconv.Itoa(len(m.Tool.History) - m.At)
		e := entry(v, c.ChangedAt.Time(), m.Tool.Slug, m.Tool.Category, "prix", m.Tool.FirstSlug(), string(c.ChangedAt), place)
		e.Title = v.Text.Must("feed.price", m.Tool.Name, v.Repricing(figures.RepricingOf(c)))
		e.Summary.Text = v.Text.Must("feed.price.text", m.Tool.Name, v.Repricing(figures.RepricingOf(c)), v.Text.Date(c.ChangedAt.Time()))
		entries = append(entries, e)
	}
	return entries
}

// newEntries returns entries for the newest tools, as far back as the change log goes, in one category or, if that is
// "", in all. It leaves out tools that were deleted, because they have no page to link to.
func newEntries(v *view.View, category string) ([]atomEntry, error) {
	var entries []atomEntry
	for _, created := range v.Figures.Journal.Created {
		if len(entries) == feedSize {
			break
		}
		slug := v.Catalog.ToolSlug(created.Slug)
		tool, living := v.Catalog.Tool(slug)
		_, retired := v.Catalog.Retired(slug)
		if !living && !retired || category != "" && !slices.Contains(created.Categories, category) {
			continue
		}
		_, is, err := v.Figures.Amended.Logged(created)
		if err != nil {
			return nil, err
		}
		e := entry(v, created.At, slug, is.Category, "nouveaux", created.Slug, strconv.FormatInt(created.Seq, 10))
		e.Title = v.Text.Must("feed.new", is.Name)
		var english catalog.Translation
		if living {
			english = tool.English.Tagline
		}
		e.Summary = summary(v, is.Tagline, english, func(tagline string) string {
			price := v.Offer(figures.OfferOf(is))
			if is.Score.Known {
				return v.Text.Must("feed.new.scored", tagline, v.Text.Measure(is.Score), price)
			}
			return v.Text.Must("feed.new.plain", tagline, price)
		})
		entries = append(entries, e)
	}
	return entries, nil
}

// deadEntries returns entries for the tools retired last, in one category or, if that is "", in all. An entry ends with
// the tool's last score and price, if the change log has them.
func deadEntries(v *view.View, category string) ([]atomEntry, error) {
	page := v.Catalog.Cemetery(catalog.CemeteryQuery{Paging: catalog.Paging{Page: 1, Limit: feedSize}, Category: category})
	entries := make([]atomEntry, 0, len(page.Items))
	for _, dead := range page.Items {
		at := dead.RetiredAt.Time()
		e := entry(v, at, dead.Slug, dead.Category, "cimetiere", dead.FirstSlug(), string(dead.RetiredAt))
		e.Title = v.Text.Must("feed.dead", dead.Name, v.Reason(dead.Reason))
		before := ""
		if entry := v.Figures.Journal.Retired[dead.Slug]; entry != nil {
			was, _, err := v.Figures.Amended.Logged(entry)
			if err != nil {
				return nil, err
			}
			if was.Score.Known {
				before = " " + v.Text.Must("feed.dead.before", v.Text.Measure(was.Score), v.Offer(figures.OfferOf(was)))
			}
		}
		e.Summary = summary(v, dead.Note, dead.English.Note, func(note string) string {
			return v.Text.Must("feed.dead.text", v.Text.Date(at), note) + before
		})
		entries = append(entries, e)
	}
	return entries, nil
}

// summary returns the sentence that around makes of a text of the catalog. In a feed that is not French, it marks a
// text in French as such.
func summary(v *view.View, french string, t catalog.Translation, around func(string) string) atomText {
	text := view.Sentence(v.Text.Choose(french, t))
	if !v.Foreign() || v.Text.Shows(t) {
		return atomText{Text: around(text)}
	}
	const here = "\x00" // in no text
	before, after, _ := strings.Cut(around(here), here)
	return atomText{"html", html.EscapeString(before) + string(v.Text.French(view.Sentence(french))) + html.EscapeString(after)}
}

// toolURL returns the address of a tool's page; the French one is the same as in the API.
func toolURL(v *view.View, slug string) string {
	if pattern := v.Catalog.Service().Site.Tool; pattern != "" && !v.Foreign() {
		return strings.ReplaceAll(pattern, catalog.SlugPlaceholder, slug)
	}
	return v.Base() + v.Path(address.Tool, slug)
}

// FeedWatch returns the feed of a reader's own list of tools. It redirects to the list's only address, which has the
// tools in order, each once. The entity tag is the sequence number of the newest change log entry in the feed.
func FeedWatch(v *view.View, p params.Watch) (*view.File, error) {
	p.Category, p.Typed = "", ""
	if !p.Exact {
		return &view.File{Redirect: v.Path(address.FeedWatch) + p.In(v.Text.Language)}, nil
	}
	happened, err := pages.Happenings(v, p.Slugs(), feedSize)
	if err != nil {
		return nil, err
	}
	entries := make([]atomEntry, 0, len(happened))
	last := int64(0)
	for _, h := range happened {
		e := entry(v, h.At, v.Catalog.ToolSlug(h.Slug), h.Category, "suivi", h.Slug, strconv.FormatInt(h.Seq, 10))
		name := html.UnescapeString(string(h.Name))
		e.Title = name
		e.Summary = atomText{"html", html.EscapeString(name) + " " + string(h.Said) + "."}
		entries = append(entries, e)
		last = max(last, h.Seq)
	}
	f, err := feed(v, about{feed: address.FeedWatch, page: address.Watch, query: p.In(v.Text.Language)}, v.Text.Must("feed.feed-watch"), entries)
	if err != nil {
		return nil, err
	}
	f.Tag = strconv.FormatInt(last, 10)
	return f, nil
}
