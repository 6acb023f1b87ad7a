package billing

import "time"

// A Statement is what the provider holds for a customer, and we do not: invoices and who pays how. It is asked
// for when its owner looks, and never stored or logged.
type Statement struct {
	Invoices []Invoice // the newest first, without drafts
	More     bool      // there are older ones

	Name      string
	Address   []string // its lines, without the country
	Country   string   // ISO 3166; "" for none
	VATNumber string   // "" for none
	VATState  VATState
	Email     string    // that invoices are sent to
	Printed   []Printed // what else heads each invoice
	Card      *Card     // nil for none
}

// Printed is something that heads each invoice, such as a SIREN.
type Printed struct{ Name, Value string }

// A VATState is what the provider knows of a VAT number.
type VATState string

// The states.
const (
	VATPending     VATState = "pending"
	VATVerified    VATState = "verified"
	VATUnverified  VATState = "unverified"
	VATUnavailable VATState = "unavailable" // the register does not answer
)

// A Card is as much of one as its owner needs to know it by.
type Card struct {
	Brand       string // such as "visa"
	Last4       string
	Month, Year int // until when it is good
}

// Unpaid returns the oldest invoice that can be paid; nil for none.
func (s Statement) Unpaid() (open *Invoice) {
	for i := range s.Invoices {
		if s.Invoices[i].State == InvoiceOpen && s.Invoices[i].URL != "" {
			open = &s.Invoices[i]
		}
	}
	return open
}

const (
	// MaxInvoices is how many a Statement has.
	MaxInvoices = 24
	// StatementWithin is how long the provider has for it. Whoever waits sees the rest of the page.
	StatementWithin = 5 * time.Second
)
