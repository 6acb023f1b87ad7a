package portal

import "github.com/palmares-hq/palmares/internal/webhook"

// say gives a reason in the language of the page; "" for none. What an operator wrote stays as it is.
func (r *request) say(why webhook.Reason) string {
	name := "reason." + string(why.Code)
	at, timed := why.At()
	switch {
	case why == webhook.Reason{}:
		return ""
	case timed:
		return r.Must(name, r.moment(at))
	case why.Code.Detailed():
		return r.Must(name, why.Detail)
	default:
		return r.Must(name)
	}
}
