package stripefake

import "encoding/json"

// A Customer is a Stripe customer.
type Customer struct {
	ID               string            `json:"id"`
	Object           string            `json:"object"`
	Address          *Address          `json:"address"`
	Balance          int64             `json:"balance"`
	BusinessName     string            `json:"-"` // stripe-mock accepts it, but its answers have no such field
	Created          int64             `json:"created"`
	Email            string            `json:"email"`
	InvoiceSettings  InvoiceSettings   `json:"invoice_settings"`
	Livemode         bool              `json:"livemode"`
	Metadata         map[string]string `json:"metadata"`
	Name             string            `json:"name"`
	PreferredLocales []string          `json:"preferred_locales"`
	TaxIDs           *List[TaxID]      `json:"tax_ids,omitempty"` // where that was asked for
	Deleted          bool              `json:"-"`
}

// MarshalJSON implements json.Marshaler. A deleted customer has only its id and the fact that it was deleted.
func (c Customer) MarshalJSON() ([]byte, error) {
	if c.Deleted {
		return json.Marshal(map[string]any{"id": c.ID, "object": c.Object, "deleted": true})
	}
	type whole Customer
	return json.Marshal(whole(c))
}

// InvoiceSettings are a customer's settings for its invoices.
type InvoiceSettings struct {
	CustomFields []CustomField `json:"custom_fields"` // nil for none
}

// A CustomField is printed at the head of an invoice.
type CustomField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Price is what a subscription costs.
type Price struct {
	ID          string    `json:"id"`
	Object      string    `json:"object"`
	Active      bool      `json:"active"`
	Currency    string    `json:"currency"`
	Livemode    bool      `json:"livemode"`
	LookupKey   *string   `json:"lookup_key"`
	Product     string    `json:"product"`
	Recurring   Recurring `json:"recurring"`
	TaxBehavior string    `json:"tax_behavior"`
	Type        string    `json:"type"`
	UnitAmount  int64     `json:"unit_amount"`
}

// A Product is what a Price is for.
type Product struct {
	ID       string  `json:"id"`
	Object   string  `json:"object"`
	Active   bool    `json:"active"`
	Livemode bool    `json:"livemode"`
	Name     string  `json:"name"`
	TaxCode  *string `json:"tax_code"` // nil for the preset one
}

// Recurring is how often a price is paid.
type Recurring struct {
	Interval      string `json:"interval"`
	IntervalCount int64  `json:"interval_count"`
	UsageType     string `json:"usage_type"`
}

// A Checkout is a page on which a customer subscribes.
type Checkout struct {
	ID                 string            `json:"id"`
	Object             string            `json:"object"`
	CancelURL          string            `json:"cancel_url"`
	ClientReferenceID  string            `json:"client_reference_id"`
	Created            int64             `json:"created"`
	Customer           string            `json:"customer"`
	ExpiresAt          int64             `json:"expires_at"`
	Livemode           bool              `json:"livemode"`
	Locale             string            `json:"locale"`
	Metadata           map[string]string `json:"metadata"`
	Mode               string            `json:"mode"`
	PaymentMethodTypes []string          `json:"payment_method_types"`
	PaymentStatus      string            `json:"payment_status"`
	Status             string            `json:"status"` // open, complete or expired
	Subscription       *string           `json:"subscription"`
	SuccessURL         string            `json:"success_url"`
	URL                *string           `json:"url"` // nil once it is no longer open

	price                                       Price
	subscriptionMetadata                        map[string]string
	updatesName, updatesAddress, collectsTaxIDs bool // what its page asks for and saves
}

// A Portal is a page with the invoices of a customer.
type Portal struct {
	ID        string `json:"id"`
	Object    string `json:"object"`
	Created   int64  `json:"created"`
	Customer  string `json:"customer"`
	Livemode  bool   `json:"livemode"`
	Locale    string `json:"locale"`
	ReturnURL string `json:"return_url"`
	URL       string `json:"url"`
}

