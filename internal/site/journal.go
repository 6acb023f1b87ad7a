package site

import (
	"cmp"
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/params"
)

var journalTexts = texts{
	"journal.title": {"Journal", "Journal"},
	"journal.description": {
		"Ce que chaque édition a changé au catalogue\u00a0: entrées, notes, prix, comparatifs, retraits.",
		"What each edition changed in the catalog: new tools, scores, prices, comparisons, departures.",
	},
	"journal.lede": {
		"Tout ce qui bouge dans le catalogue est écrit ici, édition par édition, avec ce qu’il y avait avant.",
		"All that moves in the catalog is written here, edition by edition, with what was there before.",
	},
	"journal.follow": {"À suivre par flux Atom\u00a0:", "To follow by Atom feed:"},
	"journal.empty": {
		"Rien encore\u00a0: le journal s’ouvre avec la prochaine édition.",
		"Nothing yet: the journal opens with the next edition.",
	},
	"journal.beyond":  {"Le journal s’arrête avant cette page.", "The journal ends before this page."},
	"journal.begins":  {"Le journal commence ici.", "The journal begins here."},
	"journal.cut":     {"Les entrées plus anciennes ne sont plus gardées.", "Older entries are no longer kept."},
	"journal.edition": {"N°\u00a0%s", "No.\u00a0%s"},
	"journal.first": {
		"La première édition\u00a0: tout y était nouveau, rien n’y changeait.",
		"The first edition: everything in it was new, nothing changed.",
	},
	"journal.shown": {
		"Voici les %s premières entrées sur %s.", "Here are the first %s of %s entries.",
	},

	"journal.count.tool-created":           {"%s outil entré|%s outils entrés", "%s tool added|%s tools added"},
	"journal.count.tool-updated":           {"%s fiche modifiée|%s fiches modifiées", "%s tool changed|%s tools changed"},
	"journal.count.tool-retired":           {"%s outil mis au cimetière|%s outils mis au cimetière", "%s tool sent to the cemetery|%s tools sent to the cemetery"},
	"journal.count.tool-removed":           {"%s outil sorti|%s outils sortis", "%s tool removed|%s tools removed"},
	"journal.count.price-changed":          {"%s prix changé|%s prix changés", "%s price changed|%s prices changed"},
	"journal.count.comparatif-published":   {"%s comparatif publié|%s comparatifs publiés", "%s comparison published|%s comparisons published"},
	"journal.count.comparatif-updated":     {"%s comparatif modifié|%s comparatifs modifiés", "%s comparison changed|%s comparisons changed"},
	"journal.count.comparatif-unpublished": {"%s comparatif retiré|%s comparatifs retirés", "%s comparison withdrawn|%s comparisons withdrawn"},
	"journal.count.embeddings-updated":     {"%s jeu d’embeddings refait|%s jeux d’embeddings refaits", "%s set of embeddings made again|%s sets of embeddings made again"},

	"journal.created":      {"entre au catalogue", "enters the catalog"},
	"journal.retired":      {"rejoint le cimetière\u00a0: %s", "goes to the cemetery: %s"},
	"journal.removed":      {"sort du catalogue", "leaves the catalog"},
	"journal.published":    {"comparatif publié", "comparison published"},
	"journal.unpublished":  {"comparatif retiré", "comparison withdrawn"},
	"journal.revised":      {"avis ou détails revus", "review or details revised"},
	"journal.review.new":   {"avis publié", "review published"},
	"journal.review.gone":  {"avis retiré", "review withdrawn"},
	"journal.vectors":      {"embeddings refaits", "embeddings made again"},
	"journal.vectors-new":  {"embeddings ajoutés", "embeddings added"},
	"journal.vectors-gone": {"embeddings retirés", "embeddings withdrawn"},
	"journal.none":         {"aucune", "none"},
	"journal.corrected":    {"corrigé", "corrected"},

	"journal.field.name":          {"nom", "name"},
	"journal.field.domain":        {"site", "site"},
	"journal.field.category":      {"catégorie", "category"},
	"journal.field.icp":           {"pour qui", "made for"},
	"journal.field.price":         {"prix", "price"},
	"journal.field.score":         {"note", "score"},
	"journal.field.score-of":      {"note (%s)", "score (%s)"},
	"journal.field.verifiability": {"vérifiabilité", "verifiability"},
	"journal.field.tagline":       {"accroche", "tagline"},
	"journal.field.address":       {"adresse", "address"},
	"journal.field.title":         {"titre", "title"},
	"journal.field.winner":        {"vainqueur", "winner"},
	"journal.field.note":          {"verdict", "verdict"},
}

const journalPage = 20

// journalKinds are the events in the order in which they are counted.
var journalKinds = []catalog.EventType{
	catalog.ToolCreated, catalog.ToolUpdated, catalog.PriceChanged, catalog.ToolRetired, catalog.ToolRemoved,
	catalog.ComparisonPublished, catalog.ComparisonUpdated, catalog.ComparisonUnpublished,
	catalog.EmbeddingsUpdated,
}

