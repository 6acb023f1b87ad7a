package mail

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"strings"

	"github.com/palmares-hq/palmares/internal/webhook"
)

// A DisabledEndpoint is a webhook endpoint that was disabled.
type DisabledEndpoint struct {
	ID     string
	URL    string // shown without user and query
	Reason webhook.Reason
	Link   string // the URL of its page; "" if there is none
}

// EndpointDisabled tells the owner of an endpoint that it was disabled. The message's ID is derived from the
// endpoint and the reason, and the header's ID is ignored: a retry has the same ID, and disabling the endpoint
// again for another reason has a new one.
func EndpointDisabled(h Header, e DisabledEndpoint) Message {
	e.Reason.Detail = strings.Join(strings.Fields(e.Reason.Detail), " ") // an operator may write several lines
	digest := sha256.Sum256([]byte(e.Reason.String()))
	h.ID = fmt.Sprintf("endpoint-disabled-%s-%x", e.ID, digest[:6])
	host, shown := redactURL(e.URL)
	d := h.draft("disabled.subject")
	if host != "" {
		d.subject = d.Must("disabled.subject-host", host)
	}
	d.text("disabled.what")
	facts := []fact{d.fact("disabled.endpoint", e.ID)}
	if shown != "" {
		facts = append(facts, d.fact("disabled.url", shown))
	}
	d.facts(append(facts, d.fact("disabled.reason", d.reason(e.Reason)))...)
	d.text("disabled.nothing-delivered")
	if e.Link != "" {
		d.text("disabled.enable")
	} else {
		d.text("disabled.answer")
	}
	d.button("disabled.button", e.Link)
	d.small("disabled.unused")
	return d.message()
}

// reason says why an endpoint was disabled.
func (d *draft) reason(r webhook.Reason) string {
	name := "reason." + string(r.Code)
	switch {
	case r.String() == "":
		return d.Must("disabled.not-known")
	case !d.Has(name): // not a reason of endpoints
		return r.String()
	case !r.Code.Detailed():
		return d.Must(name)
	}
	if at, ok := r.At(); ok {
		r.Detail = d.time(at)
	}
	return d.Must(name, r.Detail)
}

// redactURL returns the host of a URL, and the URL without user, query and fragment, which may contain secrets.
// Both are "" if it cannot be parsed.
func redactURL(given string) (host, shown string) {
	u, err := url.Parse(given)
	if err != nil {
		return "", ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.Hostname(), u.String()
}
