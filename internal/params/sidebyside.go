package params

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
)

const (
	// MaxSideBySide is the largest number of tools on the page that compares them.
	MaxSideBySide = 4
	maxTyped      = 2 // texts that name further tools
)

// A SideBySide is a reader's choice of tools to compare.
type SideBySide struct {
	Tools string           // slugs joined by commas, sorted, each once
	Typed [maxTyped]string // what further tools were called in the search fields; "" for none
	Exact bool             // the query string already has the tools in this form
}

// ParseSideBySide parses a choice of tools, under the parameter names of either language.
func ParseSideBySide(rawQuery string) (SideBySide, error) {
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return SideBySide{}, newReader(rawQuery + "%").err
	}
	var given, list []string
	for _, l := range locale.Languages() {
		given = append(given, values[watchNames[l].tools]...)
	}
	for _, value := range given {
		list = append(list, strings.Split(value, ",")...)
	}
	slices.Sort(list)
	list = slices.Compact(list)
	invalid := func(s string) bool { return !catalog.ValidSlug(s) }
	if slices.ContainsFunc(list, invalid) || len(list) > MaxSideBySide {
		return SideBySide{}, refuse(RefusedError{Name: "outils", Value: strings.Join(given, ","), Form: Compared},
			fmt.Sprintf("use up to %d slugs of tools, joined by commas", MaxSideBySide))
	}
	p := SideBySide{Tools: strings.Join(list, ",")}
	p.Exact = len(given) == 0 || len(given) == 1 && given[0] == p.Tools
	typed := once(values["q"])
	for _, text := range typed {
		if !utf8.ValidString(text) || utf8.RuneCountInString(text) > MaxQuery || len(typed) > maxTyped {
			return SideBySide{}, refuse(RefusedError{Name: "q", Value: text, Form: Words}, queryAllowed)
		}
	}
	copy(p.Typed[:], typed)
	return p, nil
}

// Slugs returns the slugs of the tools.
func (p SideBySide) Slugs() []string { return elements(p.Tools) }

// Searched reports that the page is made for one reader, in the turns of the search page.
func (p SideBySide) Searched() bool { return true }

// In returns the query string in a language; "" for an empty choice.
func (p SideBySide) In(l locale.Language) string {
	var pairs []string // commas stay as they are: people read the address
	if p.Tools != "" {
		pairs = append(pairs, watchNames[l].tools+"="+p.Tools)
	}
	for _, text := range p.Typed {
		if text != "" {
			pairs = append(pairs, "q="+url.QueryEscape(text))
		}
	}
	if len(pairs) == 0 {
		return ""
	}
	return "?" + strings.Join(pairs, "&")
}
