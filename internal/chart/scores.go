package chart

import (
	"html/template"
	"strconv"
	"time"
)

// Tenths is how many scores there are on a ruler from 0 to 10, in tenths.
const Tenths = 101

// Strip draws how many have each score, in tenths, as bars on a ruler from 0 to 10, and marks one of them with a word.
// It returns "" where nobody has that score.
func Strip(f Frame, counts [Tenths]int, tenth int, here string) template.HTML {
	if tenth < 0 || tenth >= Tenths || counts[tenth] == 0 {
		return ""
	}
	high := 1
	for _, n := range counts {
		high = max(high, n)
	}
	p := plot{box: box{leftMargin, topMargin, float64(f.Width) - leftMargin, float64(f.Height) - bottomMargin}, low: 0, high: high}
	s := newSlots(p, Tenths)
	c := newCanvas(f)
	label := text{s: here, class: "lbl", anchor: middle, x: s.middle(tenth), y: 14}
	half := width(here, 15)/2 + 1
	label.x = min(max(label.x, half), c.size.right-half)
	c.write(label)
	for i, n := range counts {
		if n == 0 {
			continue
		}
		b := s.box(i, p.y(n), p.bottom)
		b.top = min(b.top, p.bottom-6) // one among thousands is still seen
		class := "bar rest"
		if i == tenth {
			class = "bar today"
			b.left, b.right = b.left-1, b.right+1
			c.path("axis", at("M", s.middle(i), 20)+"V"+number(b.top))
		}
		c.rect(class, b, "")
	}
	c.path("axis", at("M", p.left, p.bottom)+"H"+number(p.right))
	for score := range 11 {
		x := s.middle(score * 10)
		c.path("axis", at("M", x, p.bottom)+"v5")
		if score%2 == 0 {
			c.write(c.tickText(strconv.Itoa(score), x))
		}
	}
	return c.html()
}

// A Run is a time in which there was a score throughout.
type Run struct {
	Points []Point   // in hundredths
	End    time.Time // its last day; zero if it lasts
}

// Scores draws scores over time as step lines on a ruler from 0 to 10, one for each run. It returns "" without any.
func Scores(f Frame, runs []Run, from, until time.Time) template.HTML {
	p := newPlot(f, nil, 0, 1000, midnight(from), midnight(until).Add(day))
	c := newCanvas(f)
	for _, v := range []int{200, 400, 600, 800, 1000} {
		c.gridLine(p, p.y(v), strconv.Itoa(v/100))
	}
	c.axis(p, ticks(f, p.from, midnight(until), until.Sub(from) <= 62*day, p.x(p.from.Add(day))-p.left))
	drawn := false
	for _, r := range runs {
		points, span := pricesWithin(r.Points, Span{From: from, Until: until, End: r.End})
		if len(points) == 0 {
			continue
		}
		drawn = true
		s := newStairs(p, points, span.End)
		c.path("line", s.path)
		for _, at := range s.points {
			c.dot(at.x, at.y, s.radius, f.tip(at.Point))
		}
		c.label(f, p, s)
	}
	if !drawn {
		return ""
	}
	return c.html()
}
