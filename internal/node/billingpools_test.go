package node

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/stripetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// While Stripe hangs, all connections that are held for its answer are held. The page of the plan shows what
// is known, and events are taken, as if nothing were.
func TestBilling_HangingProvider(t *testing.T) {
	t.Parallel()
	db := pgtest.Migrated(t)
	publishDir(t, db, exampleCatalog)
	p := newTill(t, db)
	way := testkit.NewProxy(t, strings.TrimPrefix(p.URL, "http://"))
	n := startRoles(t, []string{Site}, db, p.settings("PALMARES_STRIPE_URL=http://"+way.Addr)...)
	n.ready()
	s := openServices(t, db)
	var owners []*testkit.Browser
	for i := range billingPool.conns + 1 {
		email := fmt.Sprintf("owner-%d@example.org", i)
		a, err := s.Accounts.Create(t.Context(), account.Operator(), email, account.Developer)
		must(t, err)
		_, err = stripetest.Order(t.Context(), db, p.Server, a.ID)
		must(t, err)
		owners = append(owners, n.signIn(s, email))
	}
	reader := owners[0]
	end := way.ToServer(testkit.Fault{Stall: true})
	for _, b := range owners[1:] {
		b.Get("/compte/offre/paiement")
	}
	held := func() bool {
		return p.count(`pg_stat_activity WHERE datname = current_database() AND application_name = 'palmares billing' AND state = 'idle in transaction'`) == billingPool.conns
	}
	testkit.EventuallyTrue(t, "the plan is shown and events are taken while all connections for Stripe are held, and none is let go", func() bool {
		var looking sync.WaitGroup
		var ended atomic.Int64
		defer looking.Wait()
		for _, b := range owners[1:] {
			looking.Go(func() {
				b.Submit("/compte/offre/paiement", "look", nil)
				ended.Add(1)
			})
		}
		for !held() {
			if ended.Load() > 0 { // Stripe has only just been asked about it
				return false
			}
		}
		if !reader.Get("/compte/offre").Says("Passer à Pro") || p.deliver(n) != nil || !held() || ended.Load() > 0 {
			return false
		}
		end()
		return true
	})
}