// A Subscription is a customer's recurring payment of a price.
type Subscription struct {
	ID                string            `json:"id"`
	Object            string            `json:"object"`
	CancelAt          *int64            `json:"cancel_at"`
	CancelAtPeriodEnd bool              `json:"cancel_at_period_end"`
	CanceledAt        *int64            `json:"canceled_at"`
	CollectionMethod  string            `json:"collection_method"`
	Created           int64             `json:"created"`
	Currency          string            `json:"currency"`
	Customer          string            `json:"customer"`
	DefaultPayment    any               `json:"default_payment_method"` // its id, or a PaymentMethod where that was asked for
	EndedAt           *int64            `json:"ended_at"`
	Items             List[Item]        `json:"items"`
	LatestInvoice     any               `json:"latest_invoice"` // its id, or an Invoice where that was asked for
	Livemode          bool              `json:"livemode"`
	Metadata          map[string]string `json:"metadata"`
	PauseCollection   *PauseCollection  `json:"pause_collection"`
	Status            string            `json:"status"`

	percentOff int64
	method     *PaymentMethod // the one that pays it; nil for none
	declined   bool           // the bank declines method; until another one pays
}

// over reports whether the subscription has ended for good.
func (s *Subscription) over() bool { return s.Status == "canceled" || s.Status == "incomplete_expired" }

// period returns the subscription's only item, which has its period.
func (s *Subscription) period() *Item { return &s.Items.Data[0] }

// A PaymentMethod is a card, or another method, such as Link, that has no Card.
type PaymentMethod struct {
	ID       string         `json:"id"`
	Object   string         `json:"object"`
	Customer *string        `json:"customer"` // nil for one that is detached
	Type     string         `json:"type"`
	Card     *Card          `json:"card,omitempty"`
	Link     map[string]any `json:"link,omitempty"`
}

// A Card is a payment card.
type Card struct {
	Brand    string `json:"brand"`
	ExpMonth int64  `json:"exp_month"`
	ExpYear  int64  `json:"exp_year"`
	Last4    string `json:"last4"`
}

// An Item is the price and quantity of a subscription, with its period.
type Item struct {
	ID                 string `json:"id"`
	Object             string `json:"object"`
	CurrentPeriodEnd   int64  `json:"current_period_end"`
	CurrentPeriodStart int64  `json:"current_period_start"`
	Price              Price  `json:"price"`
	Quantity           int64  `json:"quantity"`
	Subscription       string `json:"subscription"`
}

// An Address is the address of a customer.
type Address struct {
	City       string `json:"city"`
	Country    string `json:"country"`
	Line1      string `json:"line1"`
	Line2      string `json:"line2"`
	PostalCode string `json:"postal_code"`
	State      string `json:"state"`
}

// A TaxID is the tax id of a customer. Its verification is pending, verified, unverified or unavailable:
// https://docs.stripe.com/api/tax_ids/object
type TaxID struct {
	ID           string       `json:"id"`
	Object       string       `json:"object"`
	Country      string       `json:"country"`
	Created      int64        `json:"created"`
	Customer     string       `json:"customer"`
	Livemode     bool         `json:"livemode"`
	Type         string       `json:"type"`
	Value        string       `json:"value"`
	Verification Verification `json:"verification"`
}

// A Verification is the result of comparing a tax id with the register.
type Verification struct {
	Status          string  `json:"status"`
	VerifiedAddress *string `json:"verified_address"`
	VerifiedName    *string `json:"verified_name"`
}

// A dispute is a customer's dispute of a charge. It names no customer:
// https://docs.stripe.com/api/disputes/object
type dispute struct {
	ID            string `json:"id"`
	Object        string `json:"object"`
	Charge        any    `json:"charge"`
	PaymentIntent string `json:"payment_intent"`
	Reason        string `json:"reason"`
	Status        string `json:"status"`
}

// A Rate is the tax rate of new invoices and its reason.
type Rate struct {
	Percent float64
	Reason  string // such as standard_rated, reverse_charge or not_collecting
}

// A List is a page of objects.
type List[T any] struct {
	Object  string `json:"object"`
	Data    []T    `json:"data"`
	HasMore bool   `json:"has_more"`
	URL     string `json:"url"`
}

func listOf[T any](url string, data ...T) List[T] {
	if data == nil {
		data = []T{}
	}
	return List[T]{Object: "list", Data: data, URL: url}
}

// A PauseCollection says what happens to invoices while their collection is paused.
type PauseCollection struct {
	Behavior  string `json:"behavior"` // keep_as_draft, mark_uncollectible or void
	ResumesAt *int64 `json:"resumes_at"`
}

// A Buyer is what somebody types on the page of a checkout. Empty fields are left as the customer has them.
type Buyer struct {
	Name      string // of the card, or of the business
	Address   Address
	VATNumber string // refused where it is malformed, as on Stripe's page
}

// Stranger is the default buyer of a server: a person with a card of her own, who types another name than the order
// has.
func Stranger(map[string]string) Buyer { return Buyer{Name: "Ada Lovelace"} }
