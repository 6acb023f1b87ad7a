package api_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/live"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/web"
)

// node runs a node that hears of changes of access as in production.
func node(t *testing.T, url string) *site {
	t.Helper()
	s := &site{url: url, db: openDB(t, url), contract: loadContract(t)}
	s.keys, _ = holdKeys(t, s.db, live.KeysOptions{RefreshEvery: 50 * time.Millisecond})
	s.keyring = api.NewKeyring(s.keys)
	s.handler = handler(t, api.Options{Catalog: shelve(fixture(t)), Callers: s.keyring})
	return s
}

// caller is who the node takes the holder for; nobody when the key is refused.
func (s *site) caller(t *testing.T, h holder) api.Caller {
	t.Helper()
	c, err := s.identify(t, t.Context(), h)
	if err != nil && web.AsError(err).Status != http.StatusUnauthorized {
		t.Error(err)
	}
	return c
}

// terminate ends the backends of feeds, at random, until ctx is done, and tells how many.
func terminate(ctx context.Context, t *testing.T, url string) (n int) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for {
		select {
		case <-ctx.Done():
			return n
		case <-time.After(time.Duration(50+rand.IntN(400)) * time.Millisecond):
		}
		tag, err := conn.Exec(context.WithoutCancel(ctx), `
			SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = $1 AND random() < 0.5`, postgres.KeyFeedName)
		if err != nil {
			t.Error(err)
			return n
		}
		n += int(tag.RowsAffected())
	}
}

// Whatever happens to the connections, every node hears of a revocation and of a new
// plan within 5 s.
func TestRevocation_ReachesEveryNodeWithinFiveSeconds(t *testing.T) {
	t.Parallel()
	bound, changes := time.Minute, 30 // on a busy machine
	if *long {
		bound, changes = 5*time.Second, 100
	}
	url := pgtest.Migrated(t)
	nodes := []*site{node(t, url), node(t, url), node(t, url)}
	db := nodes[0].db

	ctx, stop := context.WithCancel(t.Context())
	var terminating sync.WaitGroup
	var terminated int
	terminating.Go(func() { terminated = terminate(ctx, t, url) })

	var mu sync.Mutex
	var took []time.Duration
	// seen asks all nodes until they answer as they should, and notes when they do.
	// It asks the keyring, which is cheaper, and then the whole node once.
	seen := func(h holder, since time.Time, want api.Caller) {
		var wg sync.WaitGroup
		for i, n := range nodes {
			wg.Go(func() {
				for n.caller(t, h) != want && time.Since(since) < 4*bound {
					time.Sleep(5 * time.Millisecond)
				}
				d := time.Since(since)
				if d > bound {
					t.Errorf("node %d heard of it after %v", i, d)
				}
				mu.Lock()
				took = append(took, d)
				mu.Unlock()
				status := http.StatusOK
				if want.Account == "" {
					status = http.StatusUnauthorized
				}
				got, err := n.ask(t.Context(), home, http.MethodGet, keyedRoute, h.bearer()...)
				if err != nil || got.status != status || got.header.Get("X-RateLimit-Tier") != want.Plan.Limits().Tier {
					t.Errorf("node %d answers %d %v, want %d", i, got.status, err, status)
				}
			})
		}
		wg.Wait()
	}
	var wg sync.WaitGroup
	limit := make(chan struct{}, 4)
	for i := range changes {
		limit <- struct{}{}
		h := sign(t, db, account.Developer)
		wg.Go(func() {
			defer func() { <-limit }()
			for _, n := range nodes { // all know the key
				if n.caller(t, h).Plan != account.Developer {
					t.Error("a new key is not known")
				}
			}
			time.Sleep(time.Duration(rand.IntN(1000)) * time.Millisecond) // to meet feeds in every state
			var err error
			var want api.Caller
			since := time.Now()
			switch i % 3 {
			case 0:
				err = db.RevokeKey(t.Context(), account.Operator(), h.info.ID, time.Now())
			case 1:
				err = pgtest.ByEmail(db).SetPlan(t.Context(), h.account.Email, account.Pro)
				want = api.Caller{Plan: account.Pro, Account: h.account.ID, KeyID: h.info.ID}
			case 2:
				err = pgtest.ByEmail(db).DeleteAccount(t.Context(), h.account.Email, time.Now())
			}
			if err != nil {
				t.Error(err)
				return
			}
			seen(h, since, want)
		})
	}
	wg.Wait()
	stop()
	terminating.Wait()
	slices.Sort(took)
	if len(took) != 3*changes || terminated < 5 {
		t.Fatalf("%d of %d seen, %d backends terminated", len(took), 3*changes, terminated)
	}
	t.Logf("%d changes on 3 nodes, %d feeds terminated meanwhile: median %v, max %v",
		changes, terminated, took[len(took)/2].Round(time.Microsecond), took[len(took)-1].Round(time.Microsecond))
}
