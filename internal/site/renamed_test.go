package site_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Every address that has the slug of a tool or a comparison leads from a slug of before to the same under the slug of
// today, in both languages, with its query, and nobody keeps that.
func TestRenamed(t *testing.T) {
	t.Parallel()
	formerly := func(t *catalog.Tool) { t.Formerly = []string{"cheval", "poney"} }
	got := &taken{}
	r := sitetest.New(t, catalogtest.Snapshot(
		catalogtest.Tool("zebre", catalogtest.Reviewed("Il trotte."), formerly), catalogtest.Tool("ane"),
		catalogtest.Retired("feu-mort", func(r *catalog.Retired) { r.Formerly = []string{"feu-vif"} }),
		catalogtest.Comparison("ane-ou-zebre", "ane", "zebre", func(c *catalog.Comparison) { c.Formerly = []string{"ane-ou-cheval"} }),
	), func(o *site.Options) { o.Reports = got })
	// These slugs are of what no editor renames.
	others := []address.Page{
		address.Category, address.CategoryCard, address.FeedCategory, address.Guide, address.GuideSource, address.Operation, address.OperationCall,
		address.OperationSource, address.SitemapPart,
	}
	addresses := 0
	for _, a := range address.All() {
		if !strings.Contains(a.French, catalog.SlugPlaceholder) || slices.Contains(others, a) {
			continue
		}
		addresses++
		names := map[string]string{"cheval": "zebre", "poney": "zebre", "feu-vif": "feu-mort"}
		if strings.HasPrefix(a.Name, address.Comparison.Name) {
			names = map[string]string{"ane-ou-cheval": "ane-ou-zebre"}
		}
		for _, l := range locale.Languages() {
			for old, now := range names {
				from, to := a.At(l, old), a.At(l, now)
				for path, to := range map[string]string{from: to, from + "?a=b&c=%2F%2Fd": to + "?a=b&c=%2F%2Fd", from + "/": to, from + "/?a=b": to + "?a=b"} {
					for _, method := range []string{http.MethodGet, http.MethodHead} {
						moved := r.Do(method, path)
						testkit.Equal(t, path, moved.Status, 308)
						testkit.Equal(t, path, moved.Header.Get("Location"), to)
						testkit.Equal(t, path, moved.Header.Get("Cache-Control"), "no-store")
						testkit.Equal(t, path, moved.Body, "")
					}
				}
				if a != address.Report {
					testkit.Equal(t, "POST "+from, r.Do(http.MethodPost, from).Status, 405)
				}
				if now == "feu-mort" { // which has no review, and no card of its own
					continue
				}
				there := r.Get(to)
				testkit.Equal(t, to, there.Status, 200)
				for _, name := range []string{"Access-Control-Allow-Origin", "Cross-Origin-Resource-Policy"} { // another site may follow
					testkit.Equal(t, from+": "+name, r.Get(from).Header.Get(name), there.Header.Get(name))
				}
			}
			testkit.Equal(t, "a slug that nobody had", r.Get(a.At(l, "mulet")).Status, 404)
		}
	}
	if addresses < 9 {
		t.Errorf("only %d addresses have a slug", addresses)
	}

	typed := url.Values{"field": {"price"}, "right": {"25 €"}}
	moved := send(r.Site, "/signaler/poney", typed)
	testkit.Equal(t, "a form of before", moved.Code, 308)
	testkit.Equal(t, "where it is sent once more", moved.Header().Get("Location"), "/signaler/zebre")
	testkit.Equal(t, "sent there", send(r.Site, moved.Header().Get("Location"), typed).Code, 200)
	if len(got.drafts) != 1 || got.drafts[0].Slug != "zebre" {
		t.Errorf("handed over: %v", got.drafts)
	}
}
