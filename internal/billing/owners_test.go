package billing_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
)

// What belongs to another account does not exist: the answer is that for an id that nobody has, nobody
// is asked and nothing changes.
func TestNobodyTouchesWhatIsAnothers(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, _ := s.buys(billing.Active)
	other, _ := s.buys(billing.Active)
	gone := s.signUp(account.Developer)
	s.must(s.accounts.Delete(t.Context(), operator, gone.ID))
	const nobody = "00000000-0000-4000-8000-000000000000"
	s.clock.Advance(time.Hour)
	before, calls := s.dump(), len(s.provider.calls)
	asked := s.provider.called("Subscriptions")
	ctx := t.Context()
	for who, c := range map[string]struct {
		by account.Actor
		id string
	}{
		"another":                        {account.ByAccount(other.ID), a.ID},
		"nobody":                         {account.Actor{}, a.ID},
		"an account without id":          {account.ByAccount(""), a.ID},
		"a deleted account":              {account.ByAccount(gone.ID), gone.ID},
		"an id that nobody has":          {operator, nobody},
		"what is no id":                  {operator, "x' OR true"},
		"a deleted one, by the operator": {operator, gone.ID},
	} {
		for name, call := range verbs(s, c.by, c.id) {
			if err := call(ctx); err != account.ErrNoAccount { //nolint:errorlint // exactly that: the text must not tell more
				t.Errorf("%s, %s: %v", who, name, err)
			}
		}
		if !c.by.IsOperator() { // it is about no account
			_, err := s.Export(ctx, c.by, "2026-11-01", "2026-11-30", nil)
			s.wantError(who+": Export", err, account.ErrOperatorOnly)
		}
		store := s.db.Billing
		_, err := store.Find(ctx, c.by, c.id)
		s.wantError(who+": Find", err, account.ErrNoAccount)
		s.wantError(who+": Add", store.Add(ctx, c.by, c.id), account.ErrNoAccount)
		if c.id == a.ID {
			for _, wait := range []time.Duration{0, time.Second} {
				err := store.Hold(ctx, c.by, c.id, wait, func(context.Context, billing.Record) (*billing.Update, error) {
					t.Errorf("%s holds another's customer", who)
					return nil, nil
				})
				s.wantError(who+": Hold", err, account.ErrNoAccount)
			}
		}
	}
	s.want("what is stored", s.dump(), before)
	s.want("calls", []int{len(s.provider.calls), s.provider.called("Subscriptions")}, []int{calls, asked})
	for name, call := range verbs(s, account.ByAccount(a.ID), a.ID) {
		if err := call(ctx); (err == nil) == (name == "Checkout" || name == "Order") {
			t.Errorf("%s by its owner: %v", name, err)
		}
	}
	// A new verb that takes an actor belongs into the list.
	var actors []string
	for m := range reflect.TypeFor[*billing.Service]().Methods() {
		for in := range m.Type.Ins() {
			if in == reflect.TypeFor[account.Actor]() && m.Name != "Export" {
				actors = append(actors, m.Name)
			}
		}
	}
	for _, name := range actors {
		if _, ok := verbs(s, operator, "")[name]; !ok {
			t.Errorf("%s is not tried", name)
		}
	}
	s.want("verbs", len(actors), len(verbs(s, operator, "")))
}

// Within two seconds the provider is asked once.
func TestLook(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a := s.signUp(account.Developer)
	by := account.ByAccount(a.ID)
	c, err := s.Checkout(t.Context(), by, a.ID)
	s.must(err)
	look := func() billing.Overview {
		t.Helper()
		o, err := s.Refresh(t.Context(), by, a.ID)
		s.must(err)
		return o
	}
	o := look()
	s.want("before", []any{o.Plan, o.Waiting, o.SyncedAt}, []any{account.Developer, true, s.clock.Now()})
	s.provider.complete(c.ID, billing.Active)
	s.clock.Advance(2*time.Second - 1)
	s.want("too soon", look().Plan, account.Developer)
	s.clock.Advance(1)
	o = look() // no event has come
	s.want("after", []any{o.Plan, o.Waiting, o.Subscription.Status}, []any{account.Pro, false, billing.Active})
	asked := s.provider.called("Subscriptions")
	look()
	s.want("calls", s.provider.called("Subscriptions"), asked)
	s.work()
	s.want("mail", s.mail(), []string{"welcome"})
}

