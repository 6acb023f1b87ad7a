package billing_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/stripe/stripefake"
	"github.com/palmares-hq/palmares/internal/stripetest"
)

// What an accountant gets of a few months: days of Paris, in the order in which documents became final, none of it
// twice in spans that follow each other, and nothing silently left out.
func TestExport(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	customer := func(email string, d billing.Details) string {
		id, err := s.client.CreateCustomer(t.Context(), billing.NewCustomer{
			Account: "1", Payer: billing.Payer{Email: email, Language: account.French, Details: &d}, Key: email,
		})
		s.must(err)
		return id
	}
	paris := customer("ada@example.test", billing.Details{Name: "Atelier Ada", Country: "FR"})
	berlin := customer("werk@example.test", billing.Details{Name: "Werkstatt", Country: "DE", Number: "DE123456789"})
	helsinki := customer("paja@example.test", billing.Details{Name: "Paja", Country: "FI"})
	at := func(text string) {
		at, err := time.Parse(time.RFC3339, text)
		s.must(err)
		s.clock.Set(at)
		s.fake.Invoices(paris) // what was due by then happens
	}
	subscribe := func(when, customer string) string {
		at(when)
		sub, err := s.fake.Subscribe(customer, "", "active")
		s.must(err)
		return sub.ID
	}
	newest := func(customer string) string { return s.fake.Invoices(customer)[0].ID }

	stuck := subscribe("2026-11-02T09:00:00Z", paris) // 0001
	at("2026-11-20T09:00:00Z")
	s.fake.FailFinalization("customer_tax_location_invalid")
	s.must(s.fake.EndPeriod(stuck))
	at("2026-11-20T11:00:00Z")
	draft := newest(paris)
	s.fake.FailFinalization("")
	late := subscribe("2026-11-30T21:00:00Z", helsinki) // 0002
	at("2026-11-30T21:59:59Z")
	s.must(s.fake.EndPeriod(late))            // final an hour later, 0003: in November by a second
	subscribe("2026-11-30T23:00:00Z", berlin) // 0004: in December
	at("2026-12-05T12:00:00Z")
	s.must(s.fake.FailPayment(late)) // 0005
	s.must(s.fake.VoidInvoice(newest(helsinki)))
	s.fake.SkipNumbers(2)
	subscribe("2026-12-10T08:00:00Z", paris) // 0008
	credited := newest(paris)
	at("2026-12-12T08:00:00Z")
	_, err := s.client.Refund(t.Context(), billing.Refund{Invoice: credited, Cents: 1881, Key: "note"})
	s.must(err)
	at("2026-12-20T10:00:00Z")
	s.must(s.fake.Stop(draft))
	s.must(s.fake.Finalize(draft)) // 0009, after a month
	s.fake.SkipNumbers(1)
	turn := subscribe("2026-12-31T22:45:00Z", helsinki) // 0011
	s.must(s.fake.EndPeriod(turn))                      // final in January, 0012
	at("2027-01-01T00:00:00Z")
	s.fake.SkipNumbers(1)
	subscribe("2027-01-02T00:00:00Z", berlin) // 0014
	at("2027-01-02T12:00:00Z")

	rows := map[string]string{
		"0001": "PAL-0001 invoice paid 2026-11-02 2026-11-02 2026-11-02 Atelier Ada FR  eur 99.00 19.80 200 118.80 ",
		"0002": "PAL-0002 invoice paid 2026-11-30 2026-11-30 2026-11-30 Paja FI  eur 99.00 25.25 255 124.25 ",
		"0003": "PAL-0003 invoice paid 2026-11-30 2026-11-30 2026-11-30 Paja FI  eur 99.00 25.25 255 124.25 ",
		"0004": "PAL-0004 invoice paid 2026-12-01 2026-12-01 2026-12-01 Werkstatt DE DE123456789 eur 99.00 0.00 0 99.00 ",
		"0005": "PAL-0005 invoice void 2026-12-05 2026-12-05  Paja FI  eur 99.00 25.25 255 124.25 ",
		"0008": "PAL-0008 invoice paid 2026-12-10 2026-12-10 2026-12-10 Atelier Ada FR  eur 99.00 19.80 200 118.80 ",
		"note": "PAL-0008-CN-01 credit_note issued 2026-12-12   Atelier Ada FR  eur -15.68 -3.13 200 -18.81 PAL-0008",
		"0009": "PAL-0009 invoice open 2026-12-20 2026-12-20  Atelier Ada FR  eur 99.00 19.80 200 118.80 ",
		"0011": "PAL-0011 invoice paid 2026-12-31 2026-12-31 2026-12-31 Paja FI  eur 99.00 25.25 255 124.25 ",
		"0012": "PAL-0012 invoice paid 2027-01-01 2027-01-01 2027-01-01 Paja FI  eur 99.00 25.25 255 124.25 ",
		"0014": "PAL-0014 invoice paid 2027-01-02 2027-01-02 2027-01-02 Werkstatt DE DE123456789 eur 99.00 0.00 0 99.00 ",
	}
	for _, tt := range []struct {
		from, to  catalog.Date
		documents string
		missing   string
		open      bool
	}{
		{"2026-10-01", "2026-10-31", "", "", false},
		{"2026-11-01", "2026-11-30", "0001 0002 0003", "", false},
		{"2026-11-30", "2026-11-30", "0002 0003", "", false},
		{"2026-12-01", "2026-12-01", "0004", "", false},
		{"2026-12-01", "2026-12-31", "0004 0005 0008 note 0009 0011", "PAL-0006 to PAL-0007, PAL-0010", false},
		{"2026-12-06", "2026-12-15", "0008 note", "PAL-0006 to PAL-0007", false},
		{"2027-01-01", "2027-01-01", "0012", "", false},
		{"2027-01-02", "2027-01-02", "0014", "PAL-0013", true},
		{
			"2026-11-01", "2027-01-31", "0001 0002 0003 0004 0005 0008 note 0009 0011 0012 0014",
			"PAL-0006 to PAL-0007, PAL-0010, PAL-0013", true,
		},
	} {
		var got []string
		done, err := s.Export(t.Context(), operator, tt.from, tt.to, func(d billing.Document) error {
			date := func(at time.Time) string {
				if at.IsZero() {
					return ""
				}
				return at.Format(time.DateOnly)
			}
			got = append(got, fmt.Sprintf("%s %s %s %s %s %s %s %s %s %s %.2f %.2f %d %.2f %s", d.Number, d.Kind, d.State,
				date(d.IssuedAt), date(d.DueAt), date(d.PaidAt), d.Customer, d.Country, d.VATNumber, d.Currency,
				float64(d.Net)/100, float64(d.VAT)/100, d.Rate, float64(d.Gross())/100, d.Invoice))
			return nil
		})
		s.must(err)
		what := string(tt.from + " to " + tt.to)
		want := billing.Exported{Zone: "Europe/Paris", Unfinished: tt.open}
		var all []string
		for name := range strings.FieldsSeq(tt.documents) {
			all = append(all, rows[name])
			if want.Series = 1; name == "note" {
				want.CreditNotes++
			} else {
				want.Invoices++
			}
		}
		if tt.missing != "" {
			want.Missing = strings.Split(tt.missing, ", ")
		}
		s.want(what, strings.Join(got, "\n"), strings.Join(all, "\n"))
		s.want(what, done, want)
	}

	ask := func(from, to catalog.Date) error {
		_, err := s.Export(t.Context(), operator, from, to, func(billing.Document) error { t.Error("it exports"); return nil })
		return err
	}
	if ask("2026-12-31", "2026-12-01") == nil {
		t.Error("backwards")
	}
	s.fake.Away(true)
	s.wantError("away", ask("2026-12-01", "2026-12-31"), billing.ErrUnavailable)
	s.fake.Away(false)
	s.buys() // and the account is bound
	other := stripetest.Client(t, stripetest.New(t, stripefake.Options{Now: s.clock.Now}))
	t.Cleanup(other.Close)
	s.Service = s.service(other)
	s.wantError("another account", ask("2026-12-01", "2026-12-31"), billing.ErrOtherAccount)
}
