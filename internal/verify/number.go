package verify

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// All texts here are the output of a writer: lower case, with single spaces and line feeds.

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// joins reports whether c may stand between the digits of one number.
func joins(c byte) bool { return c == '.' || c == ',' || c == ' ' || c == '\'' }

// maxRun limits how many bytes of a run of digits are read. It is longer than any number, so a run that is cut
// off is not a number.
const maxRun = 40

// numberAt returns the longest run of digits and joining characters that begins at i.
func numberAt(s string, i int) string {
	end := i
	for end < len(s) && end-i < maxRun && (isDigit(s[end]) || end > i && joins(s[end]) && isDigit(s[end-1]) && end+1 < len(s) && isDigit(s[end+1])) {
		end++
	}
	return s[i:end]
}

// numberBefore returns the longest run of digits and joining characters at the end of s.
func numberBefore(s string) string {
	start := len(s)
	for start > 0 && len(s)-start < maxRun {
		c := s[start-1]
		if !isDigit(c) && (!joins(c) || start == len(s) || start == 1 || !isDigit(s[start]) || !isDigit(s[start-2])) {
			break
		}
		start--
	}
	return s[start:]
}

const maxDigits = 12

// parseAmount reads an amount as French and English pages write it: 20, 20,00, 20.5, 1 200, 1.200,50, 1,200.50.
func parseAmount(s string) (cents int64, ok bool) {
	whole, decimals, point := s, "", byte(0)
	if i := strings.LastIndexAny(s, ".,"); i >= 0 && len(s)-i-1 <= 2 {
		whole, decimals, point = s[:i], s[i+1:], s[i]
	}
	digits := whole
	if i := strings.IndexFunc(whole, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		between := whole[i]
		groups := strings.Split(whole, string(between))
		if between == point || !joins(between) || groups[0] == "" || len(groups[0]) > 3 || groups[0][0] == '0' {
			return 0, false
		}
		for _, g := range groups[1:] {
			if len(g) != 3 {
				return 0, false
			}
		}
		digits = strings.Join(groups, "")
	}
	if digits == "" || len(digits) > maxDigits || len(digits) > 1 && digits[0] == '0' {
		return 0, false
	}
	if point != 0 && decimals == "" {
		return 0, false
	}
	cents, err := strconv.ParseInt(digits+(decimals + "00")[:2], 10, 64)
	return cents, err == nil && strings.Trim(digits+decimals, "0123456789") == ""
}

// amountAfter returns the amount at the beginning of s. A space may separate two numbers as well as groups of
// digits, so it tries shorter runs until one is an amount.
func amountAfter(s string) (int64, bool) {
	run := numberAt(s, 0)
	if rest := s[len(run):]; rest != "" && (rest[0] == 'k' || rest[0] == 'm') && (len(rest) == 1 || !isLetter(rest[1:])) {
		return 0, false // thousands, millions
	}
	for run != "" {
		if cents, ok := parseAmount(run); ok {
			return cents, true
		}
		run = run[:max(strings.LastIndexByte(run, ' '), 0)]
	}
	return 0, false
}

// amountBefore returns the amount at the end of s.
func amountBefore(s string) (int64, bool) {
	for _, dash := range []string{",-", ",–", ",—", ".-", ".–", ".—"} { // 20,- €
		s = strings.TrimSuffix(s, dash)
	}
	run := numberBefore(s)
	if rest := s[:len(s)-len(run)]; strings.HasSuffix(rest, ".") || strings.HasSuffix(rest, ",") {
		if before := rest[:len(rest)-1]; before == "" || strings.HasSuffix(before, " ") || strings.HasSuffix(before, "\n") {
			return 0, false // .50
		}
	}
	for run != "" {
		if cents, ok := parseAmount(run); ok {
			return cents, true
		}
		_, run, _ = strings.Cut(run, " ")
	}
	return 0, false
}

// isLetter reports whether s begins with a letter.
func isLetter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}

// endsInLetter reports whether s ends with a letter.
func endsInLetter(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsLetter(r)
}

// nextEuro returns the place of the first euro sign or name of the currency.
func nextEuro(s string) (start, end int, ok bool) {
	for i := range len(s) {
		switch s[i] {
		case "€"[0]:
			if strings.HasPrefix(s[i:], "€") {
				return i, i + len("€"), true
			}
		case 'e':
			if !strings.HasPrefix(s[i:], "eur") || endsInLetter(s[:i]) {
				continue
			}
			end := i + len("eur")
			for _, rest := range []string{"os", "o"} {
				if strings.HasPrefix(s[end:], rest) {
					end += len(rest)
					break
				}
			}
			if !isLetter(s[end:]) {
				return i, end, true
			}
		}
	}
	return 0, 0, false
}

// saysPrice reports whether a text contains that amount of euros.
func saysPrice(text string, cents int64) bool {
	for from := 0; ; {
		start, end, ok := nextEuro(text[from:])
		if !ok {
			return false
		}
		start, end = from+start, from+end
		from = end
		if besideEuro(text[:start], text[end:], cents) {
			return true
		}
	}
}

// besideEuro reports whether the amount stands directly before or after a euro sign or name, given the texts on
// both sides of it.
func besideEuro(before, after string, cents int64) bool {
	near := strings.TrimRight(before, " \n")
	left, isLeft := amountBefore(near)
	if run := numberAt(after, 0); isLeft && len(run) == 2 && left%100 == 0 { // 20€99
		small, err := strconv.ParseInt(run, 10, 64)
		if err == nil && left+small == cents {
			return true
		}
		if near == before {
			return false
		}
	}
	right, isRight := amountAfter(strings.TrimLeft(after, " \n"))
	return isLeft && left == cents || isRight && right == cents
}

// freeWords say that something costs nothing.
var freeWords = []string{"gratuit", "gratuite", "gratuits", "gratuites", "gratuitement", "free"}

// saysFree reports whether a text says that something costs nothing.
func saysFree(text string) bool {
	for _, word := range freeWords {
		if saysWord(text, word) {
			return true
		}
	}
	return saysPrice(text, 0)
}

// saysWord reports whether a text contains a whole word.
func saysWord(text, word string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		i += from
		from = i + len(word)
		if !endsInLetter(text[:i]) && !isLetter(text[from:]) {
			return true
		}
	}
}

// saysNumber reports whether a text contains a number such as 8.7, with a point or a comma, that is not part of
// a longer one.
func saysNumber(text, number string) bool {
	want := trimZeros(number)
	for i := 0; i < len(text); i++ {
		if !isDigit(text[i]) {
			continue
		}
		end := i
		for end < len(text) && (isDigit(text[end]) || (text[end] == '.' || text[end] == ',') && end+1 < len(text) && isDigit(text[end+1])) {
			end++
		}
		goesOn := i > 1 && text[i-1] == '\'' && isDigit(text[i-2]) // 1'008,7
		if trimZeros(strings.Replace(text[i:end], ",", ".", 1)) == want && !goesOn && !endsInLetter(text[:i]) && !isLetter(text[end:]) {
			return true
		}
		i = end
	}
	return false
}

// trimZeros removes trailing zeros from the decimals, and the point if no decimals are left.
func trimZeros(s string) string {
	if strings.Count(s, ".") != 1 {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
