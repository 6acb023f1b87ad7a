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
	CustomerAddress              *Address           `json:"customer_address"`
	CustomerTaxIDs               []InvoiceTaxID     `json:"customer_tax_ids"`
	DueDate                      *int64             `json:"due_date"`
	EffectiveAt                  *int64             `json:"effective_at"`       // nil in a draft
	HostedInvoiceURL             *string            `json:"hosted_invoice_url"` // nil in a draft
	LastFinalizationError        *FinalizationError `json:"last_finalization_error"`
	Lines                        List[Line]         `json:"lines"`
	Livemode                     bool               `json:"livemode"`
	NextPaymentAttempt           *int64             `json:"next_payment_attempt"`
	Number                       *string            `json:"number"` // nil in a draft
	Parent                       Parent             `json:"parent"`
	PeriodEnd                    int64              `json:"period_end"`
	PeriodStart                  int64              `json:"period_start"`
	PostPaymentCreditNotesAmount int64              `json:"post_payment_credit_notes_amount"`
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
		Subscription string `json:"subscription"`
	} `json:"subscription_details"`
}

// subscription returns the id of that of an invoice.
func (i *Invoice) subscription() string { return i.Parent.SubscriptionDetails.Subscription }

// A Line is one of an invoice.
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

// Transitions are when an invoice became what it is.
type Transitions struct {
	FinalizedAt           *int64 `json:"finalized_at"`
	MarkedUncollectibleAt *int64 `json:"marked_uncollectible_at"`
	PaidAt                *int64 `json:"paid_at"`
	VoidedAt              *int64 `json:"voided_at"`
}

// A FinalizationError is why a draft did not become an invoice.
type FinalizationError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Type    string `json:"type"`
}

// AutomaticTax is what came of computing the tax of an invoice.
type AutomaticTax struct {
	DisabledReason *string `json:"disabled_reason"`
	Enabled        bool    `json:"enabled"`
	Status         *string `json:"status"` // complete, failed or requires_location_inputs
}

// A Tax is one of an invoice.
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

// A CreditNote takes back a part of an invoice: https://docs.stripe.com/api/credit_notes/object
type CreditNote struct {
	ID                string             `json:"id"`
	Object            string             `json:"object"`
	Amount            int64              `json:"amount"`
	Created           int64              `json:"created"`
	Currency          string             `json:"currency"`
	Customer          string             `json:"customer"`
	Invoice           string             `json:"invoice"`
	Livemode          bool               `json:"livemode"`
	Memo              *string            `json:"memo"`
	Metadata          map[string]string  `json:"metadata"`
	Number            string             `json:"number"`
	PostPaymentAmount int64              `json:"post_payment_amount"`
	PrePaymentAmount  int64              `json:"pre_payment_amount"`
	Reason            *string            `json:"reason"`
	Refunds           []CreditNoteRefund `json:"refunds"`
	Status            string             `json:"status"`
	Total             int64              `json:"total"`
	Type              string             `json:"type"`
}

// A CreditNoteRefund is money that went back.
type CreditNoteRefund struct {
	AmountRefunded int64  `json:"amount_refunded"`
	Refund         string `json:"refund"`
	Type           string `json:"type"`
}
