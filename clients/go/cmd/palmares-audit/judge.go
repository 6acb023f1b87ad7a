package main

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"time"
)

// A day is a date such as 2026-11-16; "" for none.
type day string

func (d day) time() time.Time {
	t, _ := time.Parse(time.DateOnly, string(d))
	return t
}

func (d day) valid() bool {
	_, err := time.Parse(time.DateOnly, string(d))
	return err == nil
}

// words returns the day as people write it, such as 16 November 2026.
func (d day) words() string { return d.time().Format("2 January 2006") }

// until returns the days from d until another one.
func (d day) until(other day) int { return int(other.time().Sub(d.time()).Hours() / 24) }

// The kinds of findings, the gravest first.
const (
	retired  = "retired"
	ending   = "ending"
	dearer   = "dearer"
	lowScore = "low_score"
)

// Rules are what is asked for: a kind, and its bound.
type rules map[string]float64

// parseRules reads what --fail-on says.
func parseRules(text string) (rules, error) {
	r := make(rules)
	if text == "none" {
		return r, nil
	}
	for _, item := range strings.Split(text, ",") {
		kind, bound, bounded := strings.Cut(strings.TrimSpace(item), ":")
		unit, usual := "", 0.0
		switch kind {
		case retired:
			if bounded {
				return nil, fmt.Errorf("--fail-on: %s takes no bound", kind)
			}
		case ending:
			unit, usual = "d", math.MaxInt32
		case dearer:
			unit = "%"
		case lowScore:
			usual = 5
		default:
			return nil, fmt.Errorf("--fail-on: %q is none of retired, ending:180d, dearer:20%%, low_score:5 and none", kind)
		}
		if r[kind] = usual; bounded {
			number, found := strings.CutSuffix(bound, unit)
			n, err := strconv.ParseFloat(number, 64)
			if err != nil || !found || !(n >= 0 && n <= math.MaxInt32) { // NaN is neither
				return nil, fmt.Errorf("--fail-on: write %s as in retired,ending:180d,dearer:20%%,low_score:5", kind)
			}
			r[kind] = n
		}
	}
	return r, nil
}

// A finding is what there is to say against a dependency.
type finding struct {
	dependency
	id      string
	kind    string
	row     row
	detail  string
	line    int
	asked   bool    // by --fail-on; any other is for information
	ignored *ignore // nil if it is not
	fails   bool
}

// A verdict is what an audit found.
type verdict struct {
	catalogue  catalogue
	today      day
	findings   []finding
	ambiguous  []finding // an id of several tools; detail has their slugs
	direct     counts
	transitive counts
	accepted   int // findings that the baseline has
	all        bool
	baseline   baseline // what --accept writes
}

type counts struct{ all, known, ambiguous, failing int }

func (c counts) unknown() int { return c.all - c.known - c.ambiguous }

// An audit is what is asked of a project.
type audit struct {
	rules    rules
	today    day
	all      bool // transitive dependencies fail, too
	ignores  []*ignore
	baseline *baseline // nil for none
}

// judge compares a project with the catalogue.
func (a audit) judge(p *project, list []dependency, c catalogue) (verdict, error) {
	v := verdict{catalogue: c, today: a.today, all: a.all}
	v.baseline = baseline{Day: c.day, Accepted: make(map[string]accepted)}
	known, err := c.look(list)
	if err != nil {
		return verdict{}, err
	}
	for _, d := range list {
		count := &v.direct
		if !d.direct {
			count = &v.transitive
		}
		count.all++
		id, rows := known.find(d)
		switch {
		case len(rows) > 1:
			count.ambiguous++
			var slugs []string
			for _, r := range rows {
				slugs = append(slugs, r.Slug)
			}
			detail := "this may be " + strings.Join(slugs, ", ")
			v.ambiguous = append(v.ambiguous, finding{dependency: d, id: id, line: p.lineOf(d), detail: detail})
		case len(rows) == 1:
			count.known++
			a.one(&v, p, d, id, rows[0])
		}
	}
	for i := range v.findings {
		f := &v.findings[i]
		if f.fails = f.asked && f.ignored == nil && (f.direct || a.all); f.fails {
			v.direct.failing++
		}
	}
	files := make(map[string]int) // in the order in which they were read
	for _, d := range list {
		if _, known := files[d.file]; !known {
			files[d.file] = len(files)
		}
	}
	sort.SliceStable(v.findings, func(i, j int) bool {
		x, y := v.findings[i], v.findings[j]
		switch {
		case x.fails != y.fails:
			return x.fails
		case x.direct != y.direct:
			return x.direct
		case x.file != y.file:
			return files[x.file] < files[y.file]
		}
		return x.line < y.line
	})
	return v, nil
}

