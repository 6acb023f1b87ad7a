package pages

import (
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/figures"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var watchTexts = layout.Texts{
	"watch.title": {"Votre liste", "Your list"},
	"watch.description": {
		"Suivez les outils que vous utilisez\u00a0: ceux qui s’arrêtent, changent de prix ou de note, dans un flux ou un agenda à vous, sans compte.",
		"Follow the tools you use: those that end, change their price or their score, in a feed or a calendar of your own, no account needed.",
	},
	"watch.lede": {
		"Les outils que vous utilisez, ce qu’il y a à en dire, et un flux et un agenda à vous, sans inscription. La liste tient dans l’adresse\u00a0: nous n’en gardons rien.",
		"The tools you use, what there is to say about them, and a feed and a calendar of your own, without signing up. The address holds the list: we keep nothing of it.",
	},
	"watch.follow":      {"Suivre", "Follow"},
	"watch.follow.both": {"Suivre les deux", "Follow both"},

	"watch.search":       {"Ajouter un outil", "Add a tool"},
	"watch.search.label": {"Un nom, ou plusieurs séparés par des virgules", "A name, or several separated by commas"},
	"watch.found":        {"Trouvés", "Found"},
	"watch.notfound":     {"Rien dans le catalogue ne correspond à %s.", "Nothing in the catalogue matches %s."},
	"watch.add":          {"Ajouter", "Add"},
	"watch.added":        {"dans la liste", "in the list"},
	"watch.full":         {"La liste est pleine\u00a0: elle a %s outils. Retirez-en un pour en ajouter un autre.", "The list is full: it has %s tools. Remove one to add another."},

	"watch.chosen":      {"Dans votre liste", "In your list"},
	"watch.count":       {"%s outil|%s outils", "%s tool|%s tools"},
	"watch.reconsider":  {"%s à revoir|%s à revoir", "%s to look at again|%s to look at again"},
	"watch.fine":        {"rien à signaler", "nothing to report"},
	"watch.others":      {"Rien à signaler", "Nothing to report"},
	"watch.remove":      {"Retirer", "Remove"},
	"watch.is.retired":  {"Retiré le %s.", "Retired on %s."},
	"watch.is.soon":     {"%s à partir du %s, %s aujourd’hui.", "%s from %s, %s today."},
	"watch.is.dearer":   {"%s, contre %s jusqu’au %s.", "%s, up from %s until %s."},
	"watch.is.lowscore": {"Note basse\u00a0: %s.", "Low score: %s."},
	"watch.gone":        {"N’est plus au catalogue.", "Is no longer in the catalogue."},
	"watch.renamed":     {"auparavant %s", "formerly %s"},

	"watch.mail":      {"Par e-mail", "By e-mail"},
	"watch.mail.lede": {"Un récapitulatif, chaque jour ou chaque semaine, quand il y a du nouveau. Il faut un compte, qui garde la liste.", "A digest, daily or weekly, when there is news. It takes an account, which keeps the list."},
	"watch.mail.do":   {"Recevoir un e-mail", "Get an e-mail"},

	"watch.feed":          {"Votre flux et votre agenda", "Your feed and your calendar"},
	"watch.feed.atom":     {"Ce qui change, dans votre lecteur de flux", "What changes, in your feed reader"},
	"watch.feed.calendar": {"Les jours où un outil s’arrête, dans votre agenda", "The days on which a tool ends, in your calendar"},
	"watch.address":       {"L’adresse", "The address"},
	"watch.api":           {"Avec l’API", "With the API"},
	"watch.api.lede-html": {
		"Le même suivi pour vos programmes\u00a0: rappelez avec la valeur <code>next</code> de la réponse, chaque minute si vous voulez. Quand rien n’a changé, c’est gratuit.",
		"The same for your programs: call again with its <code>next</code>, every minute if you like. When nothing has changed, it is free.",
	},

	"watch.lately":  {"Ce qui a changé", "What has changed"},
	"watch.since":   {"Depuis le %s, d’où datent les plus anciennes entrées gardées ici.", "Since %s, the date of the oldest entries kept here."},
	"watch.nothing": {"Rien n’a changé depuis le %s pour ces outils.", "Nothing has changed for these tools since %s."},
	"watch.nolog":   {"Rien n’a encore changé.", "Nothing has changed yet."},

	"watch.offered": {"Ou cochez-en", "Or tick some"},
	"watch.all":     {"Toutes les catégories", "All categories"},
	"watch.by":      {"Outils par catégorie", "Tools by category"},
	"watch.best":    {"Les mieux notés d’abord, cent au plus.", "Best scores first, up to a hundred."},
	"watch.make":    {"Ajouter les outils cochés", "Add the ticked tools"},
	"watch.journal": {"une liste à vous", "a list of your own"},
}

const (
	maxOffered = 100 // tools offered to choose from
	maxWatched = 50  // events shown
	maxInstead = 3   // tools named instead of another

	// The tools found for what was typed: for one name, and for each of several.
	maxFound, maxFoundEach = 10, 3
)

