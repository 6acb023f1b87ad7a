package api

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/web"
)

// KeyNames tells which keys an account has.
type KeyNames interface {
	// AccountKeys lists the keys of the account with that id, revoked ones included.
	AccountKeys(ctx context.Context, accountID string) ([]account.KeyInfo, error)
}

// usageReports answers GET /api/v1/usage. It is free of charge, so that what an account
// used is read once a second at most, however often it is asked for.
type usageReports struct {
	usage *quota.Usage
	keys  KeyNames // may be nil
	now   func() time.Time
	loads singleflight.Group

	mu     sync.Mutex
	recent map[reportOf]report
}

type reportOf struct {
	account string
	plan    account.Plan
}

type report struct {
	until  time.Time
	answer answer
	err    error
}

const (
	reportFor   = time.Second
	mostReports = 10_000

	usageTimeout = time.Second            // for the counters
	namesTimeout = 500 * time.Millisecond // for the names, which are left out after that
)

func newUsageReports(o Options) *usageReports {
	return &usageReports{usage: o.Usage, keys: o.KeyNames, now: o.Now, recent: make(map[reportOf]report)}
}

// get gives the report of an account.
func (u *usageReports) get(ctx context.Context, c Caller) (answer, error) {
	of := reportOf{c.Account, c.Plan}
	if r, ok := u.known(of); ok {
		return r.answer, r.err
	}
	loaded := u.loads.DoChan(of.account+" "+of.plan.String(), func() (any, error) {
		if r, ok := u.known(of); ok { // made while we came here
			return r, nil
		}
		r := u.load(of)
		u.remember(of, r)
		return r, nil
	})
	select {
	case <-ctx.Done():
		return answer{}, ctx.Err()
	case result := <-loaded:
		r, _ := result.Val.(report)
		return r.answer, r.err
	}
}

func (u *usageReports) known(of reportOf) (report, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	r, ok := u.recent[of]
	return r, ok && u.now().Before(r.until)
}

func (u *usageReports) remember(of reportOf, r report) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.recent) >= mostReports {
		now := u.now()
		for k, old := range u.recent {
			if !now.Before(old.until) {
				delete(u.recent, k)
			}
		}
		if len(u.recent) >= mostReports {
			clear(u.recent)
		}
	}
	u.recent[of] = r
}

// load reads a report. It ends by itself: others may wait for it too.
func (u *usageReports) load(of reportOf) report {
	now := u.now()
	r := report{until: now.Add(reportFor)} // an error too
	ctx, cancel := context.WithTimeout(context.Background(), usageTimeout)
	defer cancel()
	stored, err := u.usage.Read(ctx, of.account)
	if err != nil {
		e := web.Wrap(http.StatusServiceUnavailable, "usage cannot be read at the moment: try again shortly", err)
		e.Header = http.Header{"Retry-After": {"5"}}
		r.err = e
		return r
	}
	body, err := json.Marshal(quota.NewReport(of.plan, now, stored, u.names(of.account)))
	if err != nil {
		r.err = err
		return r
	}
	r.answer = item(catalog.NewDocument(body))
	return r
}

// names lists the keys of an account; none without the database, and the report then
// has those that were used, without their names.
func (u *usageReports) names(accountID string) []account.KeyInfo {
	if u.keys == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), namesTimeout)
	defer cancel()
	keys, err := u.keys.AccountKeys(ctx, accountID)
	if err != nil {
		return nil
	}
	return keys
}

// answerUsage is GET /api/v1/usage.
func (a *API) answerUsage(w http.ResponseWriter, r *http.Request, c Caller, b *bill, s *shelf) {
	ans, err := a.reports.get(r.Context(), c)
	b.show(w)
	if err != nil {
		fail(w, r, s, err)
		return
	}
	ready := makeReady(ans, s.headers)
	form, match := ready.choose(r.Header, &a.budget)
	web.SetFields(w, c.cacheControl())
	ready.write(w, r, form, match != noMatch)
}
