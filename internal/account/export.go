package account

import "time"

// An Export is everything stored about an account, for its owner. It has no hashes and no secrets,
// which are useless to the owner and valuable to a thief of the file. Request counters are not in
// it: they are in Redis, and the usage page offers them as CSV.
type Export struct {
	ExportedAt   time.Time          `json:"exported_at"`
	Account      ExportedAccount    `json:"account"`
	Keys         []ExportedKey      `json:"keys"`
	Sessions     []ExportedSession  `json:"sessions"`
	SignIns      []ExportedSignIn   `json:"sign_ins"`
	Activity     []Activity         `json:"activity"`
	EmailChange  *EmailChange       `json:"email_change"` // null without one
	Endpoints    []ExportedEndpoint `json:"endpoints"`
	UsageNotices []ExportedNotice   `json:"usage_notices"`
	LimitedActs  []ExportedAct      `json:"limited_acts"`
	Watchlist    *ExportedWatchlist `json:"watchlist"` // null for an account that never had one
	Billing      *ExportedBilling   `json:"billing"`   // null for an account that never opened a checkout
}

// An ExportedAccount is the account itself.
type ExportedAccount struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	// Confirmed says whether somebody has read mail at the address.
	Confirmed bool   `json:"email_confirmed"`
	Plan      string `json:"plan"`
	Settings
	CreatedAt time.Time `json:"created_at"`
}

// An ExportedKey is a key without the key itself.
type ExportedKey struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Preview    string     `json:"preview"`
	CreatedAt  time.Time  `json:"created_at"`
	LastUsedOn *time.Time `json:"last_used_on"`
	RevokedAt  *time.Time `json:"revoked_at"`
	Suspended  bool       `json:"asleep"`
	PinnedAt   *time.Time `json:"kept_at"` // when the owner chose it to stay awake on a smaller plan
}

// An ExportedSession is a signed-in browser.
type ExportedSession struct {
	ID        string    `json:"id"`
	Browser   string    `json:"browser"`
	CreatedAt time.Time `json:"created_at"`
	SeenOn    time.Time `json:"seen_on"`
	ExpiresAt time.Time `json:"expires_at"`
}

// An ExportedSignIn is a request for a mail to sign in with.
type ExportedSignIn struct {
	CreatedAt time.Time  `json:"created_at"`
	SentAt    *time.Time `json:"sent_at"`
	SpentAt   *time.Time `json:"spent_at"`
}

// An ExportedEndpoint is a webhook endpoint, and what was delivered to it in 30 days.
type ExportedEndpoint struct {
	ID          string               `json:"id"`
	URL         string               `json:"url"`
	Description string               `json:"description"`
	Types       []string             `json:"types"`      // none means all
	Categories  []string             `json:"categories"` // none means all
	State       string               `json:"state"`
	Reason      string               `json:"reason"`
	CreatedAt   time.Time            `json:"created_at"`
	VerifiedAt  *time.Time           `json:"verified_at"`
	Deliveries  []ExportedDeliveries `json:"deliveries"`
}

// ExportedDeliveries are the deliveries of a day and an event type that are in the same state.
type ExportedDeliveries struct {
	Day    string `json:"day"`
	Type   string `json:"type"`
	State  string `json:"state"`
	Number int    `json:"number"`
}

// An ExportedNotice is a mail about the quota.
type ExportedNotice struct {
	Day     string `json:"day"`
	Percent int    `json:"percent"`
}

// An ExportedAct is an action that counts towards a limit: a key that was created, or a test that
// was sent.
type ExportedAct struct {
	Act  string    `json:"act"`
	Host string    `json:"host"` // that was sent to; or ""
	At   time.Time `json:"at"`
}

// An ExportedWatchlist is the list of tools that the account follows, and its digest.
type ExportedWatchlist struct {
	Every     Frequency             `json:"digest"`
	Tools     []ExportedWatchedTool `json:"tools"`
	SentAt    *time.Time            `json:"last_digest_at"`
	Refusals  int                   `json:"refusals"` // of the mail server, since then
	StoppedAt *time.Time            `json:"stopped_at"`
	Lost      int                   `json:"lost_digests"`
}

