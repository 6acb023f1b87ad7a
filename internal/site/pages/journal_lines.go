package pages

import (
	"html/template"
	"slices"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/figures"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/site/view"
)

// journalOtherTexts are the sentences of the journal about renames, the cemetery and the catalog itself.
var journalOtherTexts = layout.Texts{
	"journal.count.tool-ending": {
		"%s fin annoncée, déplacée ou démentie|%s fins annoncées, déplacées ou démenties", "%s end announced, moved or withdrawn|%s ends announced, moved or withdrawn",
	},
	"journal.count.price-announced": {
		"%s prix annoncé, modifié ou retiré|%s prix annoncés, modifiés ou retirés", "%s announced price, new, changed or withdrawn|%s announced prices, new, changed or withdrawn",
	},
	"journal.count.cimetiere-added": {
		"%s notice entrée au cimetière|%s notices entrées au cimetière", "%s cemetery entry added|%s cemetery entries added",
	},
	"journal.count.cimetiere-updated": {
		"%s notice du cimetière modifiée|%s notices du cimetière modifiées", "%s cemetery entry changed|%s cemetery entries changed",
	},
	"journal.count.cimetiere-removed": {
		"%s notice sortie du cimetière|%s notices sorties du cimetière", "%s cemetery entry removed|%s cemetery entries removed",
	},
	"journal.count.catalog-updated": {
		"%s changement de catégories ou de nom|%s changements de catégories ou de nom", "%s change of categories or name|%s changes of categories or name",
	},

	"journal.count.tool-renamed":       {"%s outil renommé|%s outils renommés", "%s tool renamed|%s tools renamed"},
	"journal.count.comparatif-renamed": {"%s comparatif renommé|%s comparatifs renommés", "%s comparison renamed|%s comparisons renamed"},
	"journal.count.cimetiere-renamed": {
		"%s notice du cimetière renommée|%s notices du cimetière renommées", "%s cemetery entry renamed|%s cemetery entries renamed",
	},
	"journal.say.renamed-html": {"a pour nouvel identifiant %[2]s (auparavant %[1]s)", "has the new slug %[2]s (formerly %[1]s)"},

	"journal.say.costs-html":       {"coûtera %s à partir du %s", "will cost %s from %s"},
	"journal.say.costs-moved-html": {"coûtera %s à partir du %s, et non plus %s à partir du %s", "will cost %s from %s, no longer %s from %s"},
	"journal.say.costs-detail":     {"précise le prix annoncé", "revises its announced price"},
	"journal.say.costs-not":        {"n’a plus de changement de prix annoncé", "has no announced price any more"},

	"journal.say.ends-html":       {"s’arrêtera le %s", "will end on %s"},
	"journal.say.ends-moved-html": {"s’arrêtera le %[2]s, et non plus le %[1]s", "will end on %[2]s, no longer on %[1]s"},
	"journal.say.ends-detail":     {"précise sa date de fin", "revises its end date"},
	"journal.say.ends-not":        {"ne s’arrêtera pas : l’annonce de sa fin est retirée", "will not end: the announcement was withdrawn"},

	"journal.catalog":      {"Le catalogue", "The catalogue"},
	"journal.say.buried":   {"entre au cimetière sans avoir été au catalogue\u00a0: %s", "joins the cemetery without having been in the catalogue: %s"},
	"journal.say.unburied": {"quitte le cimetière", "leaves the cemetery"},
	"journal.say.obituary": {"a une notice retouchée", "has its cemetery entry edited"},
	"journal.say.ordered":  {"range ses catégories dans un autre ordre", "puts its categories in another order"},

	"journal.say.reason-html":          {"n’est plus au cimetière pour le même motif\u00a0: %s devient %s", "is in the cemetery for another reason: %s becomes %s"},
	"journal.say.opened-html":          {"ouvre la catégorie %s", "opens the category %s"},
	"journal.say.closed-html":          {"ferme la catégorie %s", "closes the category %s"},
	"journal.say.relabelled-html":      {"renomme la catégorie %s en %s", "renames the category %s to %s"},
	"journal.say.catalog-address-html": {"change d’adresse, de %s à %s", "changes its address from %s to %s"},
	"journal.say.catalog-was-html":     {"s’appelait %s et s’appelle désormais %s", "was called %s and is now called %s"},
}

// A journalLine is one change of an item: the rest of a sentence that begins with the item's name.
type journalLine struct {
	Said      template.HTML
	Direction int // of a price
	Percent   int
	Remark    string
	Corrected bool // it corrects a mistake

	field string // the field that changed; "" for a line about no field
}

// say returns a line about a field, made of the text "journal.say."+name+"-html" and values. It panics if there is no
// such text.
func say(v *view.View, field, name string, values ...any) journalLine {
	said, err := v.Text.HTML("journal.say."+name+"-html", values...)
	if err != nil {
		panic(err) // a test checks the names
	}
	return journalLine{Said: said, field: field}
}

// strong returns a value in bold.
func strong(s string) template.HTML { return "<b>" + view.Escaped(s) + "</b>" }

