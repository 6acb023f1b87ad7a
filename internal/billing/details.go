package billing

import (
	"strings"

	"github.com/palmares-hq/palmares/internal/account"
)

// Details are to whom and where invoices are made out: what an order asks for, and its owner changes later.
type Details struct {
	Name    string // of the business
	Number  string // its SIREN, its VAT number, or its number in a register elsewhere; "" for none
	Country string // ISO 3166
	// The postal address. Line2 and Region may be missing anywhere, Postcode where NeedsPostcode says no.
	Line1, Line2, Postcode, City, Region string
	Email                                string // for invoices; "" for the address of the account
	Reference                            string // of the buyer's purchase order, printed on invoices; "" for none
}

// values returns all parts.
func (d Details) values() []string {
	return []string{d.Name, d.Number, d.Country, d.Line1, d.Line2, d.Postcode, d.City, d.Region, d.Email, d.Reference}
}

// besides returns the details with no address for invoices if that is the address of the account: it follows that one
// when it changes.
func (d Details) besides(a account.Account) Details {
	if strings.EqualFold(d.Email, a.Email) {
		d.Email = ""
	}
	return d
}
