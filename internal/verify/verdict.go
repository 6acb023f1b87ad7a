package verify

import (
	"fmt"
	"regexp"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A Verdict is the result of checking a fact against its source.
type Verdict string

// The verdicts.
const (
	Found      Verdict = "found"       // the page says it
	Absent     Verdict = "absent"      // the page was read, and does not say it
	Gone       Verdict = "gone"        // there is no such page any more
	Moved      Verdict = "moved"       // the page redirects to another host, which Detail names
	NotChecked Verdict = "not checked" // the page could not be read; Detail says why
)

// A Result is the verdict on one fact.
type Result struct {
	catalog.ItemFact
	Verdict Verdict
	Detail  string // safe to print; never text of a page
}

// String returns the verdict with its detail.
func (r Result) String() string {
	switch {
	case r.Detail == "":
		return string(r.Verdict)
	case r.Verdict == Moved:
		return "moved to " + r.Detail
	default:
		return string(r.Verdict) + ": " + r.Detail
	}
}

// months are the names of months on French and English pages, in lower case.
var months = [...]string{
	"janvier|janv|jan|january", "f[eé]vrier|f[eé]vr|f[eé]v|february|feb", "mars|march|mar", "avril|avr|april|apr", "mai|may", "juin|june|jun",
	"juillet|juil|july|jul", "ao[uû]t|august|aug", "septembre|september|sept|sep", "octobre|october|oct", "novembre|november|nov",
	"d[eé]cembre|d[eé]c|december|dec",
}

// saysDate returns a function that reports whether a text contains a day, written in figures (2024-02-29,
// 29/02/2024) or in words (29 février 2024, 1er mars 2024, February 29, 2024). It ignores 02/29/2024, because
// 03/01 may be in January or in March.
func saysDate(day catalog.Date) func(text string) bool {
	t := day.Time()
	d, m, y := t.Day(), int(t.Month()), t.Year()
	name := `(?:` + months[t.Month()-time.January] + `)\.?`
	form := regexp.MustCompile(fmt.Sprintf(`(?:^|[^\pL\pN])(?:%04[3]d[-/.]0?%[2]d[-/.]0?%[1]d|0?%[1]d[-/.]0?%[2]d[-/.]%04[3]d|`+
		`0?%[1]d(?:er|st|nd|rd|th)?[ \n](?:of )?%[4]s,?[ \n]%04[3]d|%[4]s[ \n]0?%[1]d(?:st|nd|rd|th)?,?[ \n]%04[3]d)(?:$|[^\pN])`, d, m, y, name))
	return form.MatchString
}
