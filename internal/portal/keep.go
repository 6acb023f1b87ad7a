package portal

import (
	"errors"
	"slices"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// keepField is the field of the keys that stay awake.
const keepField = "keep"

// A downgrade is what sleeps on Developer: now, or once Pro is over.
type downgrade struct {
	Max       int       // keys that stay awake
	Keys      []keepRow // all live ones, if there are more; else none
	Endpoints []string  // addresses of those that are paused, or will be
}

// Any says whether anything sleeps.
func (d downgrade) Any() bool { return len(d.Keys)+len(d.Endpoints) > 0 }

// A keepRow is a key that can stay awake.
type keepRow struct {
	account.KeyInfo
	Used string // when it was used last, in words
	Keep bool
}

// downgrade reads what sleeps on Developer.
func (r *request) downgrade() (downgrade, error) {
	d := downgrade{Max: account.MaxPinned()}
	keys, err := r.portal.o.Accounts.FilterKeys(r.ctx, r.by, r.account.ID, account.KeyFilter{Revoked: 1})
	if err != nil {
		return d, err
	}
	now, awake := r.portal.o.Now(), account.ActiveKeys(keys, d.Max)
	for _, k := range keys {
		if k.RevokedAt.IsZero() && k.EndsAt.IsZero() {
			d.Keys = append(d.Keys, keepRow{k, r.lastUse(k.LastUsed, now), slices.Contains(awake, k.ID)})
		}
	}
	if len(d.Keys) <= d.Max {
		d.Keys = nil
	}
	endpoints, err := r.portal.o.Endpoints.List(r.ctx, r.by, r.account.ID)
	if err != nil {
		return d, err
	}
	for _, e := range endpoints {
		if e.State == webhook.Paused || r.account.Plan == account.Pro && e.State == webhook.Active {
			d.Endpoints = append(d.Endpoints, e.URL)
		}
	}
	return d, nil
}

// typed puts back which keys were ticked.
func (d downgrade) typed(ids []string) {
	for i := range d.Keys {
		d.Keys[i].Keep = slices.Contains(ids, d.Keys[i].ID)
	}
}

// keep chooses the keys that were ticked. It returns a fault if there are too many.
func (r *request) keep() ([]fault, error) {
	err := r.portal.o.Accounts.PinKeys(r.ctx, r.by, r.account.ID, r.form[keepField])
	if errors.Is(err, account.ErrTooManyPinned) {
		return []fault{{keepField, r.Must("keep.fault", r.Integer(account.MaxPinned()))}}, nil
	}
	return nil, err
}
