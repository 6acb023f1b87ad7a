package list

import (
	"embed"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/digest"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/portal/page"
)

// Templates are the templates of the list, and of the page that ends its digest.
//
//go:embed templates
var Templates embed.FS

// Pages has the handlers of the list, and of the page that ends its digest.
type Pages struct {
	Accounts *account.Service
	Digests  *digest.Service
	Catalog  page.Catalog // has the names of tools
	Mail     bool         // mail is sent
}

// The fields of the forms.
const (
	toolField  = "tool"  // a slug; one for each tool
	namesField = "names" // names of tools, separated by commas
	everyField = "every" // how often a digest is sent
)

// maxNames is how many names can be typed at once.
const maxNames = 20

// A listBody is what the page of the list shows.
type listBody struct {
	Action  string
	Watch   string // the page on which lists are made
	Feed    string // of the list, for feed readers; "" for none
	Tools   []toolRow
	Offered []toolRow // from the address, and not in the list
	Limit   int
	Full    bool // the list has no room
	Room    int  // for so many tools

	Every     []frequencyOption
	Saved     bool // the account has a list, or has chosen how often
	First     bool // the list begins with what is offered: nothing else is shown
	Email     string
	Confirmed bool // somebody reads mail at Email
	Mail      bool
	StoppedAt time.Time
	SentAt    time.Time
	Refusals  int
	Names     string // as they were typed
}

// A toolRow is a tool.
type toolRow struct {
	Slug, Name, Path string // Path is "" if it has no page
	State            string // that it is retired, or ends; "" for nothing
	Price            string
	AddedAt          time.Time
}

// A frequencyOption is how often a digest can be sent.
type frequencyOption struct {
	Every    account.Frequency
	Text     string
	Selected bool
}

// Keep returns the tools of a query string, for after signing in.
func Keep(rawQuery string) string {
	asked, err := params.ParseWatch(rawQuery)
	if err != nil {
		return ""
	}
	return params.Watch{Tools: asked.Tools}.In(locale.French)
}

// Show shows the list, and what the address offers to add to it.
func (p *Pages) Show(r *page.Request) (*page.Answer, error) {
	body, err := p.body(r)
	if err != nil {
		return nil, err
	}
	return page.Show(body)
}

func (p *Pages) body(r *page.Request) (b listBody, err error) {
	w, err := p.Accounts.Watchlist(r.Context(), r.By, r.Account.ID)
	if err != nil {
		return b, err
	}
	b = listBody{
		Action: r.At(address.List), Watch: r.At(address.Watch), Limit: r.Account.Plan.Limits().Watched, Email: r.Account.Email,
		Confirmed: r.Account.Confirmed, Mail: p.Mail, StoppedAt: w.StoppedAt, SentAt: w.SentAt, Refusals: account.DigestRefusals,
		Saved: len(w.Tools) > 0 || w.Every != account.Never,
	}
	b.Room = max(0, b.Limit-len(w.Tools))
	b.Full = b.Room == 0
	now := p.Catalog.Current()
	for _, t := range w.Tools {
		b.Tools = append(b.Tools, newToolRow(r, now, t.Slug, t.AddedAt))
	}
	slices.SortStableFunc(b.Tools, func(x, y toolRow) int { return strings.Compare(strings.ToLower(x.Name), strings.ToLower(y.Name)) })
	if n := len(b.Tools); n > 0 && n <= params.MaxSlugs {
		var followed params.Watch
		for _, t := range b.Tools {
			followed = followed.With(t.Slug)
		}
		b.Feed = r.At(address.FeedWatch) + followed.In(r.Text.Language)
	}
	chosen := w.Every
	if !b.Saved {
		chosen = account.Weekly
	}
	for _, f := range account.Frequencies() {
		b.Every = append(b.Every, frequencyOption{f, r.Text.Must("list.every." + string(f)), f == chosen})
	}
	b.offer(r, now)
	b.First = !b.Saved && len(b.Offered) > 0
	return b, nil
}

