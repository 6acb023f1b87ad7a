package billing

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // for machines and images that have no time zones

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
)

const (
	// draftsFor is how long before its first day an export looks for invoices: one that stayed a draft longer is not
	// found. The provider can search only by when an invoice was made. Nearly all are drafts for an hour, but one whose
	// tax cannot be computed stays one until somebody mends that.
	draftsFor = 92 * 24 * time.Hour
	// ExportWithin is how long an export may take.
	ExportWithin = 30 * time.Minute
)

// Exported sums up what Export wrote.
type Exported struct {
	Zone                  string // the time zone of the days
	Invoices, CreditNotes int
	Series                int      // how many series of invoice numbers there are
	Missing               []string // numbers that no document has: single ones, and ranges such as "PAL-0042 to PAL-0044"
	Unfinished            bool     // the last day is not over: more may follow
}

// Export calls write for each invoice and credit note that became final from one day to another, both included, void
// ones too, in the order in which they became final. Days are those of the seller's country, by which its books and
// tax returns are kept. It reads from the provider, and holds about a month of documents in memory.
//
// Only the operator may export. Returns account.ErrOperatorOnly otherwise.
func (s *Service) Export(
	ctx context.Context, by account.Actor, from, to catalog.Date, write func(Document) error,
) (done Exported, err error) {
	switch {
	case !by.IsOperator():
		return done, account.ErrOperatorOnly
	case s.o.Provider == nil:
		return done, ErrNoCheckout
	case to < from:
		return done, fmt.Errorf("%s is before %s", to, from)
	}
	zone, err := time.LoadLocation(zones[s.o.Country])
	if err != nil {
		return done, err
	}
	begin, end := midnight(from, 0, zone), midnight(to, 1, zone)
	done.Zone, done.Unfinished = zone.String(), s.o.Now().Before(end)
	ctx, cancel := context.WithTimeoutCause(ctx, ExportWithin, fmt.Errorf("it took more than %s", ExportWithin))
	defer cancel()
	if err := s.refused(s.checkAccount(ctx, 0)); err != nil {
		return done, err
	}
	all := make(numbers)
	err = s.eachFinal(ctx, begin.Add(-draftsFor), end, func(d Document) error {
		within := !d.FinalAt.Before(begin) && d.FinalAt.Before(end)
		all.add(d, within)
		if !within {
			return nil
		}
		if d.Kind == InvoiceDocument {
			done.Invoices++
		} else {
			done.CreditNotes++
		}
		d.IssuedAt, d.DueAt, d.PaidAt = in(d.IssuedAt, zone), in(d.DueAt, zone), in(d.PaidAt, zone)
		d.Rate = d.rate(s.o.Country)
		return write(d)
	})
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	done.Series, done.Missing = all.ofInvoices(), all.missing()
	return done, s.refused(err)
}

// eachFinal calls do with the documents made in [from, to), in the order in which they became final. It can read a
// month at a time because nothing becomes final before it is made.
func (s *Service) eachFinal(ctx context.Context, from, to time.Time, do func(Document) error) error {
	var read []Document
	for at, now := from, s.o.Now(); at.Before(to); {
		next := at.AddDate(0, 1, 0)
		if next.After(to) || at.After(now) { // only a sandbox has documents from the future: read them in one go
			next = to
		}
		for d, err := range s.o.Provider.Documents(ctx, at, next) {
			if err != nil {
				return fmt.Errorf("listing invoices and credit notes: %w", err)
			}
			read = append(read, d)
		}
		slices.SortFunc(read, Document.compare)
		ready := len(read)
		if i := slices.IndexFunc(read, func(d Document) bool { return !d.FinalAt.Before(next) }); i >= 0 && next.Before(to) {
			ready = i // the rest became final after documents that are not read yet
		}
		for _, d := range read[:ready] {
			if err := do(d); err != nil {
				return err
			}
		}
		read = slices.Delete(read, 0, ready)
		at = next
	}
	return nil
}

// compare orders documents by when they became final; within the same second, which is as precise as the provider is,
// by number.
func (d Document) compare(e Document) int {
	return cmp.Or(d.FinalAt.Compare(e.FinalAt), cmp.Compare(len(d.Number), len(e.Number)), cmp.Compare(d.Number, e.Number))
}

