package billing_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/stripetest"
)

// A till is a shop whose provider is package stripe, with a stand-in for Stripe behind it, and one account.
type till struct {
	*shop
	fake     *stripefake.Server
	client   billing.Provider
	a        account.Account
	customer string
	sub      string // its subscription; "" for none
	heard    int    // events
}

// newTill is an account that has a customer and an open checkout.
func newTill(t *testing.T) *till {
	t.Helper()
	s := &till{shop: newShop(t)}
	s.fake = stripetest.New(t, stripefake.Options{Now: s.clock.Now})
	client := stripetest.Client(t, s.fake)
	t.Cleanup(client.Close)
	s.client, s.Service = client, s.service(client)
	s.a = s.signUp(account.Developer)
	return s
}

// sells has the seller sell by another scheme, and set Stripe up for it.
func (s *till) sells(scheme billing.Scheme) {
	s.Helper()
	s.scheme = scheme
	s.Service = s.service(s.client)
	s.fake.ChangeSetup(func(setup *stripefake.Setup) {
		setup.Registrations = nil
		if scheme == billing.SmallSeller {
			setup.Registrations = []stripefake.Registration{stripefake.NewRegistration("FR", "small_seller", s.clock.Now())}
		}
	})
}

// orders opens a checkout and returns its id.
func (s *till) orders() string {
	s.Helper()
	c, err := s.Checkout(s.Context(), account.ByAccount(s.a.ID), s.a.ID)
	s.must(err)
	s.customer = s.fake.Customers()[len(s.fake.Customers())-1].ID
	return c.ID
}

// buys pays on the page of a checkout.
func (s *till) buys() {
	s.Helper()
	sub, err := s.fake.Complete(s.orders())
	s.must(err)
	s.sub = sub.ID
	s.hears()
}

// begins makes a subscription in a status by hand, for the account.
func (s *till) begins(status string) {
	s.Helper()
	s.must(s.fake.Expire(s.orders()))
	sub, err := s.fake.Subscribe(s.customer, s.a.ID, status)
	s.must(err)
	s.sub = sub.ID
	s.hears()
}

// hears takes the events that are new and works.
func (s *till) hears() {
	s.Helper()
	events := s.fake.Events()
	for _, e := range events[s.heard:] {
		s.must(s.Receive(s.Context(), e.Body, s.fake.Sign(e.Body, s.clock.Now())))
	}
	s.heard = len(events)
	s.work()
}

// waits lets time pass by the quarter of a day.
func (s *till) waits(d time.Duration) {
	s.Helper()
	for ; d > 0; d -= 6 * time.Hour {
		s.clock.Advance(min(d, 6*time.Hour))
		s.must(s.Sweep(s.Context()))
		s.hears()
	}
}

// newest returns the newest invoice.
func (s *till) newest() stripefake.Invoice { return s.fake.Invoices(s.customer)[0] }

// does does something at Stripe that must succeed, and hears of it.
func (s *till) does(errs ...error) {
	s.Helper()
	s.must(errors.Join(errs...))
	s.hears()
}

func (s *till) cancels() {
	s.Helper()
	_, err := s.Cancel(s.Context(), account.ByAccount(s.a.ID), s.a.ID)
	s.must(err)
	s.hears()
}

// cancelsAway cancels while Stripe does not answer. It is stored, and said.
func (s *till) cancelsAway() {
	s.Helper()
	s.clock.Advance(time.Minute)
	s.fake.Away(true)
	clicked := s.clock.Now()
	for range 2 { // the first click counts
		o, err := s.Cancel(s.Context(), account.ByAccount(s.a.ID), s.a.ID)
		s.must(err)
		s.want("cancelling since", []any{o.Cancelling, o.Subscription.CancelAt, o.Plan}, []any{clicked, time.Time{}, account.Pro})
		s.clock.Advance(time.Minute)
	}
	s.wantError("the job", s.CarryOut(s.Context(), billing.CancelSubscription{Account: s.a.ID}), billing.ErrUnavailable)
}

// back has Stripe answer again.
func (s *till) back() {
	s.Helper()
	s.fake.Away(false)
	s.hears()
	s.want("cancellations that wait", s.count("billing_cancellations"), 0)
}

func (s *till) given() {
	s.Helper()
	s.must(s.accounts.SetPlan(s.Context(), operator, s.a.ID, account.Pro))
	s.work()
}

func (s *till) deleted() {
	s.Helper()
	s.must(s.accounts.Delete(s.Context(), operator, s.a.ID))
	s.hears()
}

// taxed renews with another tax, or in another place.
func (s *till) taxed(rate stripefake.Rate, at stripefake.Address) {
	s.Helper()
	s.buys()
	s.fake.SetTax(rate)
	s.does(s.fake.SetAddress(s.customer, at), s.fake.Renew(s.sub))
}

// An end is what a life came to.
type end struct {
	plan     string // "" for a deleted account
	status   string // of the subscription at Stripe; "" for none
	invoices []string
	mails    []string
	credited int64                 // cents, of all invoices
	refunds  int                   // mails about it
	found    []billing.FindingKind // by a reconciliation at the end
}

