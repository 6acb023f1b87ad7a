package billing_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
)

// faults returns what an order lacked.
func faults(err error) []billing.Fault {
	if not, ok := errors.AsType[*billing.OrderError](err); ok {
		return not.Faults
	}
	return nil
}

// The service decides whether an order is whole. What is not is refused with all that it lacks, nothing is
// stored, and the provider is not asked.
func TestOrder_IsWhole(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a := s.signUp(account.Developer)
	by := account.ByAccount(a.ID)
	type form = billing.OrderForm
	for name, tt := range map[string]struct {
		change func(*form)
		want   string // "" for a whole one
	}{
		"the first box":                  {func(f *form) { f.Business = false }, "business"},
		"the second box":                 {func(f *form) { f.Accepted = false }, "accepted"},
		"both boxes":                     {func(f *form) { f.Business, f.Accepted = false, false }, "business accepted"},
		"no name":                        {func(f *form) { f.Name = " \t" }, "name"},
		"a name without end":             {func(f *form) { f.Name = strings.Repeat("é", 151) }, "name"},
		"a name of two lines":            {func(f *form) { f.Name = "a\x00b" }, "name"},
		"no country":                     {func(f *form) { f.Country = "" }, "country"},
		"a country of no list":           {func(f *form) { f.Country = "ZZ" }, "country"},
		"Monaco by its own code":         {func(f *form) { f.Country = "MC" }, "place"},
		"the United States, no postcode": {func(f *form) { f.Country, f.Postcode = "US", "" }, "postcode"},
		"France without a number":        {func(f *form) { f.Number = "" }, "siren"},
		"a SIREN within a wrong key":     {func(f *form) { f.Number = "FR45732829320" }, "number"},
		"a VAT number one digit short":   {func(f *form) { f.Country, f.Number = "DE", "DE12345678" }, "number"},
		"no address":                     {func(f *form) { f.Line1 = " " }, "address"},
		"a second line without end":      {func(f *form) { f.Line2 = strings.Repeat("a", 201) }, "address"},
		"no town":                        {func(f *form) { f.City = "" }, "city"},
		"no address for mail":            {func(f *form) { f.Email = "ada at example" }, "email"},
		"a reference without end":        {func(f *form) { f.Reference = strings.Repeat("a", 101) }, "reference"},
		"France without a postcode":      {func(f *form) { f.Postcode = "" }, "postcode"},
		"Réunion":                        {func(f *form) { f.Postcode = "97400" }, "place"},
		"Monaco, written as France":      {func(f *form) { f.Postcode = "98000" }, "place"},
		"a SIREN with a wrong digit":     {func(f *form) { f.Number = "732829321" }, "number"},
		"a number of another country":    {func(f *form) { f.Number = "DE123456789" }, "number"},
		"a total that was not shown":     {func(f *form) { f.Total = 0 }, "total"},
		"that of another country":        {func(f *form) { f.Country, f.Postcode, f.Number = "DE", "", "" }, "total"},
		"that without reverse charge":    {func(f *form) { f.Country, f.Number, f.Total = "DE", "DE123456789", 11781 }, "total"},
		"other terms":                    {func(f *form) { f.Terms = "" }, "terms"},
		"those of another language":      {func(f *form) { f.Language = account.English }, "terms"},
		"a form of somebody's own":       {func(f *form) { f.ID = "1" }, "form"},
		"nothing":                        {func(f *form) { *f = form{} }, "name country address city business accepted terms form"},
		"no number at all":               {func(f *form) { f.Country, f.Number, f.Total = "DE", "", 11781 }, ""},
		"all there is": {func(f *form) {
			f.Line2, f.Region, f.Email, f.Reference = "Hof 2", "Île-de-France", "factures@example.org", "BC 12"
		}, ""},
		"a VAT number, with spaces":      {func(f *form) { f.Number = "fr 44 732 829 320" }, ""},
		"Germany, with reverse charge":   {func(f *form) { f.Country, f.Postcode, f.Number, f.Total = "DE", "", "DE 123 456 789", 9900 }, ""},
		"Greece, whose numbers begin so": {func(f *form) { f.Country, f.Postcode, f.Number, f.Total = "GR", "", "EL123456789", 9900 }, ""},
		"outside the Union": {func(f *form) {
			f.Country, f.Postcode, f.Number, f.Total = "CH", "", "CHE-123.456.789", 9900
		}, ""},
		"in English": {func(f *form) { f.Language, f.Terms = account.English, s.texts.Load().TermsIn(account.English).Hash }, ""},
	} {
		f := s.form()
		tt.change(&f)
		if tt.want != "" {
			_, err := s.Order(t.Context(), by, a.ID, f)
			s.want(name, strings.Trim(fmt.Sprint(faults(err)), "[]"), tt.want)
			continue
		}
		b := s.signUp(account.Developer)
		_, err := s.Order(t.Context(), account.ByAccount(b.ID), b.ID, f)
		s.wantError(name, err, nil)
	}
	s.want("orders of who sent none", s.count(`billing_orders WHERE account_id = $1`, a.ID), 0)
	s.want("customers of who sent none", s.count(`billing_customers WHERE account_id = $1`, a.ID), 0)
}

