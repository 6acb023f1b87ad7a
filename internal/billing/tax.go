package billing

import "fmt"

// inUnion reports whether a country is in the tax union of the seller, which is the European Union: services
// refuse to start with a seller elsewhere.
func inUnion(country string) bool {
	_, in := rates[country]
	return in
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
func (s Subscription) taxFaults(seller string) (found []taxFault) {
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
		if why := s.wrongRate(seller); why != "" {
			fault(CountWrongRate, why)
		}
	}
	return found
}

// wrongRate compares the tax of the newest invoice with the table; "" where it is the same, or nothing can be
// compared: outside the union the table has no rates.
func (s Subscription) wrongRate(seller string) string {
	if s.Net <= 0 || !inUnion(s.Bill.Country) {
		return ""
	}
	want, err := Estimate(seller, s.Bill.Country, s.Bill.VATNumber)
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
