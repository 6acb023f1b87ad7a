package params

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/search"
)

// A Watch is a reader's own list of tools to follow.
type Watch struct {
	Tools    string // slugs joined by commas, sorted, each once
	Category string // the category of tools to choose from; "" for all
	Typed    string // names of tools to look for, separated by commas; "" for none
	Exact    bool   // the query string already has the tools in this form
}

// watchNames are the names of the parameters of a Watch, by language.
var watchNames = map[locale.Language]struct{ tools, category string }{
	locale.French: {"outils", "categorie"}, locale.English: {"tools", "category"},
}

// ParseWatch parses a list of tools, under the parameter names of either language. A form sends one
// tool per value, an address has them joined by commas.
func ParseWatch(rawQuery string) (Watch, error) {
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return Watch{}, newReader(rawQuery + "%").err
	}
	typed, err := ParseSearch(rawQuery)
	if err != nil {
		return Watch{}, err
	}
	p := Watch{Exact: true, Typed: typed.Typed}
	var given, list []string
	for _, l := range locale.Languages() { // in order: of two categories the last counts
		names := watchNames[l]
		given = append(given, values[names.tools]...)
		if category := values.Get(names.category); category != "" {
			p.Category = category
		}
	}
	for _, value := range given {
		list = append(list, strings.Split(value, ",")...)
	}
	invalid := func(s string) bool { return !catalog.ValidSlug(s) }
	slices.Sort(list)
	list = slices.Compact(list)
	if slices.ContainsFunc(list, invalid) || len(list) > MaxSlugs || p.Category != "" && invalid(p.Category) {
		return Watch{}, refuse(RefusedError{Name: "outils", Value: strings.Join(given, ","), Form: Watched},
			fmt.Sprintf("use up to %d slugs of tools, joined by commas", MaxSlugs))
	}
	p.Tools = strings.Join(list, ",")
	p.Exact = len(given) == 0 || len(given) == 1 && given[0] == p.Tools
	return p, nil
}

// Slugs returns the slugs of the tools.
func (p Watch) Slugs() []string { return elements(p.Tools) }

// Searched reports whether names were typed.
func (p Watch) Searched() bool { return p.Typed != "" }

// A Name is one of the names typed.
type Name struct {
	Typed  string
	Folded string // by search.Fold; "" if it cannot be searched for
}

// maxNames is the largest number of names that are looked for at once.
const maxNames = 5

// Names returns the names typed, each once, maxNames at most.
func (p Watch) Names() (names []Name) {
	for typed := range strings.SplitSeq(p.Typed, ",") {
		name := Name{strings.TrimSpace(typed), search.Fold(typed)}
		if name.Typed != "" && len(names) < maxNames && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// With returns the list with more tools.
func (p Watch) With(slugs ...string) Watch {
	all := append(p.Slugs(), slugs...)
	slices.Sort(all)
	p.Tools = strings.Join(slices.Compact(all), ",")
	return p
}

// Without returns the list without a tool.
func (p Watch) Without(slug string) Watch {
	p.Tools = strings.Join(slices.DeleteFunc(p.Slugs(), func(s string) bool { return s == slug }), ",")
	return p
}

// In returns the query string in a language; "" for an empty list.
func (p Watch) In(l locale.Language) string {
	var pairs []string // commas stay as they are: people read the address
	if p.Tools != "" {
		pairs = append(pairs, watchNames[l].tools+"="+p.Tools)
	}
	if p.Category != "" {
		pairs = append(pairs, watchNames[l].category+"="+p.Category)
	}
	if p.Typed != "" {
		pairs = append(pairs, "q="+url.QueryEscape(p.Typed))
	}
	if len(pairs) == 0 {
		return ""
	}
	return "?" + strings.Join(pairs, "&")
}

// WatchNames returns the names of the parameters in a language.
func WatchNames(l locale.Language) (tools, category string) {
	return watchNames[l].tools, watchNames[l].category
}
