package sitetest

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/mmcdole/gofeed/atom"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// tagURI matches a tag URI (RFC 4151).
var tagURI = regexp.MustCompile(`^tag:[a-z0-9.-]+,\d{4}(-\d\d){0,2}:[a-z0-9./-]+$`)

// Feed fetches a feed and parses it. It reports errors unless the feed has what RFC 4287 requires, with unique ids and
// the newest entry first, and unless its page links back to it.
func (r *Reader) Feed(path string) *atom.Feed {
	r.tb.Helper()
	got := r.Get(path)
	testkit.Equal(r.tb, path, got.Status, 200)
	testkit.Equal(r.tb, path, got.Header.Get("Content-Type"), "application/atom+xml; charset=utf-8")
	f, err := new(atom.Parser).Parse(strings.NewReader(got.Body))
	testkit.Must(r.tb, err)
	testkit.Equal(r.tb, path+": the language", f.Language, address.LanguageOf(path).String())
	if !tagURI.MatchString(f.ID) || f.Title == "" || f.UpdatedParsed == nil || len(f.Authors) != 1 || f.Authors[0].Name == "" {
		r.tb.Errorf("%s lacks what every feed has: %s", path, got)
	}
	links := make(map[string]string)
	for _, l := range f.Links {
		links[l.Rel] = l.Href
	}
	testkit.Equal(r.tb, path+": its own link", links["self"], Own+path)
	page, err := url.Parse(links["alternate"])
	testkit.Must(r.tb, err)
	if html := r.Get(page.Path).Body; !strings.Contains(html, `type="application/atom+xml" title="`) ||
		!strings.Contains(html, `href="`+path+`"`) {
		r.tb.Errorf("%s does not lead to %s", page.Path, path)
	}
	ids := []string{f.ID}
	last := *f.UpdatedParsed
	for _, e := range f.Entries {
		if !tagURI.MatchString(e.ID) || e.Title == "" || e.Summary == "" || e.UpdatedParsed == nil || slices.Contains(ids, e.ID) {
			r.tb.Errorf("%s: an entry lacks what every one has: %+v", path, e)
			continue
		}
		if e.UpdatedParsed.After(last) {
			r.tb.Errorf("%s: %s is newer than what stands before it", path, e.ID)
		}
		ids, last = append(ids, e.ID), *e.UpdatedParsed
		if len(e.Links) != 1 || e.Links[0].Rel != "alternate" {
			r.tb.Errorf("%s: %s has the links %v", path, e.ID, e.Links)
		}
	}
	return f
}
