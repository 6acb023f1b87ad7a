package portal

import (
	"github.com/palmares-hq/palmares/internal/billing"
)

// A subscription is a live one in words.
type subscription struct {
	State  stateMark
	Says   string // what it means
	Facts  []payFact
	Resume bool // it was cancelled, which can be undone
	Mend   bool // a payment failed
}

// A payFact is a line about a payment.
type payFact struct{ Name, Value string }

// subscription says what the provider said about a live subscription.
func (r *request) subscription(s billing.Subscription) *subscription {
	view := &subscription{Resume: !s.CancelAt.IsZero(), Mend: s.Status == billing.PastDue || s.Status == billing.Unpaid}
	view.State, view.Says = r.status(s)
	if view.Resume && s.Status != billing.Active {
		view.fact(r.Must("pay.ends"), r.minute(s.CancelAt))
	}
	if view.Resume || s.Status == billing.Unpaid || s.Status == billing.Paused {
		return view
	}
	if !view.Mend {
		view.fact(r.Must("pay.next"), r.Date(s.PeriodEnd.UTC()))
	}
	if s.Net > 0 {
		view.fact(r.Must("pay.net"), r.Euros(s.Net))
		switch {
		case s.ReverseCharge:
			view.fact(r.Must("pay.vat.reverse"), r.Euros(s.Tax))
		default:
			view.fact(r.Must("pay.vat"), r.Euros(s.Tax))
		}
		view.fact(r.Must("pay.total"), r.Euros(s.Net+s.Tax))
	}
	return view
}

func (s *subscription) fact(name, value string) { s.Facts = append(s.Facts, payFact{name, value}) }

// status says in words how a live subscription is, and what that means.
func (r *request) status(s billing.Subscription) (mark stateMark, says string) {
	switch {
	case s.Status == billing.PastDue:
		return stateMark{"bad", r.Must("pay.state.past-due")}, r.pastDue(s)
	case s.Status == billing.Unpaid:
		return stateMark{"bad", r.Must("pay.state.unpaid")}, r.Must("pay.says.unpaid")
	case s.Status == billing.Paused:
		return stateMark{"wait", r.Must("pay.state.paused")}, r.Must("pay.says.paused")
	case !s.CancelAt.IsZero():
		return stateMark{"wait", r.Must("pay.state.cancelled")}, r.Must("pay.says.cancelled", r.minute(s.CancelAt))
	case s.Status == billing.Trialing:
		return stateMark{"ok", r.Must("pay.state.trial")}, r.Must("pay.says.trial", r.Date(s.PeriodEnd.UTC()))
	default:
		return stateMark{"ok", r.Must("pay.state.active")}, r.Must("pay.says.active")
	}
}

// pastDue says which payment failed, and until when Pro stays.
func (r *request) pastDue(s billing.Subscription) string {
	if s.UnpaidSince.IsZero() {
		return r.Must("pay.says.past-due")
	}
	end := s.UnpaidSince.Add(billing.Grace)
	if r.portal.o.Now().Before(end) {
		return r.Must("pay.says.grace", r.Date(s.UnpaidSince.UTC()), r.minute(end))
	}
	return r.Must("pay.says.too-long", r.Date(s.UnpaidSince.UTC()), r.minute(end))
}
