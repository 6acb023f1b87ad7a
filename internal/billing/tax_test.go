package billing_test

import (
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// refused has the register not know the VAT number of a customer in Germany, who pays no tax because of it.
func refused(sub *billing.Subscription) {
	sub.VATRefused, sub.VATNumbers = "txi_1", 1
	sub.Net, sub.Tax, sub.ReverseCharge = 9900, 0, true
	sub.Bill = billing.Bill{Country: "DE", Postcode: "10115", VATNumber: true}
}

func TestOutcome_VATNumberRefused(t *testing.T) {
	t.Parallel()
	s, a := told(t, "customer.tax_id.updated", refused)
	s.want("alarms", s.counted(billing.CountVATNumber), 1)
	s.want("mail", s.mail(), []string{"vat_refused until 2026-11-15"})
	s.want("what the page says", s.overview(a).VATUntil, start.Add(billing.VATGrace))
	r, err := s.Reconcile(t.Context(), false)
	s.must(err)
	s.want("findings", kinds(r), []billing.FindingKind{billing.FoundVATNumber})
	s.passes(13 * day)
	s.want("calls before the day", s.provider.called("RemoveVATNumber"), 0)
	// Whoever looks at the page on the day changes nothing; the sweep does, after it asked again.
	s.clock.Advance(day)
	_, err = s.Refresh(t.Context(), account.ByAccount(a.ID), a.ID)
	s.must(err)
	_, err = s.Reconcile(t.Context(), true)
	s.must(err)
	s.want("calls of readers", s.provider.called("RemoveVATNumber"), 0)
	asked := s.provider.called("Subscriptions")
	s.passes(time.Minute)
	s.want("asked again, and once more after it was removed", s.provider.called("Subscriptions")-asked, 2)
	s.want("calls on the day", s.provider.called("RemoveVATNumber"), 1)
	s.want("mail", s.mail(), []string{"vat_removed"})
	s.want("what the page says", s.overview(a).VATUntil, time.Time{})
	s.want("the plan", s.plan(a.ID), account.Pro)
	s.passes(30 * day)
	s.want("calls later", s.provider.called("RemoveVATNumber"), 1)
	s.want("mail later", s.mail(), []string{})
	s.want("alarms, by event and by reconciliation of two days", s.counted(billing.CountVATNumber), 3)
}

// A number that is known after all, or corrected, stays. So does one that the register could not be asked about.
func TestOutcome_VATNumberRefused_NotRemoved(t *testing.T) {
	t.Parallel()
	for name, mend := range map[string]func(*billing.Subscription){
		"verified, pending or unavailable": func(sub *billing.Subscription) { sub.VATRefused = "" },
		"corrected":                        func(sub *billing.Subscription) { sub.VATRefused, sub.VATNumbers = "", 1 },
		"removed by its owner":             func(sub *billing.Subscription) { sub.VATRefused, sub.VATNumbers = "", 0 },
		"the subscription is over":         func(sub *billing.Subscription) { sub.Status = billing.Canceled },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			_, sub := s.buys(billing.Active)
			s.changes(sub, func() { refused(sub) })
			s.mail()
			s.passes(10 * day)
			s.changes(sub, func() { mend(sub) })
			s.mail()
			s.passes(20 * day)
			s.want("calls", s.provider.called("RemoveVATNumber"), 0)
			s.want("mail", s.mail(), []string{})
		})
	}
}

// Only the first number of an account gets time to be corrected: with a new one each fortnight no invoice would have the
// tax. What was removed is not given to the provider again.
func TestOutcome_VATNumberRefusedAgain(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]time.Duration{"within the first fortnight": 10 * day, "after it": 20 * day} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			s.buyer = func(f *billing.OrderForm) { f.Country, f.Number, f.Total = "DE", "DE111111111", 9900 }
			a, sub := s.buys(billing.Active)
			number := func() string {
				d, err := s.Details(t.Context(), operator, a.ID)
				s.must(err)
				return d.Number
			}
			s.changes(sub, func() { refused(sub) })
			s.passes(before)
			removed := s.provider.called("RemoveVATNumber")
			s.mail()
			s.must(s.ChangeDetails(t.Context(), operator, a.ID, billing.Details{
				Name: "Ada", Number: "DE222222222", Country: "DE", Line1: "1", Postcode: "10115", City: "Berlin",
			}))
			s.changes(sub, func() { sub.VATRefused, sub.VATNumbers = "", 1 }) // pending
			s.want("a number that is being checked", []any{number(), s.provider.called("RemoveVATNumber"), s.mail()}, []any{"DE222222222", removed, []string{}})
			s.changes(sub, func() { sub.VATRefused = "txi_2" })
			s.want("calls", s.provider.called("RemoveVATNumber"), removed+1)
			s.mu.Lock()
			s.want("mail", []any{len(s.mails), s.mails[0].Kind, s.mails[0].Again}, []any{1, billing.NoticeVATRemoved, true})
			s.mu.Unlock()
			s.want("what is given to the provider from now on", number(), "")
			s.want("the plan", s.plan(a.ID), account.Pro)
			s.changes(sub, func() { sub.VATNumbers = 1 }) // a third, which is right
			s.passes(30 * day)
			s.want("calls later", s.provider.called("RemoveVATNumber"), removed+1)
		})
	}
}

