package billing_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/stripe"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/stripetest"
)

// with is the service with a key, "" for the stand-in's own, at a stand-in.
func (s *till) with(fake *stripefake.Server, key string) *billing.Service {
	s.Helper()
	if key == "" {
		key = fake.Key
	}
	c, err := stripe.New(stripe.Options{Key: key, WebhookSecret: fake.Secret, Price: fake.Price, URL: fake.URL, Waits: []time.Duration{}})
	s.must(err)
	s.Cleanup(c.Close)
	return s.service(c)
}

// asks is everything that asks the provider, but for Adopt.
func asks(s *shop, service *billing.Service, a account.Account, invoice string) map[string]func(context.Context) error {
	s.Service = service
	all := verbs(s, account.ByAccount(a.ID), a.ID)
	for _, nobody := range []string{"Overview", "Orders", "Details", "Cancel"} { // they ask nobody, or store what they are told
		delete(all, nobody)
	}
	all["Sync"] = func(ctx context.Context) error {
		return service.Sync(ctx, billing.SyncAccount{Account: a.ID, Due: s.clock.Now()})
	}
	all["Leave"] = func(ctx context.Context) error { return service.Leave(ctx, billing.LeaveProvider{Account: a.ID}) }
	all["UpdateCustomer"] = func(ctx context.Context) error {
		return service.UpdateCustomer(ctx, billing.UpdateCustomer{Account: a.ID})
	}
	all["CarryOut"] = func(ctx context.Context) error {
		return service.CarryOut(ctx, billing.CancelSubscription{Account: a.ID})
	}
	all["TellRefund"] = func(ctx context.Context) error {
		return service.TellRefund(ctx, billing.MailRefund{Invoice: invoice}, s.told)
	}
	all["MailDocument"] = func(ctx context.Context) error {
		return service.MailDocument(ctx, billing.MailDocument{Document: invoice}, s.told)
	}
	all["CheckPrice"] = service.CheckPrice
	all["CheckAccount"] = service.CheckAccount
	all["Reconcile"] = func(ctx context.Context) error {
		_, err := service.Reconcile(ctx, billing.Run{AllowLosses: 100})
		return err
	}
	return all
}

// The account of the first customer is the one that is asked. A key of another, or of the other mode, asks which account it
// is of, or about one customer where it may not, and nothing else: nothing is sold, and nothing changes.
func TestBinding(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		key   func(s *till, other *stripefake.Server) *billing.Service
		wrong bool
		calls []string // to the stand-in that the key is of, at most
	}{
		"the same": {func(s *till, _ *stripefake.Server) *billing.Service { return s.with(s.fake, "") }, false, nil},
		"the same, which may not read its account": {func(s *till, _ *stripefake.Server) *billing.Service {
			s.fake.ChangeSetup(func(set *stripefake.Setup) { set.Forbidden = []string{"/v1/account"} })
			return s.with(s.fake, "")
		}, false, nil},
		"the same, and none is stored": {func(s *till, _ *stripefake.Server) *billing.Service {
			s.exec(`DELETE FROM billing_provider`)
			return s.with(s.fake, "")
		}, false, nil},
		"another": {func(s *till, other *stripefake.Server) *billing.Service { return s.with(other, "") }, true, []string{"/v1/account"}},
		"another, which may not read its account": {func(s *till, other *stripefake.Server) *billing.Service {
			other.ChangeSetup(func(set *stripefake.Setup) { set.Forbidden = []string{"/v1/account"} })
			return s.with(other, "")
		}, true, []string{"/v1/account", "/v1/customers/"}},
		"another, and none is stored": {func(s *till, other *stripefake.Server) *billing.Service {
			s.exec(`DELETE FROM billing_provider`)
			return s.with(other, "")
		}, true, []string{"/v1/account", "/v1/customers/"}},
		"the other mode of the same": {func(s *till, _ *stripefake.Server) *billing.Service {
			s.exec(`UPDATE billing_provider SET live = true`)
			return s.with(s.fake, "")
		}, true, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTill(t)
			s.buys()
			s.want("stored with the first customer", s.count("billing_provider WHERE account LIKE 'acct_%' AND NOT live"), 1)
			other := stripetest.New(t, stripefake.Options{Now: s.clock.Now})
			service := tt.key(s, other)
			s.clock.Advance(time.Hour)
			before, asked := s.dump(), len(other.Requests())
			for name, ask := range asks(s.shop, service, s.a, s.newest().ID) {
				if !tt.wrong && name != "CheckAccount" && name != "CheckPrice" && name != "Reconcile" {
					continue
				}
				err := ask(t.Context())
				want := map[bool]error{true: billing.ErrOtherAccount}[tt.wrong]
				s.wantError(name, err, want)
			}
			for _, r := range other.Requests()[asked:] {
				if !slices.ContainsFunc(tt.calls, func(path string) bool { return r.Method == http.MethodGet && strings.HasPrefix(r.Path, path) }) {
					t.Errorf("%s %s was asked", r.Method, r.Path)
				}
			}
			right, known := service.AccountRight()
			s.want("what is shown", []bool{right, known}, []bool{!tt.wrong, true})
			if tt.wrong {
				s.want("what is stored", s.dump(), before)
				o, err := service.Overview(t.Context(), account.ByAccount(s.a.ID), s.a.ID)
				s.must(err)
				s.want("the plan", o.Plan, account.Pro)
				b := s.signUp(account.Developer)
				o, err = service.Overview(t.Context(), account.ByAccount(b.ID), b.ID)
				s.must(err)
				s.wantError("buying", o.CannotBuy, billing.ErrOtherAccount)
				s.want("the alarm", s.counted(billing.CountOtherAccount) > 0, true)
				s.want("the log", s.logged("level=ERROR", "palmares billing adopt"), true)
			} else {
				s.want("stored", s.count("billing_provider WHERE NOT live"), 1)
				s.want("the log", s.logged("level=WARN", "may not read its account"), strings.Contains(name, "may not read"))
			}
		})
	}
}

