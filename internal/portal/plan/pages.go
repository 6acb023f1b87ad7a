package plan

import (
	"context"
	"embed"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/billing"
	"github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Templates are those of the plan, and of how it is paid for.
//
//go:embed templates
var Templates embed.FS

// Pages are those of the plan, and of how it is paid for.
type Pages struct {
	Billing   Billing // nil where nothing is sold: the operator sets plans
	Country   string  // the seller's, such as "FR"; what Billing needs
	Accounts  *account.Service
	Endpoints *webhook.Endpoints
	Limits    page.Limits
}

// Billing is what owners do about their subscription. Every verb answers account.ErrNoAccount for an
// account that is not the actor's.
type Billing interface {
	// Overview returns what is known, without asking the provider.
	Overview(ctx context.Context, by account.Actor, id string) (billing.Overview, error)
	// Look asks the provider, and returns what is known then.
	Refresh(ctx context.Context, by account.Actor, id string) (billing.Overview, error)
	// Checkout opens the provider's page on which the owner subscribes, or returns the open one.
	Checkout(ctx context.Context, by account.Actor, id string) (billing.Checkout, error)
	// Portal opens the provider's page with the invoices and the means of payment.
	Portal(ctx context.Context, by account.Actor, id string) (url string, err error)
	// Cancel ends the subscription at the end of its period, and Resume lets it go on after all.
	Cancel(ctx context.Context, by account.Actor, id string) (billing.Overview, error)
	Resume(ctx context.Context, by account.Actor, id string) (billing.Overview, error)
}
