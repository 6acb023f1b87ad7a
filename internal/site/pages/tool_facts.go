package pages

import (
	"html/template"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/figures"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var factTexts = layout.Texts{
	"fact.checked":       {"vérifié le %s", "checked on %s"},
	"fact.aged":          {"vérifié le %s, à revoir", "checked on %s, due"},
	"ending.title":       {"Bientôt la fin", "Ending soon"},
	"ending.ends":        {"%s s’arrêtera le %s.", "%s will end on %s."},
	"ending.passed":      {"%s devait s’arrêter le %s. Ce jour est passé\u00a0: la rédaction doit encore le retirer du catalogue.", "%s was to end on %s. That day has passed: the editors have yet to retire it."},
	"ending.source":      {"L’annonce", "The announcement"},
	"ending.instead":     {"À la place\u00a0:", "Instead:"},
	"ending.row":         {"S’arrêtera le %s.", "Will end on %s."},
	"ending.row.passed":  {"Devait s’arrêter le %s.", "Was to end on %s."},
	"fact.sources":       {"Sources", "Sources"},
	"sources.title":      {"Sources, pour la rédaction", "Sources, for editors"},
	"sources.lede":       {"Seul l’aperçu montre ce tableau.", "Only the preview shows this table."},
	"sources.field":      {"Donnée", "Value"},
	"sources.source":     {"Source", "Source"},
	"sources.age":        {"Vérifiée", "Checked"},
	"sources.none":       {"aucune source", "no source"},
	"sources.days":       {"il y a %s\u00a0jour|il y a %s\u00a0jours", "%s day ago|%s days ago"},
	"sources.today":      {"aujourd’hui", "today"},
	"sources.text":       {"texte cherché\u00a0: %s", "text looked for: %s"},
	"sources.end":        {"Fin annoncée", "Announced end"},
	"tool.retired.check": {"Date du retrait\u00a0:", "Retirement date:"},
	"tool.retired.date":  {"Date du retrait", "Retirement date"},
}

// maxAge is the age in days up to which a check is recent. Pages say so if a check is older.
const maxAge = 90

// A check is the source of a value and a sentence that says when it was last checked. The zero check shows nothing.
type check struct {
	Source, Said string
	Note         string // in French; "" on other pages
}

func newCheck(v *view.View, f catalog.Fact) check {
	if !f.Known() {
		return check{}
	}
	c := check{Source: f.Source}
	text := "fact.checked"
	if f.Age(v.Figures.Today) > maxAge {
		text = "fact.aged"
	}
	c.Said = v.Text.Must(text, v.Text.Date(f.Checked.Time()))
	if !v.Foreign() {
		c.Note = locale.FrenchText(f.Note)
	}
	return c
}

// A sourceRow is a value and its source in the table for editors.
type sourceRow struct {
	Name, Value, Source string
	Age                 string // "" if it was never checked
	Old                 bool
	Text, Note          string
}

// newSources returns a row for every value that can have a source and, if an end is announced, one for that. It returns
// rows only in a preview, where editors see them.
func newSources(v *view.View, facts []catalog.FieldFact, end catalog.Ending) (rows []sourceRow) {
	if !v.Site.Preview {
		return nil
	}
	for _, f := range facts {
		row := sourceRow{Name: v.Text.Must("report.field." + string(f.Field)), Value: f.Value, Source: f.Source, Note: f.Note}
		if f.Known() {
			days := f.Age(v.Figures.Today)
			row.Age, row.Old = v.Text.Many("sources.days", days), days > maxAge
			if days <= 0 {
				row.Age = v.Text.Must("sources.today")
			}
		}
		if f.Text != "" {
			row.Text = v.Text.Must("sources.text", f.Text)
		}
		rows = append(rows, row)
	}
	if end.Announced() {
		rows = append(rows, sourceRow{Name: v.Text.Must("sources.end"), Value: string(end.At), Source: end.Source})
	}
	return rows
}

// toolChecks are the checks of a tool.
type toolChecks struct{ Price, Score, Domain check }

func newToolChecks(v *view.View, t *catalog.Tool) toolChecks {
	return toolChecks{newCheck(v, t.Facts.Price), newCheck(v, t.Facts.Score), newCheck(v, t.Facts.Domain)}
}

// A successor is the tool that editors name to use instead of one that has ended or will end. The zero successor means
// none.
type successor struct{ Slug, Name, Path string }

func newSuccessor(v *view.View, slug string) successor {
	if t, ok := v.Catalog.Tool(slug); ok {
		return successor{slug, t.Name, v.Path(address.Tool, slug)}
	}
	return successor{}
}

// An ending is the announced end of a tool, whose date may be past. The zero ending shows nothing.
type ending struct {
	Name    string // of the tool
	Said    string // a sentence with the name
	Row     string // a sentence to put beside the name
	Source  string
	Instead successor
}

func newEnding(v *view.View, t *catalog.Tool) ending {
	if !t.Ending.Announced() {
		return ending{}
	}
	said, row := "ending.ends", "ending.row"
	if t.Ending.At < v.Figures.Today {
		said, row = "ending.passed", "ending.row.passed"
	}
	day := v.Text.Date(t.Ending.At.Time())
	return ending{
		Name: t.Name, Said: v.Text.Must(said, t.Name, day), Row: v.Text.Must(row, day), Source: t.Ending.Source,
		Instead: newSuccessor(v, t.Ending.Successor),
	}
}

// endings maps the slugs of the tools in a list to their announced ends. Few tools have one, so it may be nil.
type endings map[string]ending

func newEndings(v *view.View, tools ...*catalog.Tool) endings {
	var found endings
	for _, t := range tools {
		if !t.Ending.Announced() {
			continue
		}
		if found == nil {
			found = make(endings)
		}
		found[t.Slug] = newEnding(v, t)
	}
	return found
}

