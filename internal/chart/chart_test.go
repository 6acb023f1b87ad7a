package chart_test

import (
	"encoding/xml"
	"flag"
	"fmt"
	"html/template"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/chart"
	"github.com/palmares-hq/palmares/internal/testkit"
)

var update = flag.Bool("update", false, "write the golden files anew")

var today = on("2026-11-15")

func on(day string) time.Time {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		panic(err)
	}
	return t
}

var months = [...]string{"janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc."}

func month(t time.Time) string { return months[t.Month()-1] }

func count(n int) string {
	if n >= 1000 {
		return fmt.Sprintf("%s\u202f%03d", count(n/1000), n%1000)
	}
	return strconv.Itoa(n)
}

func euros(cents int) string {
	if cents%100 == 0 {
		return count(cents/100) + "\u00a0€"
	}
	return fmt.Sprintf("%s,%02d\u00a0€", count(cents/100), cents%100)
}

// frame is that of a page in French.
func frame(width, height int, value func(int) string) chart.Frame {
	day := func(t time.Time) string { return strconv.Itoa(t.Day()) + "\u00a0" + month(t) }
	return chart.Frame{
		Title: "Prix de « Tournevis & Fils »", Width: width, Height: height,
		Value: value, Month: month, Day: day,
		Tip: func(t time.Time, v int) string { return fmt.Sprintf("%s %d\u00a0: %s", day(t), t.Year(), value(v)) },
	}
}

// prices are written "2026-01-31 1999".
func prices(lines ...string) []chart.Point {
	var points []chart.Point
	for _, line := range lines {
		day, cents, _ := strings.Cut(line, " ")
		v, err := strconv.Atoi(cents)
		if err != nil {
			panic(err)
		}
		points = append(points, chart.Point{Day: on(day), Value: v})
	}
	return points
}

// many are prices that change every so many days.
func many(n, days int, value func(i int) int) []chart.Point {
	points := make([]chart.Point, n)
	for i := range points {
		points[i] = chart.Point{Day: today.AddDate(0, 0, -days*(n-i)+days/2), Value: value(i)}
	}
	return points
}

func restless(i int) int { return 2000 + (i*7919%13-6)*190 + i*25 }

// index is a value a month, up to this one, and no value where it is negative.
func index(values ...int) []chart.Point {
	var points []chart.Point
	for i, v := range values {
		if v >= 0 {
			points = append(points, chart.Point{Day: on("2026-11-28").AddDate(0, i-len(values)+1, 0), Value: v})
		}
	}
	return points
}

func wave(n, middle, swing int) []int {
	values := make([]int, n)
	for i := range values {
		values[i] = middle + int(float64(swing)*math.Sin(float64(i)/3)) + i*swing/20
	}
	return values
}

func bill(name, labels string, n, next int, value func(i int) int) drawing {
	return drawing{"months-" + name, labels, func(width int) template.HTML {
		var months []chart.Point
		for i := range n {
			months = append(months, chart.Point{Day: on("2026-11-01").AddDate(0, i-n+1+next, 0), Value: value(i)})
		}
		return chart.Months(frame(width, 230, euros), months, today, "aujourd’hui")
	}}
}

// A drawing is drawn at both widths.
type drawing struct {
	name   string
	labels string // those that must be there, separated by spaces
	draw   func(width int) template.HTML
}

func steps(name, labels string, points []chart.Point, span chart.Span) drawing {
	if span.Until.IsZero() {
		span.Until = today
	}
	return drawing{"steps-" + name, labels, func(width int) template.HTML {
		return chart.Steps(frame(width, 250, euros), points, span)
	}}
}

func line(name, labels string, points []chart.Point) drawing {
	return drawing{"line-" + name, labels, func(width int) template.HTML {
		return chart.Line(frame(width, 220, euros), points)
	}}
}

func movements(name, labels string, n int, value func(i int) (up, down int)) drawing {
	return drawing{"movements-" + name, labels, func(width int) template.HTML {
		var m []chart.Movement
		for i := range n {
			up, down := value(i)
			m = append(m, chart.Movement{Month: on("2026-11-01").AddDate(0, i-n+1, 0), Up: up, Down: down})
		}
		tip := func(m chart.Movement) string { return fmt.Sprintf("%s\u00a0: %d, %d", month(m.Month), m.Up, m.Down) }
		return chart.Movements(frame(width, 230, count), chart.MovementWords{Up: "Hausses", Down: "Baisses", Tip: tip}, m)
	}}
}

