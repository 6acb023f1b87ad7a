package pages

import (
	"html/template"
	"maps"
	"net/url"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/site/view"
)

// A choice is a value that a list can be filtered by, as a link.
type choice struct {
	Name    template.HTML
	Count   int
	Path    string
	Current bool
}

// choose makes a choice that leads to a list with its parameter set to a value, "" for none.
func choose(name template.HTML, count int, path string, params url.Values, key, value string) choice {
	c := choice{Name: name, Count: count, Current: params.Get(key) == value}
	to := maps.Clone(params)
	to.Del(key)
	if value != "" {
		to.Set(key, value)
	}
	c.Path = listPath(path, to, 1)
	return c
}

// oneItem asks for little more than how many there are.
var oneItem = catalog.Paging{Page: 1, Limit: 1}

// byCategory makes a choice for each category that count finds something in, and for the one that
// is chosen. The first one is for all of them, under the given name.
func byCategory(v *view.View,
	all, path string, params url.Values, count func(category string) int,
) []choice {
	const key = "category"
	choices := []choice{choose(view.Escaped(all), count(""), path, params, key, "")}
	add := func(c catalog.Category) {
		if n := count(c.Slug); n > 0 || c.Slug == params.Get(key) {
			choices = append(choices, choose(v.Text.Translated(c.Label, c.English), n, path, params, key, c.Slug))
		}
	}
	for _, c := range v.Catalog.Categories() {
		add(c.Category)
	}
	return choices
}
