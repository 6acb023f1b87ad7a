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

	"journal.count.tool-created":           {"%s outil ajouté|%s outils ajoutés", "%s tool added|%s tools added"},
	"journal.count.tool-updated":           {"%s fiche modifiée|%s fiches modifiées", "%s tool changed|%s tools changed"},
	"journal.count.tool-retired":           {"%s outil mis au cimetière|%s outils mis au cimetière", "%s tool sent to the cemetery|%s tools sent to the cemetery"},
	"journal.count.tool-removed":           {"%s outil supprimé|%s outils supprimés", "%s tool removed|%s tools removed"},
	"journal.count.price-changed":          {"%s prix modifié|%s prix modifiés", "%s price changed|%s prices changed"},
	"journal.count.comparatif-published":   {"%s comparatif publié|%s comparatifs publiés", "%s comparison published|%s comparisons published"},
	"journal.count.comparatif-updated":     {"%s comparatif modifié|%s comparatifs modifiés", "%s comparison changed|%s comparisons changed"},
	"journal.count.comparatif-unpublished": {"%s comparatif retiré|%s comparatifs retirés", "%s comparison withdrawn|%s comparisons withdrawn"},
	"journal.count.embeddings-updated":     {"%s avis découpé en extraits|%s avis découpés en extraits", "%s set of chunks updated|%s sets of chunks updated"},

	"journal.corrected": {"corrigé", "corrected"},
	"journal.none":      {"aucune", "none"},
	"journal.join":      {"\u202f; ", "; "},

	"journal.say.created":            {"entre au catalogue", "joins the catalogue"},
	"journal.say.created-in-html":    {"entre au catalogue dans la catégorie %s", "joins the catalogue in the category %s"},
	"journal.say.created-score-html": {", avec la note %s", ", scored %s"},
	"journal.say.created-price-html": {", à %s", ", at %s"},
	"journal.say.created-free":       {", gratuit", ", free"},
	"journal.say.retired":            {"rejoint le cimetière\u00a0: %s", "goes to the cemetery: %s"},
	"journal.say.removed":            {"sort du catalogue", "leaves the catalogue"},
	"journal.say.published":          {"paraît", "is published"},
	"journal.say.published-won-html": {"paraît\u00a0: %s l’emporte", "is published: %s wins"},
	"journal.say.unpublished":        {"est retiré", "is withdrawn"},
	"journal.say.revised":            {"est revu dans le détail", "has been revised in detail"},
	"journal.say.review-new":         {"reçoit son avis", "gets its review"},
	"journal.say.review-gone":        {"perd son avis", "loses its review"},
	"journal.say.chunks":             {"a un avis redécoupé pour l’API", "has new chunks of its review in the API"},
	"journal.say.chunks-new":         {"rejoint les avis servis en extraits", "joins the reviews served in chunks"},
	"journal.say.chunks-gone":        {"quitte les avis servis en extraits", "leaves the reviews served in chunks"},

	"journal.say.name-html":           {"s’appelait %s et s’appelle désormais %s", "was called %s and is now %s"},
	"journal.say.title-html":          {"s’intitulait %s et s’intitule désormais %s", "was titled %s and is now %s"},
	"journal.say.domain-html":         {"passe de %s à %s", "moves from %s to %s"},
	"journal.say.category-html":       {"passe de la catégorie %s à la catégorie %s", "moves from the category %s to the category %s"},
	"journal.say.icp-html":            {"change de public, de %s à %s", "moves its audience from %s to %s"},
	"journal.say.score-html":          {"voit sa note passer de %s à %s", "goes from %s to %s out of ten"},
	"journal.say.score-new-html":      {"reçoit la note %s", "gets a score of %s"},
	"journal.say.score-gone-html":     {"perd sa note, qui était de %s", "loses its score, which was %s"},
	"journal.say.score-again-html":    {"a bien la note %s", "does have a score of %s"},
	"journal.say.score-moved-html":    {"voit sa note retouchée de moins d’un dixième, toujours %s", "has its score adjusted by less than a tenth, still %s"},
	"journal.say.score-of-html":       {"suit la note de %s, passée de %s à %s", "follows the score of %s, which went from %s to %s"},
	"journal.say.score-of-new-html":   {"suit la note de %s, désormais %s", "follows the score of %s, now %s"},
	"journal.say.score-of-gone-html":  {"suit la note de %s, retirée\u00a0: c’était %s", "follows the score of %s, withdrawn: it was %s"},
	"journal.say.score-of-moved-html": {"suit la note de %s, retouchée de moins d’un dixième, toujours %s", "follows the score of %s, adjusted by less than a tenth, still %s"},
	"journal.say.score-of-again-html": {"suit bien la note de %s, %s", "does follow the score of %s, %s"},
	"journal.say.verifiability-html":  {"voit sa vérifiabilité passer de %s à %s", "goes from %s to %s for verifiability"},
	"journal.say.verifiability-moved-html": {
		"voit sa vérifiabilité retouchée de moins d’un dixième, toujours %s", "has its verifiability adjusted by less than a tenth, still %s",
	},
	"journal.say.verifiability-new-html":  {"reçoit la vérifiabilité %s", "gets a verifiability of %s"},
	"journal.say.verifiability-gone-html": {"perd sa vérifiabilité, qui était de %s", "loses its verifiability, which was %s"},
	"journal.say.price-html":              {"passe de %s à %s", "goes from %s to %s"},
	"journal.say.price-new-html":          {"coûte %s", "costs %s"},
	"journal.say.price-again-html":        {"coûte bien %s", "does cost %s"},
	"journal.say.price-free-html":         {"devient gratuit, après avoir coûté %s", "becomes free; it was %s"},
	"journal.say.price-paid-html":         {"n’est plus gratuit et passe à %s", "is no longer free and costs %s"},
	"journal.say.price-still-html":        {"%s, toujours à %s", "%s, still at %s"},
	"journal.say.winner-html":             {"change de vainqueur, de %s à %s", "changes its winner from %s to %s"},
	"journal.say.note-html":               {"change de verdict, de %s à %s", "changes its verdict from %s to %s"},
	"journal.say.tagline-html":            {"change d’accroche, de %s à %s", "changes its tagline from %s to %s"},
	"journal.say.address-html":            {"change d’adresse, de %s à %s", "changes its address from %s to %s"},
}