func bars(name, labels string, n, limit int, value func(i int) int) drawing {
	return drawing{"bars-" + name, labels, func(width int) template.HTML {
		var days []chart.Bar
		for i := range n {
			v := value(i)
			days = append(days, chart.Bar{Day: today.AddDate(0, 0, i-n+1), Value: v, Full: limit > 0 && v >= limit})
		}
		return chart.Bars(frame(width, 220, count), days, limit)
	}}
}

var drawings = []drawing{
	steps("tool", "15_€ 18_€ 20_€ 27_€ 24_€", prices("2024-11-12 1500", "2025-03-10 1800", "2025-09-04 2000", "2026-04-08 2700", "2026-10-06 2400"), chart.Span{}),
	steps("free", "0_€", prices("2025-01-01 0"), chart.Span{}),
	steps("cent", "0,01_€", prices("2025-01-01 1"), chart.Span{}),
	steps("cheap", "0,99_€", prices("2025-06-15 99"), chart.Span{}),
	steps("flat", "20_€", prices("2023-02-01 2000"), chart.Span{}),
	steps("dear", "4_999_€", prices("2026-01-01 499900"), chart.Span{}),
	steps("dearest", "9_999_999,99_€", prices("2025-01-01 1", "2026-11-15 999999999"), chart.Span{}),
	steps("to-free", "20_€ 0_€", prices("2025-01-01 2000", "2026-06-01 0"), chart.Span{}),
	steps("to-free-today", "20_€ 0_€", prices("2025-01-01 2000", "2026-11-15 0"), chart.Span{}),
	steps("from-free", "0_€ 0,99_€ 4_999_€", prices("2025-01-01 0", "2025-08-01 99", "2026-06-01 499900"), chart.Span{}),
	steps("two-on-one-day", "20_€ 10_€", prices("2025-01-01 2000", "2026-03-03 9000", "2026-03-03 1000"), chart.Span{}),
	steps("and-back-on-one-day", "20_€", prices("2025-01-01 2000", "2026-03-03 9000", "2026-03-03 2000"), chart.Span{}),
	steps("one-day", "18_€", prices("2026-11-15 2000", "2026-11-15 1500", "2026-11-15 1800"), chart.Span{}),
	steps("yesterday", "20_€ 18_€", prices("2026-11-14 2000", "2026-11-15 1800"), chart.Span{}),
	steps("month", "20_€ 18_€ 19_€", prices("2026-10-10 2000", "2026-10-20 1800", "2026-11-02 1900"), chart.Span{}),
	steps("quarter", "20_€ 18_€", prices("2026-07-20 2000", "2026-10-01 1800"), chart.Span{}),
	steps("close", "20_€ 22_€", prices("2025-01-01 2000", "2026-03-03 2100", "2026-03-06 2150", "2026-03-09 2200"), chart.Span{}),
	steps("40-changes", "8,60_€ 22,40_€ 39,40_€", many(41, 18, restless), chart.Span{}),
	steps("40-rises", "1_€ 41_€", many(41, 18, func(i int) int { return 100 + i*100 }), chart.Span{}),
	steps("40-falls", "41_€ 1_€", many(41, 18, func(i int) int { return 4100 - i*100 }), chart.Span{}),
	steps("40-days", "8,60_€ 22,40_€ 39,40_€", many(41, 1, restless), chart.Span{}),
	steps("25-years", "5_€ 49,90_€ 29_€", prices("2001-11-20 500", "2007-01-01 1290", "2013-05-01 4990", "2021-02-03 2900"), chart.Span{}),
	steps("begins-and-ends-inside", "20_€ 24_€", prices("2025-05-01 2000", "2025-10-01 2400"), chart.Span{From: on("2024-11-15"), End: on("2026-03-31")}),
	steps("begins-before", "18_€ 24_€", prices("2023-05-01 2000", "2024-10-01 1800", "2025-10-01 2400"), chart.Span{From: on("2025-01-01")}),
	line("24-months", "28,39_€", index(wave(24, 2200, 300)...)),
	line("60-months", "", index(wave(60, 2200, 900)...)),
	line("3-months", "21_€", index(1900, 2000, 2100)),
	line("one-month", "21_€", index(2100)),
	line("free", "0_€", index(0, 0, 0)),
	line("flat", "20_€", index(2000, 2000, 2000, 2000)),
	line("narrow-range", "20,10_€", index(2000, 2000, 2005, 2010)),
	line("dear", "4_990_€", index(450000, 480000, 499900, 499000)),
	line("gaps", "14_€", index(-1, 1900, 2000, -1, -1, 2400, -1, 2100, 1900, 1200, -1, 1300, 1400)),
	movements("24-months", "7 5", 24, func(i int) (int, int) { return i * 5 % 8, i * 7 % 6 }),
	movements("60-months", "7 5", 60, func(i int) (int, int) { return i * 5 % 8, i * 7 % 6 }),
	movements("one", "1", 3, func(i int) (int, int) { return i / 2, 0 }),
	movements("none", "", 6, func(int) (int, int) { return 0, 0 }),
	movements("many", "1_196 30", 12, func(i int) (int, int) { return i * i * i * i % 1205, 30 - i }),
	bars("quota", "", 30, 1000, func(i int) int { return []int{120, 431, 655, 1000, 210, 88, 0, 702}[i%8] }),
	bars("unlimited", "", 30, 0, func(i int) int { return i * i * 37 }),
	bars("none", "", 30, 1000, func(int) int { return 0 }),
	bill("24", "24,90_€", 24, 12, func(i int) int { return []int{0, 1990, 2490, 4490, 7480}[min(i/4+i/20, 4)] + i/20*1234 }),
	bill("first", "9_€", 13, 12, func(i int) int { return 900 + 99*i }),
	bill("last", "10_140_€", 120, 0, func(i int) int { return 300_000 + 6_000*i }),
	bill("nothing", "0_€", 24, 12, func(int) int { return 0 }),
	bill("past", "", 12, -3, func(i int) int { return 100 * i }),
	bars("first-day", "", 1, 0, func(int) int { return 1 }),
}

