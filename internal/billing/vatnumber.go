package billing

import (
	"slices"
	"time"
)

// The provider compares a VAT number with the register after it was given, and reports the result: verified,
// unverified, pending or unavailable. Whatever the result, it charges no tax while the number is there, and it never
// removes one by itself (docs.stripe.com/billing/customer/tax-ids, docs.stripe.com/tax/zero-tax). The seller owes that
// tax: so the owner is asked to correct the number, and it is removed after VATGrace. A second number that the
// register does not know is removed at once.

// followVAT records since when the register does not know a VAT number of a customer, and returns the notices about it.
// The record is cleared once the number is verified, corrected or gone.
func (c *Customer) followVAT(now time.Time) (list []NewNotice) {
	sub, was := c.Subscription, c.VATNumber
	if sub == nil || !sub.Live() { // no invoice follows
		c.VATNumber, c.VATRefusedAt = "", time.Time{}
		return nil
	}
	// We may have removed it just before a crash: a number that is gone after its time was up is always announced.
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

// withoutNumber returns the details without the VAT number that was just removed, so that it is not sent to the
// provider again; nil if none was removed.
func withoutNumber(d *Details, notices []NewNotice) *Details {
	removed := slices.ContainsFunc(notices, func(n NewNotice) bool { return n.Kind == NoticeVATRemoved })
	if d == nil || !removed || d.VATNumber() == "" {
		return nil
	}
	without := *d
	without.Number = ""
	return &without
}

// alarmVAT counts and logs a VAT number that the register does not know, the first time it is seen.
func (s *Service) alarmVAT(was Record, is Customer) {
	if is.VATNumber == "" || is.VATNumber == was.Customer.VATNumber {
		return
	}
	s.o.Count(CountVATNumber)
	s.o.Logger.Error("the register does not know a VAT number: it is removed unless its owner corrects it",
		"account", was.Account.ID, "number", is.VATNumber, "until", is.vatUntil(), "refused", is.VATRefusals)
}
