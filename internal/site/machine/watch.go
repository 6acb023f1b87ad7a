package machine

import (
	"html"
	"strconv"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/site/pages"
	"github.com/palmares-hq/palmares/internal/site/view"
)

// FeedWatch tells what happened to the tools of a list of one's own. It has one address: the tools in order,
// each once. Its tag is its last entry of the change log.
func FeedWatch(v *view.View, p params.Watch) (*view.File, error) {
	p.Category = ""
	if !p.Exact {
		return &view.File{Redirect: v.Path(address.FeedWatch) + p.In(v.Text.Language)}, nil
	}
	happened, err := pages.Happenings(v, p.Slugs(), feedSize)
	if err != nil {
		return nil, err
	}
	entries := make([]atomEntry, 0, len(happened))
	last := int64(0)
	for _, h := range happened {
		e := entry(v, h.At, h.Slug, h.Category, "suivi", h.Slug, strconv.FormatInt(h.Seq, 10))
		name := html.UnescapeString(string(h.Name))
		e.Title = name
		e.Summary = atomText{"html", html.EscapeString(name) + " " + string(h.Said) + "."}
		entries = append(entries, e)
		last = max(last, h.Seq)
	}
	f, err := feed(v, about{feed: address.FeedWatch, page: address.Watch, query: p.In(v.Text.Language)}, v.Text.Must("feed.feed-watch"), entries)
	if err != nil {
		return nil, err
	}
	f.Tag = strconv.FormatInt(last, 10)
	return f, nil
}