const journalPage = 20

var journalFeeds = []address.Page{address.FeedPrices, address.FeedNew, address.FeedCemetery}

// journalKinds are the types of events in the order in which they are counted.
var journalKinds = []catalog.EventType{
	catalog.ToolCreated, catalog.ToolUpdated, catalog.ToolRenamed, catalog.PriceChanged, catalog.PriceAnnounced, catalog.ToolEnding, catalog.ToolRetired,
	catalog.ToolRemoved, catalog.ComparisonPublished, catalog.ComparisonUpdated, catalog.ComparisonRenamed, catalog.ComparisonUnpublished,
	catalog.CemeteryAdded, catalog.CemeteryUpdated, catalog.CemeteryRenamed, catalog.CemeteryRemoved,
	catalog.EmbeddingsUpdated, catalog.CatalogUpdated,
}

// A journalBody is the data of the journal.
type journalBody struct {
	Feeds    []layout.FeedLink
	Editions []journalIssue
	Empty    string // why there are no Editions
	End      string // the sentence after the oldest edition
	Pager    layout.Pager
}

// A journalIssue is an edition of the journal.
type journalIssue struct {
	Number int64
	At     time.Time
	First  bool
	Counts []string // by type of event, if the edition is not shown completely
	Shown  string
	Items  []*journalItem
}

// A journalItem is a tool or a comparison with its changes.
type journalItem struct {
	Name  template.HTML
	Path  string // "" if it has no page
	Lines []journalLine

	slug   string
	kind   string
	priced bool // a line already shows its price change
}

