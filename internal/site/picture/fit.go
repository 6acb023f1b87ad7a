package picture

import (
	"strings"
	"unicode/utf8"
)

// A frame is the box that a text has to fit into, with the sizes to try. Sizes and lengths are in pixels, unless noted.
type frame struct {
	width, height float64
	lines         int     // at most
	leading       float64 // from baseline to baseline, in ems
	largest       float64 // the size to try first
	smallest      float64 // the smallest size before words are broken
	tiny          float64 // the smallest size with broken words; 0 means smallest
}

// maxRunes is how many runes of a text are fitted: more than any frame shows. It limits the work that a text can cause.
const maxRunes = 1000

// A block is a text that was fitted into a frame.
type block struct {
	style   style
	lines   []string
	leading float64 // pixels
}

func (b block) height() float64 { return float64(len(b.lines)) * b.leading }

// fit sets a text as large as the frame allows, on lines of about equal length. It breaks words only if the text does
// not fit at the smallest size, and cuts the text with an ellipsis if it does not fit at the tiny size either.
func (f frame) fit(face face, tracking float64, text string) block {
	if text == "" {
		return block{}
	}
	if f.tiny == 0 {
		f.tiny = f.smallest
	}
	em := style{face: face, size: 1, tracking: tracking}
	words := em.measure(atMost(text, maxRunes))
	for size := f.largest; size >= f.smallest; size -= 2 {
		if b, ok := f.set(em, words, size, false); ok {
			return b
		}
	}
	for size := min(f.largest, 1.5*f.smallest); size > f.tiny; size -= 2 {
		if b, ok := f.set(em, words, size, true); ok {
			return b
		}
	}
	b, ok := f.set(em, words, f.tiny, true)
	if !ok {
		b.lines = b.lines[:max(1, min(f.lines, int(f.height/b.leading), len(b.lines)))]
		last := &b.lines[len(b.lines)-1]
		*last = b.style.cut(*last, f.width)
	}
	return b
}

// atMost returns the first runes of a text.
func atMost(text string, runes int) string {
	for i := range text {
		if runes == 0 {
			return text[:i]
		}
		runes--
	}
	return text
}

// set sets words at one size, and reports whether they fit.
func (f frame) set(em style, words []word, size float64, broken bool) (b block, ok bool) {
	b = block{style: em, leading: size * f.leading}
	b.style.size = size
	width := f.width / size
	b.lines, ok = em.wrap(words, width, broken)
	if !ok || len(b.lines) > f.lines || b.height() > f.height {
		return b, false
	}
	for low := 0.0; width-low > 0.05; { // the narrowest width that needs no more lines
		middle := (low + width) / 2
		lines, ok := em.wrap(words, middle, broken)
		if ok && len(lines) == len(b.lines) {
			b.lines, width = lines, middle
		} else {
			low = middle
		}
	}
	return b, true
}

// A word is measured once for all sizes.
type word struct {
	text  string
	width float64 // in ems
}

func (s style) measure(text string) []word {
	var words []word
	for w := range strings.SplitSeq(text, " ") {
		words = append(words, word{w, s.width(w)})
	}
	return words
}

// wrap puts words on lines, and reports whether none is too wide. With broken, it breaks words that are too long.
func (s style) wrap(words []word, width float64, broken bool) (lines []string, ok bool) {
	var line []string
	reach := 0.0
	space := s.width(" ") + 2*s.tracking
	end := func() {
		if len(line) > 0 {
			lines = append(lines, strings.Join(line, " "))
		}
		line, reach = nil, 0
	}
	for _, w := range words {
		if len(line) > 0 && reach+space+w.width > width {
			end()
		}
		for broken && w.width > width {
			head, tail := s.split(w.text, width)
			if tail == "" {
				break
			}
			lines = append(lines, head)
			w = word{tail, s.width(tail)}
		}
		if w.width > width {
			return nil, false
		}
		if len(line) > 0 {
			reach += space
		}
		line, reach = append(line, w.text), reach+w.width
	}
	end()
	return lines, true
}

// split cuts a word before the first letter that exceeds the width. head has at least one letter.
func (s style) split(text string, width float64) (head, tail string) {
	_, end := utf8.DecodeRuneInString(text)
	for i := range text {
		if i <= end {
			continue
		}
		if s.width(text[:i]) > width {
			break
		}
		end = i
	}
	return text[:end], text[end:]
}

// cut shortens a line so that it fits the width with an ellipsis at its end.
func (s style) cut(line string, width float64) string {
	for line != "" && s.width(line+"…") > width {
		_, n := utf8.DecodeLastRuneInString(line)
		line = line[:len(line)-n]
	}
	return strings.TrimRight(line, " ,;:.\u00a0\u202f") + "…"
}

// within returns a text, cut with an ellipsis if it is wider than width.
func (s style) within(text string, width float64) string {
	if s.width(text) <= width {
		return text
	}
	return s.cut(atMost(text, maxRunes), width)
}