// Two nodes with keys of two accounts sell for the first time at once: one of them does.
func TestBinding_First(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	other := s.with(stripetest.New(t, stripefake.Options{Now: s.clock.Now}), "")
	s.must(other.CheckAccount(t.Context())) // any is right
	s.orders()
	b := s.signUp(account.Developer)
	_, err := other.Order(t.Context(), account.ByAccount(b.ID), b.ID, s.form())
	s.wantError("selling", err, billing.ErrOtherAccount)
	s.want("customers", s.count("billing_customers WHERE customer IS NOT NULL"), 1)
}

// A run that would take Pro from more than three, or 5 % of those who pay for it, changes nothing, unless it is allowed.
func TestReconcile_Losses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		payers, lose, allow int
		refused             bool
	}{{5, 3, 0, false}, {5, 4, 0, true}, {5, 4, 3, true}, {5, 4, 4, false}, {80, 4, 0, false}, {80, 5, 0, true}} {
		s := newShop(t)
		var ids []string
		for range tt.payers {
			a, _ := s.buys(billing.Active)
			ids = append(ids, a.ID)
		}
		given := s.signUp(account.Pro) // no payer
		s.mail()
		s.provider.with(func() { s.provider.subs = s.provider.subs[tt.lose:] })
		before := s.dump()
		for _, dry := range []bool{true, false} {
			r, err := s.Service.Reconcile(t.Context(), billing.Run{DryRun: dry, AllowLosses: tt.allow})
			s.wantError("reconciling", err, map[bool]error{true: billing.ErrLosses}[tt.refused])
			s.want("findings", len(r.Findings), tt.lose)
			for _, f := range r.Findings {
				s.want("mended", f.Repaired, !dry && !tt.refused)
			}
			if dry || tt.refused {
				s.want("what is stored", s.dump(), before)
			}
		}
		s.want("counted", s.counted(billing.CountLosses), map[bool]int{true: 2}[tt.refused])
		s.work()
		s.want("mail", len(s.mail()), map[bool]int{false: tt.lose}[tt.refused])
		lost := 0
		for _, id := range ids {
			if s.plan(id) != account.Pro {
				lost++
			}
		}
		s.want("who has lost it", lost, map[bool]int{false: tt.lose}[tt.refused])
		s.want("what was given", s.plan(given.ID), account.Pro)
	}
}

// What the provider says when it is asked again takes Pro from no more than may lose it.
func TestReconcile_LossesMeanwhile(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for range 6 {
		_, sub := s.buys(billing.Active)
		s.provider.with(func() { sub.Tax++ })
	}
	s.provider.with(func() {
		s.provider.answer = func(call string) {
			if call == "All" {
				s.provider.with(func() { s.provider.subs = nil })
			}
		}
	})
	_, err := s.Reconcile(t.Context(), false)
	s.wantError("reconciling", err, billing.ErrLosses)
	s.want("who pays", s.count("accounts WHERE plan = 'pro'"), 3)
}