// A seller who is exempt owes no tax because of a number, and nobody does because of one at the seller's home.
func TestVATNumberRefused_NoTaxHangsOnIt(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		scheme  billing.Scheme
		country string
	}{"at home": {billing.Standard, "FR"}, "exempt": {billing.Franchise, "DE"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			s.sells(tt.scheme)
			if tt.scheme == billing.Franchise {
				s.buyer = func(f *billing.OrderForm) { f.Total = 9900 }
			}
			a, sub := s.buys(billing.Active)
			s.mail()
			s.changes(sub, func() {
				sub.VATRefused, sub.VATNumbers, sub.Country, sub.Bill.Country = "txi_1", 1, tt.country, tt.country
			})
			s.passes(30 * day)
			_, err := s.Reconcile(t.Context(), false)
			s.must(err)
			s.want("alarms and mails", []any{s.counted(billing.CountVATNumber), s.mail(), s.overview(a).VATUntil}, []any{0, []string{}, time.Time{}})
		})
	}
}

// Who pays is told, also if the operator gave the plan: the invoices are theirs.
func TestOutcome_VATNumberRefused_Given(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	s.mail()
	s.must(s.accounts.SetPlan(t.Context(), operator, a.ID, account.Pro))
	s.changes(sub, func() { refused(sub) })
	s.want("mail", s.mail(), []string{"vat_refused until 2026-11-15"})
	s.passes(billing.VATGrace)
	s.want("calls", s.provider.called("RemoveVATNumber"), 1)
	s.want("mail", s.mail(), []string{"vat_removed"})
}

// Nobody told: reconciliation finds it, and a process that ended after the call and before the write tells of it once.
func TestOutcome_VATNumberRefused_Unheard(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	s.mail()
	s.provider.with(func() { sub.VATRefused, sub.VATNumbers = "txi_1", 1 }) // and nothing else
	r, err := s.Reconcile(t.Context(), false)
	s.must(err)
	s.work()
	s.want("findings", kinds(r), []billing.FindingKind{billing.FoundVATNumber, billing.FoundDrift})
	s.want("mail", s.mail(), []string{"vat_refused until 2026-11-15"})
	s.clock.Advance(billing.VATGrace)
	s.must(s.provider.RemoveVATNumber(t.Context(), sub.Customer, "txi_1")) // and the process ends
	s.passes(0)
	s.passes(time.Minute)
	s.want("mail", s.mail(), []string{"vat_removed"})
	s.want("calls", s.provider.called("RemoveVATNumber"), 1)
	s.want("the plan", s.plan(a.ID), account.Pro)
}

// A provider that is away on the day is asked again.
func TestOutcome_VATNumberRefused_Away(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	_, sub := s.buys(billing.Active)
	s.changes(sub, func() { refused(sub) })
	s.mail()
	s.clock.Advance(billing.VATGrace)
	s.provider.away = true
	s.must(s.Sweep(t.Context()))
	j, ok := s.take(t.Context())
	s.want("a job", ok, true)
	s.wantError("while it is away", s.do(t.Context(), j), billing.ErrUnavailable)
	s.provider.away = false
	s.must(s.do(t.Context(), j))
	s.work()
	s.want("mail", s.mail(), []string{"vat_removed"})
}

func kinds(r billing.Report) (list []billing.FindingKind) {
	for _, f := range r.Findings {
		list = append(list, f.Kind)
	}
	return list
}

// taxed is what reconciliation says of an invoice.
func taxed(t *testing.T, s *shop, change func(*billing.Subscription)) billing.Report {
	t.Helper()
	_, sub := s.buys(billing.Active)
	s.changes(sub, func() { change(sub) })
	r, err := s.Reconcile(t.Context(), false)
	s.must(err)
	s.provider.with(func() { sub.Status = billing.Canceled })
	s.changes(sub, func() {})
	return r
}