// one adds what there is to say of one tool, unless it was accepted.
func (a audit) one(v *verdict, p *project, d dependency, id string, r row) {
	var was *accepted
	if a.baseline != nil {
		if b, ok := a.baseline.Accepted[id]; ok {
			was = &b
		}
	}
	kinds := []string{}
	for _, kind := range []string{retired, ending, dearer, lowScore} {
		bound, asked := a.rules[kind]
		if !asked && kind == ending {
			bound = 180
		}
		if !asked && (kind == dearer || kind == lowScore) {
			continue
		}
		detail := a.against(kind, bound, r, was, v.catalogue.day)
		if detail == "" {
			continue
		}
		if kinds = append(kinds, kind); was.has(kind, r) {
			v.accepted++
			continue
		}
		f := finding{dependency: d, id: id, kind: kind, row: r, detail: detail, line: p.lineOf(d), asked: asked}
		for _, i := range a.ignores {
			if i.is(id, r.Slug) {
				if i.used = true; i.Until >= a.today {
					f.ignored = i
				}
			}
		}
		v.findings = append(v.findings, f)
	}
	v.baseline.Accepted[id] = accepted{r.Slug, kinds, r.EndsAt, r.Score, r.PriceCents, r.PricePeriod}
}

// against returns what there is to say against a tool, "" for nothing.
func (a audit) against(kind string, bound float64, r row, was *accepted, edition day) string {
	instead := ""
	if r.Successor != "" {
		instead = "; its successor is " + r.Successor
	}
	switch {
	case kind == retired && r.Retired && r.EndsAt.valid():
		return "retired on " + r.EndsAt.words() + instead
	case kind == retired && r.Retired:
		return "retired" + instead
	case kind == ending && !r.Retired && r.EndsAt.valid() && float64(a.today.until(r.EndsAt)) <= bound:
		if r.EndsAt < a.today {
			return "was to end on " + r.EndsAt.words() + instead
		}
		return fmt.Sprintf("ends on %s, in %d days%s", r.EndsAt.words(), a.today.until(r.EndsAt), instead)
	case kind == lowScore && r.Score != nil && *r.Score < bound:
		return fmt.Sprintf("its score is %v, below %v", *r.Score, bound)
	case kind == dearer:
		old, period, since := r.OldPriceCents, r.OldPricePeriod, "until "+r.PriceChangedAt.words()
		if was != nil {
			old, period, since = was.PriceCents, was.PricePeriod, "in the baseline"
		} else if !r.PriceChangedAt.valid() || r.PriceChangedAt.time().Before(edition.time().AddDate(-1, 0, 1)) {
			return "" // its price has been the same for a year
		}
		if old == nil || r.PriceCents == nil || *r.PriceCents <= *old || *old > 0 && period != r.PricePeriod {
			return ""
		}
		if *old > 0 && float64(*r.PriceCents-*old)*100 < bound*float64(*old) {
			return ""
		}
		return price(r.PriceCents, r.PricePeriod) + ", it was " + price(old, period) + " " + since
	}
	return ""
}