// The rows of the tables of docs/operations/billing.md, lived at a stand-in that does what Stripe documents, and seen
// through package stripe.
var stripeLives = map[string]struct {
	live func(s *till)
	end  end
}{
	"None":       {func(*till) {}, end{plan: "developer"}},
	"Incomplete": {func(s *till) { s.begins("incomplete") }, end{plan: "developer", status: "incomplete", invoices: []string{"open"}}},
	"Expired": {
		func(s *till) { s.begins("incomplete"); s.does(s.fake.SetStatus(s.sub, "incomplete_expired")) },
		end{plan: "developer", status: "incomplete_expired", invoices: []string{"void"}},
	},
	"Trialing": {func(s *till) { s.begins("trialing") }, end{plan: "pro", status: "trialing", invoices: []string{"paid"}}},
	"Active":   {func(s *till) { s.buys() }, end{plan: "pro", status: "active", invoices: []string{"paid"}, mails: []string{"welcome"}}},
	"Cancelled": {func(s *till) {
		s.buys()
		s.cancels()
		s.want("until then", s.plan(s.a.ID), account.Pro)
		s.clock.Set(start.AddDate(0, 1, 0))
		s.does(s.fake.EndPeriod(s.sub))
	}, end{"developer", "canceled", []string{"paid"}, []string{"welcome", "cancelled until 2026-12-01", "ended"}, 0, 0, nil}},
	"Resumed": {func(s *till) {
		s.buys()
		s.cancels()
		_, err := s.Resume(s.Context(), account.ByAccount(s.a.ID), s.a.ID)
		s.must(err)
		s.clock.Set(start.AddDate(0, 1, 0))
		s.does(s.fake.EndPeriod(s.sub))
		s.waits(day)
	}, end{"pro", "active", []string{"paid", "paid"}, []string{"welcome", "cancelled until 2026-12-01", "resumed"}, 0, 0, nil}},
	"PastDue": {
		func(s *till) { s.buys(); s.does(s.fake.FailPayment(s.sub)); s.waits(6 * day) },
		end{"pro", "past_due", []string{"open", "paid"}, []string{
			"welcome", "unpaid 0 until 2026-11-08", "unpaid 3 until 2026-11-08", "unpaid 6 until 2026-11-08",
		}, 0, 0, []billing.FindingKind{billing.FoundUnpaidInvoice}},
	},
	"PastDueTooLong": {
		func(s *till) {
			s.buys()
			s.fake.ChangeSetup(func(d *stripefake.Setup) { d.Dunning.Then = "past_due" })
			s.does(s.fake.FailPayment(s.sub))
			s.waits(8 * day)
		},
		end{"developer", "past_due", []string{"open", "paid"}, []string{
			"welcome", "unpaid 0 until 2026-11-08", "unpaid 3 until 2026-11-08", "unpaid 6 until 2026-11-08", "ended",
		}, 0, 0, []billing.FindingKind{billing.FoundUnpaidInvoice}},
	},
	"WhoChangedThePlan": {
		func(s *till) {
			s.buys()
			s.does(s.fake.SetStatus(s.sub, "canceled"))
			s.given()
			list, err := s.accounts.Activity(s.Context(), account.ByAccount(s.a.ID), s.a.ID, 2)
			s.must(err)
			s.want("who did it, the newest first", []account.Doer{list[0].By, list[1].By}, []account.Doer{account.DoneByOperator, account.DoneByService})
		},
		end{plan: "pro", status: "canceled", invoices: []string{"paid"}, mails: []string{"welcome", "ended"}},
	},
	"TestKey": {
		func(s *till) {
			s.testers = []string{"somebody@else.example"}
			s.Service = s.service(s.client)
			_, err := s.Checkout(s.Context(), account.ByAccount(s.a.ID), s.a.ID)
			s.wantError("buying", err, billing.ErrNoCheckout)
			s.want("customers", len(s.fake.Customers()), 0)
		},
		end{plan: "developer"},
	},
	"Refused": {
		func(s *till) {
			s.buys()
			s.clock.Advance(time.Minute)
			s.fake.Refuse(http.StatusForbidden, "invalid_request_error", "")
			_, err := s.Refresh(s.Context(), account.ByAccount(s.a.ID), s.a.ID)
			s.wantError("asking", err, billing.ErrRefused)
			s.want("alarms", s.counted(billing.CountRefused), 1)
			s.fake.Refuse(0, "", "")
		},
		end{plan: "pro", status: "active", invoices: []string{"paid"}, mails: []string{"welcome"}},
	},
	"OfferChanged": {
		func(s *till) {
			id := s.orders()
			s.texts.Store(&billing.OperatorTexts{
				Terms: map[account.Language]string{account.French: "De nouvelles conditions."},
				Legal: map[account.Language]string{account.French: "Qui nous sommes."},
			})
			s.waits(time.Second)
			_, err := s.fake.Complete(id)
			s.want("paid", err != nil, true)
		},
		end{plan: "developer"},
	},
	"PaidInBetween": {func(s *till) {
		s.buys()
		s.does(s.fake.FailPayment(s.sub))
		s.waits(2 * day)
		s.does(s.fake.PayInvoice(s.newest().ID))
		s.waits(8 * day)
	}, end{"pro", "active", []string{"paid", "paid"}, []string{"welcome", "unpaid 0 until 2026-11-08"}, 0, 0, nil}},
	"CardFails": {
		func(s *till) { s.buys(); s.does(s.fake.FailPayment(s.sub)) },
		end{"pro", "past_due", []string{"open", "paid"}, []string{"welcome", "unpaid 0 until 2026-11-08"}, 0, 0, nil},
	},
	"ActionRequired": {
		func(s *till) { s.buys(); s.does(s.fake.RequireAction(s.sub)); s.does(s.fake.Pay(s.sub)) },
		end{"pro", "active", []string{"paid", "paid"}, []string{"welcome", "unpaid 0 until 2026-11-08"}, 0, 0, nil},
	},
	"Unpaid": {func(s *till) {
		s.buys()
		s.fake.ChangeSetup(func(d *stripefake.Setup) { d.Dunning.Then = "unpaid" })
		s.does(s.fake.FailPayment(s.sub))
		s.waits(8 * day)
	}, end{"developer", "unpaid", []string{"open", "paid"}, []string{
		"welcome", "unpaid 0 until 2026-11-08", "unpaid 3 until 2026-11-08", "unpaid 6 until 2026-11-08", "ended",
	}, 0, 0, []billing.FindingKind{billing.FoundUnpaidInvoice}}},
	"Paused": {
		func(s *till) { s.buys(); s.does(s.fake.SetStatus(s.sub, "paused")) },
		end{"developer", "paused", []string{"paid"}, []string{"welcome", "ended"}, 0, 0, nil},
	},
	"Canceled": {
		func(s *till) { s.buys(); s.does(s.fake.SetStatus(s.sub, "canceled")) },
		end{"developer", "canceled", []string{"paid"}, []string{"welcome", "ended"}, 0, 0, nil},
	},
	"GivenByOperator": {
		func(s *till) {
			s.buys()
			s.given()
			s.does(s.fake.FailPayment(s.sub))
			s.does(s.fake.SetStatus(s.sub, "paused"))
		},
		end{
			"pro", "paused",
			[]string{"open", "paid"},
			[]string{"welcome"},
			0, 0,
			[]billing.FindingKind{billing.FoundGivenAndPaid},
		},
	},
	"GivenAndPaid": {
		func(s *till) { s.buys(); s.given() },
		end{"pro", "active", []string{"paid"}, []string{"welcome"}, 0, 0, []billing.FindingKind{billing.FoundGivenAndPaid}},
	},
	"Unheard": {
		func(s *till) {
			id := s.orders()
			s.passes(3 * time.Minute) // it is looked at in between, and not paid yet
			_, err := s.fake.Complete(id)
			s.must(err)
			s.passes(time.Minute)
			s.want("before it is looked at", s.plan(s.a.ID), account.Developer)
			s.passes(time.Minute)
		},
		end{plan: "pro", status: "active", invoices: []string{"paid"}, mails: []string{"welcome"}},
	},
	"TwoTabs": {func(s *till) { s.want("the same", s.orders(), s.orders()) }, end{plan: "developer"}},
	"TwoSubscriptions": {func(s *till) {
		s.buys()
		s.clock.Advance(time.Hour)
		_, err := s.fake.Subscribe(s.customer, s.a.ID, "active")
		s.does(err)
	}, end{"pro", "active", []string{"paid", "paid"}, []string{"welcome"}, 0, 0, []billing.FindingKind{billing.FoundTwoSubscriptions}}},
	"DeletedAccount": {func(s *till) { s.buys(); s.clock.Advance(day); s.deleted() }, end{status: "canceled", invoices: []string{"paid"}, mails: []string{"welcome"}}},
	"EmailChanged": {func(s *till) {
		s.buys()
		s.must(s.db.Accounts.SetEmail(s.Context(), operator, s.a.ID, "new@example.org", s.clock.Now()))
		s.work()
		s.want("the customer", s.fake.Customers()[0].Email, "new@example.org")
	}, end{plan: "pro", status: "active", invoices: []string{"paid"}, mails: []string{"welcome"}}},
	"DeletedCustomer": {
		func(s *till) { s.buys(); s.does(s.fake.DeleteCustomer(s.customer)) },
		end{plan: "developer", status: "canceled", invoices: []string{"paid"}, mails: []string{"welcome", "ended"}},
	},
	"Chargeback": {
		func(s *till) {
			s.buys()
			s.fake.Dispute(s.customer)
			s.hears()
			s.want("alarms", s.counted(billing.CountDispute), 1)
		},
		end{plan: "pro", status: "active", invoices: []string{"paid"}, mails: []string{"welcome"}},
	},
	"DisputeClosed": {
		func(s *till) { s.buys(); s.fake.Dispute(s.customer); s.does(s.fake.CloseDispute(false)) },
		end{plan: "pro", status: "active", invoices: []string{"paid"}, mails: []string{"welcome"}},
	},
	"Refund": {
		func(s *till) { s.buys(); _, err := s.fake.Refund(s.customer, 0); s.does(err) },
		end{plan: "pro", status: "active", invoices: []string{"paid"}, mails: []string{"welcome"}},
	},
	"RefundFails": {
		func(s *till) {
			id := s.orders()
			s.must(s.accounts.Delete(s.Context(), operator, s.a.ID))
			s.clock.Advance(time.Second)
			_, err := s.fake.Complete(id)
			s.does(err)
			s.does(s.fake.SettleRefund(s.fake.Refunds()[0].ID, false))
			s.want("alarms", s.counted(billing.CountRefundFailed), 1)
			s.want("the log", s.logged("level=ERROR", "a refund failed", "charge="+s.fake.Charges(s.customer)[0].ID, "customer="+s.customer), true)
		},
		end{status: "canceled", invoices: []string{"paid"}, credited: 11880, refunds: 1},
	},
	"PriceChanged": {
		func(s *till) { s.buys(); s.fake.Archive(true) },
		end{plan: "pro", status: "active", invoices: []string{"paid"}, mails: []string{"welcome"}, found: []billing.FindingKind{billing.FoundWrongPrice}},
	},
	"VATNumberRefused": {func(s *till) {
		s.buyer = func(f *billing.OrderForm) { f.Country, f.Number, f.Total = "DE", "DE111111111", 9900 }
		s.buys()
		s.does(s.fake.VerifyTaxID(s.fake.TaxIDs(s.customer)[0].ID, "unverified"))
		s.waits(billing.VATGrace + day)
		s.want("numbers", len(s.fake.TaxIDs(s.customer)), 0)
		s.does(s.fake.Renew(s.sub))
		s.want("the tax", s.newest().Total-s.newest().Subtotal, int64(1881))
	}, end{plan: "pro", status: "active", invoices: []string{"paid", "paid"}, mails: []string{"welcome", "vat_refused until 2026-11-15", "vat_removed"}}},
	"VATNumberRefusedAgain": {func(s *till) {
		s.buyer = func(f *billing.OrderForm) { f.Country, f.Number, f.Total = "DE", "DE111111111", 9900 }
		s.buys()
		s.does(s.fake.VerifyTaxID(s.fake.TaxIDs(s.customer)[0].ID, "unverified"))
		d := s.form().Details
		d.Number = "DE222222222"
		s.must(s.ChangeDetails(s.Context(), operator, s.a.ID, d))
		s.hears()
		s.want("the number that is checked", s.fake.TaxIDs(s.customer)[0].Value, "DE222222222")
		s.does(s.fake.VerifyTaxID(s.fake.TaxIDs(s.customer)[0].ID, "unverified"))
		s.want("numbers", len(s.fake.TaxIDs(s.customer)), 0)
		s.must(s.db.Accounts.SetLanguage(s.Context(), operator, s.a.ID, account.English, s.clock.Now()))
		s.hears() // the provider is told, and not of the number
		s.does(s.fake.Renew(s.sub))
		s.want("numbers and tax", []int64{int64(len(s.fake.TaxIDs(s.customer))), s.newest().Total - s.newest().Subtotal}, []int64{0, 1881})
	}, end{plan: "pro", status: "active", invoices: []string{"paid", "paid"}, mails: []string{"welcome", "vat_refused until 2026-11-15", "vat_removed"}}},
	"SmallSeller": {func(s *till) {
		s.sells(billing.SmallSeller)
		s.buyer = func(f *billing.OrderForm) { f.Country, f.Number, f.Total = "HU", "", 11880 }
		s.buys()
		s.want("the rate of the seller", s.newest().Total, int64(11880))
	}, end{plan: "pro", status: "active", invoices: []string{"paid"}, mails: []string{"welcome"}}},
	"Franchise": {func(s *till) {
		s.sells(billing.Franchise)
		s.buyer = func(f *billing.OrderForm) { f.Total = 9900 }
		s.buys()
		i := s.newest()
		s.want("at home", []any{i.Total, i.CustomFields[1].Value}, []any{int64(9900), "TVA non applicable, art. 293 B du CGI"})
		s.must(s.ChangeDetails(s.Context(), operator, s.a.ID, billing.Details{
			Name: "Werkstatt", Number: "DE123456789", Country: "DE", Line1: "1", Postcode: "10115", City: "Berlin",
		}))
		s.does(s.fake.Renew(s.sub))
		i = s.newest()
		s.want("in another member state", []any{i.Total, i.CustomFields[0].Value}, []any{int64(9900), "Autoliquidation"})
		s.want("what the page says", s.overview(s.a).Subscription.ReverseCharge, true)
	}, end{plan: "pro", status: "active", invoices: []string{"paid", "paid"}, mails: []string{"welcome"}}},
	"SchemeChanged": {func(s *till) {
		s.buys()
		s.sells(billing.Franchise)
		for _, found := range [][]billing.FindingKind{{billing.FoundWrongRate, billing.FoundMention}, {billing.FoundWrongRate}} {
			r, err := s.Reconcile(s.Context(), false)
			s.must(err)
			s.want("findings", kinds(r), found)
		}
		s.does(s.fake.Renew(s.sub))
		i := s.newest()
		s.want("the next invoice", []any{i.Total, i.CustomFields[1].Value}, []any{int64(9900), "TVA non applicable, art. 293 B du CGI"})
	}, end{plan: "pro", status: "active", invoices: []string{"paid", "paid"}, mails: []string{"welcome"}}},
	"OrderDiffers": {func(s *till) { // 99.00 € with reverse charge were ordered, 117.81 € are charged
		s.buyer = func(f *billing.OrderForm) { f.Country, f.Number, f.Total = "DE", "DE123456789", 9900 }
		s.fake.SetTax(stripefake.Rate{Percent: 19, Reason: "standard_rated"})
		s.buys()
		s.want("alarms", s.counted(billing.CountOrderDifference), 1)
		s.want("what the mails say", []int64{s.mails[1].Invoice.Total, s.mails[1].Invoice.Credited, s.mails[1].Order.Net}, []int64{11781, 1881, 9900})
		s.want("the reason", s.fake.CreditNotes()[0].Metadata["refunded_for"], "order_difference")
		s.fake.SetTax(stripefake.Rate{})
		s.does(s.fake.Renew(s.sub))
		s.want("alarms later", s.counted(billing.CountOrderDifference), 1)
	}, end{plan: "pro", status: "active", invoices: []string{"paid", "paid"}, credited: 1881, refunds: 1, mails: []string{"welcome", "difference", "difference_operator"}}},
	"OrderedMore": {func(s *till) { // 118.80 € were ordered, 99.00 € are charged
		s.fake.SetTax(stripefake.Rate{Reason: "not_collecting"})
		s.buys()
	}, end{
		plan: "pro", status: "active", invoices: []string{"paid"}, mails: []string{"welcome", "difference", "difference_operator"},
		found: []billing.FindingKind{billing.FoundNotCollecting},
	}},
	"TypesAnother": {func(s *till) {
		s.fake.Buys(func(map[string]string) stripefake.Buyer {
			return stripefake.Buyer{Name: "Max Muster", Address: stripefake.Address{Country: "MC"}, VATNumber: "FR44732829320"}
		})
		s.buyer = func(f *billing.OrderForm) { f.Country, f.Number, f.Total = "DE", "DE123456789", 9900 }
		s.buys()
		i := s.newest()
		s.want("the invoice", []any{*i.CustomerName, i.CustomerAddress.Country, i.CustomerTaxIDs[0].Value, i.Total},
			[]any{"Atelier Ada", "DE", "DE123456789", int64(9900)})
	}, end{plan: "pro", status: "active", invoices: []string{"paid"}, mails: []string{"welcome"}}},
	"ProviderAway": {func(s *till) {
		s.buys()
		s.fake.Away(true)
		_, err := s.Refresh(s.Context(), account.ByAccount(s.a.ID), s.a.ID)
		if err != nil {
			s.wantError("asking", err, billing.ErrUnavailable)
		}
		s.fake.Away(false)
	}, end{plan: "pro", status: "active", invoices: []string{"paid"}, mails: []string{"welcome"}}},
	"OtherVersion": {
		func(s *till) { s.fake.SetVersion("2027-01-27.eucalyptus"); s.buys() },
		end{plan: "pro", status: "active", invoices: []string{"paid"}, mails: []string{"welcome"}},
	},
	"NotCollecting": {
		func(s *till) { s.taxed(stripefake.Rate{Reason: "not_collecting"}, stripefake.Address{Country: "DE"}) },
		end{plan: "pro", status: "active", invoices: []string{"paid", "paid"}, mails: []string{"welcome"}, found: []billing.FindingKind{billing.FoundNotCollecting}},
	},
	"NotCollectingElsewhere": {
		func(s *till) { s.taxed(stripefake.Rate{}, stripefake.Address{Country: "CH"}) },
		end{plan: "pro", status: "active", invoices: []string{"paid", "paid"}, mails: []string{"welcome"}},
	},
	"NotSupported": {
		func(s *till) { s.taxed(stripefake.Rate{Reason: "not_supported"}, stripefake.Address{Country: "DE"}) },
		end{plan: "pro", status: "active", invoices: []string{"paid", "paid"}, mails: []string{"welcome"}, found: []billing.FindingKind{billing.FoundNotSupported}},
	},
	"NotSoldTo": {
		func(s *till) { s.taxed(stripefake.Rate{}, stripefake.Address{Country: "MC"}) },
		end{plan: "pro", status: "active", invoices: []string{"paid", "paid"}, mails: []string{"welcome"}, found: []billing.FindingKind{billing.FoundNotSold}},
	},
	"WrongRate": {
		func(s *till) {
			s.taxed(stripefake.Rate{Percent: 7, Reason: "standard_rated"}, stripefake.Address{Country: "DE"})
		},
		end{plan: "pro", status: "active", invoices: []string{"paid", "paid"}, mails: []string{"welcome"}, found: []billing.FindingKind{billing.FoundWrongRate}},
	},
	"OtherProduct": {func(s *till) {
		s.buys()
		s.does(s.fake.SetItem(s.sub, func(p *stripefake.Price) { p.ID, p.Product = "price_other", "prod_other" }))
	}, end{plan: "developer", status: "active", invoices: []string{"paid"}, mails: []string{"welcome", "ended"}, found: []billing.FindingKind{billing.FoundOtherProduct}}},
	"NeverPaid": {
		func(s *till) {
			s.begins("incomplete")
			s.does(s.fake.SetStatus(s.sub, "active"))
			s.does(s.fake.Settle(s.sub, false))
		},
		end{plan: "developer", status: "active", invoices: []string{"void"}, found: []billing.FindingKind{billing.FoundUnpaidInvoice}},
	},
	"PaidNothing": {func(s *till) { s.begins("trialing"); s.waits(day) }, end{plan: "pro", status: "trialing", invoices: []string{"paid"}}},
	"RenewalDraft": {func(s *till) {
		s.buys()
		s.does(s.fake.EndPeriod(s.sub))
		s.want("the tax", s.overview(s.a).Subscription.Tax, int64(1980))
	}, end{plan: "pro", status: "active", invoices: []string{"draft", "paid"}, mails: []string{"welcome"}}},
	"UnpaidInvoice": {
		func(s *till) {
			s.buys()
			s.does(s.fake.EndPeriod(s.sub), s.fake.Finalize(s.newest().ID), s.fake.Stop(s.newest().ID))
			s.waits(8 * day)
		},
		end{plan: "developer", status: "active", invoices: []string{"open", "paid"}, mails: []string{"welcome", "ended"}, found: []billing.FindingKind{billing.FoundUnpaidInvoice}},
	},
	"VoidInvoice": {
		func(s *till) { s.buys(); s.does(s.fake.FailPayment(s.sub)); s.does(s.fake.WriteOff(s.newest().ID)) },
		end{plan: "developer", status: "active", invoices: []string{"uncollectible", "paid"}, mails: []string{"welcome", "unpaid 0 until 2026-11-08", "ended"}, found: []billing.FindingKind{billing.FoundUnpaidInvoice}},
	},
	"NotFinal": {
		func(s *till) {
			s.buys()
			s.fake.FailFinalization("customer_tax_location_invalid")
			s.does(s.fake.Renew(s.sub))
			s.waits(8 * day)
		},
		end{plan: "developer", status: "active", invoices: []string{"draft", "paid"}, mails: []string{"welcome", "ended"}, found: []billing.FindingKind{billing.FoundUnpaidInvoice}},
	},
	"DeletedWithCheckout": {func(s *till) {
		id := s.orders()
		s.deleted()
		_, err := s.fake.Complete(id)
		s.want("paid", err != nil, true)
	}, end{}},
	"DeletedAndPaid": {func(s *till) {
		id := s.orders()
		s.must(s.accounts.Delete(s.Context(), operator, s.a.ID))
		s.clock.Advance(time.Second)
		_, err := s.fake.Complete(id)
		s.does(err)
	}, end{status: "canceled", invoices: []string{"paid"}, credited: 11880, refunds: 1}},
	"DeletedLater": {
		func(s *till) {
			s.buys()
			s.does(s.fake.FailPayment(s.sub))
			s.clock.Advance(time.Hour)
			s.must(s.accounts.Delete(s.Context(), operator, s.a.ID))
			s.clock.Advance(time.Hour)
			s.does(s.fake.GiveUp(s.sub)) // Stripe ends it before the job does
		},
		end{status: "canceled", invoices: []string{"void", "paid"}, mails: []string{"welcome", "unpaid 0 until 2026-11-08"}},
	},
	"GivenWithCheckout": {func(s *till) {
		id := s.orders()
		s.must(s.accounts.SetPlan(s.Context(), operator, s.a.ID, account.Pro))
		_, err := s.fake.Complete(id)
		s.does(err)
	}, end{plan: "pro", status: "canceled", invoices: []string{"paid"}, credited: 11880, refunds: 1}},
	"CancelledWhileFailing": {
		func(s *till) { s.buys(); s.does(s.fake.FailPayment(s.sub)); s.cancels() },
		end{"developer", "canceled", []string{"void", "paid"}, []string{"welcome", "unpaid 0 until 2026-11-08", "ended"}, 0, 0, nil},
	},
	"UnpaidBuysAgain": {func(s *till) {
		s.buys()
		s.fake.ChangeSetup(func(d *stripefake.Setup) { d.Dunning.Then = "unpaid" })
		s.does(s.fake.FailPayment(s.sub))
		s.does(s.fake.GiveUp(s.sub))
		s.clock.Advance(time.Hour)
		s.buys()
	}, end{"pro", "active", []string{"paid", "void", "paid"}, []string{"welcome", "unpaid 0 until 2026-11-08", "ended", "welcome"}, 0, 0, nil}},
	"ByHand": {
		func(s *till) {
			s.buys()
			_, err := s.fake.Subscribe(s.customer, "", "active") // names no account
			s.does(err, s.fake.SetQuantity(s.sub, 2))
			s.does(s.fake.SetItem(s.sub, func(p *stripefake.Price) { p.Currency = "usd" }))
		},
		end{
			plan: "pro", status: "active", invoices: []string{"paid", "paid", "paid"}, mails: []string{"welcome"},
			found: []billing.FindingKind{billing.FoundNoAccount, billing.FoundOtherCurrency, billing.FoundQuantity},
		},
	},
	"OtherAccount": {
		func(s *till) {
			s.buys()
			other := stripetest.Client(s.T, stripetest.New(s.T, stripefake.Options{Now: s.clock.Now}))
			s.Cleanup(other.Close)
			ours := s.Service
			s.Service = s.service(other)
			_, err := s.Reconcile(s.Context(), false)
			s.wantError("reconciling", err, billing.ErrRefused)
			_, err = s.Refresh(s.Context(), account.ByAccount(s.a.ID), s.a.ID)
			s.wantError("asking", err, nil) // it was asked less than two seconds ago
			s.clock.Advance(time.Minute)
			_, err = s.Refresh(s.Context(), account.ByAccount(s.a.ID), s.a.ID)
			s.wantError("asking", err, billing.ErrRefused)
			s.want("customers", s.count("billing_customers WHERE customer = $1", s.customer), 1)
			s.Service = ours
		},
		end{plan: "pro", status: "active", invoices: []string{"paid"}, mails: []string{"welcome"}},
	},
	"Abandoned": {
		func(s *till) {
			s.buys()
			s.does(s.fake.FailPayment(s.sub))
			s.waits(8 * day)
			found, err := s.Statement(s.Context(), account.ByAccount(s.a.ID), s.a.ID)
			s.must(err)
			s.want("a link to pay", found.Unpaid() == nil, true)
			if err := s.fake.PayInvoice(s.newest().ID); err == nil {
				s.Error("it was paid for nothing")
			}
		},
		end{"developer", "canceled", []string{"void", "paid"}, []string{
			"welcome", "unpaid 0 until 2026-11-08", "unpaid 3 until 2026-11-08", "unpaid 6 until 2026-11-08", "ended",
		}, 0, 0, nil},
	},
	"PaidAfterEnd": {
		func(s *till) {
			s.fake.ChangeSetup(func(d *stripefake.Setup) { d.Dunning.Invoice = "uncollectible" })
			s.buys()
			s.does(s.fake.FailPayment(s.sub))
			s.must(s.fake.GiveUp(s.sub)) // and nobody hears of it
			s.clock.Advance(time.Hour)
			s.must(s.fake.PayInvoice(s.newest().ID))
			for range 2 {
				r, err := s.Reconcile(s.Context(), true)
				s.must(err)
				s.want("found by a dry run, which pays nothing back", []any{r.Findings[0].Kind, len(s.fake.Refunds())}, []any{billing.FoundEndedInvoice, 0})
			}
			s.hears()
		},
		end{"developer", "canceled", []string{"paid", "paid"}, []string{"welcome", "unpaid 0 until 2026-11-08", "ended"}, 11880, 1, nil},
	},
	"CancelledWhileAway": {
		func(s *till) {
			s.buys()
			s.cancelsAway()
			o, err := s.Resume(s.Context(), account.ByAccount(s.a.ID), s.a.ID)
			s.must(err)
			s.want("taken back", o.Cancelling, time.Time{})
			s.cancelsAway()
			s.back()
			s.want("until then", s.plan(s.a.ID), account.Pro)
			s.clock.Set(start.AddDate(0, 1, 0))
			s.does(s.fake.EndPeriod(s.sub))
		},
		end{"developer", "canceled", []string{"paid"}, []string{"welcome", "cancelled until 2026-12-01", "ended"}, 0, 0, nil},
	},
	"RenewedAfterCancelling": {
		func(s *till) {
			s.buys()
			s.cancelsAway()
			s.clock.Set(start.AddDate(0, 1, 0))
			s.must(s.fake.Renew(s.sub))
			s.clock.Advance(day)
			s.back()
		},
		end{"developer", "canceled", []string{"paid", "paid"}, []string{"welcome", "ended"}, 11880, 1, nil},
	},
	"PaidAfterCancelling": {
		func(s *till) {
			s.buys()
			s.does(s.fake.FailPayment(s.sub))
			s.clock.Advance(time.Hour)
			s.cancelsAway()
			s.must(s.fake.PayInvoice(s.newest().ID))
			s.back()
		},
		end{"developer", "canceled", []string{"paid", "paid"}, []string{"welcome", "unpaid 0 until 2026-11-08", "ended"}, 11880, 1, nil},
	},
	"DeletedAfterCancelling": {
		func(s *till) {
			s.buys()
			s.cancelsAway()
			s.clock.Set(start.AddDate(0, 1, 0))
			s.must(s.fake.Renew(s.sub))
			s.clock.Advance(day)
			s.must(s.accounts.Delete(s.Context(), operator, s.a.ID))
			s.back()
		},
		end{status: "canceled", invoices: []string{"paid", "paid"}, mails: []string{"welcome"}, credited: 11880, refunds: 1},
	},
	"Erased": { // Stripe is away when the account is deleted, and the worker is another when it is back
		func(s *till) {
			s.buys()
			s.clock.Advance(day)
			s.fake.Away(true)
			s.must(s.accounts.Delete(s.Context(), operator, s.a.ID))
			for range 3 {
				s.wantError("leaving", s.Leave(s.Context(), billing.LeaveProvider{Account: s.a.ID}), billing.ErrUnavailable)
			}
			s.Service = s.service(s.client)
			s.fake.Away(false)
			s.hears()
			i := s.newest()
			s.want("the invoice still says who bought", []string{*i.CustomerName, i.CustomerAddress.City}, []string{"Atelier Ada", "Paris"})
		},
		end{status: "canceled", invoices: []string{"paid"}, mails: []string{"welcome"}},
	},
	"ErasedLater": {
		func(s *till) {
			s.buys()
			s.fake.PendRefunds(true)
			refund, err := s.fake.Refund(s.customer, 1000)
			s.must(err)
			s.clock.Advance(day)
			s.deleted()
			s.want("cards", len(s.fake.PaymentMethods(s.customer)), 0)
			s.want("the log", s.logged("level=WARN", "stays at the payment provider", "account="+s.a.ID, "customer="+s.customer, refund.ID), true)
			for _, dry := range []bool{true, false} {
				r, err := s.Reconcile(s.Context(), dry)
				s.must(err)
				s.want("findings", r.Findings, []billing.Finding{{
					Kind: billing.FoundRemains, Account: s.a.ID, Is: s.customer + ": refunds under way: " + refund.ID,
				}})
			}
			asked := len(s.fake.Requests())
			s.waits(3 * day)
			s.want("asked no more than once a day", len(s.fake.Requests())-asked < 3*10, true)
			s.want("at Stripe", s.fake.Customers()[0].Deleted, false)
			s.must(s.fake.SettleRefund(refund.ID, true))
			s.fake.ChangeSetup(func(d *stripefake.Setup) { d.Forbidden = []string{"/v1/charges"} })
			s.waits(day)
			s.want("a key that may not see refunds", s.logged("level=WARN", "stays at the payment provider", "status 403"), true)
			s.want("alarms", s.counted(billing.CountRefused) > 0, true)
			s.fake.ChangeSetup(func(d *stripefake.Setup) { d.Forbidden = nil })
			s.waits(day)
		},
		end{status: "canceled", invoices: []string{"paid"}, mails: []string{"welcome"}},
	},
	"Mailed": {
		func(s *till) {
			s.buyer = func(f *billing.OrderForm) { f.Email = "factures@atelier.example" }
			s.buys()
			i, n := s.newest(), s.docs[0]
			s.want("the mail", []any{n.Email, n.Language, n.Document.Number, n.Document.Net, n.Document.Tax, n.Document.Total, n.Document.Page, n.Document.PDF},
				[]any{"factures@atelier.example", account.French, *i.Number, int64(9900), int64(1980), int64(11880), *i.HostedInvoiceURL, *i.InvoicePDF})
			note, err := s.fake.Credit(i.ID, 1188)
			s.does(err)
			n = s.docs[1]
			s.want("the credit note", []any{n.Document.Number, n.Document.Corrects, n.Document.Net, n.Document.Tax, n.Document.Refunded, n.Document.PDF},
				[]any{note.Number, *i.Number, int64(990), int64(198), int64(1188), note.PDF})
			// Twice the same events, others about the same, and a database that was restored.
			object, err := json.Marshal(i)
			s.must(err)
			s.fake.Emit("invoice.paid", s.customer, object)
			s.heard = 0
			s.hears()
			for range 2 {
				s.exec(`DELETE FROM billing_documents`)
				s.exec(`DELETE FROM billing_events`)
				s.heard = 0
				s.hears()
				s.clock.Advance(2 * time.Hour)
				s.must(s.Sync(s.Context(), billing.SyncAccount{Account: s.a.ID, Due: s.clock.Now()}))
				s.work()
			}
			// What no event told.
			s.must(s.fake.Renew(s.sub))
			_, err = s.fake.Credit(s.newest().ID, 500)
			s.must(err)
			s.heard = len(s.fake.Events())
			s.clock.Advance(2 * time.Hour)
			for _, dry := range []bool{true, false} {
				r, err := s.Reconcile(s.Context(), dry)
				s.must(err)
				s.want("findings", kinds(r), []billing.FindingKind{billing.FoundDrift, billing.FoundDocument, billing.FoundDocument})
			}
			s.work()
		},
		end{plan: "pro", status: "active", invoices: []string{"paid", "paid"}, mails: []string{"welcome"}, credited: 1688, refunds: 2},
	},
	"MailedAfterDeletion": {
		func(s *till) {
			s.buyer = func(f *billing.OrderForm) { f.Email = "factures@atelier.example" }
			_, err := s.fake.Complete(s.orders())
			s.must(err)
			s.clock.Advance(time.Minute)
			s.must(s.accounts.Delete(s.Context(), operator, s.a.ID))
			s.hears()
			s.want("to whom", s.docs[0].Email, "factures@atelier.example")
			s.want("orders that are kept", s.count("billing_orders WHERE subscription <> ''"), 1)
			s.want("addresses that are kept", s.count("billing_orders r WHERE r::text LIKE '%@%'")+s.count("billing_documents r WHERE r::text LIKE '%@%'"), 0)
		},
		end{status: "canceled", invoices: []string{"paid"}},
	},
	"DeletedInDraftHour": {
		func(s *till) {
			s.buys()
			s.clock.Set(start.AddDate(0, 1, 0))
			s.does(s.fake.EndPeriod(s.sub))
			s.clock.Advance(30 * time.Minute)
			s.deleted()
			s.waits(day)
		},
		end{status: "canceled", invoices: []string{"draft", "paid"}, mails: []string{"welcome"}},
	},
}