func TestOutcome_NotCollecting(t *testing.T) {
	t.Parallel()
	s, a := told(t, "invoice.finalized", func(sub *billing.Subscription) {
		sub.Tax, sub.NotCollecting, sub.Bill.Country = 0, true, "DE"
	})
	s.want("alarms", s.counted(billing.CountNotCollecting), 1)
	s.event("invoice.paid", s.overview(a).Subscription.Customer)
	s.work()
	s.want("alarms, once", s.counted(billing.CountNotCollecting), 1)
	r, err := s.Reconcile(t.Context(), false)
	s.must(err)
	s.want("findings", kinds(r), []billing.FindingKind{billing.FoundNotCollecting})
	s.want("alarms of a day", s.counted(billing.CountNotCollecting), 2)
}

// Outside the union nobody has to be registered: it is shown by country, and is no alarm.
func TestOutcome_NotCollectingElsewhere(t *testing.T) {
	t.Parallel()
	s, _ := told(t, "invoice.finalized", func(sub *billing.Subscription) {
		sub.Tax, sub.NotCollecting, sub.Bill.Country = 0, true, "US"
	})
	r, err := s.Reconcile(t.Context(), false)
	s.must(err)
	s.want("findings", len(r.Findings), 0)
	s.want("by country", r.Untaxed, map[string]int{"US": 1})
	s.want("alarms", s.counted(billing.CountNotCollecting), 0)
}

func TestOutcome_NotSupported(t *testing.T) {
	t.Parallel()
	s, _ := told(t, "invoice.finalized", func(sub *billing.Subscription) {
		sub.Tax, sub.Bill = 0, billing.Bill{Country: "GI", NotSupported: true}
	})
	r, err := s.Reconcile(t.Context(), false)
	s.must(err)
	s.want("findings", kinds(r), []billing.FindingKind{billing.FoundNotSupported})
	s.want("alarms", s.counted(billing.CountNotSupported), 1)
}

func TestOutcome_NotSoldTo(t *testing.T) {
	t.Parallel()
	s, _ := told(t, "invoice.finalized", func(sub *billing.Subscription) {
		sub.Tax, sub.Bill = 0, billing.Bill{Country: "ES", Postcode: "38001", NotSupported: true}
	})
	r, err := s.Reconcile(t.Context(), false)
	s.must(err)
	s.want("findings", []any{kinds(r), r.Findings[0].Is}, []any{
		[]billing.FindingKind{billing.FoundNotSold}, "an invoice for the Canary Islands, where nothing is sold",
	})
	s.want("alarms", s.counted(billing.CountNotSold), 1)
}

func TestOutcome_WrongRate(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for _, tt := range []struct {
		country  string
		number   bool
		net, tax int64
		want     string
	}{
		{"FR", false, 9900, 1980, ""},
		{"FR", true, 9900, 1980, ""},
		{"DE", false, 9900, 1881, ""},
		{"DE", true, 9900, 0, ""},
		{"FI", false, 9900, 2524, ""},
		{"FI", false, 9900, 2525, ""},
		{"US", false, 9900, 0, ""},
		{"GB", false, 9900, 1980, ""},
		{"FR", false, 4900, 980, ""},
		{"FR", false, 0, 0, ""},
		{"", false, 9900, 0, ""},
		{"FR", false, 9900, 0, "0.00 of 99.00 is 0.0 % in FR, and the table of " + billing.RatesOf + " has 20.0 %"},
		{"FR", true, 9900, 0, "0.00 of 99.00 is 0.0 % in FR, and the table of " + billing.RatesOf + " has 20.0 %"},
		{"DE", false, 9900, 1980, "19.80 of 99.00 is 20.0 % in DE, and the table of " + billing.RatesOf + " has 19.0 %"},
		{"DE", true, 9900, 1881, "18.81 of 99.00 is 19.0 % in DE, and the table of " + billing.RatesOf + " has 0.0 %"},
	} {
		r := taxed(t, s, func(sub *billing.Subscription) {
			sub.Net, sub.Tax, sub.Bill = tt.net, tt.tax, billing.Bill{Country: tt.country, VATNumber: tt.number}
		})
		var found []billing.FindingKind
		if tt.want != "" {
			found = []billing.FindingKind{billing.FoundWrongRate}
			testkit.Equal(t, tt.country, r.Findings[0].Is, tt.want)
		}
		testkit.Equal(t, tt.country, kinds(r), found)
	}
	s.want("alarms", s.counted(billing.CountWrongRate), 4)
}

// A table that nobody has looked through for six months is said to be old.
func TestRatesOld(t *testing.T) {
	t.Parallel()
	of, err := time.Parse(time.DateOnly, billing.RatesOf)
	testkit.Must(t, err)
	for days, want := range map[int]bool{0: false, 180: false, 181: false, 183: true, 400: true} {
		testkit.Equal(t, of.AddDate(0, 0, days).String(), billing.RatesOld(of.AddDate(0, 0, days)), want)
	}
}
