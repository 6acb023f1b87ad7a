package webhooks

import (
	"github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// reasonText gives a reason in the language of the page; "" for none. What an operator wrote stays as it is.
func reasonText(r *page.Request, why webhook.Reason) string {
	name := "reason." + string(why.Code)
	at, timed := why.At()
	switch {
	case why == webhook.Reason{}:
		return ""
	case timed:
		return r.Text.Must(name, r.Second(at))
	case why.Code.Detailed():
		return r.Text.Must(name, why.Detail)
	default:
		return r.Text.Must(name)
	}
}