// stripeOnly are the rows that are lived at Stripe alone, each with a test of its name.
var stripeOnly = []string{
	"Erased", "ErasedLater", "Mailed", "MailedAfterDeletion", "Unheard", "RefundFails", "ByHand", "OtherAccount", "Abandoned", "TypesAnother", "SmallSeller", "Franchise", "SchemeChanged", "OrderDiffers", "OrderedMore", "PaidAfterEnd", "DeletedInDraftHour", "CancelledWhileAway", "RenewedAfterCancelling",
	"PaidAfterCancelling", "DeletedAfterCancelling",
}

func TestOutcome_Erased(t *testing.T)        { t.Parallel(); throughStripe(t, "Erased") }
func TestOutcome_ErasedLater(t *testing.T)   { t.Parallel(); throughStripe(t, "ErasedLater") }
func TestOutcome_Mailed(t *testing.T)        { t.Parallel(); throughStripe(t, "Mailed") }
func TestOutcome_ByHand(t *testing.T)        { t.Parallel(); throughStripe(t, "ByHand") }
func TestOutcome_OtherAccount(t *testing.T)  { t.Parallel(); throughStripe(t, "OtherAccount") }
func TestOutcome_Abandoned(t *testing.T)     { t.Parallel(); throughStripe(t, "Abandoned") }
func TestOutcome_TypesAnother(t *testing.T)  { t.Parallel(); throughStripe(t, "TypesAnother") }
func TestOutcome_SmallSeller(t *testing.T)   { t.Parallel(); throughStripe(t, "SmallSeller") }
func TestOutcome_Franchise(t *testing.T)     { t.Parallel(); throughStripe(t, "Franchise") }
func TestOutcome_SchemeChanged(t *testing.T) { t.Parallel(); throughStripe(t, "SchemeChanged") }
func TestOutcome_OrderDiffers(t *testing.T)  { t.Parallel(); throughStripe(t, "OrderDiffers") }
func TestOutcome_OrderedMore(t *testing.T)   { t.Parallel(); throughStripe(t, "OrderedMore") }
func TestOutcome_PaidAfterEnd(t *testing.T)  { t.Parallel(); throughStripe(t, "PaidAfterEnd") }
func TestOutcome_CancelledWhileAway(t *testing.T) {
	t.Parallel()
	throughStripe(t, "CancelledWhileAway")
}

