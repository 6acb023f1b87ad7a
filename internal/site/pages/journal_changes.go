package pages

import (
	"html/template"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/figures"
	"github.com/palmares-hq/palmares/internal/site/view"
)

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
