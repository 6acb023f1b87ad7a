package plan

import (
	"errors"
	"slices"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// pinField is the form field with the ids of the keys that stay active.
const pinField = "keep"

// A downgrade is what is suspended on Developer: now, or once Pro is over.
type downgrade struct {
	Max       int      // keys that stay active
	Keys      []pinRow // all live keys if there are more than Max; otherwise none
	Endpoints []string // the URLs of the endpoints that are or will be paused
}

// Any reports whether anything is suspended.
func (d downgrade) Any() bool { return len(d.Keys)+len(d.Endpoints) > 0 }

// A pinRow is a key that can be pinned: it then stays active.
type pinRow struct {
	account.KeyInfo
	Used   string // when it was used last, in words
	Pinned bool
}

// readDowngrade reads what is or would be suspended on Developer.
func (p *Pages) readDowngrade(r *page.Request) (downgrade, error) {
	d := downgrade{Max: account.MaxPinned()}
	keys, err := p.Accounts.FilterKeys(r.Context(), r.By, r.Account.ID, account.KeyFilter{Revoked: 1})
	if err != nil {
		return d, err
	}
	active := account.ActiveKeys(keys, d.Max)
	for _, k := range keys {
		if k.RevokedAt.IsZero() && k.EndsAt.IsZero() {
			d.Keys = append(d.Keys, pinRow{k, r.LastUse(k.LastUsed), slices.Contains(active, k.ID)})
		}
	}
	if len(d.Keys) <= d.Max {
		d.Keys = nil
	}
	endpoints, err := p.Endpoints.List(r.Context(), r.By, r.Account.ID)
	if err != nil {
		return d, err
	}
	for _, e := range endpoints {
		if e.State == webhook.Paused || r.Account.Plan == account.Pro && e.State == webhook.Active {
			d.Endpoints = append(d.Endpoints, e.URL)
		}
	}
	return d, nil
}

// tick restores the choice of keys that was sent.
func (d downgrade) tick(ids []string) {
	for i := range d.Keys {
		d.Keys[i].Pinned = slices.Contains(ids, d.Keys[i].ID)
	}
}

// pinKeys pins the keys that were ticked. It returns a field error if there are too many.
func (p *Pages) pinKeys(r *page.Request) ([]page.FieldError, error) {
	err := p.Accounts.PinKeys(r.Context(), r.By, r.Account.ID, r.Form[pinField])
	if errors.Is(err, account.ErrTooManyPinned) {
		return []page.FieldError{page.NewFieldError(pinField, r.Text.Must("pin.error", r.Text.Integer(account.MaxPinned())))}, nil
	}
	return nil, err
}