// offer adds the tools that the address names and the list lacks. An address that cannot be read offers none.
func (b *listBody) offer(r *page.Request, now *catalog.Snapshot) {
	asked, err := params.ParseWatch(r.Query.Encode())
	if err != nil {
		return
	}
	for _, slug := range asked.Slugs() {
		slug = now.ToolSlug(slug)
		has := func(t toolRow) bool { return t.Slug == slug }
		row := newToolRow(r, now, slug, time.Time{})
		if row.Path != "" && !slices.ContainsFunc(b.Offered, has) && !slices.ContainsFunc(b.Tools, has) {
			b.Offered = append(b.Offered, row)
		}
	}
}

// newToolRow returns the row of a tool, living, retired or gone.
func newToolRow(r *page.Request, now *catalog.Snapshot, slug string, added time.Time) toolRow {
	slug = now.ToolSlug(slug)
	row := toolRow{Slug: slug, Name: slug, AddedAt: added}
	if t, living := now.Tool(slug); living {
		row.Name, row.Path = t.Name, r.At(address.Tool, slug)
		if price, ok := catalog.ParsePrice(t.Price); ok {
			row.Price = r.Text.Price(price)
		}
		if t.Ending.Announced() {
			row.State = r.Text.Must("list.ends", r.Text.Date(t.Ending.At.Time()))
		}
	} else if x, retired := now.Retired(slug); retired {
		row.Name, row.Path = x.Name, r.At(address.Tool, slug)
		row.State = r.Text.Must("list.retired", r.Text.Date(x.RetiredAt.Time()))
	} else {
		row.State = r.Text.Must("list.gone")
	}
	return row
}

// Save adds tools to the list and, if the form says how often, sets the digest.
func (p *Pages) Save(r *page.Request) (*page.Answer, error) {
	slugs := r.Form[toolField]
	typed, missing := p.named(r.Field(namesField))
	slugs = append(slugs, typed...)
	if missing != "" {
		return p.invalid(r, "list.error.missing", r.Text.Quoted(missing))
	}
	if len(slugs) == 0 {
		return p.invalid(r, "list.error.none")
	}
	_, err := p.Accounts.Watch(r.Context(), r.By, r.Account.ID, slugs)
	if errors.Is(err, account.ErrListFull) {
		return p.invalid(r, "list.error.full", r.Text.Integer(r.Account.Plan.Limits().Watched))
	}
	if err != nil {
		return nil, err
	}
	if every, err := account.ParseFrequency(r.Form.Get(everyField)); err == nil {
		if err := p.Accounts.SetDigest(r.Context(), r.By, r.Account.ID, every); err != nil {
			return nil, err
		}
	}
	return page.GoTo(r.At(address.List), "list-saved")
}

// named returns the slugs of the tools that were typed, by name, slug, domain or package, or the first that names none
// or several.
func (p *Pages) named(typed string) (slugs []string, missing string) {
	n := 0
	for name := range strings.SplitSeq(typed, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		_, found := p.Catalog.Current().Identify(name)
		if n++; len(found) != 1 || n > maxNames {
			return nil, name
		}
		slugs = append(slugs, found[0])
	}
	return slugs, ""
}

// invalid shows the page again with what is wrong.
func (p *Pages) invalid(r *page.Request, text string, args ...any) (*page.Answer, error) {
	body, err := p.body(r)
	if err != nil {
		return nil, err
	}
	body.Names = r.Field(namesField)
	return page.Invalid(body, page.NewFieldError(namesField, r.Text.Must(text, args...))), nil
}

// Remove removes the ticked tools.
func (p *Pages) Remove(r *page.Request) (*page.Answer, error) {
	if _, err := p.Accounts.Unwatch(r.Context(), r.By, r.Account.ID, r.Form[toolField]); err != nil {
		return nil, err
	}
	return page.GoTo(r.At(address.List), "list-removed")
}

// SetDigest sets how often a digest is sent.
func (p *Pages) SetDigest(r *page.Request) (*page.Answer, error) {
	every, err := account.ParseFrequency(r.Form.Get(everyField))
	if err != nil {
		return page.GoTo(r.At(address.List), "")
	}
	if err := p.Accounts.SetDigest(r.Context(), r.By, r.Account.ID, every); err != nil {
		return nil, err
	}
	return page.GoTo(r.At(address.List), "digest-set")
}
