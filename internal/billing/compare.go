package billing

import (
	"context"
	"fmt"
	"slices"
)

// compareOrder compares a held customer's newest order, once, with the first paid invoice of the subscription it is
// for. Pro is given whatever the result. What was invoiced beyond the order is refunded with a credit note, and both
// owner and operator are told of a difference in either direction. A call repeated after a crash finds the credit note
// that exists. It returns the id of the order, or "" if nothing was compared yet, and the notices and documents to
// write.
func (s *Service) compareOrder(
	ctx context.Context, r Record, subs []Subscription,
) (compared string, notices []NewNotice, docs []DocumentID, err error) {
	o := r.Order
	if o == nil {
		return "", nil, nil, nil
	}
	at := slices.IndexFunc(subs, func(sub Subscription) bool { return sub.Order == o.ID && sub.EverPaid })
	if at < 0 {
		return "", nil, nil, nil
	}
	sub := subs[at]
	invoices, err := s.o.Provider.Invoices(ctx, sub.ID)
	if err != nil {
		return "", nil, nil, fmt.Errorf("asking for the invoices: %w", err)
	}
	slices.Reverse(invoices)
	at = slices.IndexFunc(invoices, func(i Invoice) bool { return i.State == InvoicePaid && i.Total > 0 })
	if at < 0 {
		return "", nil, nil, nil
	}
	first, ordered := invoices[at], o.Net+o.Tax
	over := first.Total - ordered
	if over >= -1 && over <= 1 || first.Credited >= first.Total { // the provider may round by a cent; or all was refunded
		return o.ID, nil, nil, nil
	}
	if over > 0 {
		if docs, err = s.giveBack(ctx, r, sub, first, over, RefundDifference, nil); err != nil {
			return "", nil, nil, err
		}
	}
	s.o.Count(CountOrderDifference)
	s.o.Logger.Error("the first invoice of a subscription is not what was ordered", "account", r.Account.ID, "order", o.ID,
		"subscription", sub.ID, "invoice", first.ID, "ordered", amount(ordered), "invoiced", amount(first.Total), "credited", amount(max(0, over)))
	return o.ID, []NewNotice{{sub.ID, NoticeDifference, first.ID}, {sub.ID, NoticeOperatorDifference, first.ID}}, docs, nil
}
