package plan

import (
	"time"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/portal/page"
)

// A subscription is a live subscription in words.
type subscription struct {
	State         page.Mark
	Meaning       string
	Facts         []payFact
	Resume        bool   // it was cancelled, and that can be undone
	PaymentFailed bool   // the last payment failed
	Pay           string // the URL where the unpaid invoice is paid; "" if unknown
}

// A payFact is a line about a payment.
type payFact struct{ Name, Value string }

// newSubscription puts a live subscription into words. cancelling is when the owner cancelled it if the
// provider has not been told yet, otherwise zero. exempt says that the seller is exempt from VAT.
func newSubscription(r *page.Request, s billing.Subscription, cancelling time.Time, exempt bool) *subscription {
	view := &subscription{Resume: !s.CancelAt.IsZero(), PaymentFailed: s.Status == billing.PastDue}
	if !cancelling.IsZero() {
		view.Resume, view.PaymentFailed = true, false // nobody is asked to pay
		view.State = page.Waiting(r.Text.Must("pay.state.cancelling"))
		view.Meaning = r.Text.Must("pay.says.cancelling", r.Minute(cancelling))
		return view
	}
	view.State, view.Meaning = status(r, s)
	if view.Resume && s.Status != billing.Active {
		view.fact(r.Text.Must("pay.ends"), r.Minute(s.CancelAt))
	}
	if view.Resume || s.Lapsed() || s.Status == billing.Paused {
		return view
	}
	if !view.PaymentFailed {
		next := s.PeriodEnd
		if s.Latest.State == billing.InvoiceDraft {
			next = s.Latest.Date
		}
		view.fact(r.Text.Must("pay.next"), r.Text.Date(next.UTC()))
	}
	if s.Net > 0 {
		view.fact(r.Text.Must("pay.net"), r.Text.Euros(s.Net))
		switch {
		case s.ReverseCharge:
			view.fact(r.Text.Must("pay.vat.reverse"), r.Text.Euros(s.Tax))
		case exempt && s.Tax == 0:
			view.fact(r.Text.Must("pay.vat.exempt"), r.Text.Euros(s.Tax))
		default:
			view.fact(r.Text.Must("pay.vat"), r.Text.Euros(s.Tax))
		}
		view.fact(r.Text.Must("pay.total"), r.Text.Euros(s.Net+s.Tax))
	}
	return view
}

func (s *subscription) fact(name, value string) { s.Facts = append(s.Facts, payFact{name, value}) }

// status returns the state of a live subscription, and a sentence that explains it.
func status(r *page.Request, s billing.Subscription) (mark page.Mark, meaning string) {
	switch {
	case s.Status != billing.PastDue && s.Overdue(r.Now):
		date := r.Text.Date(s.Latest.Date.UTC())
		return page.Bad(r.Text.Must("pay.state.unpaid")), r.Text.Must("pay.says.overdue", date, r.Minute(s.Latest.Date.Add(billing.Grace)))
	case !s.EverPaid && s.Latest.State == billing.InvoiceOpen:
		return page.Waiting(r.Text.Must("pay.state.waiting")), r.Text.Must("pay.says.waiting")
	case s.Status == billing.PastDue:
		return page.Bad(r.Text.Must("pay.state.past-due")), pastDue(r, s)
	case s.Lapsed():
		return page.Bad(r.Text.Must("pay.state.unpaid")), r.Text.Must("pay.says.unpaid")
	case s.Status == billing.Paused:
		return page.Waiting(r.Text.Must("pay.state.paused")), r.Text.Must("pay.says.paused")
	case !s.CancelAt.IsZero():
		meaning = r.Text.Must("pay.says.cancelled", r.Minute(s.CancelAt))
		if s.Latest.State == billing.InvoiceDraft {
			meaning += " " + r.Text.Must("plan-cancel.draft")
		}
		return page.Waiting(r.Text.Must("pay.state.cancelled")), meaning
	case s.Status == billing.Trialing:
		return page.OK(r.Text.Must("pay.state.trial")), r.Text.Must("pay.says.trial", r.Text.Date(s.PeriodEnd.UTC()))
	case s.Latest.State == billing.InvoiceDraft:
		return page.OK(r.Text.Must("pay.state.active")), r.Text.Must("pay.says.renewing")
	default:
		return page.OK(r.Text.Must("pay.state.active")), r.Text.Must("pay.says.active")
	}
}

// pastDue returns a sentence that says which payment failed, and how long the account keeps Pro.
func pastDue(r *page.Request, s billing.Subscription) string {
	if s.UnpaidSince.IsZero() {
		return r.Text.Must("pay.says.past-due")
	}
	end := s.UnpaidSince.Add(billing.Grace)
	if r.Now.Before(end) {
		return r.Text.Must("pay.says.grace", r.Text.Date(s.UnpaidSince.UTC()), r.Minute(end))
	}
	return r.Text.Must("pay.says.too-long", r.Text.Date(s.UnpaidSince.UTC()), r.Minute(end))
}
