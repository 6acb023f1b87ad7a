package billing

import (
	"crypto/rand"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// An OrderForm is what the owner of an account filled in and was shown. Order decides whether it is whole.
type OrderForm struct {
	ID       string           // a name for this form, made by NewOrderID: it is taken once
	Language account.Language // of the page
	Details
	Business bool   // the first box: ordered for the needs of a trade or profession
	Accepted bool   // the second box: the terms are accepted
	Terms    string // the hash of the terms that were linked
	Total    int64  // what the page said a month costs, in cents
}

// An Order is what was ordered, and under which terms. It outlives its account, which then has no e-mail
// address any more.
type Order struct {
	ID                 string
	Account            string
	At                 time.Time
	Business, Accepted bool // both boxes; an order without them is none
	Details
	Net, Tax     int64 // a month, as the page said, in cents
	Terms, Legal Text  // the accepted text, and who sells; a list of orders leaves out their bodies
	Subscription string
}

// A Fault is what an order lacks.
type Fault string

// The faults, in the order of the page.
const (
	FaultName      Fault = "name"      // missing, or longer than a name is
	FaultCountry   Fault = "country"   // none of the list
	FaultPlace     Fault = "place"     // nothing is sold there
	FaultPostcode  Fault = "postcode"  // the country alone does not say whether it is sold to
	FaultNumber    Fault = "number"    // neither a SIREN nor a VAT number of the country
	FaultSIREN     Fault = "siren"     // missing, in France
	FaultAddress   Fault = "address"   // a line is missing, or too long
	FaultCity      Fault = "city"      // missing, or too long
	FaultLocation  Fault = "location"  // the provider does not recognise the address
	FaultEmail     Fault = "email"     // none that mail can be sent to
	FaultReference Fault = "reference" // too long
	FaultTotal     Fault = "total"     // another was shown than is owed
	FaultBusiness  Fault = "business"  // the first box
	FaultAccepted  Fault = "accepted"  // the second box
	FaultTerms     Fault = "terms"     // the terms have changed since they were linked
	FaultForm      Fault = "form"      // it is none of ours
)

// An OrderError says what an order, or the details of one, lacks. Nothing was ordered or changed.
type OrderError struct{ Faults []Fault }

func (e *OrderError) Error() string {
	names := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		names[i] = string(f)
	}
	return "the order is not whole: " + strings.Join(names, ", ")
}

// Errors of orders.
var (
	// ErrOrdered says that the same form was sent before: the order stands.
	ErrOrdered = errors.New("the order was placed before")
	// ErrOrderOpen says that another order of the account waits for its payment.
	ErrOrderOpen = errors.New("an order of the account waits for its payment")
	// ErrNoOrder says that nothing was ordered that could be paid.
	ErrNoOrder = errors.New("nothing was ordered")
)

// orderID is what NewOrderID makes.
var orderID = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// How long orders are kept.
const (
	// KeepOrderYears is how many years an order is kept once its contract has ended. The invoices of a contract rest
	// on it, and what accounts rest on is kept for ten years from the close of the financial year (article L. 123-22
	// of the French commercial code), which is a year after at most.
	KeepOrderYears = 11
	// KeepUnpaidOrders is for orders that nobody paid: they bind nobody.
	KeepUnpaidOrders = 90 * 24 * time.Hour
)

// NewOrderID makes the id of a form.
func NewOrderID() string { return rand.Text() }
