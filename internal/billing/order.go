package billing

import (
	"crypto/rand"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// An OrderForm is what the owner of an account filled in and was shown. Service.Order decides whether it is complete.
type OrderForm struct {
	ID       string           // of this form, made by NewOrderID: it is accepted once
	Language account.Language // of the page
	Details
	Business bool   // the first box: ordered for the needs of a trade or profession
	Accepted bool   // the second box: the terms are accepted
	Terms    string // the hash of the terms that were linked
	Total    int64  // what the page said a month costs, in cents
}

// An Order is what was ordered, and under which terms. It is kept when its account is deleted, which has no
// e-mail address then.
type Order struct {
	ID                 string
	Account            string
	At                 time.Time
	Business, Accepted bool // both boxes; an order is valid only with them
	Details
	Net, Tax     int64 // for a month, as the page showed, in cents
	Terms, Legal Text  // the accepted terms and the legal notice; a list of orders leaves out their bodies
	Subscription string
}

// A Fault is something wrong with an order or its details.
type Fault string

// The faults, in the order of the page.
const (
	FaultName      Fault = "name"      // missing, or too long
	FaultCountry   Fault = "country"   // not in the list
	FaultPlace     Fault = "place"     // nothing is sold there
	FaultPostcode  Fault = "postcode"  // missing where NeedsPostcode wants one, or too long
	FaultNumber    Fault = "number"    // neither a SIREN nor a VAT number of the country
	FaultSIREN     Fault = "siren"     // missing, in France
	FaultAddress   Fault = "address"   // a line is missing, or too long
	FaultCity      Fault = "city"      // missing, or too long
	FaultLocation  Fault = "location"  // the provider does not recognise the address
	FaultEmail     Fault = "email"     // not an address that mail can be sent to
	FaultReference Fault = "reference" // too long
	FaultTotal     Fault = "total"     // the page showed another amount than is owed
	FaultBusiness  Fault = "business"  // the first box is not ticked
	FaultAccepted  Fault = "accepted"  // the second box is not ticked
	FaultTerms     Fault = "terms"     // the terms have changed since they were linked
	FaultForm      Fault = "form"      // its ID was not made by NewOrderID
)

// An OrderError says what is wrong with an order or with changed details. Nothing was ordered or changed.
type OrderError struct{ Faults []Fault }

// Error implements error. It lists the faults.
func (e *OrderError) Error() string {
	names := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		names[i] = string(f)
	}
	return "the order is not whole: " + strings.Join(names, ", ")
}

// Errors of orders.
var (
	// ErrOrdered says that the same form was sent before; that order is valid.
	ErrOrdered = errors.New("the order was placed before")
	// ErrOrderOpen says that another order of the account waits for its payment.
	ErrOrderOpen = errors.New("an order of the account waits for its payment")
	// ErrNoOrder says that the account has no order that could be paid.
	ErrNoOrder = errors.New("nothing was ordered")
)

// orderID matches what NewOrderID makes.
var orderID = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// How long orders are kept.
const (
	// KeepOrderYears is how many years an order is kept once its contract has ended. It supports the invoices of that
	// contract, and accounting records are kept for ten years from the close of the financial year (article L. 123-22
	// of the French commercial code), which is at most a year after.
	KeepOrderYears = 11
	// KeepUnpaidOrders is how long an unpaid order is kept, which binds nobody.
	KeepUnpaidOrders = 90 * 24 * time.Hour
)

// NewOrderID makes the id of a form.
func NewOrderID() string { return rand.Text() }
