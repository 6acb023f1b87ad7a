package keys

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/web"
)

// revokedFor is how long a revoked key stays on the page.
const revokedFor = 30 * 24 * time.Hour

// maxRevoked is how many revoked keys the page shows.
const maxRevoked = 20

// defaultGrace is the grace period that the form proposes.
const defaultGrace = 24 * time.Hour

// A keysBody is what the page of keys shows.
type keysBody struct {
	Action      string
	Keys        []keyRow          // live keys, then those in their grace period
	Revoked     []account.KeyInfo // keys revoked in the last 30 days, the latest first
	OfRevoked   string            // a sentence that says which keys Revoked lists
	Counted     bool              // the requests of the last 30 days are known
	Live, Limit int               // how many keys work, and how many the plan allows
	Suspended   int               // how many keys are suspended
	Daily       int               // requests a day that the plan allows; 0 for no limit
	Name, Once  string            // fields of the form that creates a key
}

// A keyRow is a key with its forms.
type keyRow struct {
	account.KeyInfo
	Used     string // when it was used last, in words
	Requests int    // in the last 30 days
	Open     string // the action of the row's open form; "" for none
	Typed    string // the name in the rename form
	Graces   []graceOption
}

// A graceOption is a grace period to choose: how long a rotated key keeps working.
type graceOption struct {
	Hours, Text string
	Selected    bool
}

// Show shows the keys.
func (p *Pages) Show(r *page.Request) (*page.Answer, error) {
	body, err := p.body(r)
	if err != nil {
		return nil, err
	}
	return page.Show(body)
}

// body reads the keys and their use.
func (p *Pages) body(r *page.Request) (keysBody, error) {
	keys, err := p.Accounts.FilterKeys(r.Context(), r.By, r.Account.ID, account.KeyFilter{Revoked: maxRevoked + 1})
	if err != nil {
		return keysBody{}, err
	}
	limits := r.Account.Plan.Limits()
	body := keysBody{
		Action: r.At(address.Keys), Limit: limits.Keys, Daily: limits.Daily, Once: account.NewOnce(),
	}
	uses, counted := p.keyUses(r, keys)
	body.Counted = counted
	for _, k := range keys {
		switch {
		case k.RevokedAt.IsZero():
			switch {
			case !k.EndsAt.IsZero():
			case k.Suspended:
				body.Suspended++
			default:
				body.Live++
			}
			used := k.LastUsed // stored once a minute; request counts are stored every few seconds
			if last := uses[k.ID].last; last.After(used) {
				used = last
			}
			body.Keys = append(body.Keys, keyRow{
				KeyInfo: k, Used: r.LastUse(used), Requests: uses[k.ID].requests, Typed: k.Name,
				Graces: graces(r, defaultGrace),
			})
		case r.Now.Sub(k.RevokedAt) < revokedFor:
			body.Revoked = append(body.Revoked, k)
		}
	}
	limitRevoked(r, &body)
	body.Name = r.Text.Must("keys.first.name")
	if len(body.Keys) > 0 {
		body.Name = r.Text.Must("keys.next.name", r.Text.Integer(body.Live+body.Suspended+1))
	}
	return body, nil
}

// limitRevoked sorts the revoked keys, the latest first, drops those beyond maxRevoked, and writes the sentence
// about them.
func limitRevoked(r *page.Request, body *keysBody) {
	slices.SortStableFunc(body.Revoked, func(a, b account.KeyInfo) int { return b.RevokedAt.Compare(a.RevokedAt) })
	n := len(body.Revoked)
	if n > maxRevoked {
		body.Revoked, body.OfRevoked = body.Revoked[:maxRevoked], r.Text.Must("keys.revoked.last", r.Text.Integer(maxRevoked))
	} else if n > 0 {
		body.OfRevoked = r.Text.Many("keys.revoked", n)
	}
}

// graces returns the options of the form that rotates a key.
func graces(r *page.Request, selected time.Duration) (options []graceOption) {
	for _, grace := range account.GracePeriods() {
		hours := hoursOf(grace)
		options = append(options, graceOption{hours, r.Text.Must("keys.grace." + hours), grace == selected})
	}
	return options
}

func hoursOf(grace time.Duration) string { return strconv.Itoa(int(grace.Hours())) }

// A keyUse is the use of a key in the last 30 days.
type keyUse struct {
	requests int
	last     time.Time // the day of the last request; zero if there was none
}

// keyUses reads the use of each key. counted is false, and the page does without, if requests are not counted
// or the counts cannot be read.
func (p *Pages) keyUses(r *page.Request, keys []account.KeyInfo) (uses map[string]keyUse, counted bool) {
	if p.Usage == nil {
		return nil, false
	}
	stored, err := p.Usage.Read(r.Context(), r.Account.ID)
	if err != nil {
		r.LogError(err)
		return nil, false
	}
	uses = make(map[string]keyUse)
	days := quota.UsageDays(r.Now)
	for _, k := range quota.NewReport(r.Account.Plan, r.Now, stored, keys).Keys {
		var use keyUse
		for i, day := range k.Days { // today first
			use.requests += day.Requests
			if day.Requests > 0 && use.last.IsZero() {
				use.last = days[i]
			}
		}
		uses[k.ID] = use
	}
	return uses, true
}

