package pages

import (
	"cmp"
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/figures"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var journalTexts = layout.Texts{
	"journal.title": {"Journal", "Journal"},
	"journal.description": {
		"Ce que chaque édition a changé au catalogue\u00a0: entrées, notes, prix, comparatifs, retraits.",
		"What each edition changed in the catalogue: new tools, scores, prices, comparisons, retirements.",
	},
	"journal.lede": {
		"Tout ce qui change dans le catalogue, édition par édition, avec la valeur précédente.",
		"Every change to the catalogue, edition by edition, with the previous value.",
	},
	"journal.follow": {"À suivre par flux Atom\u00a0:", "Follow by Atom feed:"},
	"journal.empty": {
		"Rien pour l’instant\u00a0: le journal s’ouvre avec la prochaine édition.",
		"Nothing yet: the journal opens with the next edition.",
	},
	"journal.beyond":  {"Le journal s’arrête avant cette page.", "The journal ends before this page."},
	"journal.begins":  {"Le journal commence ici.", "The journal begins here."},
	"journal.cut":     {"Les entrées plus anciennes ne sont plus gardées.", "Older entries are no longer kept."},
	"journal.edition": {"N°\u00a0%s", "No.\u00a0%s"},
	"journal.first": {
		"La première édition\u00a0: tout y était nouveau.",
		"The first edition: everything in it was new.",
	},
	"journal.shown": {
		"Voici les %s premières entrées sur %s.", "The first %s of %s entries are shown.",
	},

	"journal.count.tool-created":           {"%s outil entré|%s outils entrés", "%s tool added|%s tools added"},
	"journal.count.tool-updated":           {"%s fiche modifiée|%s fiches modifiées", "%s tool changed|%s tools changed"},
	"journal.count.tool-retired":           {"%s outil mis au cimetière|%s outils mis au cimetière", "%s tool sent to the cemetery|%s tools sent to the cemetery"},
	"journal.count.tool-removed":           {"%s outil supprimé|%s outils supprimés", "%s tool removed|%s tools removed"},
	"journal.count.price-changed":          {"%s prix changé|%s prix changés", "%s price changed|%s prices changed"},
	"journal.count.comparatif-published":   {"%s comparatif publié|%s comparatifs publiés", "%s comparison published|%s comparisons published"},
	"journal.count.comparatif-updated":     {"%s comparatif modifié|%s comparatifs modifiés", "%s comparison changed|%s comparisons changed"},
	"journal.count.comparatif-unpublished": {"%s comparatif retiré|%s comparatifs retirés", "%s comparison withdrawn|%s comparisons withdrawn"},
	"journal.count.embeddings-updated":     {"%s avis redécoupé|%s avis redécoupés", "%s set of chunks rebuilt|%s sets of chunks rebuilt"},

	"journal.created":      {"entre au catalogue", "joins the catalogue"},
	"journal.retired":      {"rejoint le cimetière\u00a0: %s", "goes to the cemetery: %s"},
	"journal.removed":      {"supprimé du catalogue", "removed from the catalogue"},
	"journal.published":    {"comparatif publié", "comparison published"},
	"journal.unpublished":  {"comparatif retiré", "comparison withdrawn"},
	"journal.revised":      {"avis ou détails revus", "review or details revised"},
	"journal.review.new":   {"avis publié", "review published"},
	"journal.review.gone":  {"avis retiré", "review withdrawn"},
	"journal.vectors":      {"extraits mis à jour", "chunks rebuilt"},
	"journal.vectors-new":  {"extraits ajoutés", "chunks added"},
	"journal.vectors-gone": {"extraits retirés", "chunks withdrawn"},
	"journal.none":         {"aucune", "none"},
	"journal.corrected":    {"corrigé", "corrected"},

	"journal.field.name":          {"nom", "name"},
	"journal.field.domain":        {"site", "site"},
	"journal.field.category":      {"catégorie", "category"},
	"journal.field.icp":           {"public", "audience"},
	"journal.field.price":         {"prix", "price"},
	"journal.field.score":         {"note", "score"},
	"journal.field.score-of":      {"note (%s)", "score (%s)"},
	"journal.field.verifiability": {"vérifiabilité", "verifiability"},
	"journal.field.tagline":       {"présentation", "tagline"},
	"journal.field.address":       {"adresse", "address"},
	"journal.field.title":         {"titre", "title"},
	"journal.field.winner":        {"vainqueur", "winner"},
	"journal.field.note":          {"verdict", "verdict"},
}