// Journal returns a page of the journal: what each edition changed.
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

// add adds a log entry to the issue. Entries about the same item are adjacent in the log; add merges them into one
// item. It skips entries that repeat what others say.
func (i *journalIssue) add(v *view.View, e *catalog.LogEntry) error {
	kind := journalKind(e.Type)
	var item *journalItem
	if n := len(i.Items); n > 0 && i.Items[n-1].slug == e.Slug && i.Items[n-1].kind == kind {
		item = i.Items[n-1]
	}
	if item != nil && item.priced && e.Type == catalog.PriceChanged { // the entry before has it
		return nil
	}
	was, is, err := v.Figures.Amended.Logged(e)
	if err != nil {
		return err
	}
	if e.Type == catalog.EmbeddingsUpdated && item != nil && was.Name != "" && is.Name != "" { // implied by the entry before
		return nil
	}
	x := v.Figures.Amended[e.Seq]
	if e.Type == catalog.ComparisonUpdated && x == nil && *was == *is { // a tool was renamed: see its entry
		return nil
	}
	if item == nil {
		item = newJournalItem(v, e.Slug, kind, was, is)
		i.Items = append(i.Items, item)
	}
	item.priced = (e.Type == catalog.ToolUpdated || e.Type == catalog.ToolRenamed) && (figures.OfferOf(was) != figures.OfferOf(is) || x != nil && x.Price)
	item.Lines = append(item.Lines, journalLines(v, e, was, is)...)
	return nil
}

// journalKind returns the kind of item that an event is about. The slug does not tell: the same one may name a tool, an
// entry of the cemetery, a comparison and the catalog.
func journalKind(t catalog.EventType) string {
	switch noun, _, _ := strings.Cut(string(t), "."); noun {
	case "price", "embeddings":
		return "tool"
	default:
		return noun
	}
}

func newJournalItem(v *view.View, slug, kind string, was, is *catalog.LoggedItem) *journalItem {
	item := &journalItem{slug: slug, kind: kind}
	switch kind {
	case "catalog":
		item.Name, item.Path = view.Escaped(v.Text.Must("journal.catalog")), v.Path(address.Landing)
		return item
	case "comparatif":
		item.Name = v.Text.French(cmp.Or(is.Title, was.Title))
		if m, ok := v.Catalog.Comparison(v.Catalog.ComparisonSlug(slug)); ok {
			item.Path = v.Path(address.Comparison, m.Slug)
			if m.Title == cmp.Or(is.Title, was.Title) {
				item.Name = v.Text.Translated(m.Title, m.English.Title)
			}
		}
		// Quote the title: it may be a question, after which the sentence could not go on.
		item.Name = template.HTML(v.Text.Quoted(string(item.Name))) //nolint:gosec // it was escaped
		return item
	}
	item.Name = view.Escaped(cmp.Or(is.Name, was.Name))
	now := v.Catalog.ToolSlug(slug)
	_, living := v.Catalog.Tool(now)
	if _, retired := v.Catalog.Retired(now); living || retired {
		item.Path = v.Path(address.Tool, now)
	}
	return item
}

