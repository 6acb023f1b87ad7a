package billing

import (
	"context"
	"fmt"
)

// mention returns the Mention for invoices to a customer in a country, with or without a VAT number; "" for none. Where
// the provider computes tax it prints what the law requires by itself.
func (s Scheme) mention(seller, country string, vatNumber bool) Mention {
	switch {
	case s != Franchise:
		return ""
	case vatNumber && inUnion(country) && country != seller:
		return MentionReverse
	}
	return MentionExempt
}

// ruled adjusts a subscription to the seller's scheme. An exempt seller collects no tax, so NotCollecting is no fault,
// and its customers with a VAT number in other member states account for the VAT. A refused VAT number is ignored for
// customers in the seller's country, or of an exempt seller: no tax depends on it.
func (s *Service) ruled(sub Subscription) Subscription {
	if s.o.Scheme == Franchise {
		sub.NotCollecting = false
		sub.ReverseCharge = s.o.Scheme.mention(s.o.Country, sub.Bill.Country, sub.Bill.VATNumber) == MentionReverse
	}
	if sub.Country == s.o.Country || s.o.Scheme == Franchise {
		sub.VATRefused = ""
	}
	return sub
}

// subscriptions asks the provider for a customer's subscriptions, the newest first, and adjusts them with ruled.
func (s *Service) subscriptions(ctx context.Context, customer string) ([]Subscription, error) {
	all, err := s.o.Provider.Subscriptions(ctx, customer)
	for i := range all {
		all[i] = s.ruled(all[i])
	}
	return all, err
}

// uncollected reports whether the seller owes tax that the provider does not collect because a registration is
// missing. The provider says not_collecting wherever the seller is not registered (docs.stripe.com/tax/zero-tax),
// which is right for a customer outside the union. An unknown country counts as inside.
func (s Subscription) uncollected() bool {
	return s.NotCollecting && (s.Bill.Country == "" || inUnion(s.Bill.Country))
}

// A taxFault is something wrong with the tax of an invoice: the value that is counted, and a description.
type taxFault struct{ what, is string }

// taxFaults returns what is wrong with the tax of a subscription's newest invoice.
func (s Subscription) taxFaults(seller string, scheme Scheme) (found []taxFault) {
	fault := func(what, is string) { found = append(found, taxFault{what, is}) }
	if s.VATRefused != "" {
		fault(CountVATNumber, "the register does not know the VAT number "+s.VATRefused)
	}
	place, unsold := NotSoldTo(s.Bill.Country, s.Bill.Postcode)
	switch {
	case unsold:
		fault(CountNotSold, "an invoice for "+place.English+", where nothing is sold")
	case s.Bill.NotSupported:
		fault(CountNotSupported, "the provider computes no tax for "+orNothing(s.Bill.Country))
	case s.uncollected():
		fault(CountNotCollecting, "no registration for "+orNothing(s.Bill.Country))
	default:
		if why := s.wrongRate(seller, scheme); why != "" {
			fault(CountWrongRate, why)
		}
	}
	return found
}

// wrongRate describes how the tax of the newest invoice differs from the table; "" if it does not, or outside the
// union, for which the table has no rates.
func (s Subscription) wrongRate(seller string, scheme Scheme) string {
	if s.Net <= 0 || !inUnion(s.Bill.Country) {
		return ""
	}
	want, err := Estimate(seller, scheme, s.Bill.Country, s.Bill.VATNumber)
	if err != nil {
		return err.Error()
	}
	// Net is of the invoice, whose price may be a former one; the provider may round differently by a cent.
	tax := (s.Net*int64(want.Rate) + 500) / 1000
	if d := s.Tax - tax; d >= -1 && d <= 1 {
		return ""
	}
	return fmt.Sprintf("%s of %s is %s in %s, and the table of %s has %s",
		amount(s.Tax), amount(s.Net), percent(s.Tax*1000/s.Net), s.Bill.Country, RatesOf, percent(int64(want.Rate)))
}

func amount(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

// percent formats tenths of a percent.
func percent(tenths int64) string { return fmt.Sprintf("%d.%d %%", tenths/10, tenths%10) }

func orNothing(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
