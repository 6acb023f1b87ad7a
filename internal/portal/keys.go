package portal

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/web"
)

func keysRoutes() []*route {
	return []*route{{
		name: "keys", paths: [2]string{"/compte/cles", "/en/account/keys"}, entry: "keys", get: showKeys,
		shows: []string{"keys", "key-shown", "key-made"},
		actions: map[string]handler{
			"create": createKey, "call": callWithKey, "rename": renameKey, "rotate": rotateKey, "revoke": revokeKey,
		},
	}}
}

// revokedFor is how long a revoked key stays on the page.
const revokedFor = 30 * 24 * time.Hour

// maxRevoked is how many of them the page shows.
const maxRevoked = 20

// defaultGrace is the grace that the page proposes.
const defaultGrace = 24 * time.Hour

// A keysBody is what the page of keys shows.
type keysBody struct {
	Action      string
	Keys        []keyRow          // live ones, then those in their grace
	Revoked     []account.KeyInfo // in the last 30 days, the last one first
	OfRevoked   string            // says which those are
	Counted     bool              // the requests of 30 days are known
	Live, Limit int               // how many keys work, and how many the plan allows
	Suspended   int               // how many keys sleep
	Daily       int               // requests that the plan allows in a day; 0 for no limit
	Name, Once  string            // of the form that creates a key
}

// A keyRow is a key with its forms.
type keyRow struct {
	account.KeyInfo
	Used     string // when it was used last, in words
	Requests int    // of 30 days
	Open     string // the action of the form that is open
	Typed    string // the name in the form that renames it
	Graces   []graceOption
}

// A graceOption is how long a rotated key may go on working.
type graceOption struct {
	Hours, Text string
	Selected    bool
}

func showKeys(r *request) (*answer, error) {
	body, err := r.keysBody()
	if err != nil {
		return nil, err
	}
	return show(body)
}

// keysBody reads the keys and their use.
func (r *request) keysBody() (keysBody, error) {
	keys, err := r.portal.o.Accounts.FilterKeys(r.ctx, r.by, r.account.ID, account.KeyFilter{Revoked: maxRevoked + 1})
	if err != nil {
		return keysBody{}, err
	}
	limits := r.account.Plan.Limits()
	body := keysBody{
		Action: r.path("keys"), Limit: limits.Keys, Daily: limits.Daily, Once: account.NewOnce(),
	}
	now := r.portal.o.Now()
	uses, counted := r.keyUses(keys, now)
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
			used := k.LastUsed // noted once a minute, while requests are counted every few seconds
			if last := uses[k.ID].last; last.After(used) {
				used = last
			}
			body.Keys = append(body.Keys, keyRow{
				KeyInfo: k, Used: r.lastUse(used, now), Requests: uses[k.ID].requests, Typed: k.Name,
				Graces: r.graces(defaultGrace),
			})
		case now.Sub(k.RevokedAt) < revokedFor:
			body.Revoked = append(body.Revoked, k)
		}
	}
	r.limitRevoked(&body)
	body.Name = r.Must("keys.first.name")
	if len(body.Keys) > 0 {
		body.Name = r.Must("keys.next.name", r.Integer(body.Live+body.Suspended+1))
	}
	return body, nil
}

// limitRevoked leaves the last of the revoked keys.
func (r *request) limitRevoked(body *keysBody) {
	slices.SortStableFunc(body.Revoked, func(a, b account.KeyInfo) int { return b.RevokedAt.Compare(a.RevokedAt) })
	n := len(body.Revoked)
	if n > maxRevoked {
		body.Revoked, body.OfRevoked = body.Revoked[:maxRevoked], r.Must("keys.revoked.last", r.Integer(maxRevoked))
	} else if n > 0 {
		body.OfRevoked = r.Many("keys.revoked", n)
	}
}

// graces are the options of the form that rotates a key.
func (r *request) graces(selected time.Duration) (options []graceOption) {
	for _, grace := range account.GracePeriods() {
		hours := hoursOf(grace)
		options = append(options, graceOption{hours, r.Must("keys.grace." + hours), grace == selected})
	}
	return options
}

func hoursOf(grace time.Duration) string { return strconv.Itoa(int(grace.Hours())) }

// A keyUse is what was made of a key in 30 days.
type keyUse struct {
	requests int
	last     time.Time // the day; zero without a request
}

