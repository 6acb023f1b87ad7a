package billing

import (
	"strings"

	"github.com/palmares-hq/palmares/internal/account"
)

// Details name the business that invoices are made out to, and its address. The order form asks for them, and the
// owner may change them later.
type Details struct {
	Name    string // of the business
	Number  string // its SIREN, its VAT number, or its number in a register elsewhere; "" for none
	Country string // ISO 3166
	// The postal address. Line2 and Region may be missing anywhere, Postcode where NeedsPostcode says no.
	Line1, Line2, Postcode, City, Region string
	Email                                string // for invoices; "" for the address of the account
	Reference                            string // of the buyer's purchase order, printed on invoices; "" for none
}

// values returns all fields.
func (d Details) values() []string {
	return []string{d.Name, d.Number, d.Country, d.Line1, d.Line2, d.Postcode, d.City, d.Region, d.Email, d.Reference}
}

// withoutOwnEmail returns the details without Email if that is the account's own address, so that invoices follow when the
// account's address changes.
func (d Details) withoutOwnEmail(a account.Account) Details {
	if strings.EqualFold(d.Email, a.Email) {
		d.Email = ""
	}
	return d
}