const journalPage = 20

var journalFeeds = []address.Page{address.FeedPrices, address.FeedNew, address.FeedCemetery}

// journalKinds are the events in the order in which they are counted.
var journalKinds = []catalog.EventType{
	catalog.ToolCreated, catalog.ToolUpdated, catalog.PriceChanged, catalog.ToolRetired, catalog.ToolRemoved,
	catalog.ComparisonPublished, catalog.ComparisonUpdated, catalog.ComparisonUnpublished,
	catalog.EmbeddingsUpdated,
}

// A journalBody is what the journal shows.
type journalBody struct {
	Feeds    []layout.FeedLink
	Editions []journalIssue
	Empty    string // why there are none
	End      string // what is said after the last one
	Pager    layout.Pager
}

// A journalIssue is an edition.
type journalIssue struct {
	Number int64
	At     time.Time
	First  bool
	Counts []string // by kind, of an edition that is not shown whole
	Shown  string
	Items  []*journalItem
}

// A journalItem is a tool or a comparison, and what happened to it.
type journalItem struct {
	Name  template.HTML
	Path  string // "" when it has no page
	Lines []journalLine

	slug       string
	comparison bool
	priced     bool // a line tells of its price
}

// A journalLine is one thing that happened.
type journalLine struct {
	Text          string
	Before, After template.HTML // "" where there is none
	Direction     int           // of a price
	Percent       int
	Remark        string
	Corrected     bool // it takes back a slip
}

// Journal is a page of the journal: what each edition changed.
func Journal(v *view.View, number int) (*view.Document, error) {
	all := v.Figures.Journal.Editions
	page := catalog.Page[figures.JournalEdition]{Total: len(all), Number: number, Limit: journalPage}
	if number <= page.Pages() {
		page.Items = all[(number-1)*journalPage : min(len(all), number*journalPage)]
	}
	body := journalBody{Feeds: v.FeedLinks(journalFeeds, ""), Pager: newPager(v.Path(address.Journal), url.Values{}, page)}
	for _, e := range page.Items {
		issue, err := newJournalIssue(v, e)
		if err != nil {
			return nil, err
		}
		body.Editions = append(body.Editions, issue)
	}
	switch {
	case len(all) == 0:
		body.Empty = v.Text.Must("journal.empty")
	case len(page.Items) == 0:
		body.Empty = v.Text.Must("journal.beyond")
	case number < page.Pages():
	case v.Figures.Journal.Begins:
		body.End = v.Text.Must("journal.begins")
	default:
		body.End = v.Text.Must("journal.cut")
	}
	return &view.Document{
		Template: "journal", Section: address.Journal, Feeds: journalFeeds,
		Title: v.Text.Must("journal.title"), Description: v.Text.Must("journal.description"), NoIndex: number > 1, Body: body,
	}, nil
}

func newJournalIssue(v *view.View, e figures.JournalEdition) (journalIssue, error) {
	issue := journalIssue{Number: e.Number, At: e.At, First: e.First}
	if e.First || e.Total > len(e.Entries) {
		for _, kind := range journalKinds {
			if n := e.Counts[kind]; n > 0 {
				issue.Counts = append(issue.Counts, v.Text.Many("journal.count."+strings.ReplaceAll(string(kind), ".", "-"), n))
			}
		}
	}
	if e.First {
		return issue, nil
	}
	if e.Total > len(e.Entries) {
		issue.Shown = v.Text.Must("journal.shown", v.Text.Integer(len(e.Entries)), v.Text.Integer(e.Total))
	}
	for _, entry := range e.Entries {
		if err := issue.add(v, entry); err != nil {
			return journalIssue{}, err
		}
		v.Throttle.Pause()
	}
	return issue, nil
}

