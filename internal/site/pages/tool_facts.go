package pages

import (
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var factTexts = layout.Texts{
	"fact.checked":       {"vérifié le %s", "checked on %s"},
	"fact.aged":          {"vérifié le %s, il y a plus de 90\u00a0jours", "checked on %s, more than 90 days ago"},
	"ending.title":       {"Bientôt la fin", "Ending soon"},
	"ending.ends":        {"%s s’arrêtera le %s.", "%s will end on %s."},
	"ending.passed":      {"%s devait s’arrêter le %s. Ce jour est passé\u00a0: la rédaction doit encore le retirer du catalogue.", "%s was to end on %s. That day has passed: the editors have yet to retire it."},
	"ending.source":      {"L’annonce", "The announcement"},
	"ending.instead":     {"À prendre à la place\u00a0:", "Use instead:"},
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
	"tool.retired.check": {"Date du retrait\u00a0:", "Date of the retirement:"},
	"tool.retired.date":  {"Date du retrait", "Date of the retirement"},
}

// maxAge is the age in days from which a page says how old a check is.
const maxAge = 90

// A check says where a value comes from and when somebody last looked. The zero check says nothing.
type check struct {
	Source, Said string
	Note         string // in French, on French pages alone
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

// A sourceRow is what editors see of the source of a value.
type sourceRow struct {
	Name, Value, Source string
	Age                 string // "" where nobody says when it was checked
	Old                 bool
	Text, Note          string
}

// newSources lists every value that can have a source, for editors; none for readers.
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

// toolChecks are those of a tool.
type toolChecks struct{ Price, Score, Domain check }

func newToolChecks(v *view.View, t *catalog.Tool) toolChecks {
	return toolChecks{newCheck(v, t.Facts.Price), newCheck(v, t.Facts.Score), newCheck(v, t.Facts.Domain)}
}

// A successor is the tool to use instead of one that has ended or will. The zero successor is none.
type successor struct{ Slug, Name, Path string }

func newSuccessor(v *view.View, slug string) successor {
	if t, ok := v.Catalog.Tool(slug); ok {
		return successor{slug, t.Name, v.Path(address.Tool, slug)}
	}
	return successor{}
}

// An ending says that a tool will end, or should have. The zero ending says nothing.
type ending struct {
	Name    string // of the tool
	Said    string // a sentence that names it
	Row     string // one that stands beside its name
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

// endings are those of the tools of a list, by slug. Few tools have one.
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

// A shortList is a list of tools beside something else.
type shortList struct {
	Tools []*catalog.Tool
	Ends  endings
}

func newShortList(v *view.View, tools []*catalog.Tool) shortList {
	return shortList{tools, newEndings(v, tools...)}
}