func TestGolden(t *testing.T) {
	t.Parallel()
	rules := testkit.ReadFile(t, "../layout/static/css/24-charts.css")
	for _, d := range drawings {
		for _, width := range []int{chart.Wide, chart.Narrow} {
			name := fmt.Sprintf("%s-%d", d.name, width)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				svg := string(d.draw(width))
				path := filepath.Join("testdata", name+".svg")
				if *update {
					testkit.Must(t, os.WriteFile(path, []byte(svg+"\n"), 0o600))
				}
				if svg+"\n" != testkit.ReadFile(t, path) {
					t.Errorf("it is not %s (go test ./internal/chart -run Golden -update)", path)
				}
				seen := read(t, svg)
				seen.check(t, float64(width), rules)
				for label := range strings.FieldsSeq(d.labels) {
					if !slices.ContainsFunc(seen.texts, func(w words) bool { return w.large && w.plain() == label }) {
						t.Errorf("the label %s is missing", label)
					}
				}
			})
		}
	}
}

// A box is a part of the drawing.
type box struct{ left, top, right, bottom float64 }

func (b box) overlaps(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// words are a text of the drawing.
type words struct {
	box

	s     string
	large bool
}

func (w words) plain() string {
	return strings.NewReplacer("\u00a0", "_", "\u202f", "_").Replace(w.s)
}

// seen is what a drawing shows.
type seen struct {
	root    map[string]string
	classes map[string]bool
	texts   []words
	places  [][2]float64 // every corner of every shape
	line    []box        // the parts of the line, level and upright
	grid    []float64    // where its lines are
}

func read(t *testing.T, svg string) seen {
	t.Helper()
	s := seen{classes: make(map[string]bool)}
	decoder := xml.NewDecoder(strings.NewReader(svg))
	var in []map[string]string
	for {
		token, err := decoder.Token()
		if err == io.EOF { //nolint:errorlint // Token returns it as it is
			return s
		}
		testkit.Must(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			a := map[string]string{"": token.Name.Local}
			for _, attribute := range token.Attr {
				a[attribute.Name.Local] = attribute.Value
			}
			if in = append(in, a); len(in) == 1 {
				s.root = a
			}
			s.element(t, a)
		case xml.EndElement:
			in = in[:len(in)-1]
		case xml.CharData:
			if len(in) > 0 && in[len(in)-1][""] == "text" {
				s.texts = append(s.texts, written(t, in[len(in)-1], string(token)))
			}
		}
	}
}

func (s *seen) element(t *testing.T, a map[string]string) {
	t.Helper()
	for _, name := range []string{"style", "id"} {
		if v, there := a[name]; there {
			t.Errorf("a %s has the %s %q", a[""], name, v)
		}
	}
	for class := range strings.FieldsSeq(a["class"]) {
		s.classes[class] = true
	}
	switch a[""] {
	case "circle":
		x, y, r := number(t, a["cx"]), number(t, a["cy"]), number(t, a["r"])
		s.places = append(s.places, [2]float64{x - r, y - r}, [2]float64{x + r, y + r})
	case "rect":
		x, y, w, h := number(t, a["x"]), number(t, a["y"]), number(t, a["width"]), number(t, a["height"])
		if w <= 0 || h <= 0 {
			t.Errorf("a bar of %g by %g", w, h)
		}
		s.places = append(s.places, [2]float64{x, y}, [2]float64{x + w, y + h})
	case "path":
		if a["class"] == "grid" {
			_, y, _ := strings.Cut(strings.Split(a["d"], "H")[0], " ")
			s.grid = append(s.grid, number(t, y))
		}
		s.path(t, a["d"], a["class"] == "line")
	}
}

var command = regexp.MustCompile(`([MLHVvhzZ])([^MLHVvhzZ]*)`)

func (s *seen) path(t *testing.T, d string, isLine bool) {
	t.Helper()
	if command.ReplaceAllString(d, "") != "" {
		t.Errorf("the path %q has commands that are not known here", d)
	}
	var x, y float64
	for _, part := range command.FindAllStringSubmatch(d, -1) {
		x0, y0 := x, y
		var v []float64
		for field := range strings.FieldsSeq(part[2]) {
			v = append(v, number(t, field))
		}
		switch part[1] {
		case "M", "L":
			x, y = v[0], v[1]
		case "H":
			x = v[0]
		case "V":
			y = v[0]
		case "v":
			y += v[0]
		case "h":
			x += v[0]
		}
		s.places = append(s.places, [2]float64{x, y})
		if isLine && (part[1] == "H" || part[1] == "V") {
			s.line = append(s.line, box{min(x0, x) - 1.5, min(y0, y) - 1.5, max(x0, x) + 1.5, max(y0, y) + 1.5})
		}
	}
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		t.Errorf("%q is not a number: %v", s, err)
	}
	return v
}

