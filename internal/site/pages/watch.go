package pages

import (
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var watchTexts = layout.Texts{
	"watch.title": {"Votre liste", "Your list"},
	"watch.description": {
		"Cochez les outils qui vous intéressent\u00a0: un flux Atom vous dit ce qui change, sans compte.",
		"Tick the tools you care about: an Atom feed tells you what changes, no account needed.",
	},
	"watch.lede": {
		"Cochez les outils qui vous intéressent\u00a0: vous obtenez un flux à vous, sans inscription. La liste tient dans l’adresse\u00a0: nous n’en gardons rien.",
		"Tick the tools you care about and get a feed of your own, without signing up. The address holds the list: we keep nothing of it.",
	},
	"watch.feed":      {"Votre flux", "Your feed"},
	"watch.feed.lede": {"À coller dans votre lecteur de flux\u00a0:", "Paste it into your feed reader:"},
	"watch.api":       {"Avec l’API", "With the API"},
	"watch.api.lede-html": {
		"Le même suivi pour vos programmes\u00a0: demandez ensuite avec le <code>next</code> de la réponse, chaque minute si vous voulez. Quand rien n’a changé, c’est gratuit.",
		"The same for your programs: then ask with the <code>next</code> of the response, every minute if you like. When nothing has changed, it is free.",
	},
	"watch.lately":  {"Ce qui a changé", "What has changed"},
	"watch.since":   {"Depuis le %s, d’où datent les plus anciennes entrées gardées ici.", "Since %s, the date of the oldest entries kept here."},
	"watch.nothing": {"Rien n’a changé depuis le %s pour ces outils.", "Nothing has changed for these tools since %s."},
	"watch.nolog":   {"Rien n’a encore changé.", "Nothing has changed yet."},
	"watch.chosen":  {"Dans votre liste", "In your list"},
	"watch.offered": {"À ajouter", "To add"},
	"watch.all":     {"Toutes catégories", "All categories"},
	"watch.by":      {"Outils par catégorie", "Tools by category"},
	"watch.best":    {"Les mieux notés d’abord, cent au plus.", "Best scores first, up to a hundred."},
	"watch.make":    {"Composer le flux", "Make the feed"},
	"watch.again":   {"Mettre la liste à jour", "Update the list"},
	"watch.gone":    {"n’est plus au catalogue", "is no longer in the catalogue"},
	"watch.retired": {"au cimetière", "in the cemetery"},
	"watch.renamed": {"auparavant %s", "formerly %s"},
	"watch.journal": {"une liste à vous", "a list of your own"},
}

const (
	maxOffered = 100 // tools offered to choose from
	maxWatched = 50  // events shown
)

// A watchBody is the data of the page about a reader's own list of tools.
type watchBody struct {
	Feed     string // the URL of the feed; "" for an empty list
	Call     layout.Call
	Happened []Happening
	Since    time.Time // the time of the oldest entry of the change log
	Logged   bool      // there is a log

	Action          string
	Name            string // the name of the form field
	CategoryName    string
	Category        string
	Chosen, Offered []watchChoice
	Categories      []choice
}

// A watchChoice is a tool to tick.
type watchChoice struct{ Slug, Name, Remark string }

// Watch returns the page about a reader's own list of tools, with its events and the address of its feed. It redirects
// to the list's only address unless p is exact.
func Watch(v *view.View, p params.Watch) (*view.Document, error) {
	if !p.Exact {
		return &view.Document{Redirect: v.Path(address.Watch) + p.In(v.Text.Language)}, nil
	}
	slugs := p.Slugs()
	tools, category := params.WatchNames(v.Text.Language)
	b := watchBody{Action: v.Path(address.Watch), Name: tools, CategoryName: category, Category: p.Category}
	var chosen []string // current slugs
	for _, slug := range slugs {
		if now := v.Catalog.ToolSlug(slug); !slices.Contains(chosen, now) {
			chosen = append(chosen, now)
			b.Chosen = append(b.Chosen, newWatchChoice(v, slug, now))
		}
	}
	query := catalog.ToolQuery{Paging: catalog.Paging{Page: 1, Limit: maxOffered}}
	if p.Category != "" {
		query.Categories = []string{p.Category}
	}
	offered := v.Catalog.Tools(query)
	for _, t := range offered.Items {
		if !slices.Contains(chosen, t.Slug) {
			b.Offered = append(b.Offered, watchChoice{Slug: t.Slug, Name: t.Name})
		}
	}
	at := func(category string) string {
		return v.Path(address.Watch) + params.Watch{Tools: p.Tools, Category: category}.In(v.Text.Language)
	}
	b.Categories = append(b.Categories, choice{Name: view.Escaped(v.Text.Must("watch.all")), Path: at(""), Current: p.Category == ""})
	for _, c := range v.Catalog.Categories() {
		b.Categories = append(b.Categories, choice{Name: v.MarkedCategory(c.Slug), Path: at(c.Slug), Current: p.Category == c.Slug})
	}
	for e := range v.Catalog.RecentChanges() {
		b.Since, b.Logged = e.At, true
	}
	d := &view.Document{
		Template: "watch", Section: address.Journal, NoIndex: len(slugs) > 0 || p.Category != "",
		Title: v.Text.Must("watch.title"), Description: v.Text.Must("watch.description"),
	}
	if len(slugs) > 0 {
		var err error
		if b.Happened, err = Happenings(v, slugs, maxWatched); err != nil {
			return nil, err
		}
		b.Feed = v.Base() + v.Path(address.FeedWatch) + params.Watch{Tools: p.Tools}.In(v.Text.Language)
		b.Call = v.Call("/api/v1/changes?slugs=" + p.Tools)
		d.API = []string{b.Call.Path}
	}
	d.Body = b
	return d, nil
}

// newWatchChoice returns the choice for a tool that the list names by slug and whose current slug is now. The choice
// has the current slug, so that submitting the form updates the list. An unknown tool keeps its slug.
func newWatchChoice(v *view.View, slug, now string) watchChoice {
	if t, ok := v.Catalog.Tool(now); ok {
		c := watchChoice{Slug: now, Name: t.Name}
		if now != slug {
			c.Remark = v.Text.Must("watch.renamed", slug)
		}
		return c
	}
	if r, ok := v.Catalog.Retired(now); ok {
		return watchChoice{now, r.Name, v.Text.Must("watch.retired")}
	}
	return watchChoice{slug, slug, v.Text.Must("watch.gone")}
}

// A Happening is what an edition did to a tool, in the words of the journal.
type Happening struct {
	Seq      int64 // of its last entry
	At       time.Time
	Slug     string
	Category string
	Name     template.HTML
	Path     string        // "" if it has no page
	Said     template.HTML // the rest of a sentence that begins with the name
}

// Happenings returns the newest events of some tools, newest first, up to the given number and as far back as the
// change log goes. slugs may be current or former ones, and the log is searched for all slugs that the tools had.
func Happenings(v *view.View, slugs []string, most int) ([]Happening, error) {
	wanted := make(map[string]bool, len(slugs))
	for _, slug := range slugs {
		wanted[v.Catalog.ToolSlug(slug)] = true
	}
	var editions [][]*catalog.LogEntry // newest first, each oldest first
	for e := range v.Catalog.RecentChanges() {
		v.Throttle.Pause()
		if kind := journalKind(e.Type); !wanted[v.Catalog.ToolSlug(e.Slug)] || kind != "tool" && kind != "cimetiere" || e.Repeats() || v.Figures.Amended.Void(e) {
			continue
		}
		if n := len(editions); n == 0 || editions[n-1][0].Edition != e.Edition {
			if n > 0 && count(editions) >= most {
				break
			}
			editions = append(editions, nil)
		}
		n := len(editions) - 1
		editions[n] = append([]*catalog.LogEntry{e}, editions[n]...)
	}
	var all []Happening
	for _, entries := range editions {
		found, err := happenings(v, entries)
		if err != nil {
			return nil, err
		}
		slices.Reverse(found)
		all = append(all, found...)
	}
	return all[:min(len(all), most)], nil
}

func count(editions [][]*catalog.LogEntry) (n int) {
	for _, entries := range editions {
		n += len(entries)
	}
	return n
}

// happenings returns the events of one edition, from its entries in order.
func happenings(v *view.View, entries []*catalog.LogEntry) ([]Happening, error) {
	var issue journalIssue
	var all []Happening
	for _, e := range entries {
		if err := issue.add(v, e); err != nil {
			return nil, err
		}
		n := len(issue.Items)
		if n == 0 {
			continue
		}
		item := issue.Items[n-1]
		if n > len(all) {
			category := ""
			if len(e.Categories) > 0 {
				category = e.Categories[0]
			}
			all = append(all, Happening{At: e.At, Slug: e.Slug, Category: category, Name: item.Name, Path: item.Path})
		}
		all[n-1].Seq, all[n-1].Said = e.Seq, sentence(v, item.Lines)
	}
	return all, nil
}

// sentence joins lines to one sentence, with percentages and remarks.
func sentence(v *view.View, lines []journalLine) template.HTML {
	parts := make([]string, len(lines))
	for i, line := range lines {
		s := string(line.Said)
		if line.Percent != 0 {
			s += " " + template.HTMLEscapeString(v.Text.Percent(line.Percent))
		}
		if line.Remark != "" {
			s += ", " + template.HTMLEscapeString(line.Remark)
		}
		if line.Corrected {
			s += " (" + template.HTMLEscapeString(v.Text.Must("journal.corrected")) + ")"
		}
		parts[i] = s
	}
	return template.HTML(strings.Join(parts, v.Text.Must("journal.join"))) //nolint:gosec // each part was escaped
}
