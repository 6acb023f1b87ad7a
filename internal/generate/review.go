package generate

import (
	"slices"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// optionalThemes are the sections a review may have besides its strong points,
// its weak points and its verdict, in the order in which they appear.
var optionalThemes = []string{"méthode", "prise en main", "tarif", "données", "évolution", "public visé"}

// review adds a test in three to six sections. It quotes neither the price nor
// the score, so that a change of either leaves the text, and its vectors, alone.
func (s *speaker) review(score catalog.Measure, pricing catalog.Pricing) {
	extra := s.rng.IntN(4)
	s.add("\n")
	s.say("ouverture")
	s.add(" ")
	s.sentences("suite", 3+s.rng.IntN(2))
	s.add("\n")

	chosen := s.rng.Perm(len(optionalThemes))[:extra]
	for i, theme := range optionalThemes {
		if i == 2 { // the body of the test stands between first steps and price
			s.points("points forts", "atout", extra)
			s.points("points faibles", "défaut", extra)
		}
		if slices.Contains(chosen, i) {
			s.section(theme, pricing)
		}
	}
	s.heading("verdict")
	s.sentences("verdict "+tone(score), 3)
	s.add("\n")
}

func (s *speaker) heading(theme string) {
	s.add("\n## ")
	s.say("titre " + theme)
	s.add("\n\n")
}

func (s *speaker) section(theme string, pricing catalog.Pricing) {
	s.heading(theme)
	n := 4 + s.rng.IntN(2)
	if theme == "tarif" {
		s.say("tarif " + string(pricing))
		s.add(" ")
		n--
	}
	s.sentences(theme, n)
	s.add("\n")
}

// points adds the strong or the weak points, as prose or as prose and a list. A
// short review says more in each section.
func (s *speaker) points(theme, item string, extra int) {
	s.heading(theme)
	if s.rng.IntN(100) < 60 {
		s.sentences(theme, 5+s.rng.IntN(2)-extra/2)
		s.add("\n")
		if extra < 2 {
			s.add("\n")
			s.sentences(theme, 2)
			s.add("\n")
		}
		return
	}
	s.sentences(theme, 4-extra/2)
	s.add("\n\n")
	for range 4 {
		s.add("- ")
		s.say(item)
		s.add("\n")
	}
}

// tone says how the verdict speaks of a tool.
func tone(score catalog.Measure) string {
	switch {
	case score.Hundredths >= 750:
		return "haut"
	case score.Hundredths >= 580:
		return "moyen"
	default:
		return "bas"
	}
}
