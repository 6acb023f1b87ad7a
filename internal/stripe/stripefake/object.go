package stripefake

import "encoding/json"

// A Customer is somebody who pays.
type Customer struct {
	ID               string            `json:"id"`
	Object           string            `json:"object"`
	Created          int64             `json:"created"`
	Email            string            `json:"email"`
	Livemode         bool              `json:"livemode"`
	Metadata         map[string]string `json:"metadata"`
	PreferredLocales []string          `json:"preferred_locales"`
	Deleted          bool              `json:"-"`
}

// MarshalJSON implements json.Marshaler. Of a deleted customer Stripe says nothing but that.
func (c Customer) MarshalJSON() ([]byte, error) {
	if c.Deleted {
		return json.Marshal(map[string]any{"id": c.ID, "object": c.Object, "deleted": true})
	}
	type whole Customer
	return json.Marshal(whole(c))
}

// A Price is what a subscription costs.
type Price struct {
	ID          string    `json:"id"`
	Object      string    `json:"object"`
	Active      bool      `json:"active"`
	Currency    string    `json:"currency"`
	Livemode    bool      `json:"livemode"`
	Product     string    `json:"product"`
	Recurring   Recurring `json:"recurring"`
	TaxBehavior string    `json:"tax_behavior"`
	Type        string    `json:"type"`
	UnitAmount  int64     `json:"unit_amount"`
}

// Recurring is how often a price is paid.
type Recurring struct {
	Interval      string `json:"interval"`
	IntervalCount int64  `json:"interval_count"`
	UsageType     string `json:"usage_type"`
}

// A Checkout is a page on which a customer subscribes.
type Checkout struct {
	ID                string            `json:"id"`
	Object            string            `json:"object"`
	CancelURL         string            `json:"cancel_url"`
	ClientReferenceID string            `json:"client_reference_id"`
	Created           int64             `json:"created"`
	Customer          string            `json:"customer"`
	ExpiresAt         int64             `json:"expires_at"`
	Livemode          bool              `json:"livemode"`
	Locale            string            `json:"locale"`
	Metadata          map[string]string `json:"metadata"`
	Mode              string            `json:"mode"`
	PaymentStatus     string            `json:"payment_status"`
	Status            string            `json:"status"` // open, complete or expired
	Subscription      *string           `json:"subscription"`
	SuccessURL        string            `json:"success_url"`
	URL               *string           `json:"url"` // nil once it is no longer open

	subscriptionMetadata map[string]string
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

// A Subscription is a price that a customer pays again and again.
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
	EndedAt           *int64            `json:"ended_at"`
	Items             List[Item]        `json:"items"`
	LatestInvoice     any               `json:"latest_invoice"` // its id, or an Invoice where that was asked for
	Livemode          bool              `json:"livemode"`
	Metadata          map[string]string `json:"metadata"`
	Status            string            `json:"status"`
}

// over reports whether nothing can happen to the subscription any more.
func (s *Subscription) over() bool { return s.Status == "canceled" || s.Status == "incomplete_expired" }

// period returns the item that a subscription has, which holds its period.
func (s *Subscription) period() *Item { return &s.Items.Data[0] }

// An Item is what a subscription is to.
type Item struct {
	ID                 string `json:"id"`
	Object             string `json:"object"`
	CurrentPeriodEnd   int64  `json:"current_period_end"`
	CurrentPeriodStart int64  `json:"current_period_start"`
	Price              Price  `json:"price"`
	Quantity           int64  `json:"quantity"`
	Subscription       string `json:"subscription"`
}

// An Invoice is what a customer owes for a period.
type Invoice struct {
	ID                string `json:"id"`
	Object            string `json:"object"`
	AmountDue         int64  `json:"amount_due"`
	AmountPaid        int64  `json:"amount_paid"`
	AmountRemaining   int64  `json:"amount_remaining"`
	AttemptCount      int64  `json:"attempt_count"`
	CollectionMethod  string `json:"collection_method"`
	Created           int64  `json:"created"`
	Currency          string `json:"currency"`
	Customer          string `json:"customer"`
	DueDate           *int64 `json:"due_date"`
	EffectiveAt       int64  `json:"effective_at"`
	Livemode          bool   `json:"livemode"`
	Parent            Parent `json:"parent"`
	Status            string `json:"status"` // open, paid or void
	Subtotal          int64  `json:"subtotal"`
	Total             int64  `json:"total"`
	TotalExcludingTax int64  `json:"total_excluding_tax"`
	TotalTaxes        []Tax  `json:"total_taxes"`
}

// A Parent is what an invoice comes from.
type Parent struct {
	Type                string `json:"type"`
	SubscriptionDetails struct {
		Subscription string `json:"subscription"`
	} `json:"subscription_details"`
}

// A Tax is one of an invoice.
type Tax struct {
	Amount           int64  `json:"amount"`
	TaxBehavior      string `json:"tax_behavior"`
	TaxabilityReason string `json:"taxability_reason"`
	TaxableAmount    int64  `json:"taxable_amount"`
	Type             string `json:"type"`
}

// A Rate is the tax of new invoices: how much, and why.
type Rate struct {
	Percent int64
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
