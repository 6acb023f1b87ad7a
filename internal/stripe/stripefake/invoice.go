package stripefake

// An Invoice is what a customer owes for a period. It is a draft, then open, and then paid, void or
// uncollectible: https://docs.stripe.com/invoicing/overview
type Invoice struct {
	ID                           string             `json:"id"`
	Object                       string             `json:"object"`
	AmountDue                    int64              `json:"amount_due"`
	AmountPaid                   int64              `json:"amount_paid"`
	AmountRemaining              int64              `json:"amount_remaining"`
	AttemptCount                 int64              `json:"attempt_count"`
	AutoAdvance                  bool               `json:"auto_advance"`
	AutomaticTax                 AutomaticTax       `json:"automatic_tax"`
	BillingReason                string             `json:"billing_reason"`
	CollectionMethod             string             `json:"collection_method"`
	Created                      int64              `json:"created"`
	Currency                     string             `json:"currency"`
	Customer                     string             `json:"customer"`
	CustomFields                 []CustomField      `json:"custom_fields"`
	CustomerAddress              *Address           `json:"customer_address"`
	CustomerEmail                *string            `json:"customer_email"`
	CustomerName                 *string            `json:"customer_name"`
	CustomerTaxIDs               []InvoiceTaxID     `json:"customer_tax_ids"`
	DueDate                      *int64             `json:"due_date"`
	EffectiveAt                  *int64             `json:"effective_at"`       // nil in a draft
	EndingBalance                *int64             `json:"ending_balance"`     // of the customer
	HostedInvoiceURL             *string            `json:"hosted_invoice_url"` // nil in a draft
	InvoicePDF                   *string            `json:"invoice_pdf"`        // nil in a draft
	LastFinalizationError        *FinalizationError `json:"last_finalization_error"`
	Lines                        List[Line]         `json:"lines"`
	Livemode                     bool               `json:"livemode"`
	Metadata                     map[string]string  `json:"metadata"`
	NextPaymentAttempt           *int64             `json:"next_payment_attempt"`
	Number                       *string            `json:"number"` // nil in a draft
	Parent                       Parent             `json:"parent"`
	PeriodEnd                    int64              `json:"period_end"`
	PeriodStart                  int64              `json:"period_start"`
	PostPaymentCreditNotesAmount int64              `json:"post_payment_credit_notes_amount"`
	ReceiptNumber                *string            `json:"receipt_number"` // nil until a receipt was mailed
	StartingBalance              int64              `json:"starting_balance"`
	Status                       string             `json:"status"`
	StatusTransitions            Transitions        `json:"status_transitions"`
	Subtotal                     int64              `json:"subtotal"`
	Total                        int64              `json:"total"`
	TotalExcludingTax            int64              `json:"total_excluding_tax"`
	TotalTaxes                   []Tax              `json:"total_taxes"`
}

// A Parent is what an invoice comes from.
type Parent struct {
	Type                string `json:"type"`
	SubscriptionDetails struct {
		Metadata     map[string]string `json:"metadata"` // of the subscription, as it was then
		Subscription string            `json:"subscription"`
	} `json:"subscription_details"`
}

// subscription returns the id of the subscription that the invoice is for.
func (i *Invoice) subscription() string { return i.Parent.SubscriptionDetails.Subscription }

// A Line is a line of an invoice.
type Line struct {
	ID          string `json:"id"`
	Object      string `json:"object"`
	Amount      int64  `json:"amount"`
	Currency    string `json:"currency"`
	Description string `json:"description"`
	Invoice     string `json:"invoice"`
	Livemode    bool   `json:"livemode"`
	Period      struct {
		End   int64 `json:"end"`
		Start int64 `json:"start"`
	} `json:"period"`
	Quantity int64 `json:"quantity"`
}

// Transitions are the times at which an invoice changed its state; nil for a state it never had.
type Transitions struct {
	FinalizedAt           *int64 `json:"finalized_at"`
	MarkedUncollectibleAt *int64 `json:"marked_uncollectible_at"`
	PaidAt                *int64 `json:"paid_at"`
	VoidedAt              *int64 `json:"voided_at"`
}

// A FinalizationError is why a draft could not be finalized.
type FinalizationError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Type    string `json:"type"`
}

// AutomaticTax is the result of computing the tax of an invoice.
type AutomaticTax struct {
	DisabledReason *string `json:"disabled_reason"`
	Enabled        bool    `json:"enabled"`
	Status         *string `json:"status"` // complete, failed or requires_location_inputs
}

// A Tax is a tax on an invoice.
type Tax struct {
	Amount           int64  `json:"amount"`
	TaxBehavior      string `json:"tax_behavior"`
	TaxabilityReason string `json:"taxability_reason"`
	TaxableAmount    int64  `json:"taxable_amount"`
	Type             string `json:"type"`
}

// An InvoiceTaxID is a customer's tax id as an invoice prints it.
type InvoiceTaxID struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

// A CreditNote credits all or part of an invoice: https://docs.stripe.com/api/credit_notes/object
type CreditNote struct {
	ID                string             `json:"id"`
	Object            string             `json:"object"`
	Amount            int64              `json:"amount"`
	Created           int64              `json:"created"`
	Currency          string             `json:"currency"`
	Customer          string             `json:"customer"`
	EffectiveAt       *int64             `json:"effective_at"`
	Invoice           string             `json:"invoice"`
	Livemode          bool               `json:"livemode"`
	Memo              *string            `json:"memo"`
	Metadata          map[string]string  `json:"metadata"`
	Number            string             `json:"number"`
	OutOfBandAmount   *int64             `json:"out_of_band_amount"`
	PDF               string             `json:"pdf"`
	PostPaymentAmount int64              `json:"post_payment_amount"`
	PrePaymentAmount  int64              `json:"pre_payment_amount"`
	Reason            *string            `json:"reason"`
	Refunds           []CreditNoteRefund `json:"refunds"`
	Status            string             `json:"status"`

	Subtotal             int64 `json:"subtotal"`
	SubtotalExcludingTax int64 `json:"subtotal_excluding_tax"`
	Total                int64 `json:"total"`
	TotalExcludingTax    int64 `json:"total_excluding_tax"`
	TotalTaxes           []Tax `json:"total_taxes"`

	Type string `json:"type"`
}

// A CreditNoteRefund is a refund that a credit note made.
type CreditNoteRefund struct {
	AmountRefunded int64  `json:"amount_refunded"`
	Refund         string `json:"refund"`
	Type           string `json:"type"`
}

// A Charge is a payment taken from a card for an invoice: https://docs.stripe.com/api/charges/object
type Charge struct {
	ID             string `json:"id"`
	Object         string `json:"object"`
	Amount         int64  `json:"amount"`
	AmountRefunded int64  `json:"amount_refunded"`
	Created        int64  `json:"created"`
	Currency       string `json:"currency"`
	Customer       string `json:"customer"`
	Livemode       bool   `json:"livemode"`
	PaymentIntent  string `json:"payment_intent"`
	Refunded       bool   `json:"refunded"` // all of it
	Status         string `json:"status"`

	invoice string
}

// A Refund gives back all or part of a charge: https://docs.stripe.com/api/refunds/object
type Refund struct {
	ID            string  `json:"id"`
	Object        string  `json:"object"`
	Amount        int64   `json:"amount"`
	Charge        string  `json:"charge"`
	Created       int64   `json:"created"`
	Currency      string  `json:"currency"`
	FailureReason *string `json:"failure_reason,omitempty"`
	PaymentIntent string  `json:"payment_intent"`
	Status        string  `json:"status"` // pending, succeeded or failed
}
