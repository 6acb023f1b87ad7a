package billing

import "time"

// A Bill is what the newest final invoice of a subscription says about its tax. It is read and compared,
// and not kept: an address is the provider's to hold.
type Bill struct {
	Country, Postcode string // of the customer; "" where the invoice has none
	VATNumber         bool   // the invoice has one
	// NotSupported says that the provider computes no tax for the place at all: docs.stripe.com/tax/zero-tax.
	NotSupported bool
}

// VATGrace is how long a VAT number stays that the register does not know. The register is asked again
// within that time, by the provider and by whoever corrects the number.
const VATGrace = 14 * 24 * time.Hour