// A watchBody is the data of the page about a reader's own list of tools.
type watchBody struct {
	Feed, Calendar string // URLs; "" for an empty list
	Mail           string // the account page that saves the list; "" without accounts
	Changes, Check layout.Call
	Bill           *watchBill // nil if nothing is known of what the tools cost
	Happened       []Happening
	Since          time.Time // the time of the oldest entry of the change log
	Logged         bool      // there is a log

	Reconsider []watchRow // the tools with findings
	Others     []watchRow
	Count      int

	Action       string
	Name         string // the name of the form field
	List         string // the slugs of the list, joined by commas
	CategoryName string
	Category     string
	Typed        string
	Found        []watchFound
	Full         bool // no tool can be added
	Offered      []watchOffer
	Categories   []choice
}

// A watchRow is a tool of the list.
type watchRow struct {
	Name, Path string // Path is "" if it has no page
	Remark     string
	Price      string // "" unless it is living
	Findings   []string
	Instead    []successor
	Remove     string // the address of the list without it
}

// A watchFound is what was found for a name.
type watchFound struct {
	Nothing string // says that nothing was found; else ""
	Tools   []watchMatch
}

// A watchMatch is a tool that was found.
type watchMatch struct {
	Name, Path string
	Tagline    template.HTML
	Add        string // the address of the list with it; "" if it is in the list, or that is full
	Added      bool
}

// A watchOffer is a tool to tick.
type watchOffer struct{ Slug, Name string }

// Watch returns the page about a reader's own list of tools: what there is to say about them, their events, and the
// addresses of its feed and its calendar. It redirects to the list's only address unless p is exact.
func Watch(v *view.View, p params.Watch) (*view.Document, error) {
	if !p.Exact {
		return &view.Document{Redirect: v.Path(address.Watch) + p.In(v.Text.Language)}, nil
	}
	d := &view.Document{
		Template: "watch", Section: address.Journal, NoIndex: p.Tools != "" || p.Category != "" || p.Typed != "",
		Title: v.Text.Must("watch.title"), Description: v.Text.Must("watch.description"), Query: p.In,
		Canonical: v.CanonicalIn(v.Text.Language, address.Watch, ""),
	}
	b := watchBody{Action: v.Path(address.Watch), Category: p.Category, Typed: p.Typed}
	b.Name, b.CategoryName = params.WatchNames(v.Text.Language)
	slugs := p.Slugs()
	list := params.Watch{Category: p.Category, Typed: p.Typed} // with the tools under their current slugs
	for _, slug := range slugs {
		list = list.With(v.Catalog.ToolSlug(slug))
	}
	b.List, b.Count = list.Tools, len(list.Slugs())
	b.Full = b.Count >= params.MaxSlugs
	b.add(v, slugs, list)
	for _, name := range p.Names() {
		b.Found = append(b.Found, findWatched(v, name, list, b.Full, len(p.Names()) > 1))
	}
	b.offer(v, list)
	for e := range v.Catalog.RecentChanges() {
		b.Since, b.Logged = e.At, true
	}
	if len(slugs) > 0 {
		var err error
		if b.Happened, err = Happenings(v, slugs, maxWatched); err != nil {
			return nil, err
		}
		query := params.Watch{Tools: p.Tools}.In(v.Text.Language)
		b.Feed, b.Calendar = v.Base()+v.Path(address.FeedWatch)+query, v.Base()+v.Path(address.CalendarWatch)+query
		if v.Site.Accounts {
			b.Mail = v.Path(address.List) + query
		}
		b.Changes, b.Check = v.Call("/api/v1/changes?slugs="+p.Tools), v.Call("/api/v1/findings?slugs="+p.Tools)
		d.API = []string{b.Changes.Path, b.Check.Path}
		if b.Bill = newWatchBill(v, list.Slugs()); b.Bill != nil {
			d.API = append(d.API, b.Bill.Call.Path)
		}
	}
	d.Body = b
	return d, nil
}

// add adds the rows of the tools that the list names by these slugs, each once.
func (b *watchBody) add(v *view.View, slugs []string, list params.Watch) {
	shown := make(map[string]bool)
	for _, slug := range slugs {
		now := v.Catalog.ToolSlug(slug)
		if shown[now] {
			continue
		}
		shown[now] = true
		row := newWatchRow(v, now)
		row.Remove = v.Path(address.Watch) + list.Without(now).In(v.Text.Language)
		if now != slug {
			row.Remark = v.Text.Must("watch.renamed", slug)
		}
		if len(row.Findings) > 0 {
			b.Reconsider = append(b.Reconsider, row)
		} else {
			b.Others = append(b.Others, row)
		}
	}
}

