package pages

import (
	"html/template"
	"slices"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/chart"
	"github.com/palmares-hq/palmares/internal/figures"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var toolScoreTexts = layout.Texts{
	"toolscore.title": {"La note", "The score"},
	"toolscore.first": {"Aucun des %s outils notés ne fait mieux.", "None of the %s scored tools does better."},
	"toolscore.better": {
		"%s outil noté fait mieux, sur %s.|%s outils notés font mieux, sur %s.", "%s scored tool does better, of %s.|%s scored tools do better, of %s.",
	},
	"toolscore.here":  {"ici, %s", "here, %s"},
	"toolscore.strip": {"Toutes les notes, de %s à %s\u202f; celle-ci est de %s.", "All scores, from %s to %s; this one is %s."},
	"toolscore.steps": {"Au fil du temps", "Over time"},
	"toolscore.chart": {"La note de %s, de %s le %s à %s le %s.", "The score of %s, from %s on %s to %s on %s."},
	"toolscore.tip":   {"%s\u00a0: %s", "%s: %s"},
	"toolscore.table": {"%s note, en tableau|%s notes, en tableau", "%s score, as a table|%s scores, as a table"},
	"toolscore.since": {"Depuis le", "Since"},
	"toolscore.start": {"le début", "the beginning"},
}

// A scorePage is the data of the section about a tool's score beside all others, and over time.
type scorePage struct {
	Sentence string
	Strip    [2]template.HTML // wide, narrow
	Steps    [2]template.HTML // empty if it has had one score
	Rows     []scoreRow       // the newest first; none if there are no Steps
}

// A scoreRow is a score, and the day from which the tool has it: "" where that is not known.
type scoreRow struct {
	Since catalog.Date
	Score catalog.Measure
}

// newScorePage returns nil for a tool without a score.
func newScorePage(v *view.View, t *catalog.Tool, rank catalog.Rank) *scorePage {
	scores := v.Figures.Scores()
	low, high, ok := scores.Ends()
	if !t.Score.Known || !ok {
		return nil
	}
	scored := v.Text.Integer(v.Catalog.Stats().Tested)
	p := &scorePage{Sentence: v.Text.Must("toolscore.first", scored)}
	if better := rank.Overall - 1; better > 0 {
		p.Sentence, _ = v.Text.Count("toolscore.better", better, scored)
	}
	tenths := func(n int) string { return v.Text.Measure(catalog.Hundredths(n * 10)) }
	own := v.Text.Measure(t.Score)
	for i, width := range []int{chart.Wide, chart.Narrow} {
		f := chartFrame(v, width, 104, v.Text.Must("toolscore.strip", tenths(low), tenths(high), own))
		p.Strip[i] = chart.Strip(f, *scores, figures.Tenth(t.Score), v.Text.Must("toolscore.here", own))
	}
	p.draw(v, t)
	return p
}

// draw draws the scores of the tool's present life, if there were several.
func (p *scorePage) draw(v *view.View, t *catalog.Tool) {
	life, _ := lastLife(v, t.Slug)
	var own []catalog.Interval
	list, _ := v.Catalog.Intervals(t.Slug)
	for _, i := range slices.Backward(list) { // the oldest first
		if i.Field == catalog.ScoreHistory && i.From >= life {
			own = append(own, i)
		}
	}
	if len(own) < 2 {
		return
	}
	from := own[0].From
	if from == "" {
		from = v.Figures.FollowedFrom(t.Slug, own[1].From)
	}
	var runs []chart.Run
	for i, x := range own {
		p.Rows = slices.Insert(p.Rows, 0, scoreRow{x.From, x.Score})
		if i == 0 || own[i-1].Until != x.From {
			runs = append(runs, chart.Run{})
		}
		run := &runs[len(runs)-1]
		run.Points = append(run.Points, chart.Point{Day: max(x.From, from).Time(), Value: int(x.Score.Hundredths)})
		if run.End = (time.Time{}); x.Until != "" {
			run.End = x.Until.Time().AddDate(0, 0, -1)
		}
	}
	first, last := own[0], own[len(own)-1]
	title := v.Text.Must("toolscore.chart", t.Name, v.Text.Measure(first.Score), v.Text.Date(from.Time()),
		v.Text.Measure(last.Score), v.Text.Date(last.From.Time()))
	for i, width := range []int{chart.Wide, chart.Narrow} {
		f := chartFrame(v, width, 190, title)
		f.Value = func(hundredths int) string { return v.Text.Measure(catalog.Hundredths(hundredths)) }
		f.Tip = func(day time.Time, hundredths int) string {
			return v.Text.Must("toolscore.tip", v.Text.Date(day), f.Value(hundredths))
		}
		p.Steps[i] = chart.Scores(f, runs, from.Time(), v.Figures.Today.Time())
	}
}