// An order is stored as it was placed, under the text that was accepted, and the subscription finds it.
func TestOrder_IsKept(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a := s.signUp(account.Developer)
	by := account.ByAccount(a.ID)
	f := s.form()
	c, err := s.Order(t.Context(), by, a.ID, f)
	s.must(err)
	texts := *s.texts.Load()
	want := billing.Order{
		ID: f.ID, Account: a.ID, At: s.clock.Now().UTC(), Business: true, Accepted: true,
		Details: billing.Details{Name: "Atelier Ada", Number: "732829320", Country: "FR", Line1: "3 rue du Puits", Postcode: "75011", City: "Paris"},
		Net:     9900, Tax: 1980, Terms: texts.TermsIn(account.French), Legal: texts.LegalIn(account.French),
	}
	sent := s.provider.checkouts[c.ID].request.Order
	s.want("what the provider is told", sent, want)
	s.texts.Store(&billing.OperatorTexts{
		Terms: map[account.Language]string{account.French: "D’autres conditions."}, Legal: texts.Legal,
	})
	sub := s.provider.complete(c.ID, billing.Active)
	s.event("customer.subscription.created", sub.Customer)
	s.mu.Lock()
	s.mails = nil
	s.mu.Unlock()
	s.work()
	want.Subscription = sub.ID
	if len(s.mails) != 1 || s.mails[0].Order == nil {
		t.Fatalf("the welcome does not confirm the order: %+v", s.mails)
	}
	s.want("what the welcome confirms", *s.mails[0].Order, want)
	want.Terms.Body, want.Legal.Body = "", ""
	kept, err := s.Orders(t.Context(), by, a.ID)
	s.must(err)
	s.want("what is kept", kept, []billing.Order{want})

	// It outlives the account, and the text with it.
	s.must(s.accounts.Delete(t.Context(), operator, a.ID))
	s.work()
	s.want("customers", s.count("billing_customers"), 0)
	s.want("orders of a deleted account", s.count("billing_orders"), 1)
	s.want("their texts", s.count("billing_texts"), 2)
	if all := s.dump(); strings.Contains(all, a.Email) {
		t.Errorf("the address is still there: %s", all)
	}
	s.clock.Set(s.clock.Now().AddDate(11, 0, 0))
	s.must(s.Tidy(t.Context()))
	s.want("at the end of its time", s.count("billing_orders"), 1)
	s.clock.Advance(time.Microsecond)
	s.must(s.Tidy(t.Context()))
	s.want("after it", []int{s.count("billing_orders"), s.count("billing_texts")}, []int{0, 0})
}

// The order that an account is bound by stays; one that nobody paid goes, and its text only with the last
// that names it.
func TestOrder_IsPruned(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, sub := s.buys(billing.Active)
	unpaid := s.signUp(account.Developer)
	_, err := s.Order(t.Context(), account.ByAccount(unpaid.ID), unpaid.ID, s.form())
	s.must(err)
	s.clock.Advance(billing.KeepUnpaidOrders + time.Microsecond)
	s.must(s.Tidy(t.Context()))
	s.want("orders", s.count(`billing_orders WHERE account_id = $1`, a.ID), s.count("billing_orders"))
	s.want("texts", s.count("billing_texts"), 2)
	s.clock.Set(s.clock.Now().AddDate(22, 0, 0))
	s.must(s.Tidy(t.Context()))
	s.want("the one that binds", s.count(`billing_orders WHERE subscription = $1`, sub.ID), 1)
}