// endingLine returns the line for a new, moved, withdrawn or otherwise changed announcement of an end.
func endingLine(v *view.View, was, is *catalog.LoggedItem) journalLine {
	day := func(d catalog.Date) string { return v.Text.Date(d.Time()) }
	switch {
	case is.EndsAt == "":
		return journalLine{Said: view.Escaped(v.Text.Must("journal.say.ends-not"))}
	case was.EndsAt == "":
		return say(v, "", "ends", strong(day(is.EndsAt)))
	case was.EndsAt != is.EndsAt:
		return say(v, "", "ends-moved", day(was.EndsAt), strong(day(is.EndsAt)))
	default:
		return journalLine{Said: view.Escaped(v.Text.Must("journal.say.ends-detail"))}
	}
}

// announcedLine returns the line for a new, moved, withdrawn or otherwise changed announcement of a price.
func announcedLine(v *view.View, was, is *catalog.LoggedItem) journalLine {
	day := func(d catalog.Date) string { return v.Text.Date(d.Time()) }
	switch {
	case is.From == "":
		return journalLine{Said: view.Escaped(v.Text.Must("journal.say.costs-not"))}
	case was.From == "":
		return say(v, "", "costs", strong(v.Price(is.Price)), strong(day(is.From)))
	case was.From != is.From || was.Price != is.Price:
		return say(v, "", "costs-moved", strong(v.Price(is.Price)), strong(day(is.From)), v.Price(was.Price), day(was.From))
	default:
		return journalLine{Said: view.Escaped(v.Text.Must("journal.say.costs-detail"))}
	}
}

// repricedLine returns the line for a change of price, or for the first price.
func repricedLine(v *view.View, was, is figures.Offer) journalLine {
	if was == (figures.Offer{}) {
		return say(v, "price", "price-new", strong(v.Offer(is)))
	}
	change := figures.NewRepricing(was, is)
	if was.Price == is.Price && is.Pricing != catalog.Free {
		return say(v, "price", "price-still", v.Remark(change), strong(v.Offer(is)))
	}
	var line journalLine
	switch {
	case is.Pricing == catalog.Free:
		return say(v, "price", "price-free", v.Offer(was))
	case was.Pricing == catalog.Free:
		line = say(v, "price", "price-paid", strong(v.Offer(is)))
		if is.Pricing == catalog.Paid {
			return line
		}
	default:
		from, to := v.PriceRange(was.Price, is.Price)
		line = say(v, "price", "price", from, strong(to))
	}
	line.Direction, line.Percent, line.Remark = change.Direction, change.Percent, v.Remark(change)
	return line
}

// cemeteryLines returns the lines for an entry of the cemetery that was added, changed or removed.
func cemeteryLines(v *view.View, t catalog.EventType, was, is *catalog.LoggedItem) []journalLine {
	said := func(name string, args ...any) []journalLine {
		return []journalLine{{Said: view.Escaped(v.Text.Must("journal.say."+name, args...))}}
	}
	switch t {
	case catalog.CemeteryAdded:
		return said("buried", v.Reason(is.Reason))
	case catalog.CemeteryRemoved:
		return said("unburied")
	default:
	}
	if lines := cemeteryChanges(v, was, is); len(lines) > 0 {
		return lines
	}
	return said("obituary")
}

// cemeteryChanges returns what differs in an entry of the cemetery.
func cemeteryChanges(v *view.View, was, is *catalog.LoggedItem) []journalLine {
	var lines []journalLine
	if was.Name != is.Name {
		lines = append(lines, say(v, "name", "name", was.Name, strong(is.Name)))
	}
	if was.Reason != is.Reason {
		lines = append(lines, say(v, "reason", "reason", v.Reason(was.Reason), strong(v.Reason(is.Reason))))
	}
	return lines
}

// catalogLines returns the lines for a change of the catalog itself: its name, URL and categories.
func catalogLines(v *view.View, e *catalog.LogEntry) []journalLine {
	was, is, err := e.Catalogs()
	if err != nil {
		return nil // it was decoded before
	}
	var lines []journalLine
	if was.Name != is.Name {
		lines = append(lines, say(v, "", "catalog-was", was.Name, strong(is.Name)))
	}
	if was.URL != is.URL {
		lines = append(lines, say(v, "", "catalog-address", was.URL, strong(is.URL)))
	}
	label := func(c catalog.LoggedCategory) template.HTML {
		if now := v.CategoryOf(c.Slug); now.Label == c.Label {
			return v.MarkedCategory(c.Slug)
		}
		return v.Text.French(c.Label)
	}
	find := func(list []catalog.LoggedCategory, slug string) int {
		return slices.IndexFunc(list, func(c catalog.LoggedCategory) bool { return c.Slug == slug })
	}
	same := true // no category was opened, renamed or closed; then only their order may differ
	for _, c := range is.Categories {
		switch i := find(was.Categories, c.Slug); {
		case i < 0:
			lines, same = append(lines, say(v, "", "opened", "<b>"+label(c)+"</b>")), false
		case was.Categories[i].Label != c.Label:
			lines, same = append(lines, say(v, "", "relabelled", label(was.Categories[i]), "<b>"+label(c)+"</b>")), false
		}
	}
	for _, c := range was.Categories {
		if find(is.Categories, c.Slug) < 0 {
			lines, same = append(lines, say(v, "", "closed", label(c))), false
		}
	}
	if same && !slices.Equal(was.Categories, is.Categories) {
		lines = append(lines, journalLine{Said: view.Escaped(v.Text.Must("journal.say.ordered"))})
	}
	return lines
}
