package billing

import (
	"context"
	"fmt"
)

// mention returns that of invoices to a customer in a country, who has a VAT number or not; "" for none. Where tax is
// computed the provider writes what the law wants.
func (s Scheme) mention(seller, country string, vatNumber bool) Mention {
	switch {
	case s != Franchise:
		return ""
	case vatNumber && inUnion(country) && country != seller:
		return MentionReverse
	}
	return MentionExempt
}

// ruled returns a subscription as the seller's scheme sees it. Who is exempt collects nothing, and has customers in
// other member states account for the VAT. No tax hangs on a VAT number at home, or of a seller who is exempt.
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

// subscriptions asks for those of a customer, the newest first.
func (s *Service) subscriptions(ctx context.Context, customer string) ([]Subscription, error) {
	all, err := s.o.Provider.Subscriptions(ctx, customer)
	for i := range all {
		all[i] = s.ruled(all[i])
	}
	return all, err
}

// uncollected reports whether the provider collects no tax where the seller owes it, for want of a
// registration. It calls that not_collecting wherever the seller is not registered (docs.stripe.com/tax/zero-tax),
// which for a customer outside the union is as it should be. A place that is not known is no excuse.
func (s Subscription) uncollected() bool {
	return s.NotCollecting && (s.Bill.Country == "" || inUnion(s.Bill.Country))
}

// A taxFault is something that is wrong with the tax of an invoice: what is counted, and what it is in words.
type taxFault struct{ what, is string }

// taxFaults says what is wrong with the tax of a subscription's newest invoice.
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

// wrongRate compares the tax of the newest invoice with the table; "" where it is the same, or nothing can be
// compared: outside the union the table has no rates.
func (s Subscription) wrongRate(seller string, scheme Scheme) string {
	if s.Net <= 0 || !inUnion(s.Bill.Country) {
		return ""
	}
	want, err := Estimate(seller, scheme, s.Bill.Country, s.Bill.VATNumber)
	if err != nil {
		return err.Error()
	}
	// The amount of the invoice, which may be that of a former price; a cent is the provider's way of rounding.
	tax := (s.Net*int64(want.Rate) + 500) / 1000
	if d := s.Tax - tax; d >= -1 && d <= 1 {
		return ""
	}
	return fmt.Sprintf("%s of %s is %s in %s, and the table of %s has %s",
		amount(s.Tax), amount(s.Net), percent(s.Tax*1000/s.Net), s.Bill.Country, RatesOf, percent(int64(want.Rate)))
}

func amount(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

// percent writes tenths of a percent.
func percent(tenths int64) string { return fmt.Sprintf("%d.%d %%", tenths/10, tenths%10) }

func orNothing(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