// A shortList is a short list of tools as part of a page.
type shortList struct {
	Tools []*catalog.Tool
	Ends  endings
}

func newShortList(v *view.View, tools []*catalog.Tool) shortList {
	return shortList{tools, newEndings(v, tools...)}
}

var toolChangesTexts = layout.Texts{
	"changes.title":         {"Derniers changements", "Latest changes"},
	"changes.none":          {"Rien n’a changé ces derniers temps.", "Nothing has changed lately."},
	"changes.created":       {"Entrée au catalogue", "Added to the catalogue"},
	"changes.renamed":       {"Identifiant", "Slug"},
	"changes.revised":       {"Fiche revue", "Entry revised"},
	"changes.review.out":    {"Avis publié", "Review published"},
	"changes.review.gone":   {"Avis retiré", "Review withdrawn"},
	"changes.name":          {"Nom", "Name"},
	"changes.domain":        {"Site", "Website"},
	"changes.category":      {"Catégorie", "Category"},
	"changes.icp":           {"Public", "Audience"},
	"changes.pricing":       {"Formule", "Pricing"},
	"changes.price":         {"Prix", "Price"},
	"changes.score":         {"Note", "Score"},
	"changes.verifiability": {"Vérifiabilité", "Verifiability"},
	"changes.tagline":       {"Présentation", "Tagline"},
	"changes.adjusted":      {"%s\u00a0: retouche de moins d’un dixième, toujours %s", "%s: adjusted by less than a tenth, still %s"},
	"changes.corrected":     {"%s\u00a0: %s (corrigé)", "%s: %s (corrected)"},
	"changes.move-html":     {"\u00a0: %s → <b>%s</b>", ": %s → <b>%s</b>"},
}

// A toolChange is what an edition changed about a tool.
type toolChange struct {
	Day   catalog.Date
	Lines []changeLine
}

// A changeLine is one change: what changed, from Old to New.
type changeLine struct {
	What     string
	Old, New template.HTML // both empty when What says it all
}

// lastChanges returns the last changes of a tool, newest first.
func lastChanges(v *view.View, slug string) ([]toolChange, error) {
	var changes []toolChange
	for _, e := range v.Figures.ToolLogs[slug].Last {
		c := toolChange{Day: catalog.DateOf(e.At)}
		if e.Type == catalog.ToolCreated {
			c.Lines = []changeLine{{What: v.Text.Must("changes.created")}}
		} else {
			was, is, err := v.Figures.Amended.Logged(e)
			if err != nil {
				return nil, err
			}
			if e.Type == catalog.ToolRenamed {
				c.Lines = []changeLine{{v.Text.Must("changes.renamed"), view.Escaped(e.RenamedFrom), view.Escaped(e.RenamedTo)}}
			}
			c.Lines = append(c.Lines, differences(v, was, is, v.Figures.Amended[e.Seq], len(c.Lines) > 0)...)
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// differences returns a line for each difference between two states of a tool. Mistakes that were corrected since do
// not count; x has the corrections, or is nil. If nothing visible differs, it returns one line that says so, unless
// told is set: there are lines about the change already.
func differences(v *view.View, a, b *catalog.LoggedItem, x *figures.Amended, told bool) []changeLine {
	var lines []changeLine
	add := func(field, before, after string, write func(string) template.HTML) {
		if before != after {
			lines = append(lines, changeLine{v.Text.Must("changes." + field), write(before), write(after)})
		}
	}
	plain := view.Escaped
	measure := func(field string, before, after catalog.Measure) {
		switch what := v.Text.Must("changes." + field); {
		case before == after:
		case before.Rounded() == after.Rounded():
			lines = append(lines, changeLine{What: v.Text.Must("changes.adjusted", what, v.Text.Measure(after))})
		default:
			lines = append(lines, changeLine{what, plain(v.Text.Measure(before)), plain(v.Text.Measure(after))})
		}
	}
	add("name", a.Name, b.Name, plain)
	if x != nil && x.Score && a.Score == b.Score {
		lines = append(lines, changeLine{What: v.Text.Must("changes.corrected", v.Text.Must("changes.score"), v.Text.Measure(b.Score))})
	}
	measure("score", a.Score, b.Score)
	measure("verifiability", a.Verifiability, b.Verifiability)
	if x != nil && x.Price && a.Price == b.Price && a.Pricing == b.Pricing {
		lines = append(lines, changeLine{What: v.Text.Must("changes.corrected", v.Text.Must("changes.price"), v.Price(b.Price))})
	}
	add("price", a.Price, b.Price, func(s string) template.HTML { return plain(v.Price(s)) })
	add("pricing", string(a.Pricing), string(b.Pricing), func(s string) template.HTML { return plain(v.Text.Must("pricing." + s)) })
	add("category", a.Category, b.Category, v.MarkedCategory)
	add("icp", string(a.ICP), string(b.ICP), func(s string) template.HTML { return plain(v.Text.Must("icp." + s)) })
	add("domain", a.Domain, b.Domain, plain)
	add("tagline", a.Tagline, b.Tagline, v.Text.French)
	switch {
	case a.ReviewURL == "" && b.ReviewURL != "":
		lines = append(lines, changeLine{What: v.Text.Must("changes.review.out")})
	case a.ReviewURL != "" && b.ReviewURL == "":
		lines = append(lines, changeLine{What: v.Text.Must("changes.review.gone")})
	case len(lines) == 0 && !told: // the text of its review, or what the API does not show
		lines = append(lines, changeLine{What: v.Text.Must("changes.revised")})
	}
	return lines
}
