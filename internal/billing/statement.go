package billing

import "time"

// A Statement is what only the provider holds about a customer: invoices, address and card. It is fetched when
// the owner opens the page, and never stored or logged.
type Statement struct {
	Invoices []Invoice // the newest first, without drafts
	More     bool      // there are older ones

	Name      string
	Address   []string // its lines, without the country
	Country   string   // ISO 3166; "" for none
	VATNumber string   // "" for none
	VATState  VATState
	Email     string    // where invoices are sent
	Printed   []Printed // what else heads each invoice
	Card      *Card     // nil for none
}

// Printed is a line at the head of each invoice, such as a SIREN.
type Printed struct{ Name, Value string }

// A VATState is the provider's check of a VAT number against the register.
type VATState string

// The states.
const (
	VATPending     VATState = "pending"
	VATVerified    VATState = "verified"
	VATUnverified  VATState = "unverified"
	VATUnavailable VATState = "unavailable" // the register does not answer
)

// A Card is a payment card, reduced to what its owner recognises it by.
type Card struct {
	Brand       string // such as "visa"
	Last4       string
	Month, Year int // of expiry
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
	// MaxInvoices is how many invoices a Statement has at most.
	MaxInvoices = 24
	// StatementWithin is how long the provider has to answer with one. After that the page is shown without it.
	StatementWithin = 5 * time.Second
)
