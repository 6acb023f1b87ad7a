// Package locale formats text for French and English readers: numbers, prices, dates and plurals as
// they expect them, and the texts of pages and mails in the reader's language. It holds no texts
// itself, except the names of countries.
//
// French has a narrow no-break space (U+202F) in large numbers and before ; ! ? and inside « », and
// a no-break space (U+00A0) before : € and %.
package locale

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A Language is a language of the pages.
type Language int

// The languages. French is the first: its paths have no prefix.
const (
	French Language = iota
	English
)

// Languages lists every language.
func Languages() []Language { return []Language{French, English} }

// Tagged returns the language for a tag: English for "en", French for anything else.
func Tagged(tag string) Language {
	if tag == English.String() {
		return English
	}
	return French
}

// String returns the tag of the language, as in lang="fr".
func (l Language) String() string { return [...]string{"fr", "en"}[l] }

// The spaces of French typography.
const (
	nbsp  = "\u00a0"
	nnbsp = "\u202f"
	minus = "\u2212"
)

func (l Language) choose(french, english string) string {
	if l == French {
		return french
	}
	return english
}

// Integer writes a whole number in groups of three digits.
func (l Language) Integer(n int) string {
	digits := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, digits = minus, digits[1:]
	}
	var b strings.Builder
	for i, d := range digits {
		if left := len(digits) - i; i > 0 && left%3 == 0 {
			b.WriteString(l.choose(nnbsp, ","))
		}
		b.WriteRune(d)
	}
	return sign + b.String()
}

// hundredths writes n/100 with two decimals, or fewer if they are zeros, but at least the given
// number.
func (l Language) hundredths(n int64, decimals int) string {
	s := l.Integer(int(n / 100))
	fraction := fmt.Sprintf("%02d", n%100)
	for len(fraction) > decimals && strings.HasSuffix(fraction, "0") {
		fraction = fraction[:len(fraction)-1]
	}
	if fraction == "" {
		return s
	}
	return s + l.choose(",", ".") + fraction
}

// Target writes a percentage given with a decimal point, such as 99.5: 99,5 %, 99.5%.
func (l Language) Target(share string) string {
	return l.choose(strings.Replace(share, ".", ",", 1)+nbsp+"%", share+"%")
}

// Measure writes a score with one decimal: 9,1. An absent score is a dash.
func (l Language) Measure(m catalog.Measure) string {
	if !m.Known {
		return "–"
	}
	return l.hundredths(int64(m.Rounded().Hundredths), 1)
}

// Euros writes an amount: 24 €, 9,90 €, €24.
func (l Language) Euros(cents int64) string {
	decimals := 2
	if cents%100 == 0 {
		decimals = 0
	}
	amount := l.hundredths(cents, decimals)
	return l.choose(amount+nbsp+"€", "€"+amount)
}

// Price writes an amount and its period: 24 €/mois, €24/month.
func (l Language) Price(p catalog.Price) string { return l.Euros(p.Cents) + "/" + l.Period(p.Period) }

// SpokenPrice writes an amount and its period for a sentence: 24 € par mois, €24 per month.
func (l Language) SpokenPrice(p catalog.Price) string {
	return l.Euros(p.Cents) + l.choose(" par ", " per ") + l.Period(p.Period)
}

// Period returns the name of a price's period. One that the catalog does not know is returned
// unchanged.
func (l Language) Period(period string) string {
	if english := catalog.PeriodInEnglish(period); l == English && english != "" {
		return english
	}
	return period
}

// Percent writes a change in whole percents with its sign: +17 %, −11 %.
func (l Language) Percent(n int) string {
	sign := "+"
	switch {
	case n < 0:
		sign, n = minus, -n
	case n == 0:
		sign = ""
	}
	return sign + l.Integer(n) + l.choose(nbsp, "") + "%"
}

// Rate writes a rate in tenths of a percent: 20 %, 25,5 %, 25.5%.
func (l Language) Rate(tenths int) string {
	decimals := 1
	if tenths%10 == 0 {
		decimals = 0
	}
	return l.hundredths(int64(tenths)*10, decimals) + l.choose(nbsp, "") + "%"
}

// Ordinal writes a rank: 1er, 2e, 1st, 2nd.
func (l Language) Ordinal(n int) string {
	s := l.Integer(n)
	if l == French {
		if n == 1 {
			return s + "er"
		}
		return s + "e"
	}
	switch {
	case n%100 >= 11 && n%100 <= 13:
		return s + "th"
	case n%10 == 1:
		return s + "st"
	case n%10 == 2:
		return s + "nd"
	case n%10 == 3:
		return s + "rd"
	default:
		return s + "th"
	}
}

