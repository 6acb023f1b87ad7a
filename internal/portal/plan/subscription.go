package plan

import (
	"time"

	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/portal/page"
)

// A subscription is a live one in words.
type subscription struct {
	State         page.Mark
	Meaning       string
	Facts         []payFact
	Resume        bool   // it was cancelled, which can be undone
	PaymentFailed bool   // a payment failed
	Pay           string // where the unpaid invoice is paid; "" if that is not known
}

// A payFact is a line about a payment.
type payFact struct{ Name, Value string }

// newSubscription says what the provider said about a live subscription, and that its owner has cancelled it, of which
// the provider was not told yet; zero for not. The seller may be exempt from VAT.
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

// status says in words how a live subscription is, and what that means.
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

// pastDue says which payment failed, and until when Pro stays.
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
