package chart_test

import (
	"fmt"
	"html"
	"html/template"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/chart"
)

// priceMap has as many spots as asked, of names that are hard to place: long, wide, foreign, and with what HTML escapes.
func priceMap(seed uint64, n int) chart.Map {
	r := rand.New(rand.NewPCG(seed, 7))
	names := []string{"Tournevis", "Œil-de-Bœuf", "A & B <c>", "Ruche à Tâches", "WWWWWWWW", "il", "翻訳ツール", strings.Repeat("long ", 14), "“Voix” — 12%"}
	m := chart.Map{
		Edge: 9_900, Line: seed%2 == 0, Links: 26_500,
		Words: chart.MapWords{Price: "prix par mois", Score: "note sur dix", Free: "gratuit"},
	}
	spread := 1 + r.IntN(900)
	for i := range n {
		s := chart.Spot{
			Cents: r.IntN(12) * r.IntN(1_000), Score: max(0, 1000-r.IntN(spread)), Path: "/outils/outil-" + strconv.Itoa(i),
			Name: names[r.IntN(len(names))] + " " + strconv.Itoa(i), Shape: chart.Shape(r.IntN(3)), Here: i == 3,
		}
		s.Best = r.IntN(12) == 0 && s.Cents <= m.Edge
		m.Spots = append(m.Spots, s)
	}
	return m
}

func drawMap(m chart.Map, width int) template.HTML {
	height := 440
	if width == chart.Narrow {
		height, m.Links = 420, 3_500
	}
	return m.Draw(frame(width, height, euros), func(hundredths int) string { return fmt.Sprintf("%d,%d", hundredths/100, hundredths/10%10) })
}

var mapText = regexp.MustCompile(`<text( class="on")? x="([0-9.]+)" y="([0-9.]+)"(?: text-anchor="([a-z]+)")?>([^<]*)</text>`)

// No text that shows meets another, a mark, or the edge of the drawing, whatever the names are. Texts that show under
// a pointer are within the drawing.
func TestMap_LabelsHaveRoom(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		m := priceMap(seed, 1+int(seed*37%300))
		for _, width := range []int{chart.Wide, chart.Narrow} {
			svg := string(drawMap(m, width))
			height := 440
			if width == chart.Narrow {
				height = 420
			}
			var shown [][4]float64
			for group := range strings.SplitSeq(svg, `<g class="`) {
				size := 12.0
				if strings.HasPrefix(group, "b") || strings.HasPrefix(group, "h") {
					size = 13
				}
				for _, found := range mapText.FindAllStringSubmatch(group, -1) {
					left, y := number(t, found[2]), number(t, found[3])
					wide := chart.Width(html.UnescapeString(found[5]), size)
					switch found[4] {
					case "end":
						left -= wide
					case "middle":
						left -= wide / 2
					}
					box := [4]float64{left, y - .98*size, left + wide, y + .32*size}
					if box[0] < 0 || box[1] < 0 || box[2] > float64(width) || box[3] > float64(height) {
						t.Errorf("seed %d, %d px: %q is at %v", seed, width, found[5], box)
					}
					for _, other := range shown {
						if found[1] != "" && box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3] {
							t.Errorf("seed %d, %d px: %q is at %v, where another is: %v", seed, width, found[5], box, other)
						}
					}
					if found[1] != "" {
						shown = append(shown, box)
					}
				}
			}
			if len(shown) == 0 {
				t.Errorf("seed %d, %d px: no name shows", seed, width)
			}
		}
	}
}

// Both drawings of 300 tools are at most 40,000 bytes, every spot has a mark, and those for which there is no room for a
// link are still drawn.
func TestMap_IsSmall(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		m := priceMap(seed, 300)
		wide, narrow := string(drawMap(m, chart.Wide)), string(drawMap(m, chart.Narrow))
		if size := len(wide) + len(narrow); size > 40_000 {
			t.Errorf("seed %d: %d bytes", seed, size)
		}
		places := make(map[string]bool)
		_, marks, _ := strings.Cut(wide, `"marks"`)
		for _, s := range regexp.MustCompile(`M[0-9]+ [0-9]+[hl]`).FindAllString(marks, -1) {
			places[s] = true
		}
		if len(places) < 150 {
			t.Errorf("seed %d: only %d marks", seed, len(places))
		}
		if strings.Count(wide, "<a ") != strings.Count(wide, `tabindex="-1"`) || !strings.Contains(wide, `aria-hidden="true"`) {
			t.Errorf("seed %d: a key reaches a link", seed)
		}
	}
}

// The line goes through the best from the cheapest to the dearest, and only up.
func TestMap_Line(t *testing.T) {
	t.Parallel()
	m := chart.Map{Edge: 3000, Line: true, Links: 9_000, Words: chart.MapWords{Price: "p", Score: "s", Free: "0"}}
	for i, s := range []chart.Spot{{Cents: 2000, Score: 910, Best: true}, {Cents: 0, Score: 640, Best: true}, {Cents: 500, Score: 880, Best: true}, {Cents: 900, Score: 700}} {
		s.Name = strconv.Itoa(i)
		m.Spots = append(m.Spots, s)
	}
	d := regexp.MustCompile(`class="front" d="M(\d+) (\d+)H(\d+)V(\d+)H(\d+)V(\d+)H(\d+)"`).FindStringSubmatch(string(drawMap(m, chart.Wide)))
	if d == nil {
		t.Fatal(drawMap(m, chart.Wide))
	}
	across, up := []string{d[1], d[3], d[5], d[7]}, []string{d[6], d[4], d[2]}
	for _, list := range [][]string{across, up} {
		if !slices.IsSortedFunc(list, func(a, b string) int { return int(number(t, a) - number(t, b)) }) {
			t.Errorf("the line is %v", d)
		}
	}
	m.Line = false
	if strings.Contains(string(drawMap(m, chart.Wide)), "front") {
		t.Error("a line joins tools of several categories")
	}
}

// Both drawings of 300 tools take at most 5 ms of CPU: it is counted, because the time that passes depends on others.
func BenchmarkMap300(b *testing.B) {
	m := priceMap(2, 300)
	b.ReportAllocs()
	before := cpuTime(b)
	for b.Loop() {
		drawMap(m, chart.Wide)
		drawMap(m, chart.Narrow)
	}
	b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
}

func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