// One reports whether a count takes the singular: 0 does in French, but not in English.
func (l Language) One(n int) bool { return n == 1 || n == 0 && l == French }

var months = [...][12]string{
	{
		"janvier", "février", "mars", "avril", "mai", "juin",
		"juillet", "août", "septembre", "octobre", "novembre", "décembre",
	},
	{
		"January", "February", "March", "April", "May", "June",
		"July", "August", "September", "October", "November", "December",
	},
}

var shortMonths = [...][12]string{
	{
		"janv.", "févr.", "mars", "avr.", "mai", "juin",
		"juil.", "août", "sept.", "oct.", "nov.", "déc.",
	},
	{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
}

var weekdays = [...][7]string{
	{"dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"},
	{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
}

// Date writes a day: 15 novembre 2026. The first of a month is 1er in French.
func (l Language) Date(t time.Time) string {
	return l.DayMonth(t) + " " + strconv.Itoa(t.Year())
}

// DayMonth writes a day without its year: 15 novembre.
func (l Language) DayMonth(t time.Time) string {
	day := strconv.Itoa(t.Day())
	if l == French && t.Day() == 1 {
		day = "1er"
	}
	return day + nbsp + months[l][t.Month()-1]
}

// FullDate writes a day with its weekday: dimanche 15 novembre 2026.
func (l Language) FullDate(t time.Time) string {
	return weekdays[l][t.Weekday()] + " " + l.Date(t)
}

// Month writes a month: novembre 2026.
func (l Language) Month(t time.Time) string {
	return months[l][t.Month()-1] + " " + strconv.Itoa(t.Year())
}

// Clock writes a time of the day: 9 h 40, 0 h, 09:40.
func (l Language) Clock(t time.Time) string {
	if l == English {
		return t.Format("15:04")
	}
	clock := strconv.Itoa(t.Hour()) + nbsp + "h"
	if t.Minute() != 0 {
		clock += t.Format(nbsp + "04")
	}
	return clock
}

// ShortMonth writes the abbreviated name of a month, for charts.
func (l Language) ShortMonth(t time.Time) string { return shortMonths[l][t.Month()-1] }

// Quoted writes a title in the quotation marks of the language.
func (l Language) Quoted(s string) string {
	return l.choose("«"+nnbsp+s+nnbsp+"»", "“"+s+"”")
}

var frenchSpaces = strings.NewReplacer(
	" :", nbsp+":", " ;", nnbsp+";", " ?", nnbsp+"?", " !", nnbsp+"!",
	nbsp+";", nnbsp+";", nbsp+"?", nnbsp+"?", nbsp+"!", nnbsp+"!",
	"« ", "«"+nnbsp, " »", nnbsp+"»", "«"+nbsp, "«"+nnbsp, nbsp+"»", nnbsp+"»",
	" €", nbsp+"€", " %", nbsp+"%", "'", "’",
)

// These keep a number on one line with its unit, the hours of a time with its minutes, and groups
// of digits together.
var (
	units = regexp.MustCompile(`(\d) (h|min|s|ms|Ko|Mo|Go|To|px|km|kg|heures?|minutes?|secondes?|jours?|semaines?|mois|ans?|` +
		`caractères)($|\PL)`)
	minutes   = regexp.MustCompile(`(\d\x{a0}h) (\d\d)\b`)
	thousands = regexp.MustCompile(`(\d) (\d{3})\b`)
)

// FrenchText adds the French spaces and apostrophes that keyboards leave out, so that no line
// begins with a question mark.
func FrenchText(s string) string {
	s = frenchSpaces.Replace(s)
	if !strings.ContainsAny(s, "0123456789") {
		return s
	}
	s = minutes.ReplaceAllString(units.ReplaceAllString(s, "$1"+nbsp+"$2$3"), "$1"+nbsp+"$2")
	s = thousands.ReplaceAllString(s, "$1"+nnbsp+"$2")
	return thousands.ReplaceAllString(s, "$1"+nnbsp+"$2") // the first pass skips every second group
}

var (
	closingQuotes = regexp.MustCompile(`([^\s(\[“])"|"($|[\s.,;:!?)\]])`)
	englishQuotes = strings.NewReplacer("'", "’", `"`, "“")
)

// EnglishText replaces typed apostrophes and quotation marks by English typographic ones.
func EnglishText(s string) string {
	return englishQuotes.Replace(closingQuotes.ReplaceAllString(s, "$1”$2"))
}

// Typeset applies the typography of the language to text that an editor typed.
func (l Language) Typeset(s string) string {
	if l == English {
		return EnglishText(s)
	}
	return FrenchText(s)
}

// OneLine puts a text on one line. Unlike strings.Fields it keeps no-break spaces.
func OneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\r\n", r) }), " ")
}
