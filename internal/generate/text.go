package generate

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A text is one in both languages.
type text struct{ french, english string }

var phrasesByKey = func() map[string][]text {
	byKey := map[string][]text{}
	for _, p := range phrases {
		byKey[p.key] = append(byKey[p.key], text{p.french, p.english})
	}
	return byKey
}()

// A speaker turns phrases into the texts of one item. It deals those of a key in a shuffled order and repeats none
// before all are used, so a review does not say a thing twice.
type speaker struct {
	rng      *rand.Rand
	category string
	facts    map[string]string // slots that are known, such as the tool's name
	left     map[string][]text // what is still to be dealt
	french   strings.Builder   // what was said
	english  strings.Builder
}

func newSpeaker(rng *rand.Rand, category string, facts map[string]string) *speaker {
	return &speaker{rng: rng, category: category, facts: facts, left: map[string][]text{}}
}

// newRand spreads n over the state, for neighbours would begin alike.
func newRand(seed uint64, n int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(n)*0x9e3779b97f4a7c15)) //nolint:gosec // reproducible is what it must be
}

// say adds a sentence of each key and returns all that was said.
func (s *speaker) say(keys ...string) text {
	for i, key := range keys {
		t := s.phrase(key)
		if i > 0 {
			s.add(" ")
		}
		s.french.WriteString(t.french)
		s.english.WriteString(t.english)
	}
	return text{s.french.String(), s.english.String()}
}

// add adds what is the same in both languages.
func (s *speaker) add(mark string) {
	s.french.WriteString(mark)
	s.english.WriteString(mark)
}

// short returns a phrase and its translation.
func (s *speaker) short(key string) (string, catalog.Translation) {
	t := s.phrase(key)
	return t.french, catalog.Translation{Text: t.english}
}

// phrase returns a phrase of a key with its slots filled and a capital.
func (s *speaker) phrase(key string) text {
	t := s.deal(key)
	for {
		_, rest, found := strings.Cut(t.french, "{")
		if !found {
			return text{capital(t.french), capital(t.english)}
		}
		name, _, _ := strings.Cut(rest, "}")
		value, slot := s.value(name), "{"+name+"}"
		t.french = strings.Replace(t.french, slot, value.french, 1)
		t.english = strings.Replace(t.english, slot, value.english, 1)
	}
}

func (s *speaker) value(slot string) text {
	if value, known := s.facts[slot]; known {
		return text{value, value}
	}
	from, to, isRange := strings.Cut(slot, "-")
	if !isRange {
		return s.deal(slot)
	}
	low, _ := strconv.Atoi(from)
	high, _ := strconv.Atoi(to)
	number := strconv.Itoa(low + s.rng.IntN(high-low+1))
	return text{number, number}
}

func (s *speaker) deal(key string) text {
	if own := s.category + " " + key; phrasesByKey[own] != nil {
		key = own
	}
	left := s.left[key]
	if len(left) == 0 {
		left = slices.Clone(phrasesByKey[key])
		s.rng.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	}
	s.left[key] = left[1:]
	return left[0]
}

func capital(sentence string) string {
	first, size := utf8.DecodeRuneInString(sentence)
	return string(unicode.ToUpper(first)) + sentence[size:]
}

// review makes a test of three to six sections. It quotes neither the price nor the score, so that a change of
// either leaves the text, and its vectors, alone.
func review(rng *rand.Rand, t *catalog.Tool) text {
	s := newSpeaker(rng, t.Category, map[string]string{"tool": t.Name, "domain": t.Domain})
	s.say("opening", "follow", "follow")
	themes := []string{"start", "data", "price"}
	for range rng.IntN(4) {
		i := rng.IntN(len(themes))
		themes = slices.Delete(themes, i, i+1)
	}
	for _, theme := range themes {
		s.section(theme, theme, 3)
	}
	for _, theme := range []string{"strength", "fault"} {
		s.section(theme+"s", theme+"s", 5-(len(themes)+1)/2) // a short review says more in each section
		if rng.IntN(100) < 40 {
			s.add("\n")
			for range 4 {
				s.add("\n- ")
				s.say(theme)
			}
		}
	}
	tone := (max(410, int(t.Score.Hundredths)) - 410) / 170 // from 5.8 on it is fair, from 7.5 on high
	return s.section("verdict", "verdict "+[]string{"low", "fair", "high", "high"}[tone], 3)
}

func (s *speaker) section(theme, key string, sentences int) text {
	s.add("\n\n## ")
	s.say("heading " + theme)
	s.add("\n\n")
	return s.say(slices.Repeat([]string{key}, sentences)...)
}
