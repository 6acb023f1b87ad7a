package pages

import (
	"cmp"
	"html/template"
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
	"journal.one":      {"Journal, n°\u00a0%s", "Journal, no.\u00a0%s"},
	"journal.more":     {"et %s autre|et %s autres", "and %s other|and %s others"},
	"journal.edits":    {"%s retouche|%s retouches", "%s minor edit|%s minor edits"},
	"journal.unlisted": {"%s autre n’est pas affiché.|%s autres ne sont pas affichés.", "%s more is not shown.|%s more are not shown."},
	"journal.gone":     {"Le journal ne garde rien de cette édition.", "The journal keeps nothing of this edition."},
	"journal.weight.0": {"Nouveaux", "New"},
	"journal.weight.1": {"Fins", "Ended"},
	"journal.weight.2": {"Prix", "Prices"},
	"journal.weight.3": {"Notes", "Scores"},
	"journal.weight.4": {"Catalogue et noms", "Catalogue and names"},
	"journal.weight.5": {"Retouches", "Minor edits"},

	"journal.count.tool-created":           {"%s outil ajouté|%s outils ajoutés", "%s tool added|%s tools added"},
	"journal.count.tool-updated":           {"%s fiche modifiée|%s fiches modifiées", "%s tool changed|%s tools changed"},
	"journal.count.tool-retired":           {"%s outil mis au cimetière|%s outils mis au cimetière", "%s tool sent to the cemetery|%s tools sent to the cemetery"},
	"journal.count.tool-removed":           {"%s outil supprimé|%s outils supprimés", "%s tool removed|%s tools removed"},
	"journal.count.price-changed":          {"%s prix modifié|%s prix modifiés", "%s price changed|%s prices changed"},
	"journal.count.comparatif-published":   {"%s comparatif publié|%s comparatifs publiés", "%s comparison published|%s comparisons published"},
	"journal.count.comparatif-updated":     {"%s comparatif modifié|%s comparatifs modifiés", "%s comparison changed|%s comparisons changed"},
	"journal.count.comparatif-unpublished": {"%s comparatif retiré|%s comparatifs retirés", "%s comparison withdrawn|%s comparisons withdrawn"},
	"journal.count.embeddings-updated":     {"%s avis retouché|%s avis retouchés", "%s review edited|%s reviews edited"},

	"journal.corrected": {"corrigé", "corrected"},
	"journal.none":      {"aucune", "none"},
	"journal.join":      {"\u202f; ", "; "},

	"journal.say.created":            {"entre au catalogue", "joins the catalogue"},
	"journal.say.created-in-html":    {"entre au catalogue dans la catégorie %s", "joins the catalogue in the category %s"},
	"journal.say.created-score-html": {", avec la note %s", ", with a score of %s"},
	"journal.say.created-price-html": {", à %s", ", at %s"},
	"journal.say.created-free":       {", gratuit", ", free"},
	"journal.say.retired":            {"rejoint le cimetière\u00a0: %s", "goes to the cemetery: %s"},
	"journal.say.removed":            {"sort du catalogue", "leaves the catalogue"},
	"journal.say.published":          {"paraît", "is published"},
	"journal.say.published-won-html": {"paraît\u00a0: %s l’emporte", "is published: %s wins"},
	"journal.say.unpublished":        {"est retiré", "is withdrawn"},
	"journal.say.revised":            {"reçoit des retouches", "gets minor edits"},
	"journal.say.review-new":         {"reçoit son avis", "gets its review"},
	"journal.say.review-gone":        {"perd son avis", "loses its review"},
	"journal.say.chunks":             {"a un avis retouché", "has its review edited"},
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
	"journal.say.verifiability-new-html":  {"obtient %s en vérifiabilité", "gets a verifiability of %s"},
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
	Title    string
	All      string // the path of the journal, on the page of one edition
	Feeds    []layout.FeedLink
	Editions []journalIssue
	Empty    string // why there are no Editions
	End      string // the sentence after the oldest edition
	Pager    layout.Pager
}

// A journalIssue is an edition of the journal.
type journalIssue struct {
	Number int64
	Path   string // of the edition whole; "" on that page
	At     time.Time
	First  bool
	Counts []string // by type of event, where there are many
	Groups []journalGroup
	Edits  string // how many edits are left out
}

// A journalGroup is the changes of a weight.
type journalGroup struct {
	Name  string // "" where an edition has few changes, which need no headings
	Items []*journalItem
	More  string // how many are left out
}

const (
	fewItems   = 12  // are listed whole, without headings
	groupItems = 8   // of a weight are listed, of an edition with more than a few
	wholeItems = 300 // of a weight are listed on the page of one edition
)

// A journalItem is a tool or a comparison with its changes.
type journalItem struct {
	Name  template.HTML
	Path  string // "" if it has no page
	Lines []journalLine

	priced bool // a line already shows its price change
}

