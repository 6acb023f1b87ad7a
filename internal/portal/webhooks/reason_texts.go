package webhooks

import "github.com/palmares-hq/palmares/internal/layout"

// reasonTexts are the texts of package webhook's reasons, by their codes.
var reasonTexts = layout.Texts{
	"reason.not_verified": {
		"Il n’a pas encore répondu à sa vérification.",
		"It has not answered its challenge yet.",
	},
	"reason.not_pro": {
		"Le compte n’a plus l’offre Pro\u00a0: rien n’est livré.",
		"The account is no longer on the Pro plan: nothing is delivered.",
	},
	"reason.disabled_by_owner":  {"Vous l’avez mis en pause.", "You paused it."},
	"reason.connection_refused": {"connexion refusée", "connection refused"},
	"reason.connection_reset":   {"connexion coupée", "connection reset"},
	"reason.no_route":           {"aucune route vers l’hôte", "no route to the host"},
	"reason.connect_timed_out":  {"délai de connexion dépassé", "connecting timed out"},
	"reason.no_tls":             {"le récepteur ne parle pas TLS", "the receiver does not speak TLS"},
	"reason.handshake_failed":   {"la négociation TLS a échoué", "the TLS handshake failed"},
	"reason.header_too_large": {
		"l’en-tête de la réponse dépasse 16\u00a0Ko",
		"the response header is larger than 16 KB",
	},
	"reason.closed_without_answer": {
		"connexion fermée sans réponse",
		"the connection was closed without a response",
	},
	"reason.not_http":       {"la réponse n’est pas du HTTP", "the response is not HTTP"},
	"reason.request_failed": {"la requête a échoué", "the request failed"},
	"reason.host_not_found": {"le nom d’hôte n’existe pas", "the host name does not exist"},
	"reason.host_not_resolved": {
		"le nom d’hôte n’a pas pu être résolu",
		"the host name could not be resolved",
	},
	"reason.address_not_public": {"l’adresse n’est pas publique", "the address is not public"},
	"reason.port_not_allowed":   {"seul le port 443 est permis", "only port 443 is allowed"},
	"reason.certificate_unknown": {
		"certificat d’une autorité inconnue",
		"certificate signed by an unknown authority",
	},
	"reason.certificate_other_host": {
		"certificat non valable pour cet hôte",
		"certificate not valid for the host",
	},
	"reason.certificate_expired": {
		"certificat expiré ou pas encore valable",
		"certificate expired or not valid yet",
	},
	"reason.certificate_not_valid": {"certificat non valable", "certificate not valid"},
	"reason.interrupted": {
		"interrompu avant la réponse",
		"interrupted before a response came",
	},
	"reason.url_not_valid": {"l’adresse n’est pas valable", "the URL is not valid"},
	"reason.all_failed": {
		"Toutes les tentatives échouent depuis le %s\u00a0: les livraisons sont arrêtées.",
		"Every attempt has failed since %s: deliveries have stopped.",
	},
	"reason.answered_gone": {
		"Votre récepteur a répondu 410 (Gone) le %s\u00a0: les livraisons sont arrêtées.",
		"Your receiver answered 410 Gone on %s: deliveries have stopped.",
	},
	"reason.answered":  {"réponse %s", "answered %s"},
	"reason.timed_out": {"pas de réponse en %s", "timed out after %s"},
	"reason.secret_unreadable": {
		"Nous ne pouvons plus déchiffrer son secret\u00a0: renouvelez-le pour que les livraisons reprennent.",
		"We can no longer decrypt its secret: rotate it to resume deliveries.",
	},
	"reason.in_words": {"%s", "%s"},
	"reason.redirected": {
		"réponse %s\u00a0: les redirections ne sont pas suivies",
		"answered %s: redirects are not followed",
	},
	"reason.event_lost": {
		"l’événement %s n’est plus dans notre journal",
		"event %s is no longer in the log",
	},
	"reason.network_not_allowed": {"seul TCP est permis", "only TCP is allowed"},
}