// written is where a text stands. The widths are those of the site's typeface, as measured in a
// browser, in em.
func written(t *testing.T, a map[string]string, s string) words {
	t.Helper()
	w := words{s: s, large: strings.Contains(a["class"], "lbl")}
	size := 12.0
	if w.large {
		size = 15
	}
	var width float64
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9':
			width += .628 * size
		case r == '€':
			width += .748 * size
		case strings.ContainsRune("\u00a0 \u202f,.ilj", r):
			width += .28 * size
		case strings.ContainsRune("frt", r):
			width += .44 * size
		default:
			width += .62 * size
		}
	}
	x, y := number(t, a["x"]), number(t, a["y"])
	switch a["text-anchor"] {
	case "middle":
		x -= width / 2
	case "end":
		x -= width
	}
	w.box = box{x, y - .75*size, x + width, y + .15*size}
	return w
}

func (s *seen) check(t *testing.T, width float64, rules string) {
	t.Helper()
	var w, h float64
	if _, err := fmt.Sscanf(s.root["viewBox"], "0 0 %g %g", &w, &h); err != nil || w != width {
		t.Fatalf("viewBox %q: %v", s.root["viewBox"], err)
	}
	if s.root["role"] != "img" || s.root["aria-label"] != "Prix de « Tournevis & Fils »" {
		t.Errorf("nobody hears what it shows: %v", s.root)
	}
	for class := range s.classes {
		if !regexp.MustCompile(`\.` + class + `\b`).MatchString(rules) {
			t.Errorf("the stylesheet has no class %s", class)
		}
	}
	if len(s.grid) < 2 || len(s.grid) > 6 {
		t.Errorf("%d lines of the grid, want 2 to 6", len(s.grid))
	}
	for _, y := range s.grid {
		if !slices.ContainsFunc(s.texts, func(w words) bool { return w.left > width/2 && w.top < y && w.bottom > y }) {
			t.Errorf("the line at %g has no value", y)
		}
	}
	dates := slices.DeleteFunc(slices.Clone(s.texts), func(w words) bool { return w.bottom < h-10 })
	if !slices.ContainsFunc(dates, func(w words) bool { return strings.Contains(w.s, "202") || w.s == "2005" }) {
		t.Errorf("the time axis has no year: %v", dates)
	}
	for _, p := range s.places {
		if p[0] < 0 || p[0] > w || p[1] < 0 || p[1] > h {
			t.Errorf("%v is outside of the drawing", p)
		}
	}
	for i, a := range s.texts {
		if a.left < 0 || a.right > w || a.top < 0 || a.bottom > h {
			t.Errorf("%q leaves the drawing: %v", a.s, a.box)
		}
		for _, b := range s.texts[:i] {
			if a.overlaps(b.box) {
				t.Errorf("%q overlaps %q", a.s, b.s)
			}
		}
		if a.large && slices.ContainsFunc(s.line, a.overlaps) {
			t.Errorf("the line runs through %q", a.s)
		}
	}
}