// add tells of an entry. Entries about one item stand side by side in the log, and are one here.
func (i *journalIssue) add(v *view.View, e *catalog.LogEntry) error {
	comparison := strings.HasPrefix(string(e.Type), "comparatif.")
	var item *journalItem
	if n := len(i.Items); n > 0 && i.Items[n-1].slug == e.Slug && i.Items[n-1].comparison == comparison {
		item = i.Items[n-1]
	}
	if item != nil && item.priced && e.Type == catalog.PriceChanged { // the entry before has said so
		return nil
	}
	was, is, err := v.Figures.Amended.Logged(e)
	if err != nil {
		return err
	}
	if item == nil {
		item = newJournalItem(v, e.Slug, comparison, was, is)
		i.Items = append(i.Items, item)
	}
	x := v.Figures.Amended[e.Seq]
	item.priced = e.Type == catalog.ToolUpdated && (figures.OfferOf(was) != figures.OfferOf(is) || x != nil && x.Price)
	item.Lines = append(item.Lines, journalLines(v, e, was, is)...)
	return nil
}

func newJournalItem(v *view.View, slug string, comparison bool, was, is *catalog.LoggedItem) *journalItem {
	item := &journalItem{slug: slug, comparison: comparison}
	if comparison {
		item.Name = v.Text.French(cmp.Or(is.Title, was.Title))
		if _, ok := v.Catalog.Comparison(slug); ok {
			item.Path = v.Path(address.Comparison, slug)
		}
		return item
	}
	item.Name = view.Escaped(cmp.Or(is.Name, was.Name))
	_, living := v.Catalog.Tool(slug)
	if _, retired := v.Catalog.Retired(slug); living || retired {
		item.Path = v.Path(address.Tool, slug)
	}
	return item
}

// journalLines says what an entry changed.
func journalLines(v *view.View, e *catalog.LogEntry, was, is *catalog.LoggedItem) []journalLine {
	said := func(name string) []journalLine { return []journalLine{{Text: v.Text.Must("journal." + name)}} }
	switch e.Type {
	case catalog.ToolCreated:
		return append(said("created"), changed(v, new(catalog.LoggedItem), &catalog.LoggedItem{
			Category: is.Category, Score: is.Score, Pricing: is.Pricing, Price: is.Price,
		})...)
	case catalog.ToolUpdated, catalog.ComparisonUpdated:
		if lines := corrected(v, e, is, changed(v, was, is)); len(lines) > 0 {
			return lines
		}
		return said("revised")
	case catalog.PriceChanged:
		return corrected(v, e, is, changed(v,
			&catalog.LoggedItem{Pricing: was.Pricing, Price: was.Price}, &catalog.LoggedItem{Pricing: is.Pricing, Price: is.Price}))
	case catalog.ToolRetired:
		return []journalLine{{Text: v.Text.Must("journal.retired", v.Reason(is.Reason))}}
	case catalog.ToolRemoved:
		return said("removed")
	case catalog.ComparisonPublished:
		return append(said("published"), changed(v, new(catalog.LoggedItem), &catalog.LoggedItem{Winner: is.Winner})...)
	case catalog.ComparisonUnpublished:
		return said("unpublished")
	case catalog.EmbeddingsUpdated:
		switch {
		case was.Name == "":
			return said("vectors-new")
		case is.Name == "":
			return said("vectors-gone")
		default:
			return said("vectors")
		}
	default:
		return nil
	}
}

// corrected marks the lines that correct. What is again as it was before a slip has no line, and gets
// one: the slip was public.
func corrected(v *view.View, e *catalog.LogEntry, is *catalog.LoggedItem, lines []journalLine) []journalLine {
	x := v.Figures.Amended[e.Seq]
	if x == nil {
		return lines
	}
	mark := func(field string, value template.HTML, args ...any) {
		text := v.Text.Must("journal.field."+field, args...)
		for i := range lines {
			if lines[i].Text == text {
				lines[i].Corrected = true
				return
			}
		}
		lines = append(lines, journalLine{Text: text, After: value, Corrected: true})
	}
	if x.Price {
		mark("price", view.Escaped(v.Offer(figures.OfferOf(is))))
	}
	switch {
	case !x.Score:
	case e.Type == catalog.ComparisonUpdated:
		for _, t := range correctedScores(e, is) {
			mark("score-of", loggedMeasure(v, t.Score), t.Name)
		}
	default:
		mark("score", loggedMeasure(v, is.Score))
	}
	return lines
}

