package plan

import (
	"context"
	"embed"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Templates are those of the plan, and of how it is paid for.
//
//go:embed templates
var Templates embed.FS

// Pages are those of the plan, and of how it is paid for.
type Pages struct {
	Billing   Billing // nil where nothing is sold: the operator sets plans
	Accounts  *account.Service
	Endpoints *webhook.Endpoints
	Limits    limit.Counter
}

// Billing is what owners do about their subscription. Every verb answers account.ErrNoAccount for an
// account that is not the actor's.
type Billing interface {
	Shop
	// Overview returns what is known, without asking the provider.
	Overview(ctx context.Context, by account.Actor, id string) (billing.Overview, error)
	// Refresh asks the provider, and returns what is known then.
	Refresh(ctx context.Context, by account.Actor, id string) (billing.Overview, error)
	// Checkout returns the provider's page on which an order is paid that waits for it.
	Checkout(ctx context.Context, by account.Actor, id string) (billing.Checkout, error)
	// Statement asks the provider for the invoices, and who pays how.
	Statement(ctx context.Context, by account.Actor, id string) (billing.Statement, error)
	// Portal opens the provider's page with the invoices and the means of payment.
	Portal(ctx context.Context, by account.Actor, id string) (url string, err error)
	// Cancel ends the subscription at the end of its period, and Resume lets it go on after all.
	Cancel(ctx context.Context, by account.Actor, id string) (billing.Overview, error)
	Resume(ctx context.Context, by account.Actor, id string) (billing.Overview, error)
}

// Shop is where Pro is ordered. Order decides whether a form is whole.
type Shop interface {
	// Total says what a month costs whoever fills in a form so far, or the faults for which it cannot.
	Total(f billing.OrderForm) (billing.VAT, []billing.Fault)
	// Details returns to whom invoices are made out, and ChangeDetails has the next ones be made out otherwise.
	Details(ctx context.Context, by account.Actor, id string) (*billing.Details, error)
	ChangeDetails(ctx context.Context, by account.Actor, id string, d billing.Details) error
	// Terms returns those that an order accepts.
	Terms(l account.Language) billing.Text
	// Order orders Pro, and returns the provider's page on which it is paid.
	Order(ctx context.Context, by account.Actor, id string, f billing.OrderForm) (billing.Checkout, error)
}