func TestReconcile(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	ctx := t.Context()
	even, _ := s.buys(billing.Active)
	up, paid := s.buys(billing.Incomplete) // paid, and no event came
	s.provider.with(func() { paid.Status = billing.Active; pay(paid) })
	down, over := s.buys(billing.Active) // ended, and no event came
	s.provider.with(func() { over.Status = billing.Canceled })
	taxed, tax := s.buys(billing.Active) // the plan is right, the rest is not
	s.provider.with(func() { tax.Tax = 0 })
	byHand, _ := s.buys(billing.Active) // somebody changed the plan in the database
	s.exec(`UPDATE accounts SET plan = 'developer' WHERE id = $1`, byHand.ID)
	lost, _ := s.buys(billing.Active) // a backup without it was restored
	s.exec(`DELETE FROM billing_customers WHERE account_id = $1`, lost.ID)
	s.exec(`UPDATE accounts SET plan = 'developer' WHERE id = $1`, lost.ID)
	nameless, _ := s.buys(billing.Active)
	s.exec(`UPDATE billing_customers SET customer = NULL, subscription = NULL, status = '', gives = 'developer' WHERE account_id = $1`, nameless.ID)
	older := s.signUp(account.Pro) // by a program that did not know who decides
	s.exec(`UPDATE accounts SET plan_source = 'provider' WHERE id = $1`, older.ID)
	given := s.signUp(account.Pro)
	foreign := s.provider.subscribe("cus_foreign", "", billing.Active) // to something else, and not sold by us
	s.provider.with(func() { foreign.OtherProduct = true })

	want := map[string]billing.FindingKind{
		up.ID: billing.FoundDrift, down.ID: billing.FoundDrift, taxed.ID: billing.FoundDrift, byHand.ID: billing.FoundDrift,
		lost.ID: billing.FoundLost, nameless.ID: billing.FoundLost,
	}
	run := func(dry bool) billing.Report {
		t.Helper()
		r, err := s.Reconcile(ctx, dry)
		s.must(err)
		s.want("subscriptions", r.Subscriptions, 8)
		return r
	}
	before := s.dump()
	for _, dry := range []bool{true, true, false} {
		r := run(dry)
		got := make(map[string]billing.FindingKind)
		for _, f := range r.Findings {
			got[f.Account] = f.Kind
			s.want("mended", f.Repaired, !dry)
		}
		s.want("findings", got, want)
		if dry {
			s.want("what is stored by a dry run", s.dump(), before)
		}
	}
	s.want("counted", s.counted(billing.CountDrift), 3*len(want))
	s.want("findings once mended", len(run(false).Findings), 0)
	for id, plan := range map[string]account.Plan{
		even.ID: account.Pro, up.ID: account.Pro, down.ID: account.Developer, byHand.ID: account.Pro,
		lost.ID: account.Pro, nameless.ID: account.Pro, older.ID: account.Pro, given.ID: account.Pro,
	} {
		s.want("the plan", s.plan(id), plan)
	}
	s.mail()
	s.work()
	mails := s.mail()
	slices.Sort(mails)
	s.want("mail", mails, []string{"ended", "welcome"}) // nobody is greeted twice
	s.want("ended at the provider", s.provider.called("End"), 0)
}

// Who pays for none has Pro for nothing, and who pays for two has it once: each is for somebody to look at.
func TestReconcile_Quantity(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for quantity, want := range [][]billing.FindingKind{{billing.FoundQuantity}, nil, {billing.FoundQuantity}} {
		r := taxed(t, s, func(sub *billing.Subscription) { sub.Quantity = int64(quantity) })
		s.want(fmt.Sprint(quantity), kinds(r), want)
	}
}