// journalLines returns what an entry changed.
func journalLines(v *view.View, e *catalog.LogEntry, was, is *catalog.LoggedItem) []journalLine {
	said := func(name string, args ...any) []journalLine {
		return []journalLine{{Said: view.Escaped(v.Text.Must("journal.say."+name, args...))}}
	}
	switch e.Type {
	case catalog.ToolCreated:
		return []journalLine{{Said: created(v, is)}}
	case catalog.ToolUpdated, catalog.ComparisonUpdated:
		if lines := corrected(v, e, is, changed(v, was, is)); len(lines) > 0 {
			return lines
		}
		return said("revised")
	case catalog.ToolRenamed, catalog.ComparisonRenamed, catalog.CemeteryRenamed:
		return renamedLines(v, e, was, is)
	case catalog.PriceChanged:
		return corrected(v, e, is, changed(v,
			&catalog.LoggedItem{Pricing: was.Pricing, Price: was.Price}, &catalog.LoggedItem{Pricing: is.Pricing, Price: is.Price}))
	case catalog.PriceAnnounced:
		return []journalLine{announcedLine(v, was, is)}
	case catalog.ToolEnding:
		return []journalLine{endingLine(v, was, is)}
	case catalog.ToolRetired:
		return said("retired", v.Reason(is.Reason))
	case catalog.ToolRemoved:
		return said("removed")
	case catalog.ComparisonPublished:
		if is.Winner == "" {
			return said("published")
		}
		return []journalLine{say(v, "", "published-won", strong(is.Winner))}
	case catalog.ComparisonUnpublished:
		return said("unpublished")
	case catalog.EmbeddingsUpdated:
		switch {
		case was.Name == "":
			return said("chunks-new")
		case is.Name == "":
			return said("chunks-gone")
		default:
			return said("chunks")
		}
	case catalog.CemeteryAdded, catalog.CemeteryUpdated, catalog.CemeteryRemoved:
		return cemeteryLines(v, e.Type, was, is)
	case catalog.CatalogUpdated:
		return catalogLines(v, e)
	default:
		return nil
	}
}

// renamedLines returns the lines for a renamed item: both slugs, and what else changed.
func renamedLines(v *view.View, e *catalog.LogEntry, was, is *catalog.LoggedItem) []journalLine {
	lines := []journalLine{say(v, "slug", "renamed", e.RenamedFrom, strong(e.RenamedTo))}
	if e.Type == catalog.CemeteryRenamed {
		return append(lines, cemeteryChanges(v, was, is)...)
	}
	there := *is
	there.URL = was.URL // it follows from the slug
	return append(lines, corrected(v, e, is, changed(v, was, &there))...)
}

// created describes a new tool.
func created(v *view.View, is *catalog.LoggedItem) template.HTML {
	said := view.Escaped(v.Text.Must("journal.say.created"))
	if is.Category != "" {
		said = say(v, "", "created-in", v.MarkedCategory(is.Category)).Said
	}
	if is.Score.Known {
		said += say(v, "", "created-score", strong(v.Text.Measure(is.Score))).Said
	}
	switch {
	case is.Pricing == catalog.Free:
		said += view.Escaped(v.Text.Must("journal.say.created-free"))
	case is.Price != "":
		said += say(v, "", "created-price", strong(v.Price(is.Price))).Said
	}
	return said
}

// corrected marks the lines that correct an earlier mistake. It adds a line for a value that is back to what it was
// before the mistake: although nothing differs, the mistake was public.
func corrected(v *view.View, e *catalog.LogEntry, is *catalog.LoggedItem, lines []journalLine) []journalLine {
	x := v.Figures.Amended[e.Seq]
	if x == nil {
		return lines
	}
	mark := func(field string, again journalLine) {
		for i := range lines {
			if lines[i].field == field {
				lines[i].Corrected = true
				return
			}
		}
		again.Corrected = true
		lines = append(lines, again)
	}
	if x.Price {
		mark("price", say(v, "price", "price-again", strong(v.Offer(figures.OfferOf(is)))))
	}
	switch {
	case !x.Score:
	case e.Type == catalog.ComparisonUpdated || e.Type == catalog.ComparisonRenamed:
		for _, t := range correctedScores(e, is) {
			mark("score-of "+t.Name, say(v, "", "score-of-again", t.Name, loggedMeasure(v, t.Score)))
		}
	default:
		mark("score", say(v, "score", "score-again", loggedMeasure(v, is.Score)))
	}
	return lines
}