// rate returns the rate of VAT of a document in tenths of a percent. It is the table's rate for the country of the
// customer, or else of the seller, if the amounts agree with it to a cent, because rounding distorts the rate of a
// small amount; otherwise it is computed from the amounts.
func (d Document) rate(seller string) int {
	net, vat := max(d.Net, -d.Net), max(d.VAT, -d.VAT)
	if net == 0 || vat == 0 {
		return 0
	}
	for _, country := range []string{d.Country, seller} {
		if off := vat - (net*int64(rates[country])+500)/1000; rates[country] > 0 && off >= -1 && off <= 1 {
			return rates[country]
		}
	}
	return int((vat*1000 + net/2) / net)
}

// midnight returns when the day that many days later begins in a zone.
func midnight(day catalog.Date, later int, zone *time.Location) time.Time {
	y, m, d := day.Time().Date()
	return time.Date(y, m, d+later, 0, 0, 0, 0, zone)
}

// in returns a time in a zone; zero for none.
func in(t time.Time, zone *time.Location) time.Time {
	if t.IsZero() {
		return t
	}
	return t.In(zone)
}

// numbers finds gaps in the numbers of documents, which it is given in the order in which they became final. A
// document gets the next number of its series then
// (https://docs.stripe.com/changelog/2020-03-02/sequentially-number-invoices), so one that is left out is missing. The
// key is the prefix of a series: PAL-0041 and PAL-0042 are of the same one.
type numbers map[string]*series

// A series has the numbers with the same prefix. Its holes are sorted.
type series struct {
	of     DocumentKind
	within bool // a document of it is within the span of the export
	digits int  // of the shortest number
	next   int  // the number after the largest
	holes  []hole
}

// A hole is a range of numbers that no document has so far, both ends included.
type hole struct{ first, last int }

// add records the number of a document. A hole is opened only before a document within the span, but any document can
// fill one.
func (n numbers) add(d Document, within bool) {
	prefix := strings.TrimRight(d.Number, "0123456789")
	number, err := strconv.Atoi(d.Number[len(prefix):])
	if err != nil {
		return // the number was given by hand
	}
	digits := len(d.Number) - len(prefix)
	s := n[prefix]
	if s == nil {
		s = &series{of: d.Kind, digits: digits, next: number}
		n[prefix] = s
	}
	s.within, s.digits = s.within || within, min(s.digits, digits)
	if number < s.next {
		s.fill(number)
		return
	}
	if within && number > s.next {
		s.holes = append(s.holes, hole{s.next, number - 1})
	}
	s.next = number + 1
}

// fill removes a number from the hole that has it, if any.
func (s *series) fill(number int) {
	at := slices.IndexFunc(s.holes, func(h hole) bool { return h.first <= number && number <= h.last })
	if at < 0 {
		return
	}
	h, left := s.holes[at], []hole(nil)
	if h.first < number {
		left = append(left, hole{h.first, number - 1})
	}
	if number < h.last {
		left = append(left, hole{number + 1, h.last})
	}
	s.holes = slices.Replace(s.holes, at, at+1, left...)
}

// ofInvoices returns how many series of invoices have one within the span.
func (n numbers) ofInvoices() (count int) {
	for _, s := range n {
		if s.of == InvoiceDocument && s.within {
			count++
		}
	}
	return count
}

// missing returns the numbers that no document has.
func (n numbers) missing() (all []string) {
	for _, prefix := range slices.Sorted(maps.Keys(n)) {
		s := n[prefix]
		for _, h := range s.holes {
			one := fmt.Sprintf("%s%0*d", prefix, s.digits, h.first)
			if h.last > h.first {
				one += fmt.Sprintf(" to %s%0*d", prefix, s.digits, h.last)
			}
			all = append(all, one)
		}
	}
	return all
}

// zones are the time zones of the member states' capitals.
var zones = map[string]string{
	"AT": "Europe/Vienna", "BE": "Europe/Brussels", "BG": "Europe/Sofia", "CY": "Asia/Nicosia", "CZ": "Europe/Prague",
	"DE": "Europe/Berlin", "DK": "Europe/Copenhagen", "EE": "Europe/Tallinn", "ES": "Europe/Madrid",
	"FI": "Europe/Helsinki", "FR": "Europe/Paris", "GR": "Europe/Athens", "HR": "Europe/Zagreb", "HU": "Europe/Budapest", "IE": "Europe/Dublin",
	"IT": "Europe/Rome", "LT": "Europe/Vilnius", "LU": "Europe/Luxembourg", "LV": "Europe/Riga", "MT": "Europe/Malta",
	"NL": "Europe/Amsterdam", "PL": "Europe/Warsaw", "PT": "Europe/Lisbon", "RO": "Europe/Bucharest",
	"SE": "Europe/Stockholm", "SI": "Europe/Ljubljana", "SK": "Europe/Bratislava",
}
