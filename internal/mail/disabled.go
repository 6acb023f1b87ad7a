package mail

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// A DisabledEndpoint is an endpoint of webhooks that was disabled.
type DisabledEndpoint struct {
	ID     string
	URL    string // shown without user and query
	Reason string // in English, as it is stored
	Link   string // to the page that shows it; "" if there is none
}

// EndpointDisabled tells the owner of an endpoint that it was disabled. The ID of the message is
// derived from the endpoint and the reason, not from the letter: a retry has the same ID, and
// disabling the endpoint again for another reason has another.
func EndpointDisabled(l Letter, e DisabledEndpoint) Message {
	e.Reason = strings.Join(strings.Fields(e.Reason), " ") // it may quote a receiver's response
	digest := sha256.Sum256([]byte(e.Reason))
	l.ID = fmt.Sprintf("endpoint-disabled-%s-%x", e.ID, digest[:6])
	host, shown := redactURL(e.URL)
	return l.message(e.inFrench(host, shown), e.inEnglish(host, shown))
}

func (e DisabledEndpoint) inFrench(host, shown string) draft {
	subject, repair := "Votre webhook est désactivé", text("Pour en recevoir à nouveau, réparez le récepteur, puis "+
		"répondez à ce message : l’exploitant du service réactivera le webhook.")
	if host != "" {
		subject = "Votre webhook vers " + host + " est désactivé"
	}
	if e.Link != "" {
		repair = text("Pour en recevoir à nouveau, réparez le récepteur, puis réactivez le webhook :")
	}
	return draft{subject, filled(
		text("Bonjour,"),
		text("L’un de vos webhooks vient d’être désactivé."),
		block{Facts: facts(fact{"Webhook", e.ID}, fact{"URL", shown}, fact{"Motif", frenchReason(e.Reason)})},
		text("Il ne reçoit plus rien tant qu’il n’est pas réactivé. Les événements qui n’ont pas "+
			"été livrés peuvent être renvoyés pendant 30 jours."),
		repair,
		button("Voir ce webhook", e.Link),
		small("S’il ne vous sert plus, il n’y a rien à faire."),
	)}
}

func (e DisabledEndpoint) inEnglish(host, shown string) draft {
	subject, repair := "Your webhook endpoint was disabled", text("To receive events again, repair the receiver, "+
		"then answer this message: the operator of the service enables the endpoint.")
	if host != "" {
		subject = "Your webhook endpoint at " + host + " was disabled"
	}
	if e.Link != "" {
		repair = text("To receive events again, repair the receiver, then enable the endpoint:")
	}
	return draft{subject, filled(
		text("Hello,"),
		text("One of your webhook endpoints has just been disabled."),
		block{Facts: facts(fact{"Endpoint", e.ID}, fact{"URL", shown}, fact{"Reason", englishReason(e.Reason)})},
		text("Nothing is delivered to it until it is enabled again. Events that were not delivered can be "+
			"replayed for 30 days."),
		repair,
		button("See this endpoint", e.Link),
		small("If you do not need it any more, there is nothing to do."),
	)}
}

// filled leaves out a button without a link, and a list without facts.
func filled(all ...block) (kept []block) {
	for _, b := range all {
		if b.Text != "" || b.Link != "" || b.Code != "" || len(b.Facts) > 0 {
			kept = append(kept, b)
		}
	}
	return kept
}

// facts leaves out those without a value.
func facts(all ...fact) (kept []fact) {
	for _, f := range all {
		if f.Value != "" {
			kept = append(kept, f)
		}
	}
	return kept
}

// automatic are the reasons for which the service disables an endpoint by itself, with the French
// for each. A time follows them.
var automatic = map[string]string{
	"every attempt has failed since ":    "toutes les tentatives échouent depuis le ",
	"the receiver answered 410 Gone at ": "le récepteur a répondu 410 Gone le ",
}

// splitReason splits a reason that the service gives into what happened and when. What an operator
// wrote has no time.
func splitReason(reason string) (what string, at time.Time) {
	for what := range automatic {
		if text, ok := strings.CutPrefix(reason, what); ok {
			if at, err := time.Parse(time.RFC3339, text); err == nil {
				return what, at
			}
		}
	}
	return reason, time.Time{}
}

func frenchReason(reason string) string {
	what, at := splitReason(reason)
	switch {
	case what == "":
		return "inconnu"
	case at.IsZero():
		return what
	}
	return automatic[what] + frenchTime(at)
}

func englishReason(reason string) string {
	what, at := splitReason(reason)
	switch {
	case what == "":
		return "not known"
	case at.IsZero():
		return what
	}
	return what + englishTime(at)
}

// redactURL returns the host, and the URL without user and query, which may hold secrets.
func redactURL(given string) (host, shown string) {
	u, err := url.Parse(given)
	if err != nil {
		return "", ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.Hostname(), u.String()
}