// newWatchRow returns the row of a tool, living, retired or unknown, by its current slug.
func newWatchRow(v *view.View, slug string) watchRow {
	found, known := v.Catalog.Findings(slug, catalog.AtLeast(catalog.LowScore))
	if !known {
		return watchRow{Name: slug, Findings: []string{v.Text.Must("watch.gone")}}
	}
	row := watchRow{Path: v.Path(address.Tool, slug)}
	t, living := v.Catalog.Tool(slug)
	r, _ := v.Catalog.Retired(slug)
	if living {
		row.Name, row.Price = t.Name, v.Price(t.Price)
	} else {
		row.Name = r.Name
	}
	for _, kind := range found.Kinds {
		said := ""
		switch kind {
		case catalog.FindingRetired:
			said = v.Text.Must("watch.is.retired", v.Text.Date(r.RetiredAt.Time()))
		case catalog.FindingEnding:
			said = newEnding(v, t).Row
		case catalog.FindingDearer:
			said = v.Text.Must("watch.is.dearer", v.Price(t.Price), v.Price(found.Dearer.OldPrice), v.Text.Date(found.Dearer.ChangedAt.Time()))
		case catalog.FindingSoon:
			said = v.Text.Must("watch.is.soon", v.Price(t.Next.Price), v.Text.Date(t.Next.From.Time()), v.Price(t.Price))
		case catalog.FindingLowScore:
			said = v.Text.Must("watch.is.lowscore", v.Text.Measure(t.Score))
		}
		row.Findings = append(row.Findings, said)
	}
	for _, instead := range found.Instead[:min(len(found.Instead), maxInstead)] {
		row.Instead = append(row.Instead, newSuccessor(v, instead))
	}
	return row
}

// findWatched returns the tools that a name finds: those that it is the name, the domain or a package of, then other
// living and retired ones, the best first.
func findWatched(v *view.View, name params.Name, list params.Watch, full, several bool) (found watchFound) {
	most := maxFound
	if several {
		most = maxFoundEach
	}
	_, slugs := v.Catalog.Identify(name.Typed)
	if name.Folded != "" {
		paging := catalog.Paging{Page: 1, Limit: most}
		for _, t := range v.Catalog.Tools(catalog.ToolQuery{Paging: paging, Search: name.Folded}).Items {
			slugs = append(slugs, t.Slug)
		}
		for _, r := range v.Catalog.Cemetery(catalog.CemeteryQuery{Paging: paging, Search: name.Folded}).Items {
			slugs = append(slugs, r.Slug)
		}
	}
	for i, slug := range slugs {
		if len(found.Tools) == most || slices.Contains(slugs[:i], slug) {
			continue
		}
		m := watchMatch{Path: v.Path(address.Tool, slug), Added: slices.Contains(list.Slugs(), slug)}
		if t, ok := v.Catalog.Tool(slug); ok {
			m.Name, m.Tagline = t.Name, v.MarkedTagline(t)
		} else if r, ok := v.Catalog.Retired(slug); ok {
			m.Name, m.Tagline = r.Name, view.Escaped(v.Text.Must("watch.is.retired", v.Text.Date(r.RetiredAt.Time())))
		}
		if !m.Added && !full {
			m.Add = v.Path(address.Watch) + list.With(slug).In(v.Text.Language)
		}
		found.Tools = append(found.Tools, m)
	}
	if len(found.Tools) == 0 {
		found.Nothing = v.Text.Must("watch.notfound", v.Text.Quoted(name.Typed))
	}
	return found
}

// offer adds the tools to tick, and the categories to choose them from.
func (b *watchBody) offer(v *view.View, list params.Watch) {
	query := catalog.ToolQuery{Paging: catalog.Paging{Page: 1, Limit: maxOffered}}
	if b.Category != "" {
		query.Categories = []string{b.Category}
	}
	for _, t := range v.Catalog.Tools(query).Items {
		if !b.Full && !slices.Contains(list.Slugs(), t.Slug) {
			b.Offered = append(b.Offered, watchOffer{t.Slug, t.Name})
		}
	}
	choose := func(name template.HTML, category string) {
		to := params.Watch{Tools: list.Tools, Category: category}
		b.Categories = append(b.Categories, choice{Name: name, Path: v.Path(address.Watch) + to.In(v.Text.Language), Current: b.Category == category})
	}
	choose(view.Escaped(v.Text.Must("watch.all")), "")
	for _, c := range v.Catalog.Categories() {
		choose(v.MarkedCategory(c.Slug), c.Slug)
	}
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
		if kind := figures.Noun(e.Type); !wanted[v.Catalog.ToolSlug(e.Slug)] || kind != "tool" && kind != "cimetiere" || e.Repeats() || v.Figures.Amended.Void(e) {
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
	var all []Happening
	var item *journalItem
	var first *catalog.LogEntry // of item
	for _, e := range entries {
		if first != nil && !figures.OfOneItem(first, e) {
			item, first = nil, nil
		}
		next, err := item.with(v, e)
		if err != nil {
			return nil, err
		}
		if next == nil {
			continue
		}
		if item == nil {
			category := ""
			if len(e.Categories) > 0 {
				category = e.Categories[0]
			}
			all = append(all, Happening{At: e.At, Slug: e.Slug, Category: category, Name: next.Name, Path: next.Path})
			first = e
		}
		item = next
		last := &all[len(all)-1]
		last.Seq, last.Said = e.Seq, sentence(v, item.Lines)
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