// correctedScores returns the tools of a comparison whose score an entry corrects.
func correctedScores(e *catalog.LogEntry, is *catalog.LoggedItem) []catalog.LoggedTool {
	slip, _, err := e.Items()
	if err != nil {
		return nil // cannot happen: it was decoded before
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

// loggedMeasure returns a measure of the log, or the word for none, in bold.
func loggedMeasure(v *view.View, m catalog.Measure) template.HTML {
	if m.Known {
		return strong(v.Text.Measure(m))
	}
	return strong(v.Text.Must("journal.none"))
}

// changed returns a line for each field that differs between two states of an item.
func changed(v *view.View, was, is *catalog.LoggedItem) []journalLine {
	var lines []journalLine
	add := func(field, before, after string, show func(string) template.HTML) {
		if before != after {
			lines = append(lines, say(v, field, field, show(before), "<b>"+show(after)+"</b>"))
		}
	}
	quoted := func(s string) template.HTML {
		return template.HTML(v.Text.Quoted(string(v.Text.French(s)))) //nolint:gosec // it was escaped
	}
	add("name", was.Name, is.Name, view.Escaped)
	add("title", was.Title, is.Title, quoted)
	add("domain", was.Domain, is.Domain, view.Escaped)
	add("category", was.Category, is.Category, v.MarkedCategory)
	add("icp", string(was.ICP), string(is.ICP), func(s string) template.HTML {
		return view.Escaped(v.Text.Quoted(v.Named("icp.", s)))
	})
	lines = append(lines, scoreLines(v, was, is)...)
	lines = append(lines, measureLines(v, "verifiability", "verifiability", was.Verifiability, is.Verifiability)...)
	if figures.OfferOf(was) != figures.OfferOf(is) {
		lines = append(lines, repricedLine(v, figures.OfferOf(was), figures.OfferOf(is)))
	}
	add("winner", was.Winner, is.Winner, view.Escaped)
	add("note", was.WinnerNote, is.WinnerNote, quoted)
	add("tagline", was.Tagline, is.Tagline, quoted)
	add("address", was.URL, is.URL, view.Escaped)
	switch {
	case was.ReviewURL == "" && is.ReviewURL != "":
		lines = append(lines, journalLine{Said: view.Escaped(v.Text.Must("journal.say.review-new"))})
	case was.ReviewURL != "" && is.ReviewURL == "":
		lines = append(lines, journalLine{Said: view.Escaped(v.Text.Must("journal.say.review-gone"))})
	}
	return lines
}

// measureLines returns a line that says how a measure rose, fell, came or went; none if it did not change. name is the
// prefix of the names of the texts. whose are arguments of the text that come before the values.
func measureLines(v *view.View, field, name string, was, is catalog.Measure, whose ...any) []journalLine {
	said := func(name string, values ...any) []journalLine {
		return []journalLine{say(v, field, name, append(whose, values...)...)}
	}
	switch {
	case was == is:
		return nil
	case !was.Known:
		return said(name+"-new", strong(v.Text.Measure(is)))
	case !is.Known:
		return said(name+"-gone", strong(v.Text.Measure(was)))
	case was.Rounded() == is.Rounded(): // both values would look the same, such as 7,0 and 7,0
		return said(name+"-moved", strong(v.Text.Measure(is)))
	}
	return said(name, v.Text.Measure(was), strong(v.Text.Measure(is)))
}

// scoreLines returns how the score of a tool moved, or those of the two tools of a comparison.
func scoreLines(v *view.View, was, is *catalog.LoggedItem) []journalLine {
	lines := measureLines(v, "score", "score", was.Score, is.Score)
	if was.Title == "" { // no comparison, or a new one
		return lines
	}
	for _, t := range [][2]catalog.LoggedTool{{was.ToolA, is.ToolA}, {was.ToolB, is.ToolB}} {
		before, after := t[0], t[1]
		lines = append(lines, measureLines(v, "score-of "+after.Name, "score-of", before.Score, after.Score, after.Name)...)
	}
	return lines
}

// Anchor returns the id of the edition on the page.
func (i journalIssue) Anchor() string { return "n" + strconv.FormatInt(i.Number, 10) }