func TestOutcome_MailedAfterDeletion(t *testing.T) {
	t.Parallel()
	throughStripe(t, "MailedAfterDeletion")
}

func TestOutcome_RenewedAfterCancelling(t *testing.T) {
	t.Parallel()
	throughStripe(t, "RenewedAfterCancelling")
}

func TestOutcome_PaidAfterCancelling(t *testing.T) {
	t.Parallel()
	throughStripe(t, "PaidAfterCancelling")
}

func TestOutcome_DeletedAfterCancelling(t *testing.T) {
	t.Parallel()
	throughStripe(t, "DeletedAfterCancelling")
}

func TestOutcome_DeletedInDraftHour(t *testing.T) {
	t.Parallel()
	throughStripe(t, "DeletedInDraftHour")
}

// The other rows, which have tests on structs set by hand, too.
func TestOutcomes_ThroughStripe(t *testing.T) {
	t.Parallel()
	for name := range stripeLives {
		if slices.Contains(stripeOnly, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			throughStripe(t, name)
		})
	}
}

// throughStripe lives a row and looks at what it came to.
func throughStripe(t *testing.T, name string) {
	t.Helper()
	life := stripeLives[name]
	s, want := newTill(t), life.end
	life.live(s)
	got := end{mails: s.mail(), refunds: len(s.mailed(billing.CreditNote))}
	if want.plan != "" {
		got.plan = s.plan(s.a.ID).String()
	}
	if subs := s.fake.Subscriptions(s.customer); len(subs) > 0 {
		got.status = subs[0].Status
	}
	invoices, notes := make(map[string]int), make(map[string]int)
	for _, i := range s.fake.Invoices(s.customer) {
		got.invoices = append(got.invoices, i.Status)
		got.credited += i.PostPaymentCreditNotesAmount
		if i.Status == "paid" && i.Total > 0 {
			invoices[i.ID] = 1
		}
	}
	for _, n := range s.fake.CreditNotes() {
		notes[n.ID] = 1
	}
	s.want("invoices that were mailed", s.mailed(billing.InvoiceDocument), invoices)
	s.want("credit notes that were mailed", s.mailed(billing.CreditNote), notes)
	r, err := s.Reconcile(t.Context(), false)
	s.must(err)
	for _, f := range r.Findings {
		got.found = append(got.found, f.Kind)
	}
	want.mails = append([]string{}, want.mails...)
	s.want("the end", got, want)
	if want.plan == "" {
		s.want("customers", s.count("billing_customers"), 0)
		for _, c := range s.fake.Customers() {
			s.want("at Stripe: deleted, and cards", []any{c.Deleted, len(s.fake.PaymentMethods(c.ID))}, []any{true, 0})
		}
	}
}

// Every row of the tables is lived here.
func TestOutcomes_ThroughStripe_All(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/operations/billing.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\|.*\\| `([A-Z]\\w+)` \\|$").FindAllSubmatch(doc, -1)
	var names []string
	for _, row := range rows {
		if name := string(row[1]); len(name) < 5 || name[:4] != "Test" || name == "TestKey" {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if _, lived := stripeLives[name]; !lived {
			t.Errorf("%s is to be lived at Stripe, too", name)
		}
	}
	for name := range stripeLives {
		if !slices.Contains(names, name) {
			t.Errorf("%s has no row in docs/operations/billing.md", name)
		}
	}
}
