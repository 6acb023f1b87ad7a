package billing

import (
	"slices"
	"time"
)

// The provider compares a VAT number with the register after it was given, and says so: verified, unverified,
// pending or unavailable. It goes on leaving the tax out as long as the number is there, whatever it found, and removes
// none by itself (docs.stripe.com/billing/customer/tax-ids, docs.stripe.com/tax/zero-tax). Who sells owes that tax:
// so the owner is asked to correct the number, and it is removed after VATGrace. A second one that the register does not
// know goes at once.

// followVAT notes since when the register does not know a VAT number of a customer, and returns the notices. A
// number that is known after all, corrected, or gone, begins anew.
func (c *Customer) followVAT(now time.Time) (list []NewNotice) {
	sub, was := c.Subscription, c.VATNumber
	if sub == nil || !sub.Live() { // no invoice follows
		c.VATNumber, c.VATRefusedAt = "", time.Time{}
		return nil
	}
	// It may have been removed before a crash: what is gone when its time was up is told of, whoever removed it.
	if was != "" && sub.VATNumbers == 0 && c.vatDue(now) {
		list = append(list, NewNotice{sub.ID, NoticeVATRemoved, was})
	}
	switch {
	case sub.VATRefused == "":
		c.VATNumber, c.VATRefusedAt = "", time.Time{}
	case sub.VATRefused != was:
		c.VATNumber, c.VATRefusedAt = sub.VATRefused, now
		c.VATRefusals++
	}
	if c.VATNumber != "" && !c.vatDue(now) {
		list = append(list, NewNotice{sub.ID, NoticeVATRefused, c.VATNumber})
	}
	return list
}

// withoutNumber returns details without the VAT number that was just removed, so that nobody gives it to the provider
// again; nil where none was.
func withoutNumber(d *Details, notices []NewNotice) *Details {
	removed := slices.ContainsFunc(notices, func(n NewNotice) bool { return n.Kind == NoticeVATRemoved })
	if d == nil || !removed || d.VATNumber() == "" {
		return nil
	}
	without := *d
	without.Number = ""
	return &without
}

// alarmVAT counts a VAT number that the register does not know, when that is seen first.
func (s *Service) alarmVAT(was Record, is Customer) {
	if is.VATNumber == "" || is.VATNumber == was.Customer.VATNumber {
		return
	}
	s.o.Count(CountVATNumber)
	s.o.Logger.Error("the register does not know a VAT number: it is removed unless its owner corrects it",
		"account", was.Account.ID, "number", is.VATNumber, "until", is.vatUntil(), "refused", is.VATRefusals)
}
