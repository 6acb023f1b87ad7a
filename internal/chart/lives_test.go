package chart_test

import (
	"fmt"
	"html/template"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/chart"
	"github.com/palmares-hq/palmares/internal/testkit"
)

var livesWords = chart.LivesWords{
	Today: "aujourd’hui",
	Died:  func(t time.Time) string { return "† " + t.Format("2/1/2006") + ", avant notre relevé" },
	Ends:  func(t time.Time) string { return "† " + month(t) + "\u00a0" + t.Format("2006") },
}

func lives(width int, since time.Time, list []chart.Life) template.HTML {
	return chart.Lives(frame(width, 0, count), livesWords, list, since, today)
}

func TestLives(t *testing.T) {
	t.Parallel()
	list := []chart.Life{
		{Name: "Clapotis", Path: "/outils/clapotis", From: on("2025-03-01"), End: on("2028-06-30")},
		{Name: "Compotée & Fils", Path: "/outils/compotee", End: on("2026-10-01")},
		{Name: "Trottinon", Path: "/outils/trottinon", From: on("2024-11-18"), Until: on("2026-11-14"), Score: "5,9", Fates: []string{"reconverti"}},
		{Name: "Dictafolle", Path: "/outils/dictafolle", Until: on("2026-01-15"), Score: "6,7", Fates: []string{"absorbé par Dictéclair", "absorbé"}},
		{Name: "Un nom qui ne finit pas avant la fin de la ligne", From: on("2024-12-01"), Until: on("2024-12-02"), Fates: []string{"mort"}},
		{Name: "Tic-Tac-Texte", Path: "/outils/tic-tac-texte", Until: on("2024-06-14"), Fates: []string{"mort"}},
	}
	rules := testkit.ReadFile(t, "../layout/static/css/24-charts.css") + testkit.ReadFile(t, "../layout/static/css/26-cemetery.css")
	for _, width := range []int{chart.Wide, chart.Narrow} {
		svg := string(lives(width, on("2024-11-18"), list))
		path := filepath.Join("testdata", fmt.Sprintf("lives-%d.svg", width))
		if *update {
			testkit.Must(t, os.WriteFile(path, []byte(svg+"\n"), 0o600))
		}
		if svg+"\n" != testkit.ReadFile(t, path) {
			t.Errorf("it is not %s (go test ./internal/chart -run Lives -update)", path)
		}
		s := read(t, svg)
		testkit.Equal(t, "aria-hidden", s.root["aria-hidden"], "true")
		for class := range s.classes {
			if !regexp.MustCompile(`\.` + class + `\b`).MatchString(rules) {
				t.Errorf("the stylesheet has no class %s", class)
			}
		}
		for _, want := range []string{`<a href="/outils/clapotis" tabindex="-1">`, "Compotée &amp; Fils", "†\u00a0", "5,9", "absorbé"} {
			if !strings.Contains(strings.ReplaceAll(svg, "† ", "†\u00a0"), want) {
				t.Errorf("%d: no %s", width, want)
			}
		}
	}
	testkit.Equal(t, "nobody", lives(chart.Wide, today, nil), template.HTML(""))
}

// Whatever dies when, under whatever name: no text leaves the drawing or touches another text or a frame that is not
// its own.
func TestLives_LabelsNeverCollide(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 42))
		since := today.AddDate(0, 0, -1-r.IntN(4000))
		for _, width := range []int{chart.Wide, chart.Narrow} {
			svg := string(lives(width, since, randomLives(r, since)))
			s := read(t, svg)
			checkTexts(t, fmt.Sprintf("%d at %d", seed, width), svg, &s)
			if t.Failed() {
				return
			}
		}
	}
}

func randomLives(r *rand.Rand, since time.Time) []chart.Life {
	list := make([]chart.Life, 1+r.IntN(60))
	span := int(today.Sub(since).Hours()) / 24
	for i := range list {
		l := chart.Life{Name: randomName(r), Path: "/outils/x"}
		if r.IntN(3) > 0 {
			l.From = since.AddDate(0, 0, r.IntN(span+1))
		}
		switch r.IntN(4) {
		case 0:
			l.End = today.AddDate(0, 0, r.IntN(3000)-60)
		default:
			l.Until = today.AddDate(0, 0, -r.IntN(span+200))
			if r.IntN(4) > 0 {
				l.Score = fmt.Sprintf("%d,%d", r.IntN(11), r.IntN(10))
			}
			l.Fates = []string{"absorbé par " + randomName(r), "reconverti"}
		}
		list[i] = l
	}
	return list
}

func randomName(r *rand.Rand) string {
	letters := []rune("aeiourstnlpcdmABCDEGHMNOPRSTUWéèç   -&0123456789")
	name := make([]rune, 1+r.IntN(60))
	for i := range name {
		name[i] = letters[r.IntN(len(letters))]
	}
	return "x" + string(name) + "x"
}

var framed = regexp.MustCompile(`<rect class="frame" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"`)

// checkTexts reports texts that leave the drawing, or touch another one or a frame around another one.
func checkTexts(t *testing.T, what, svg string, s *seen) {
	t.Helper()
	var w, h float64
	_, err := fmt.Sscanf(s.root["viewBox"], "0 0 %g %g", &w, &h)
	testkit.Must(t, err)
	var frames []box
	for _, m := range framed.FindAllStringSubmatch(svg, -1) {
		x, y := number(t, m[1]), number(t, m[2])
		frames = append(frames, box{x, y, x + number(t, m[3]), y + number(t, m[4])})
	}
	for _, p := range s.places {
		if p[0] < 0 || p[0] > w || p[1] < 0 || p[1] > h {
			t.Errorf("%s: %v is outside of the drawing", what, p)
		}
	}
	for i, a := range s.texts {
		if a.left < 0 || a.right > w || a.top < 0 || a.bottom > h {
			t.Errorf("%s: %q leaves the drawing: %v", what, a.s, a.box)
		}
		for _, b := range s.texts[:i] {
			if a.overlaps(b.box) {
				t.Errorf("%s: %q overlaps %q", what, a.s, b.s)
			}
		}
		for _, f := range frames {
			inside := a.left > f.left && a.right < f.right && a.top > f.top && a.bottom < f.bottom
			if a.overlaps(f) && !inside {
				t.Errorf("%s: %q touches a frame", what, a.s)
			}
		}
	}
	for i, a := range frames {
		for _, b := range frames[:i] {
			if a.overlaps(b) {
				t.Errorf("%s: two frames overlap", what)
			}
		}
	}
}
