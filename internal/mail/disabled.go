package mail

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/webhook"
)

// A DisabledEndpoint is an endpoint of webhooks that was disabled.
type DisabledEndpoint struct {
	ID     string
	URL    string // shown without user and query
	Reason webhook.Reason
	Link   string // to the page that shows it; "" if there is none
}

// EndpointDisabled tells the owner of an endpoint that it was disabled. The ID of the message is
// derived from the endpoint and the reason, not from the letter: a retry has the same ID, and
// disabling the endpoint again for another reason has another.
func EndpointDisabled(l Letter, e DisabledEndpoint) Message {
	e.Reason.Detail = strings.Join(strings.Fields(e.Reason.Detail), " ") // an operator may write several lines
	digest := sha256.Sum256([]byte(e.Reason.String()))
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

// reasonTexts say why an endpoint was disabled, by the code of the reason, in French and in English. The
// detail stands where %s does. The last ones are for an endpoint that was enabled again before its owner
// was told.
var reasonTexts = map[webhook.ReasonCode][2]string{
	webhook.AllFailed:       {"toutes les tentatives échouent depuis le %s", "every attempt has failed since %s"},
	webhook.AnsweredGone:    {"le récepteur a répondu 410 Gone le %s", "the receiver answered 410 Gone at %s"},
	webhook.InWords:         {"%s", "%s"},
	webhook.DisabledByOwner: {"désactivé par son propriétaire", "disabled by its owner"},
	webhook.NotVerified:     {"il n’a pas encore répondu à sa vérification", "it has not answered its challenge yet"},
	webhook.NotPro: {
		"le compte n’est plus sur l’offre Pro\u00a0: les webhooks sont en pause",
		"the account is no longer on the Pro plan: webhooks are paused",
	},
	webhook.SecretUnreadable: {
		"son secret ne peut plus être ouvert\u00a0: renouvelez-le\u00a0; ce qui est publié d’ici là attend",
		webhook.Reason{Code: webhook.SecretUnreadable}.String(),
	},
}

func frenchReason(r webhook.Reason) string { return reasonText(r, 0, "inconnu", frenchTime) }

func englishReason(r webhook.Reason) string { return reasonText(r, 1, "not known", englishTime) }

// reasonText says a reason in one of the languages of reasonTexts.
func reasonText(r webhook.Reason, language int, none string, clock func(time.Time) string) string {
	if r.String() == "" {
		return none
	}
	texts, ok := reasonTexts[r.Code]
	if !ok { // not a reason of endpoints
		return r.String()
	}
	if at, ok := r.At(); ok {
		r.Detail = clock(at)
	}
	return strings.Replace(texts[language], "%s", r.Detail, 1)
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
