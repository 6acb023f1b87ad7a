package api

import (
	"cmp"
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/palmares-hq/palmares/internal/web"

	"golang.org/x/sync/singleflight"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/quota"
)

// KeyNames lists the keys of an account. account.Service implements it.
type KeyNames interface {
	// Keys returns the keys of an account for the actor, including revoked ones.
	Keys(ctx context.Context, by account.Actor, accountID string) ([]account.KeyInfo, error)
}

const (
	usageMaxAge  = time.Second
	maxReports   = 10_000
	usageTimeout = time.Second            // for the counters, by default
	namesTimeout = 500 * time.Millisecond // for the names; after that they are left out
)

// usageReports makes the responses of GET /api/v1/usage. The operation is free, so it reads the usage of an account
// at most once a second.
type usageReports struct {
	usage *quota.Usage
	keys  KeyNames // may be nil
	now   func() time.Time
	wait  time.Duration // for the counters
	loads singleflight.Group

	mu     sync.Mutex
	recent map[usageKey]usageReport
}

type usageKey struct {
	account string
	plan    account.Plan
}

type usageReport struct {
	expires  time.Time
	response *web.Response
	err      error
}

func newUsageReports(usage *quota.Usage, keys KeyNames, now func() time.Time, wait time.Duration) *usageReports {
	return &usageReports{usage: usage, keys: keys, now: now, wait: cmp.Or(wait, usageTimeout), recent: make(map[usageKey]usageReport)}
}

// get returns the usage report of the caller's account. Concurrent requests for the same account share one load.
func (u *usageReports) get(ctx context.Context, c Caller) (*web.Response, error) {
	key := usageKey{c.Account, c.Plan}
	if r, ok := u.lookup(key); ok {
		return r.response, r.err
	}
	loaded := u.loads.DoChan(key.account+" "+key.plan.String(), func() (any, error) {
		if r, ok := u.lookup(key); ok { // loaded since we looked
			return r, nil
		}
		r := u.load(key)
		u.store(key, r)
		return r, nil
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case result := <-loaded:
		r, _ := result.Val.(usageReport)
		return r.response, r.err
	}
}

func (u *usageReports) lookup(key usageKey) (usageReport, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	r, ok := u.recent[key]
	return r, ok && u.now().Before(r.expires)
}

func (u *usageReports) store(key usageKey, r usageReport) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.recent) >= maxReports {
		now := u.now()
		for k, old := range u.recent {
			if !now.Before(old.expires) {
				delete(u.recent, k)
			}
		}
		if len(u.recent) >= maxReports {
			clear(u.recent)
		}
	}
	u.recent[key] = r
}

// load makes the report of an account. It has its own deadline rather than a request's, because several requests may
// wait for it.
func (u *usageReports) load(key usageKey) usageReport {
	now := u.now()
	r := usageReport{expires: now.Add(usageMaxAge)} // an error is cached too
	ctx, cancel := context.WithTimeout(context.Background(), u.wait)
	defer cancel()
	stored, err := u.usage.Read(ctx, key.account)
	if err != nil {
		r.err = retryLater(web.CodeUnavailable, "usage cannot be read at the moment: try again shortly", err)
		return r
	}
	body, err := json.Marshal(quota.NewReport(key.plan, now, stored, u.names(key.account)))
	if err != nil {
		r.err = err
		return r
	}
	r.response = respond(catalog.NewDocument(body))
	return r
}

// names returns the keys of an account, or nil without a database that answers: the report then lists the keys that
// were used, without their names.
func (u *usageReports) names(accountID string) []account.KeyInfo {
	if u.keys == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), namesTimeout)
	defer cancel()
	keys, err := u.keys.Keys(ctx, account.ByAccount(accountID), accountID)
	if err != nil {
		return nil
	}
	return keys
}
