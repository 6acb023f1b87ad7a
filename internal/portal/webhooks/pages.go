package webhooks

import (
	"embed"

	"github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Templates are those of the pages about webhooks.
//
//go:embed templates
var Templates embed.FS

// Pages are those about webhooks: the list of endpoints, an endpoint, a delivery.
type Pages struct {
	Endpoints *webhook.Endpoints
	Catalog   page.Catalog // whose categories an endpoint can choose
}
