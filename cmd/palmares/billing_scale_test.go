package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/stripetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// What a reconciliation that finds nothing costs beside another build, on a database of each and one stand-in for
// both: at most 1.2 times the calls, and with PALMARES_LONG=1 the processor's time, of 10,000 subscriptions; else it
// is small. One in a hundred is past due, and one in twenty has ended. The other build is the last release, or what
// PALMARES_TEST_OLDER names.
func TestReconcile_AtScale(t *testing.T) { //nolint:paralleltest // it measures
	testkit.Night(t)
	subscriptions, pairs := 250, 1
	if testkit.Long() {
		subscriptions, pairs = 10_000, 3
	}
	older := build{path: os.Getenv("PALMARES_TEST_OLDER")}
	if older.path == "" {
		older = lastRelease(t)
	}
	fake := stripetest.New(t, stripefake.Options{})
	accounts := subscribeMany(t, fake, subscriptions)
	type cost struct{ calls, cpu []float64 }
	builds := []build{older, thisBuild(t)}
	costs, environs := make([]cost, len(builds)), make([][]string, len(builds))
	reconcile := func(b int) (calls int, cpu time.Duration, said string) {
		before := len(fake.Requests())
		cmd := commandOf(t, builds[b].path, environs[b], "billing", "reconcile")
		_, said = finish(t, cmd)
		return len(fake.Requests()) - before, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), said
	}
	for b := range builds {
		db := pgtest.URL(t)
		environs[b] = append(database(db), sells(fake)...)
		finish(t, commandOf(t, builds[b].path, environs[b], "migrate"))
		addAccounts(t, db, accounts)
		reconcile(b) // all are unknown to this database
		reconcile(b) // and now it is that of the account
	}
	for range pairs {
		for b := range builds {
			calls, cpu, said := reconcile(b)
			if !strings.Contains(said, "nothing differs") {
				t.Errorf("%s: %s", builds[b].path, said)
			}
			costs[b].calls, costs[b].cpu = append(costs[b].calls, float64(calls)), append(costs[b].cpu, cpu.Seconds())
		}
	}
	median := func(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }
	was, is := costs[0], costs[1]
	calls, cpu := median(is.calls)/median(was.calls), median(is.cpu)/median(was.cpu)
	t.Logf("%d subscriptions: calls %.0f before and %.0f now: %.2f; s of CPU %.2f before and %.2f now: %.2f",
		subscriptions, was.calls, is.calls, calls, was.cpu, is.cpu, cpu)
	const most = 1.2
	if calls > most || testkit.Long() && cpu > most {
		t.Errorf("more than %.1f times", most)
	}
}

// subscribeMany makes customers with a subscription each, and returns the ids of their accounts.
func subscribeMany(t *testing.T, fake *stripefake.Server, n int) (accounts []string) {
	t.Helper()
	client := stripetest.Client(t, fake)
	defer client.Close()
	details := stripetest.Details()
	for i := range n {
		id := fmt.Sprintf("00000000-0000-4000-8000-%012d", i+1)
		payer := billing.Payer{Email: fmt.Sprintf("%d@scale.example", i+1), Language: account.French, Details: &details}
		customer, err := client.CreateCustomer(t.Context(), billing.NewCustomer{Account: id, Key: id, Payer: payer})
		must(t, err)
		sub, err := fake.Subscribe(customer, id, "active")
		must(t, err)
		switch {
		case i%100 == 3:
			must(t, fake.FailPayment(sub.ID))
		case i%20 == 7:
			must(t, fake.SetStatus(sub.ID, "canceled"))
		}
		accounts = append(accounts, id)
	}
	return accounts
}

// addAccounts adds accounts that never opened a checkout.
func addAccounts(t *testing.T, db string, ids []string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), db)
	must(t, err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(t.Context(), `INSERT INTO accounts (id, email, plan)
		SELECT id, n || '@scale.example', 'developer' FROM unnest($1::uuid[]) WITH ORDINALITY a (id, n)`, ids)
	must(t, err)
}