// Create creates a key and shows it in this response only. A form makes one key, however often it is sent.
func (p *Pages) Create(r *page.Request) (*page.Answer, error) {
	name, err := account.ParseKeyName(r.Form.Get("name"))
	if err != nil {
		return p.invalid(r, "", "name", "keys.error.name")
	}
	key, info, err := p.Accounts.CreateKeyOnce(r.Context(), r.By, r.Account.ID, name, r.Form.Get("once"))
	switch {
	case err == nil:
		return showKey(r, p.newShownKey(r, key, info.Name))
	case errors.Is(err, account.ErrKeyMade):
		return alreadyMade(r, "key-made.created")
	case errors.Is(err, account.ErrTooManyKeys):
		return p.invalid(r, "", "keys", "keys.error.many")
	case errors.Is(err, account.ErrNotOnce):
		return nil, web.Wrap(http.StatusBadRequest, account.ErrNotOnce.Error(), err)
	default:
		return r.Limit(err, func(text string) (*page.Answer, error) { return p.invalidText(r, "", "keys", text) })
	}
}

// alreadyMade answers a form that the browser sent again, and whose key was already made.
func alreadyMade(r *page.Request, text string) (*page.Answer, error) {
	return &page.Answer{
		Status: http.StatusConflict, Title: r.Text.Must("key-made.title"), Template: "key-made", Body: r.Text.Must(text),
	}, nil
}

// Rename gives a key another name.
func (p *Pages) Rename(r *page.Request) (*page.Answer, error) {
	id := r.Form.Get("id")
	name, err := account.ParseKeyName(r.Form.Get("name"))
	if err != nil {
		return p.invalid(r, id, "name", "keys.error.name")
	}
	if err := p.Accounts.RenameKey(r.Context(), r.By, id, name); err != nil {
		return nil, err
	}
	return page.GoTo(r.At(address.Keys), "key-renamed")
}

// Rotate replaces a key with a new one, which it shows in this response only. Sending the form again makes no
// second key, since the old one cannot be rotated twice.
func (p *Pages) Rotate(r *page.Request) (*page.Answer, error) {
	id := r.Form.Get("id")
	grace, ok := chosenGrace(r)
	if !ok {
		return p.invalid(r, id, "grace", "keys.error.grace")
	}
	key, info, err := p.Accounts.RotateKey(r.Context(), r.By, id, grace)
	switch {
	case err == nil:
		body := p.newShownKey(r, key, info.Name)
		if grace > 0 {
			body.OldEnds = r.Now.Add(grace)
		}
		return showKey(r, body)
	case errors.Is(err, account.ErrKeyInGrace), errors.Is(err, account.ErrKeyRevoked):
		return alreadyMade(r, "key-made.rotated")
	case errors.Is(err, account.ErrTooManyGracePeriods):
		return p.invalid(r, id, "grace", "keys.error.graces")
	case errors.Is(err, account.ErrKeySuspended): // suspended since the page was rendered
		return p.invalid(r, "", "keys", "keys.error.suspended")
	default:
		return r.Limit(err, func(text string) (*page.Answer, error) { return p.invalidText(r, id, "grace", text) })
	}
}

// chosenGrace returns the grace period chosen in the form; ok is false if it is none of the options.
func chosenGrace(r *page.Request) (grace time.Duration, ok bool) {
	for _, grace := range account.GracePeriods() {
		if hoursOf(grace) == r.Form.Get("grace") {
			return grace, true
		}
	}
	return 0, false
}

// Revoke revokes a key.
func (p *Pages) Revoke(r *page.Request) (*page.Answer, error) {
	if err := p.Accounts.RevokeKey(r.Context(), r.By, r.Form.Get("id")); err != nil {
		return nil, err
	}
	return page.GoTo(r.At(address.Keys), "key-revoked")
}

// invalid shows the page of keys again with the problem of a field, and with what was typed. id names the key
// whose form it is; "" means the form that creates a key. text is the name of a text.
func (p *Pages) invalid(r *page.Request, id, field, text string) (*page.Answer, error) {
	return p.invalidText(r, id, field, r.Text.Must(text))
}

// invalidText is invalid with the sentence instead of its name.
func (p *Pages) invalidText(r *page.Request, id, field, text string) (*page.Answer, error) {
	body, err := p.body(r)
	if err != nil {
		return nil, err
	}
	if id == "" && r.Form.Has("name") {
		body.Name = r.Form.Get("name")
	}
	if id != "" {
		i := slices.IndexFunc(body.Keys, func(k keyRow) bool { return k.ID == id })
		if i < 0 {
			return nil, account.ErrNoKey
		}
		row := &body.Keys[i]
		row.Open = r.Form.Get(page.ActionField)
		if row.Open == "rename" {
			row.Typed = r.Form.Get("name")
		}
		if grace, ok := chosenGrace(r); ok {
			row.Graces = graces(r, grace)
		}
		field += "-" + id
	}
	return page.Invalid(body, page.NewFieldError(field, text)), nil
}
