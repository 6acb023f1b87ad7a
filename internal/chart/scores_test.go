package chart_test

import (
	"fmt"
	"html/template"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/chart"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func score(hundredths int) string {
	return strings.Replace(fmt.Sprintf("%.1f", float64(hundredths)/100), ".", ",", 1)
}

// small are drawings without a grid of values beside it: a golden file of each, at both widths.
var small = map[string]func(width int) template.HTML{
	"strip-few": func(width int) template.HTML {
		return chart.Strip(frame(width, 110, count), [chart.Tenths]int{12: 1, 55: 2, 71: 1, 84: 3, 93: 1}, 93, "ici, 9,3")
	},
	"strip-many": func(width int) template.HTML {
		var counts [chart.Tenths]int
		for i := range counts {
			counts[i] = (i * (100 - i) * (i%7 + 1)) / 100
		}
		counts[0], counts[100] = 1, 2
		return chart.Strip(frame(width, 110, count), counts, 0, "ici, 0,0")
	},
	"scores": func(width int) template.HTML {
		return chart.Scores(frame(width, 190, score), []chart.Run{
			{Points: prices("2024-11-18 840", "2025-06-01 790"), End: on("2025-09-30")},
			{Points: prices("2026-01-15 810", "2026-06-01 910")},
		}, on("2024-11-18"), today)
	},
	"stacks": func(width int) template.HTML {
		var days []chart.Bar
		for i := range 30 {
			v := i * i * 37 % 1001
			days = append(days, chart.Bar{Day: today.AddDate(0, 0, i-29), Value: v, Full: v > 950, Parts: []int{v / 2, v / 5, v / 7}})
		}
		return chart.Bars(frame(width, 220, count), days, 1000)
	},
	"hours": func(width int) template.HTML {
		var hours []chart.Hour
		for i := range 24 {
			hours = append(hours, chart.Hour{Done: i * i * 7 % 50, Fail: i % 5 / 4 * i})
		}
		ago := func(hours int) string { return fmt.Sprintf("−%d h", hours) }
		return chart.Hours(frame(width, 150, count), hours, ago, count)
	},
	"multiple": func(int) template.HTML {
		return chart.Multiple(frame(0, 0, euros), index(wave(24, 2200, 300)...), 6000, on("2024-12-01"), on("2026-11-01"))
	},
	"multiple-low": func(int) template.HTML {
		return chart.Multiple(frame(0, 0, euros), index(900, 900, 1250, -1, 1250), 600000, on("2024-12-01"), on("2026-11-01"))
	},
}

func TestSmall(t *testing.T) {
	t.Parallel()
	for name, draw := range small {
		for _, width := range []int{chart.Wide, chart.Narrow} {
			svg := string(draw(width))
			path := filepath.Join("testdata", fmt.Sprintf("%s-%d.svg", name, width))
			if *update {
				testkit.Must(t, os.WriteFile(path, []byte(svg+"\n"), 0o600))
			}
			if svg+"\n" != testkit.ReadFile(t, path) {
				t.Errorf("it is not %s (go test ./internal/chart -run Small -update)", path)
			}
			s := read(t, svg)
			checkTexts(t, name, svg, &s)
		}
	}
	none := [chart.Tenths]int{5: 1}
	testkit.Equal(t, "a score that nobody has", chart.Strip(frame(chart.Wide, 110, count), none, 6, "ici"), template.HTML(""))
	testkit.Equal(t, "no score", chart.Scores(frame(chart.Wide, 190, score), nil, today, today), template.HTML(""))
	testkit.Equal(t, "no month", chart.Multiple(frame(0, 0, euros), nil, 100, today, today), template.HTML(""))
}

// Whatever was scored and paid when, the labels of both ends are there, and no two texts meet.
func TestSmall_LabelsNeverCollide(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		var counts [chart.Tenths]int
		tenth := r.IntN(chart.Tenths)
		for range r.IntN(3000) {
			counts[r.IntN(chart.Tenths)]++
		}
		counts[tenth]++
		from := today.AddDate(0, 0, -1-r.IntN(3000))
		points := []chart.Point{{Day: from, Value: r.IntN(1001)}}
		var medians []chart.Point
		for range r.IntN(12) {
			points = append(points, chart.Point{Day: from.AddDate(0, 0, r.IntN(1+int(today.Sub(from).Hours()/24))), Value: r.IntN(1001)})
		}
		high := 1
		for month := from; month.Before(today); month = month.AddDate(0, 1, 0) {
			medians = append(medians, chart.Point{Day: month, Value: r.IntN(1 << r.IntN(24))})
			high = max(high, medians[len(medians)-1].Value)
		}
		for _, width := range []int{chart.Wide, chart.Narrow} {
			for name, svg := range map[string]template.HTML{
				"strip":    chart.Strip(frame(width, 110, count), counts, tenth, "ici, "+score(tenth*10)),
				"scores":   chart.Scores(frame(width, 190, score), []chart.Run{{Points: points}}, from, today),
				"multiple": chart.Multiple(frame(0, 0, euros), medians, high, from, today),
				"line":     chart.Line(frame(width, 250, euros), medians),
			} {
				s := read(t, string(svg))
				checkTexts(t, fmt.Sprintf("%s %d at %d", name, seed, width), string(svg), &s)
				if name == "line" && !bothEnds(&s, medians) {
					t.Errorf("%s %d at %d: an end has no label", name, seed, width)
				}
				if t.Failed() {
					return
				}
			}
		}
	}
}

// bothEnds reports whether the first and the last value are written.
func bothEnds(s *seen, months []chart.Point) bool {
	for _, m := range []chart.Point{months[0], months[len(months)-1]} {
		if !slices.ContainsFunc(s.texts, func(w words) bool { return w.large && w.s == euros(m.Value) }) {
			return false
		}
	}
	return true
}