func parseJournal(rawQuery string) (any, error) { return params.ParsePage(rawQuery) }

// A journalBody is what the journal shows.
type journalBody struct {
	Feeds    []layout.FeedLink
	Editions []journalIssue
	Empty    string // why there are none
	End      string // what is said after the last one
	Pager    pager
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

func viewJournal(r *request) (*document, error) {
	all := r.journal.editions
	number, _ := r.params.(int)
	page := catalog.Page[journalEdition]{Total: len(all), Number: number, Limit: journalPage}
	if number <= page.Pages() {
		page.Items = all[(number-1)*journalPage : min(len(all), number*journalPage)]
	}
	body := journalBody{Feeds: r.feedLinks(), Pager: newPager(r.path("journal", ""), url.Values{}, page)}
	for _, e := range page.Items {
		issue, err := r.journalIssue(e)
		if err != nil {
			return nil, err
		}
		body.Editions = append(body.Editions, issue)
	}
	switch {
	case len(all) == 0:
		body.Empty = r.Must("journal.empty")
	case len(page.Items) == 0:
		body.Empty = r.Must("journal.beyond")
	case number < page.Pages():
	case r.journal.begins:
		body.End = r.Must("journal.begins")
	default:
		body.End = r.Must("journal.cut")
	}
	return &document{
		Title: r.Must("journal.title"), Description: r.Must("journal.description"), NoIndex: number > 1, Body: body,
	}, nil
}

func (r *request) journalIssue(e journalEdition) (journalIssue, error) {
	issue := journalIssue{Number: e.number, At: e.at, First: e.first}
	if e.first || e.total > len(e.entries) {
		for _, kind := range journalKinds {
			if n := e.counts[kind]; n > 0 {
				issue.Counts = append(issue.Counts, r.Many("journal.count."+strings.ReplaceAll(string(kind), ".", "-"), n))
			}
		}
	}
	if e.first {
		return issue, nil
	}
	if e.total > len(e.entries) {
		issue.Shown = r.Must("journal.shown", r.Integer(len(e.entries)), r.Integer(e.total))
	}
	for _, entry := range e.entries {
		if err := issue.add(r, entry); err != nil {
			return journalIssue{}, err
		}
		r.rest()
	}
	return issue, nil
}

// add tells of an entry. Entries about one item stand side by side in the log, and are one here.
func (i *journalIssue) add(r *request, e *catalog.LogEntry) error {
	comparison := strings.HasPrefix(string(e.Type), "comparatif.")
	var item *journalItem
	if n := len(i.Items); n > 0 && i.Items[n-1].slug == e.Slug && i.Items[n-1].comparison == comparison {
		item = i.Items[n-1]
	}
	if item != nil && item.priced && e.Type == catalog.PriceChanged { // the entry before has said so
		return nil
	}
	was, is, err := r.amended.logged(e)
	if err != nil {
		return err
	}
	if item == nil {
		item = r.journalItem(e.Slug, comparison, was, is)
		i.Items = append(i.Items, item)
	}
	x := r.amended[e.Seq]
	item.priced = e.Type == catalog.ToolUpdated && (offerOf(was) != offerOf(is) || x != nil && x.price)
	item.Lines = append(item.Lines, r.journalLines(e, was, is)...)
	return nil
}

func (r *request) journalItem(slug string, comparison bool, was, is *catalog.LoggedItem) *journalItem {
	item := &journalItem{slug: slug, comparison: comparison}
	if comparison {
		item.Name = r.French(cmp.Or(is.Title, was.Title))
		if _, ok := r.Comparison(slug); ok {
			item.Path = r.path("comparison", slug)
		}
		return item
	}
	item.Name = escaped(cmp.Or(is.Name, was.Name))
	_, living := r.Tool(slug)
	if _, retired := r.Retired(slug); living || retired {
		item.Path = r.path("tool", slug)
	}
	return item
}

// journalLines says what an entry changed.
func (r *request) journalLines(e *catalog.LogEntry, was, is *catalog.LoggedItem) []journalLine {
	said := func(name string) []journalLine { return []journalLine{{Text: r.Must("journal." + name)}} }
	switch e.Type {
	case catalog.ToolCreated:
		return append(said("created"), r.changed(new(catalog.LoggedItem), &catalog.LoggedItem{
			Category: is.Category, Score: is.Score, Pricing: is.Pricing, Price: is.Price,
		})...)
	case catalog.ToolUpdated, catalog.ComparisonUpdated:
		if lines := r.corrected(e, is, r.changed(was, is)); len(lines) > 0 {
			return lines
		}
		return said("revised")
	case catalog.PriceChanged:
		return r.corrected(e, is, r.changed(
			&catalog.LoggedItem{Pricing: was.Pricing, Price: was.Price}, &catalog.LoggedItem{Pricing: is.Pricing, Price: is.Price}))
	case catalog.ToolRetired:
		return []journalLine{{Text: r.Must("journal.retired", r.reason(is.Reason))}}
	case catalog.ToolRemoved:
		return said("removed")
	case catalog.ComparisonPublished:
		return append(said("published"), r.changed(new(catalog.LoggedItem), &catalog.LoggedItem{Winner: is.Winner})...)
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
func (r *request) corrected(e *catalog.LogEntry, is *catalog.LoggedItem, lines []journalLine) []journalLine {
	x := r.amended[e.Seq]
	if x == nil {
		return lines
	}
	mark := func(field string, value template.HTML, args ...any) {
		text := r.Must("journal.field."+field, args...)
		for i := range lines {
			if lines[i].Text == text {
				lines[i].Corrected = true
				return
			}
		}
		lines = append(lines, journalLine{Text: text, After: value, Corrected: true})
	}
	if x.price {
		mark("price", escaped(r.offer(offerOf(is))))
	}
	switch {
	case !x.score:
	case e.Type == catalog.ComparisonUpdated:
		for _, t := range r.correctedScores(e, is) {
			mark("score-of", r.loggedMeasure(t.Score), t.Name)
		}
	default:
		mark("score", r.loggedMeasure(is.Score))
	}
	return lines
}

// correctedScores are the tools of a comparison whose score an entry moves, which it corrects.
func (r *request) correctedScores(e *catalog.LogEntry, is *catalog.LoggedItem) []catalog.LoggedTool {
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
func (r *request) loggedMeasure(m catalog.Measure) template.HTML {
	if m.Known {
		return escaped(r.Measure(m))
	}
	return escaped(r.Must("journal.none"))
}

// changed lists the fields that differ, before and after.
func (r *request) changed(was, is *catalog.LoggedItem) []journalLine {
	var lines []journalLine
	fresh := *was == catalog.LoggedItem{}
	add := func(field, before, after string, show func(string) template.HTML) {
		lines = append(lines, fieldLines(r.Must("journal.field."+field), before, after, fresh, show)...)
	}
	measure := func(field string, before, after catalog.Measure, args ...any) {
		lines = append(lines, fieldLines(r.Must("journal.field."+field, args...), before, after, fresh, r.loggedMeasure)...)
	}
	add("name", was.Name, is.Name, escaped)
	add("title", was.Title, is.Title, r.French)
	add("domain", was.Domain, is.Domain, escaped)
	add("category", was.Category, is.Category, func(s string) template.HTML { return r.French(r.category(s)) })
	add("icp", string(was.ICP), string(is.ICP), func(s string) template.HTML { return escaped(r.named("icp.", s)) })
	measure("score", was.Score, is.Score)
	if was.Title != "" { // else the comparison is new, and so is all in it
		measure("score-of", was.ToolA.Score, is.ToolA.Score, is.ToolA.Name)
		measure("score-of", was.ToolB.Score, is.ToolB.Score, is.ToolB.Name)
	}
	measure("verifiability", was.Verifiability, is.Verifiability)
	if offerOf(was) != offerOf(is) {
		lines = append(lines, r.repricedLine(offerOf(was), offerOf(is)))
	}
	add("winner", was.Winner, is.Winner, escaped)
	add("note", was.WinnerNote, is.WinnerNote, r.French)
	add("tagline", was.Tagline, is.Tagline, r.French)
	add("address", was.URL, is.URL, escaped)
	switch {
	case was.ReviewURL == "" && is.ReviewURL != "":
		lines = append(lines, journalLine{Text: r.Must("journal.review.new")})
	case was.ReviewURL != "" && is.ReviewURL == "":
		lines = append(lines, journalLine{Text: r.Must("journal.review.gone")})
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

// escaped is text as markup.
func escaped(s string) template.HTML {
	return template.HTML(template.HTMLEscapeString(s)) //nolint:gosec // it was escaped
}

// named is a word of the catalog in the language of the page, or as it is where it is not known.
func (r *request) named(family, word string) string {
	if !r.Has(family + word) {
		return word
	}
	return r.Must(family + word)
}

// reason is why a tool was retired, within a sentence.
func (r *request) reason(why catalog.Reason) string {
	return strings.ToLower(r.named("reason.", string(why)))
}

// repricedLine tells of a price; of the first one there is nothing before.
func (r *request) repricedLine(was, is offer) journalLine {
	line := journalLine{Text: r.Must("journal.field.price"), After: escaped(r.offer(is))}
	if was != (offer{}) {
		change := newRepricing(was, is)
		line.Before, line.Direction, line.Percent = escaped(r.offer(was)), change.Direction, change.Percent
		line.Remark = r.remark(change)
	}
	return line
}

// Anchor names an edition in the page.
func (i journalIssue) Anchor() string { return "n" + strconv.FormatInt(i.Number, 10) }