// An order is kept for ten years from the close of the financial year in which its contract ended, however long that
// ran and however it ended, and for eleven years from its end at most.
func TestOrder_IsKeptFromItsEnd(t *testing.T) {
	t.Parallel()
	end := time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC) // the first moment of a financial year
	for name, ends := range map[string]func(s *shop, a account.Account, sub *billing.Subscription){
		"the account is deleted": func(s *shop, a account.Account, _ *billing.Subscription) {
			s.must(s.accounts.Delete(s.Context(), operator, a.ID))
			s.work()
		},
		"the subscription ends, and the account stays": func(s *shop, _ account.Account, sub *billing.Subscription) {
			s.changes(sub, func() { sub.Status, sub.EndedAt = billing.Canceled, end })
		},
		"another order takes its place": func(s *shop, a account.Account, sub *billing.Subscription) {
			s.changes(sub, func() { sub.Status, sub.EndedAt = billing.Canceled, end })
			c, err := s.Checkout(s.Context(), account.ByAccount(a.ID), a.ID)
			s.must(err)
			next := s.provider.complete(c.ID, billing.Active)
			s.event("customer.subscription.created", next.Customer)
			s.work()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			a, sub := s.buys(billing.Active)
			s.clock.Set(end)
			ends(s, a, sub)
			s.want("orders of the contract", s.count(`billing_orders WHERE subscription = $1`, sub.ID), 1)
			all := s.count("billing_orders")
			s.must(s.Tidy(t.Context()))
			s.want("orders when it has ended", s.count("billing_orders"), all)
			s.clock.Set(time.Date(2050, 12, 31, 23, 59, 59, 0, time.UTC))
			s.must(s.Tidy(t.Context()))
			s.want("orders ten years after the close", s.count("billing_orders"), all)
			s.clock.Set(time.Date(2051, 1, 1, 0, 0, 0, 1000, time.UTC))
			s.must(s.Tidy(t.Context()))
			s.want("orders of the contract after that", s.count(`billing_orders WHERE subscription = $1`, sub.ID), 0)
			s.want("all orders after that", s.count("billing_orders"), all-1)
		})
	}
}

// A form is taken once, whoever sends it again; a second tab is told of the first; and each still lacks what
// it lacks.
func TestOrder_Once(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a := s.signUp(account.Developer)
	by := account.ByAccount(a.ID)
	first, second := s.form(), s.form()
	_, err := s.Service.Checkout(t.Context(), by, a.ID)
	s.wantError("paying for nothing", err, billing.ErrNoOrder)
	var group sync.WaitGroup
	outcomes := make([]error, 8)
	for i := range outcomes {
		group.Go(func() { _, outcomes[i] = s.Order(t.Context(), by, a.ID, first) })
	}
	group.Wait()
	placed := slices.DeleteFunc(slices.Clone(outcomes), func(err error) bool { return err != nil })
	s.want("orders of eight clicks at once", []int{len(placed), s.count("billing_orders"), s.provider.called("Checkout")}, []int{1, 1, 1})
	order := func(f billing.OrderForm) error { _, err := s.Order(t.Context(), by, a.ID, f); return err }
	s.wantError("the same form again", order(first), billing.ErrOrdered)
	s.wantError("a second tab", order(second), billing.ErrOrderOpen)
	for what, f := range map[string]billing.OrderForm{"the same form": first, "a second tab": second} {
		f.Accepted = false
		s.want(what+" without a box", fmt.Sprint(faults(order(f))), "[accepted]")
	}
	c, err := s.Service.Checkout(t.Context(), by, a.ID)
	s.must(err)
	s.want("checkouts", s.provider.called("Checkout"), 1)

	sub := s.provider.complete(c.ID, billing.Active)
	s.event("customer.subscription.created", sub.Customer)
	s.work()
	s.wantError("a second tab, once it is paid", order(second), billing.ErrSubscribed)
	s.wantError("the same form, once it is paid", order(first), billing.ErrOrdered)
	_, err = s.Order(t.Context(), operator, a.ID, s.form())
	s.wantError("the operator accepts for another", err, account.ErrNoAccount)
	s.want("orders", s.count("billing_orders"), 1)
}

// Nothing is sold while the operator's terms or legal notice are missing or not finished.
func TestOrder_NeedsTexts(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a := s.signUp(account.Developer)
	by := account.ByAccount(a.ID)
	type texts = map[account.Language]string
	whole := texts{account.French: "Tout y est."}
	for name, not := range map[string]billing.OperatorTexts{
		"nothing":                {},
		"no terms":               {Legal: whole},
		"no legal notice":        {Terms: whole},
		"terms in English alone": {Terms: texts{account.English: "All of it."}, Legal: whole},
		"a TODO in the terms":    {Terms: texts{account.French: "TODO : le prix."}, Legal: whole},
		"a TODO in English":      {Terms: texts{account.French: "Tout.", account.English: "TODO: all"}, Legal: whole},
		"a TODO in the notice":   {Terms: whole, Legal: texts{account.French: "Nous. TODO"}},
	} {
		s.texts.Store(&not)
		f := s.form()
		_, err := s.Order(t.Context(), by, a.ID, f)
		s.wantError(name, err, billing.ErrNoTexts)
		s.wantError(name+", at a look", s.overview(a).CannotBuy, billing.ErrNoTexts)
	}
	s.want("calls", s.provider.called("Checkout"), 0)
	s.texts.Store(&billing.OperatorTexts{Terms: whole, Legal: whole})
	s.wantError("all there", s.overview(a).CannotBuy, nil)
}