// Customers move to another account on purpose: who has a subscription there or is known there stays, all others are on
// Developer. The account is stored last, so that a run that died is run again.
func TestAdopt(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	s.buys()
	stays, lost := s.a, s.signUp(account.Developer)
	s.a = lost
	s.buys()
	s.a = s.signUp(account.Developer)
	s.buys()
	gone := s.a
	s.must(s.accounts.Delete(t.Context(), operator, gone.ID)) // and no worker runs
	s.mail()
	asked := len(s.fake.Requests())

	other := stripetest.New(t, stripefake.Options{Now: s.clock.Now})
	service := s.with(other, "")
	client := stripetest.Client(t, other)
	t.Cleanup(client.Close)
	there, err := client.CreateCustomer(t.Context(), billing.NewCustomer{Account: stays.ID, Payer: billing.Payer{Email: stays.Email, Language: account.French}, Key: "k"})
	s.must(err)
	_, err = other.Subscribe(there, stays.ID, "active")
	s.must(err)
	before := s.dump()
	kinds := []billing.FindingKind{billing.FoundMoved, billing.FoundUnknown, billing.FoundUnknown}
	adopt := func(run billing.Run) billing.Adoption {
		t.Helper()
		a, err := service.Adopt(t.Context(), run)
		s.must(err)
		var got []billing.FindingKind
		for _, f := range a.Findings {
			got = append(got, f.Kind)
			s.want("mended", f.Repaired, !run.DryRun)
		}
		slices.Sort(got)
		s.want("findings", got, kinds)
		return a
	}
	adopt(billing.Run{DryRun: true})
	s.want("what is stored", s.dump(), before)
	s.wantError("before", service.CheckAccount(t.Context()), billing.ErrOtherAccount)
	other.Away(true)
	_, err = service.Adopt(t.Context(), billing.Run{})
	s.wantError("away", err, billing.ErrUnavailable)
	s.want("what is stored", s.dump(), before)
	other.Away(false)
	a := adopt(billing.Run{})
	s.want("to", s.count("billing_provider WHERE account = $1", a.To.ID), 1)
	s.want("the customer", s.count("billing_customers WHERE customer = $1", there), 1)
	s.want("the deleted account", s.count("billing_customers WHERE account_id = $1", gone.ID), 0)
	s.Service = service
	s.exec(`DELETE FROM river_job WHERE kind = 'billing_leave'`) // the row is gone, and so is what it was for
	s.work()
	s.want("the plans", []account.Plan{s.plan(stays.ID), s.plan(lost.ID)}, []account.Plan{account.Pro, account.Developer})
	mails := s.mail()
	slices.Sort(mails)
	s.want("mail", mails, []string{"ended", "welcome"}) // another subscription is another welcome
	s.want("calls to the former account", len(s.fake.Requests())-asked, 0)
	s.must(service.CheckAccount(t.Context()))
	r, err := s.Reconcile(t.Context(), false)
	s.must(err)
	s.want("what differs then", len(r.Findings), 0)
	kinds = nil
	adopt(billing.Run{}) // again
	s.wantError("the former key", s.with(s.fake, "").CheckAccount(t.Context()), billing.ErrOtherAccount)
}

// Too many would lose Pro: nothing is adopted unless it is allowed. A key must say which account it is of.
func TestAdopt_Losses(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	for range 4 {
		s.a = s.signUp(account.Developer)
		s.buys()
	}
	other := stripetest.New(t, stripefake.Options{Now: s.clock.Now})
	service, before := s.with(other, ""), s.dump()
	_, err := service.Adopt(t.Context(), billing.Run{})
	s.wantError("adopting", err, billing.ErrLosses)
	other.ChangeSetup(func(set *stripefake.Setup) { set.Forbidden = []string{"/v1/account"} })
	_, err = service.Adopt(t.Context(), billing.Run{AllowLosses: 4})
	s.wantError("of which account", err, billing.ErrUnreadAccount)
	s.want("what is stored", s.dump(), before)
	other.ChangeSetup(func(set *stripefake.Setup) { set.Forbidden = nil })
	_, err = service.Adopt(t.Context(), billing.Run{AllowLosses: 4})
	s.must(err)
	s.want("who pays", s.count("accounts WHERE plan = 'pro'"), 0)
}
