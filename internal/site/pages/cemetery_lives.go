package pages

import (
	"html/template"
	"math"
	"time"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/chart"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var livesTexts = layout.Texts{
	"lives.title": {"Lignes de vie", "Lifelines"},
	"lives.gone": {
		"%s outil a quitté le catalogue|%s outils ont quitté le catalogue", "%s tool has left the catalogue|%s tools have left the catalogue",
	},
	"lives.year": {", dont %s depuis un an.", ", %s of them within a year."},
	"lives.soon": {"%s autre a une date de fin.|%s autres ont une date de fin.", "%s more has an end date.|%s more have an end date."},
	"lives.drawn": {
		"Les %s plus récents sont dessinés, tous sont plus bas.", "The latest %s are drawn, all are listed below.",
	},
	"lives.key":        {"Comment lire", "How to read it"},
	"lives.key.frame":  {"Le cadre ferme la vie et porte la dernière note\u202f; une croix, s’il n’y en a pas eu.", "The frame ends a life and holds its last score; a cross, if it had none."},
	"lives.key.from":   {"Le trait part du jour où l’outil entre au catalogue.", "The line starts on the day the tool entered the catalogue."},
	"lives.key.before": {"Pointillé à gauche\u00a0: entré avant notre relevé, on ne sait pas quand.", "Dotted on the left: it came before our record, nobody knows when."},
	"lives.key.next":   {"Pointillé rouge\u00a0: la fin est annoncée. Sa longueur ne mesure rien, la date fait foi.", "Dotted in red: the end has been announced. Its length measures nothing; go by the date."},
	"lives.table":      {"Les mêmes vies, en tableau", "The same lives, as a table"},
	"lives.tool":       {"Outil", "Tool"},
	"lives.from":       {"Entré", "Entered"},
	"lives.until":      {"Fin", "End"},
	"lives.score":      {"Dernière note", "Last score"},
	"lives.fate":       {"Raison", "Reason"},
	"lives.unknown":    {"avant notre relevé", "before our record"},
	"lives.unscored":   {"sans note", "no score"},
	"lives.announced":  {"annoncée", "announced"},
	"lives.today":      {"aujourd’hui", "today"},
	"lives.died":       {"†\u00a0%s, avant notre relevé", "†\u00a0%s, before our record"},
	"lives.ends":       {"†\u00a0%s\u00a0%d", "†\u00a0%s\u00a0%d"},
}

// The most lives that a drawing shows: a narrow one takes two rows for each.
const (
	wideLives   = 60
	narrowLives = 24
)

// lifelines are the lives of retired tools and of those whose end is announced, as two drawings and as a table.
type lifelines struct {
	Sentence     string
	Wide, Narrow lifeDrawing
	Before, Next bool // some began before the record; some have an announced end
	Rows         []lifeRow
}

// A lifeDrawing is one of the drawings. More says that it leaves some out; "" if it does not.
type lifeDrawing struct {
	SVG  template.HTML
	More string
}

// A lifeRow is a life in the table.
type lifeRow struct {
	Name, Path  string
	From, Until catalog.Date // From is "" where it is not known
	Score       catalog.Measure
	Fate        string // "" for a tool that is still alive
}

// newLifelines returns the lives of these tools with an announced end, and of those that a page of the cemetery lists.
func newLifelines(v *view.View, p params.Cemetery, soon soon) lifelines {
	query := p.Query()
	query.Paging = catalog.Paging{Page: 1, Limit: wideLives}
	dead := v.Catalog.Cemetery(query)
	all := dead.Total + len(soon.Tools) + soon.More
	if all == 0 {
		return lifelines{}
	}
	x := lifelines{Sentence: livesSentence(v, query, len(soon.Tools)+soon.More)}
	for _, t := range soon.Tools {
		from, score := lastLife(v, t.Slug)
		if !score.Known {
			score = t.Score
		}
		x.Rows = append(x.Rows, lifeRow{t.Name, v.Path(address.Tool, t.Slug), from, t.Ending.At, score, ""})
	}
	for _, t := range dead.Items[:min(len(dead.Items), wideLives-len(x.Rows))] {
		from, score := lastLife(v, t.Slug)
		x.Rows = append(x.Rows, lifeRow{
			t.Name, v.Path(address.Tool, t.Slug), from, t.RetiredAt, score, v.Reason(t.Reason),
		})
	}
	for _, r := range x.Rows {
		x.Before, x.Next = x.Before || r.From == "", x.Next || r.Fate == ""
	}
	x.Wide = drawLives(v, chart.Wide, x.Rows, all)
	x.Narrow = drawLives(v, chart.Narrow, x.Rows[:min(len(x.Rows), narrowLives)], all)
	return x
}