// Journal returns a page of the journal, what each edition changed, or all that one edition changed.
func Journal(v *view.View, p params.Journal) (*view.Document, error) {
	all := v.Figures.Journal.Editions
	d := &view.Document{
		Template: "journal", Section: address.Journal, Feeds: journalFeeds,
		Title: v.Text.Must("journal.title"), Description: v.Text.Must("journal.description"), NoIndex: p.Page > 1 || p.Edition > 0,
	}
	if p.Edition > 0 {
		body, err := oneEdition(v, p.Edition)
		d.Body, d.Title = body, body.Title
		return d, err
	}
	page := catalog.Page[figures.JournalEdition]{Total: len(all), Number: p.Page, Limit: journalPage}
	if p.Page <= page.Pages() {
		page.Items = all[(p.Page-1)*journalPage : min(len(all), p.Page*journalPage)]
	}
	body := journalBody{Title: d.Title, Feeds: v.FeedLinks(journalFeeds, ""), Pager: newPager(v.Path(address.Journal), url.Values{}, page)}
	for _, e := range page.Items {
		issue, err := newJournalIssue(v, e, false)
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
	case p.Page < page.Pages():
	case v.Figures.Journal.Begins:
		body.End = v.Text.Must("journal.begins")
	default:
		body.End = v.Text.Must("journal.cut")
	}
	d.Body = body
	return d, nil
}

// oneEdition returns the journal of one edition.
func oneEdition(v *view.View, number int64) (journalBody, error) {
	body := journalBody{
		Title: v.Text.Must("journal.one", v.Text.Integer(int(number))), All: v.Path(address.Journal), Empty: v.Text.Must("journal.gone"),
	}
	for _, e := range v.Figures.Journal.Editions {
		if e.Number != number {
			continue
		}
		issue, err := newJournalIssue(v, e, true)
		if err != nil {
			return body, err
		}
		body.Editions, body.Empty = append(body.Editions, issue), ""
	}
	return body, nil
}

func newJournalIssue(v *view.View, e figures.JournalEdition, whole bool) (journalIssue, error) {
	issue := journalIssue{Number: e.Number, At: e.At, First: e.First}
	few := len(e.Items) <= fewItems
	if e.First || !few {
		for _, kind := range journalKinds {
			if n := e.Counts[kind]; n > 0 {
				issue.Counts = append(issue.Counts, v.Text.Many("journal.count."+strings.ReplaceAll(string(kind), ".", "-"), n))
			}
		}
	}
	if !few && !whole {
		issue.Path = v.Path(address.Journal) + "?edition=" + strconv.FormatInt(e.Number, 10)
	}
	if few {
		group, err := newJournalGroup(v, e.Items, len(e.Items))
		issue.Groups = []journalGroup{group}
		return issue, err
	}
	for _, w := range figures.Weights() {
		from, to := weighing(e.Items, w)
		if from == to {
			continue
		}
		if w == figures.Edited && !whole {
			issue.Edits = v.Text.Many("journal.edits", to-from)
			continue
		}
		most := groupItems
		if whole {
			most = wholeItems
		}
		group, err := newJournalGroup(v, e.Items[from:to], most)
		if err != nil {
			return issue, err
		}
		group.Name = v.Text.Must("journal.weight." + strconv.Itoa(int(w)))
		if whole && group.More != "" {
			group.More = v.Text.Many("journal.unlisted", to-from-most)
		}
		issue.Groups = append(issue.Groups, group)
	}
	return issue, nil
}

// weighing returns where the items of a weight begin and end.
func weighing(items []figures.JournalItem, w figures.Weight) (from, to int) {
	from, _ = slices.BinarySearchFunc(items, w, func(i figures.JournalItem, w figures.Weight) int { return cmp.Compare(i.Weight, w) })
	to, _ = slices.BinarySearchFunc(items, w+1, func(i figures.JournalItem, w figures.Weight) int { return cmp.Compare(i.Weight, w) })
	return from, to
}

// newJournalGroup returns the first items of a group, at most as many as given.
func newJournalGroup(v *view.View, items []figures.JournalItem, most int) (g journalGroup, err error) {
	if n := len(items) - most; n > 0 {
		g.More = v.Text.Many("journal.more", n)
	}
	for _, i := range items[:min(len(items), most)] {
		var item *journalItem
		for _, e := range i.Entries {
			if item, err = item.with(v, e); err != nil {
				return g, err
			}
			v.Throttle.Pause()
		}
		if item != nil {
			g.Items = append(g.Items, item)
		}
	}
	return g, nil
}

// with returns the item with what a further entry says of it; an item that is nil is made of the first. It skips entries
// that repeat what others say.
func (i *journalItem) with(v *view.View, e *catalog.LogEntry) (*journalItem, error) {
	if i != nil && i.priced && e.Type == catalog.PriceChanged { // the entry before has it
		return i, nil
	}
	was, is, err := v.Figures.Amended.Logged(e)
	if err != nil {
		return nil, err
	}
	if e.Type == catalog.EmbeddingsUpdated && i != nil { // it follows from what the entry before says, and concerns programs
		return i, nil
	}
	x := v.Figures.Amended[e.Seq]
	if e.Type == catalog.ComparisonUpdated && x == nil && *was == *is { // a tool was renamed: see its entry
		return i, nil
	}
	if i == nil {
		i = newJournalItem(v, e.Slug, figures.Noun(e.Type), was, is)
	}
	i.priced = (e.Type == catalog.ToolUpdated || e.Type == catalog.ToolRenamed) && (figures.OfferOf(was) != figures.OfferOf(is) || x != nil && x.Price)
	i.Lines = append(i.Lines, journalLines(v, e, was, is)...)
	return i, nil
}

func newJournalItem(v *view.View, slug, kind string, was, is *catalog.LoggedItem) *journalItem {
	item := &journalItem{}
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

// Anchor returns the id of the edition on the page.
func (i journalIssue) Anchor() string { return "n" + strconv.FormatInt(i.Number, 10) }