// keyUses reads what was made of each key. The page does without where requests are not counted, or
// cannot be read.
func (r *request) keyUses(keys []account.KeyInfo, now time.Time) (uses map[string]keyUse, counted bool) {
	if r.portal.o.Usage == nil {
		return nil, false
	}
	stored, err := r.portal.o.Usage.Read(r.ctx, r.account.ID)
	if err != nil {
		web.SetError(r.w, err)
		return nil, false
	}
	uses = make(map[string]keyUse)
	days := quota.UsageDays(now)
	for _, k := range quota.NewReport(r.account.Plan, now, stored, keys).Keys {
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

// lastUse says when a key was used last, which is known to the day.
func (r *request) lastUse(used, now time.Time) string {
	today := now.UTC().Truncate(24 * time.Hour)
	switch {
	case used.IsZero():
		return r.Must("keys.used.never")
	case !used.Before(today):
		return r.Must("keys.used.today")
	case !used.Before(today.AddDate(0, 0, -1)):
		return r.Must("keys.used.yesterday")
	default:
		return r.Date(used.UTC())
	}
}

// createKey creates a key and shows it in this answer alone. The form makes one key, however often
// it is sent.
func createKey(r *request) (*answer, error) {
	name, err := account.ParseKeyName(r.form.Get("name"))
	if err != nil {
		return r.keyFault("", "name", "keys.fault.name")
	}
	key, info, err := r.portal.o.Accounts.CreateKeyOnce(r.ctx, r.by, r.account.ID, name, r.form.Get("once"))
	switch {
	case err == nil:
		return showKey(r, r.shownKey(key, info.Name))
	case errors.Is(err, account.ErrKeyMade):
		return r.made("key-made.created")
	case errors.Is(err, account.ErrTooManyKeys):
		return r.keyFault("", "keys", "keys.fault.many")
	case errors.Is(err, account.ErrNotOnce):
		return nil, web.Wrap(http.StatusBadRequest, account.ErrNotOnce.Error(), err)
	default:
		return r.limit(err, func(text string) (*answer, error) { return r.keyFaultText("", "keys", text) })
	}
}

// made answers a form that made a key before: the browser sent it again.
func (r *request) made(text string) (*answer, error) {
	return &answer{
		status: http.StatusConflict, title: r.Must("key-made.title"), template: "key-made", body: r.Must(text),
	}, nil
}

func renameKey(r *request) (*answer, error) {
	id := r.form.Get("id")
	name, err := account.ParseKeyName(r.form.Get("name"))
	if err != nil {
		return r.keyFault(id, "name", "keys.fault.name")
	}
	if err := r.portal.o.Accounts.RenameKey(r.ctx, r.by, id, name); err != nil {
		return nil, err
	}
	return goTo(r.path("keys"), "key-renamed")
}

// rotateKey puts a new key in the place of another and shows it in this answer alone. Sending the
// form again makes no second one: the old key cannot be rotated twice.
func rotateKey(r *request) (*answer, error) {
	id := r.form.Get("id")
	grace, ok := r.grace()
	if !ok {
		return r.keyFault(id, "grace", "keys.fault.grace")
	}
	key, info, err := r.portal.o.Accounts.RotateKey(r.ctx, r.by, id, grace)
	switch {
	case err == nil:
		body := r.shownKey(key, info.Name)
		if grace > 0 {
			body.OldEnds = r.portal.o.Now().Add(grace)
		}
		return showKey(r, body)
	case errors.Is(err, account.ErrKeyInGrace), errors.Is(err, account.ErrKeyRevoked):
		return r.made("key-made.rotated")
	case errors.Is(err, account.ErrTooManyGracePeriods):
		return r.keyFault(id, "grace", "keys.fault.graces")
	case errors.Is(err, account.ErrKeySuspended): // it fell asleep since the page was made
		return r.keyFault("", "keys", "keys.fault.asleep")
	default:
		return r.limit(err, func(text string) (*answer, error) { return r.keyFaultText(id, "grace", text) })
	}
}

// grace is the one that the form asks for.
func (r *request) grace() (grace time.Duration, ok bool) {
	for _, grace := range account.GracePeriods() {
		if hoursOf(grace) == r.form.Get("grace") {
			return grace, true
		}
	}
	return 0, false
}

func revokeKey(r *request) (*answer, error) {
	if err := r.portal.o.Accounts.RevokeKey(r.ctx, r.by, r.form.Get("id")); err != nil {
		return nil, err
	}
	return goTo(r.path("keys"), "key-revoked")
}

// keyFault shows the page of keys again, with what is wrong with a field of the form that creates a
// key, or of a form of one key, and with what was typed into it.
func (r *request) keyFault(id, field, text string) (*answer, error) {
	return r.keyFaultText(id, field, r.Must(text))
}

// keyFaultText is keyFault with the text itself.
func (r *request) keyFaultText(id, field, text string) (*answer, error) {
	body, err := r.keysBody()
	if err != nil {
		return nil, err
	}
	if id == "" && r.form.Has("name") {
		body.Name = r.form.Get("name")
	}
	if id != "" {
		i := slices.IndexFunc(body.Keys, func(k keyRow) bool { return k.ID == id })
		if i < 0 {
			return nil, account.ErrNoKey
		}
		row := &body.Keys[i]
		row.Open = r.form.Get(actionField)
		if row.Open == "rename" {
			row.Typed = r.form.Get("name")
		}
		if grace, ok := r.grace(); ok {
			row.Graces = r.graces(grace)
		}
		field += "-" + id
	}
	return &answer{
		status: http.StatusUnprocessableEntity, body: body, faults: []fault{{field, text}},
	}, nil
}
