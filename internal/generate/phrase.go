package generate

import (
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A lexicon holds lists of texts by key. A text may hold slots: {atout} is one
// of the texts under that key, {de atout} and {à atout} contract it as French
// does (du, des, d', au, aux), {3-12} is a number of that range.
type lexicon map[string][]string

// A speaker turns the lexicons into sentences. It does not repeat a text of a
// list before the list is used up, so one review does not say a thing twice.
type speaker struct {
	rng   *rand.Rand
	facts map[string]string // slots that are known: the tool's name, its domain
	words lexicon           // the category's; the general one comes after it
	used  map[string]uint64 // bit i: text i of the list was said
	buf   []byte
}

func newSpeaker() *speaker {
	return &speaker{facts: map[string]string{}, used: map[string]uint64{}}
}

// begin forgets everything about the last item.
func (s *speaker) begin(rng *rand.Rand, c category) {
	s.rng, s.words, s.buf = rng, c.words, s.buf[:0]
	clear(s.facts)
	clear(s.used)
}

// know fixes a slot for the item at hand.
func (s *speaker) know(slot, value string) { s.facts[slot] = value }

// say adds one text of a list, with its first letter made a capital.
func (s *speaker) say(key string) {
	start := len(s.buf)
	s.expand(s.pick(key))
	for start < len(s.buf) && s.buf[start] == '*' { // bold
		start++
	}
	first, size := utf8.DecodeRune(s.buf[start:])
	if upper := unicode.ToUpper(first); utf8.RuneLen(upper) == size {
		utf8.EncodeRune(s.buf[start:], upper)
	}
}

// phrase is what say would add, on its own.
func (s *speaker) phrase(key string) string {
	start := len(s.buf)
	s.say(key)
	text := string(s.buf[start:])
	s.buf = s.buf[:start]
	return text
}

func (s *speaker) add(text string) { s.buf = append(s.buf, text...) }

// sentences adds n texts of a list, separated by spaces.
func (s *speaker) sentences(key string, n int) {
	for i := range n {
		if i > 0 {
			s.add(" ")
		}
		s.say(key)
	}
}

func (s *speaker) expand(text string) {
	for {
		before, rest, found := strings.Cut(text, "{")
		s.add(before)
		if !found {
			return
		}
		slot, after, _ := strings.Cut(rest, "}")
		s.fill(slot)
		text = after
	}
}

func (s *speaker) fill(slot string) {
	if slot[0] >= '0' && slot[0] <= '9' {
		s.buf = strconv.AppendInt(s.buf, int64(s.number(slot)), 10)
		return
	}
	key, preposition := slot, ""
	if before, after, found := strings.Cut(slot, " "); found && (before == "de" || before == "à") {
		key, preposition = after, before
	}
	start := len(s.buf)
	if value, known := s.facts[key]; known {
		s.add(value)
	} else {
		s.expand(s.pick(key))
	}
	if preposition != "" {
		phrase := string(s.buf[start:])
		s.buf = append(s.buf[:start], contract(preposition, phrase)...)
	}
}

// number draws from a range such as 3-12.
func (s *speaker) number(slot string) int {
	low, high, _ := strings.Cut(slot, "-")
	from, errFrom := strconv.Atoi(low)
	to, errTo := strconv.Atoi(high)
	if errFrom != nil || errTo != nil || to < from {
		panic("generate: not a range: " + slot)
	}
	return from + s.rng.IntN(to-from+1)
}

// pick draws a text of a list that was not drawn yet.
func (s *speaker) pick(key string) string {
	list, ok := s.words[key]
	if !ok {
		list = general[key]
	}
	if len(list) == 0 || len(list) > 64 {
		panic("generate: no usable list " + strconv.Quote(key))
	}
	left := ^s.used[key] & (1<<len(list) - 1)
	if left == 0 {
		s.used[key], left = 0, 1<<len(list)-1
	}
	for range s.rng.IntN(bits.OnesCount64(left)) {
		left &= left - 1
	}
	i := bits.TrailingZeros64(left)
	s.used[key] |= 1 << i
	return list[i]
}

// contract joins "de" or "à" and a noun phrase the French way.
func contract(preposition, phrase string) string {
	of := preposition == "de"
	article, noun, _ := strings.Cut(phrase, " ")
	switch {
	case article == "le" && of:
		return "du " + noun
	case article == "le":
		return "au " + noun
	case article == "les" && of:
		return "des " + noun
	case article == "les":
		return "aux " + noun
	case article == "des" && of:
		return contract("de", noun)
	}
	if first, _ := utf8.DecodeRuneInString(phrase); of && strings.ContainsRune(vowels, unicode.ToLower(first)) {
		return "d'" + phrase
	}
	return preposition + " " + phrase
}

const vowels = "aàâeéèêiîoôœuû"