// correctedScores are the tools of a comparison whose score an entry moves, which it corrects.
func correctedScores(e *catalog.LogEntry, is *catalog.LoggedItem) []catalog.LoggedTool {
	slip, _, err := e.Items()
	if err != nil {
		return nil // it was decoded before
	}
	var tools []catalog.LoggedTool
	if slip.ToolA.Score != is.ToolA.Score {
		tools = append(tools, is.ToolA)
	}
	if slip.ToolB.Score != is.ToolB.Score {
		tools = append(tools, is.ToolB)
	}
	return tools
}

// loggedMeasure writes a measure of the log, or that there is none.
func loggedMeasure(v *view.View, m catalog.Measure) template.HTML {
	if m.Known {
		return view.Escaped(v.Text.Measure(m))
	}
	return view.Escaped(v.Text.Must("journal.none"))
}

// changed lists the fields that differ, before and after.
func changed(v *view.View, was, is *catalog.LoggedItem) []journalLine {
	var lines []journalLine
	fresh := *was == catalog.LoggedItem{}
	add := func(field, before, after string, show func(string) template.HTML) {
		lines = append(lines, fieldLines(v.Text.Must("journal.field."+field), before, after, fresh, show)...)
	}
	measure := func(field string, before, after catalog.Measure, args ...any) {
		lines = append(lines, fieldLines(v.Text.Must("journal.field."+field, args...), before, after, fresh, func(m catalog.Measure) template.HTML { return loggedMeasure(v, m) })...)
	}
	add("name", was.Name, is.Name, view.Escaped)
	add("title", was.Title, is.Title, v.Text.French)
	add("domain", was.Domain, is.Domain, view.Escaped)
	add("category", was.Category, is.Category, func(s string) template.HTML { return v.Text.French(v.Category(s)) })
	add("icp", string(was.ICP), string(is.ICP), func(s string) template.HTML { return view.Escaped(v.Named("icp.", s)) })
	measure("score", was.Score, is.Score)
	if was.Title != "" { // else the comparison is new, and so is all in it
		measure("score-of", was.ToolA.Score, is.ToolA.Score, is.ToolA.Name)
		measure("score-of", was.ToolB.Score, is.ToolB.Score, is.ToolB.Name)
	}
	measure("verifiability", was.Verifiability, is.Verifiability)
	if figures.OfferOf(was) != figures.OfferOf(is) {
		lines = append(lines, repricedLine(v, figures.OfferOf(was), figures.OfferOf(is)))
	}
	add("winner", was.Winner, is.Winner, view.Escaped)
	add("note", was.WinnerNote, is.WinnerNote, v.Text.French)
	add("tagline", was.Tagline, is.Tagline, v.Text.French)
	add("address", was.URL, is.URL, view.Escaped)
	switch {
	case was.ReviewURL == "" && is.ReviewURL != "":
		lines = append(lines, journalLine{Text: v.Text.Must("journal.review.new")})
	case was.ReviewURL != "" && is.ReviewURL == "":
		lines = append(lines, journalLine{Text: v.Text.Must("journal.review.gone")})
	}
	return lines
}

// fieldLines is the line of a field that differs; none if it does not. Of a fresh item it shows nothing before.
func fieldLines[T comparable](text string, before, after T, fresh bool, show func(T) template.HTML) []journalLine {
	if before == after {
		return nil
	}
	line := journalLine{Text: text, After: show(after)}
	if !fresh {
		line.Before = show(before)
	}
	return []journalLine{line}
}

// repricedLine tells of a price; of the first one there is nothing before.
func repricedLine(v *view.View, was, is figures.Offer) journalLine {
	line := journalLine{Text: v.Text.Must("journal.field.price"), After: view.Escaped(v.Offer(is))}
	if was != (figures.Offer{}) {
		change := figures.NewRepricing(was, is)
		line.Before, line.Direction, line.Percent = view.Escaped(v.Offer(was)), change.Direction, change.Percent
		line.Remark = v.Remark(change)
	}
	return line
}

// Anchor names an edition in the page.
func (i journalIssue) Anchor() string { return "n" + strconv.FormatInt(i.Number, 10) }