// An ExportedWatchedTool is a tool of the list.
type ExportedWatchedTool struct {
	Slug    string    `json:"slug"`
	AddedAt time.Time `json:"added_at"`
}

// ExportedBilling is what is stored about payments. Invoices and payment methods are at the payment
// provider.
type ExportedBilling struct {
	Customer     string                  `json:"customer"` // at the payment provider; "" for none
	Checkout     string                  `json:"checkout"` // the open one; "" for none
	Subscription string                  `json:"subscription"`
	Status       string                  `json:"status"`
	SubscribedAt *time.Time              `json:"subscribed_at"`
	PeriodEnd    *time.Time              `json:"period_end"`
	CancelAt     *time.Time              `json:"cancel_at"`
	EndedAt      *time.Time              `json:"ended_at"`
	UnpaidSince  *time.Time              `json:"unpaid_since"`
	Unpaid       string                  `json:"unpaid_invoice"`
	EverPaid     bool                    `json:"ever_paid"`
	Invoice      string                  `json:"newest_invoice"`
	InvoiceState string                  `json:"newest_invoice_state"`
	InvoiceDate  *time.Time              `json:"newest_invoice_date"`
	Net          int64                   `json:"net_cents"`
	Tax          int64                   `json:"tax_cents"`
	VATNumber    string                  `json:"vat_number"` // the provider's id of one that the register does not know; "" for none
	VATRefusedAt *time.Time              `json:"vat_refused_at"`
	CancelledAt  *time.Time              `json:"cancelled_at"` // a cancellation that the provider was not told of yet
	SyncedAt     *time.Time              `json:"looked_at"`    // when the provider last confirmed this
	Events       []ExportedBillingEvent  `json:"events"`
	Notices      []ExportedBillingNotice `json:"notices"`

	Documents []ExportedBillingDocument `json:"documents"`
	Details   *ExportedDetails          `json:"details"` // null for none that are known here
	Orders    []ExportedOrder           `json:"orders"`
}

// ExportedDetails are the billing details for invoices.
type ExportedDetails struct {
	Name      string `json:"name"`
	Number    string `json:"number"` // SIREN, VAT number, or that of a register elsewhere; "" for none
	Country   string `json:"country"`
	Line1     string `json:"line1"`
	Line2     string `json:"line2"`
	Postcode  string `json:"postcode"`
	City      string `json:"city"`
	Region    string `json:"region"`
	Email     string `json:"email"` // for invoices; "" for that of the account
	Reference string `json:"reference"`
}

// An ExportedOrder is an order of Pro, and what was accepted with it.
type ExportedOrder struct {
	ID        string    `json:"id"`
	OrderedAt time.Time `json:"ordered_at"`
	Business  bool      `json:"for_business"`
	Accepted  bool      `json:"terms_accepted"`
	ExportedDetails
	Net           int64    `json:"net_cents"`
	Tax           int64    `json:"tax_cents"`
	Terms         string   `json:"terms_sha256"`
	TermsLanguage Language `json:"terms_language"`
	Subscription  string   `json:"subscription"` // that it led to; "" for none
}

// An ExportedBillingEvent is an event of the payment provider about the account.
type ExportedBillingEvent struct {
	ID         string    `json:"id"`
	Type       string    `json:"type"`
	ReceivedAt time.Time `json:"received_at"`
}

// An ExportedBillingNotice is a mail about the subscription.
type ExportedBillingNotice struct {
	Kind      string     `json:"kind"`
	CreatedAt time.Time  `json:"created_at"`
	SentAt    *time.Time `json:"sent_at"`
}

// An ExportedBillingDocument is an invoice or a credit note that is mailed once.
type ExportedBillingDocument struct {
	ID      string     `json:"id"` // at the payment provider
	Kind    string     `json:"kind"`
	FoundAt time.Time  `json:"found_at"`
	DoneAt  *time.Time `json:"done_at"` // mailed, or not to be
}
