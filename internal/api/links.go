package api

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// pageLinks is the Link header of a page (RFC 8288), "" when the list is empty. The parameters
// are those of the list at listURL.
func pageLinks(listURL string, params url.Values, p catalog.JSONPage) string {
	pages := p.Pages()
	if pages == 0 {
		return ""
	}
	link := func(page int, rel string) string {
		params.Set("page", strconv.Itoa(page))
		return "<" + listURL + "?" + params.Encode() + `>; rel="` + rel + `"`
	}
	links := []string{link(1, "first")}
	if p.Number > 1 {
		links = append(links, link(min(p.Number-1, pages), "prev"))
	}
	if p.Number < pages {
		links = append(links, link(p.Number+1, "next"))
	}
	return strings.Join(append(links, link(pages, "last")), ", ")
}
