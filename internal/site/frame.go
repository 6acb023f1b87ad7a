package site

import (
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/view"
)

// frame is what the layout shows around a document. That of an error is at no address.
func frame(v *view.View, q *request, d *view.Document) *layout.Frame {
	f := &layout.Frame{
		Lang: v.Text.Language, Title: d.Title, TitleAlone: d.TitleAlone, Description: d.Description, NoIndex: d.NoIndex,
		API: d.API, Markdown: d.Markdown, Data: d.Data, Body: d.Body, Service: v.Catalog.Service(),
		Edition: v.Catalog.Edition(), Operator: v.Operator(), Button: button(v), Sections: v.Text.Sections(d.Section.Name),
		Feeds: v.FeedLinks(d.Feeds, q.slug),
	}
	if d.TitleFrench && v.Foreign() {
		f.TitleLang = locale.French.String()
	}
	if q.files != nil {
		f.Files, f.NoIndex = q.files, true
		if d.Keys {
			f.Files = q.files.withKeys(v.Text)
		}
	}
	if v.Site.Accounts && !v.Site.Closed { // or else it is the button
		f.Account = v.Path(address.Account)
	}
	if v.Site.Checkout {
		f.Cancel = v.Path(address.EndContract)
	}
	image := d.Image
	if image == "" {
		image = v.Path(address.Card)
	}
	f.ImageURL = v.Base() + image
	if q.route == nil {
		return f
	}
	for _, l := range locale.Languages() {
		slug := q.slug
		if d.Translate != nil {
			slug = d.Translate(l)
		}
		f.Alternates = append(f.Alternates, layout.Alternate{
			Lang: l, URL: v.CanonicalIn(l, q.route.address, slug), Path: q.route.address.At(l, slug), XDefault: l == locale.French,
		})
	}
	f.Canonical = f.Alternates[v.Text.Language].URL
	return f
}

// button is that of the masthead: a key, or where nobody new gets one the account, or where there are no
// accounts a first call without one.
func button(v *view.View) layout.Button {
	switch {
	case v.Site.Accounts && v.Site.Closed:
		return layout.Button{Text: v.Text.Must("plans.enter"), Path: v.Path(address.Keys)}
	case v.Site.Accounts:
		return layout.Button{Text: v.Text.Must("plans.key"), Path: v.Path(address.Keys)}
	default:
		return layout.Button{Text: v.Text.Must("frame.firstcall"), Path: v.Path(address.Landing) + "#appel"}
	}
}
