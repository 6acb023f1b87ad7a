package content

import (
	"strings"
	"unicode/utf8"
)

// closest returns the candidate that s was probably meant to be, or "" when none is close enough.
func closest(s string, candidates []string) string {
	if s = strings.ToLower(s); strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
		s = anchor(s) // without its accents
	}
	best, found := max(2, len(s)/3)+1, ""
	for _, c := range candidates {
		if d := len(c) - len(s); d >= best || -d >= best {
			continue
		}
		if d := editDistance(s, c); d < best && d < max(len(s), len(c)) {
			best, found = d, c
		}
	}
	return found
}

// didYouMean returns the closest candidate as a question, or the text otherwise if there is none.
func didYouMean(s string, candidates []string, otherwise string) string {
	if c := closest(s, candidates); c != "" {
		return `did you mean "` + c + `"?`
	}
	return otherwise
}

// editDistance counts the insertions, deletions, substitutions and swaps of
// neighbours that turn a into b.
func editDistance(a, b string) int {
	var buf [3][96]int
	if len(b)+1 > len(buf[0]) {
		b = b[:len(buf[0])-1]
	}
	before, prev, row := buf[0][:len(b)+1], buf[1][:len(b)+1], buf[2][:len(b)+1]
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(b)]
}