// lastLife returns the day on which the last life of a tool began, "" where it is not known, and its last score.
func lastLife(v *view.View, slug string) (from catalog.Date, score catalog.Measure) {
	list, _ := v.Catalog.Intervals(slug)
	for _, i := range list {
		if i.Field == catalog.LifeHistory {
			from = i.From
			break
		}
	}
	for _, i := range list {
		if i.Field == catalog.ScoreHistory && i.From >= from {
			return from, i.Score
		}
	}
	return from, score
}

// livesSentence says how many tools are gone, how many of them within a year, and how many others have an end.
func livesSentence(v *view.View, q catalog.CemeteryQuery, soon int) string {
	q.Paging = catalog.Paging{Page: 1, Limit: max(1, v.Catalog.Stats().Retired)}
	page, year, before := v.Catalog.Cemetery(q), 0, catalog.DateOf(v.Figures.Today.Time().AddDate(-1, 0, 0))
	for _, r := range page.Items {
		if r.RetiredAt > before {
			year++
		}
	}
	s := v.Text.Many("lives.gone", page.Total) + v.Text.Must("lives.year", v.Text.Integer(year))
	if soon > 0 {
		s += " " + v.Text.Many("lives.soon", soon)
	}
	return s
}

func drawLives(v *view.View, width int, rows []lifeRow, all int) (d lifeDrawing) {
	var lives []chart.Life
	var since catalog.Date
	for _, r := range rows {
		l := chart.Life{Name: r.Name, Path: r.Path}
		if r.From != "" {
			l.From = r.From.Time()
			if since == "" || r.From < since {
				since = r.From
			}
		}
		if r.Fate == "" {
			l.End = r.Until.Time()
		} else {
			l.Until, l.Fates = r.Until.Time(), []string{r.Fate}
		}
		if r.Score.Known {
			l.Score = v.Text.Measure(r.Score)
		}
		lives = append(lives, l)
	}
	var first time.Time
	if since != "" {
		first = since.Time()
	}
	words := chart.LivesWords{
		Today: v.Text.Must("lives.today"),
		Died:  func(t time.Time) string { return v.Text.Must("lives.died", v.Text.Date(t)) },
		Ends:  func(t time.Time) string { return v.Text.Must("lives.ends", v.Text.ShortMonth(t), t.Year()) },
	}
	d.SVG = chart.Lives(chartFrame(v, width, 0, ""), words, lives, first, v.Figures.Today.Time())
	if len(rows) < all {
		d.More = v.Text.Must("lives.drawn", v.Text.Integer(len(rows)))
	}
	return d
}

// A soon is the list of tools with an announced end, the first to end first.
type soon struct {
	Tools []soonTool
	More  int // tools that the page leaves out
	Call  layout.Call
}

// A soonTool is a tool with an announced end.
type soonTool struct {
	*catalog.Tool
	End    ending
	Passed bool // it should have ended by now
}

// shownSoon is the most of them that the page shows.
const shownSoon = 12

// newSoon returns the tools whose end is announced, in a category or, if that is "", in all.
func newSoon(v *view.View, category string) soon {
	s := soon{Call: v.Call("/api/v1/endings")}
	for _, t := range v.Catalog.Endings(catalog.Paging{Page: 1, Limit: math.MaxInt}).Items {
		switch {
		case category != "" && t.Category != category:
		case len(s.Tools) < shownSoon:
			s.Tools = append(s.Tools, soonTool{t, newEnding(v, t), t.Ending.At < v.Figures.Today})
		default:
			s.More++
		}
	}
	return s
}