func TestNothingToDraw(t *testing.T) {
	t.Parallel()
	f := frame(chart.Wide, 250, euros)
	for name, svg := range map[string]template.HTML{
		"no price":             chart.Steps(f, nil, chart.Span{Until: today}),
		"a price of tomorrow":  chart.Steps(f, prices("2026-11-16 2000"), chart.Span{Until: today}),
		"an end before":        chart.Steps(f, prices("2026-01-01 2000"), chart.Span{Until: today, End: on("2025-12-31")}),
		"an end before a span": chart.Steps(f, prices("2025-01-01 2000"), chart.Span{From: on("2026-01-01"), Until: today, End: on("2025-12-31")}),
		"no month":             chart.Line(f, nil),
		"no movement":          chart.Movements(f, chart.MovementWords{}, nil),
		"no day":               chart.Bars(f, nil, 10),
	} {
		testkit.Equal(t, name, svg, template.HTML(""))
	}
}

// What callers pass is text, whatever it holds.
func TestTextIsEscaped(t *testing.T) {
	t.Parallel()
	f := frame(chart.Wide, 250, func(int) string { return `<b>"&` })
	f.Title = `"><script>`
	f.Month = func(time.Time) string { return "<i>" }
	svg := string(chart.Steps(f, prices("2026-01-01 2000"), chart.Span{Until: today}))
	if strings.Contains(svg, "<b>") || strings.Contains(svg, "<i>") || strings.Contains(svg, "<script>") {
		t.Error(svg)
	}
	testkit.Equal(t, "title", read(t, svg).root["aria-label"], f.Title)
}

func TestScale(t *testing.T) {
	t.Parallel()
	for score, width := range map[int]string{-1: "0", 0: "0", 5: "0.5", 910: "91", 1000: "100", 1001: "100"} {
		svg := string(chart.Scale(score))
		if !strings.Contains(svg, `<path class="val" d="M0 0h`+width+`v8H0z"/>`) {
			t.Errorf("%d: %s", score, svg)
		}
		s := read(t, svg)
		testkit.Equal(t, "aria-hidden", s.root["aria-hidden"], "true")
		for _, p := range s.places {
			if p[0] < 0 || p[0] > 100 || p[1] < 0 || p[1] > 8 {
				t.Errorf("%d: %v is outside of the drawing", score, p)
			}
		}
	}
}
