package webhooks

import "github.com/palmares-hq/palmares/internal/layout"

// Texts are those of the pages about webhooks.
func Texts() layout.Texts {
	return layout.Join(
		listTexts, typeTexts, errorTexts, endpointTexts, verifyTexts, deliveryTexts, reasonTexts, limitTexts,
	)
}

// listTexts are those of the list of endpoints.
var listTexts = layout.Texts{
	"webhooks.title": {"Webhooks", "Webhooks"},
	"webhooks.lede": {
		"Votre serveur apprend ce qui change dans le catalogue dès la publication\u00a0: un POST signé par évènement, réessayé pendant trois jours.",
		"Your server learns what changes in the catalog as soon as it is published: a signed POST per event, retried for three days.",
	},
	"webhooks.pro": {
		"Les webhooks font partie de l’offre Pro. Voici ce que vous recevriez.",
		"Webhooks are part of the Pro plan. This is what you would receive.",
	},
	"webhooks.plan":       {"Voir l’offre Pro", "See the Pro plan"},
	"webhooks.endpoints":  {"Vos destinations", "Your endpoints"},
	"webhooks.endpoint":   {"Destination", "Endpoint"},
	"webhooks.all":        {"Tous les évènements", "All events"},
	"webhooks.types":      {"Un type d’évènement|%s types d’évènements", "One type of event|%s types of events"},
	"webhooks.categories": {"une catégorie|%s catégories", "one category|%s categories"},
	"webhooks.add":        {"Ajouter une destination", "Add an endpoint"},
	"webhooks.add.button": {"Ajouter", "Add it"},
	"webhooks.full": {
		"Votre offre permet %s destinations, et vous les avez toutes. Supprimez-en une pour en ajouter une autre.",
		"Your plan allows %s endpoints and you have them all. Delete one to add another.",
	},
	"webhooks.form.url":         {"Adresse de votre récepteur", "URL of your receiver"},
	"webhooks.form.url.hint":    {"En https, joignable depuis Internet.", "With https, and reachable from the internet."},
	"webhooks.form.description": {"Description, pour vous", "Description, for yourself"},
	"webhooks.form.choose":      {"Choisir les évènements (tous, sinon)", "Choose the events (all of them otherwise)"},
	"webhooks.form.types":       {"Types d’évènements", "Types of events"},
	"webhooks.form.types.hint": {
		"Sans aucune case cochée, vous les recevez tous.",
		"With none ticked you receive all of them.",
	},
	"webhooks.form.categories": {"Catégories", "Categories"},
	"webhooks.form.categories.hint": {
		"Sans aucune case cochée, toutes les catégories comptent.",
		"With none ticked every category counts.",
	},
	"webhooks.catalog":      {"Les évènements", "The events"},
	"webhooks.catalog.lede": {"Chaque type mène à son exemple.", "Each type leads to its example."},
	"webhooks.example":      {"Un exemple", "An example"},
	"webhooks.example.lede": {
		"Le corps d’une requête telle que nous l’enverrions maintenant, à propos d’un outil inventé.",
		"The body of a request as we would send it now, about an invented tool.",
	},
	"webhooks.lines": {"Voir la ligne|Voir les %s lignes", "Show the line|Show the %s lines"},
}

// typeTexts are those of the types of events, a sentence each.
var typeTexts = layout.Texts{
	"webhooks.type.tool-created": {"Un outil entre au catalogue, ou y revient.", "A tool joins the catalog, or is back."},
	"webhooks.type.tool-updated": {
		"Ce que l’API montre d’un outil a changé.",
		"What the API shows of a tool has changed.",
	},
	"webhooks.type.tool-retired": {"Un outil est parti au cimetière.", "A tool went to the cemetery."},
	"webhooks.type.tool-removed": {
		"Un outil est retiré sans passer par le cimetière.",
		"A tool was taken out without being retired.",
	},
	"webhooks.type.price-changed": {
		"Le prix d’un outil, ou sa façon de faire payer, a changé.",
		"The price of a tool, or how it charges, has changed.",
	},
	"webhooks.type.comparatif-published": {
		"Un comparatif paraît, ou reparaît.",
		"A comparison is published, or published again.",
	},
	"webhooks.type.comparatif-updated": {
		"Un comparatif a changé, ou un nom ou une note qu’il cite.",
		"A comparison has changed, or a name or a score in it.",
	},
	"webhooks.type.comparatif-unpublished": {"Un comparatif n’est plus publié.", "A comparison is no longer published."},
	"webhooks.type.embeddings-updated": {
		"Les passages d’un outil, pour la recherche sémantique, ont changé.",
		"The passages of a tool, for semantic search, have changed.",
	},
}

// errorTexts are those of what is wrong with a form, or was not done.
var errorTexts = layout.Texts{
	"webhooks.error.url": {
		"Il faut une adresse complète en https, comme https://api.exemple.fr/webhooks, sans port, mot de passe ni #.",
		"It takes a whole URL with https, such as https://api.example.org/webhooks, without a port, a password or a #.",
	},
	"webhooks.error.private": {
		"Cette adresse n’est pas publique\u00a0: nous ne livrons que sur Internet.",
		"That address is not public: we deliver to the internet only.",
	},
	"webhooks.error.description": {
		"La description tient en une ligne de 200\u00a0caractères au plus.",
		"The description is one line of at most 200 characters.",
	},
	"webhooks.error.types": {"Ce type d’évènement n’existe pas.", "There is no such type of event."},
	"webhooks.error.categories": {
		"Ces catégories ne conviennent pas\u00a0: cinquante au plus, ou aucune pour toutes.",
		"These categories are not valid: at most fifty, or none for all.",
	},
	"webhooks.refused.plan": {"Les webhooks font partie de l’offre Pro.", "Webhooks are part of the Pro plan."},
	"webhooks.refused.many": {
		"Vous avez autant de destinations que votre offre en permet.",
		"You have as many endpoints as your plan allows.",
	},
	"webhooks.refused.inactive": {
		"La destination n’est pas active\u00a0: rien ne peut lui être rejoué.",
		"The endpoint is not active: nothing can be replayed to it.",
	},
	"webhooks.refused.unverified": {
		"La destination n’est pas vérifiée : elle ne reçoit que la demande de vérification.",
		"The endpoint is not verified: it gets nothing but the challenge.",
	},
	"webhooks.refused.old": {
		"Un évènement se rejoue pendant trente jours, et le premier demandé est plus ancien.",
		"Events can be replayed for thirty days, and the first one asked for is older.",
	},
	"webhooks.refused.range": {
		"On rejoue 10\u202f000\u00a0évènements au plus à la fois.",
		"At most 10,000 events can be replayed at once.",
	},
	"webhooks.refused.rotating": {
		"L’ancien secret signe encore jusqu’au %s. Renouveler une fois de plus le révoquerait.",
		"The previous secret signs until %s. Another rotation would revoke it.",
	},
	"webhooks.refused.category": {
		"«\u202f%s\u202f» n’est plus une catégorie du catalogue.",
		"“%s” is no longer a category of the catalog.",
	},
}

// endpointTexts are those of the page of an endpoint.
var endpointTexts = layout.Texts{
	"endpoint.of":               {"Livraisons, %s", "Deliveries, %s"},
	"endpoint.heading":          {"Livraisons", "Deliveries"},
	"endpoint.verify":           {"Vérifier la destination", "Verify the endpoint"},
	"endpoint.created":          {"La destination est ajoutée.", "The endpoint is added."},
	"endpoint.state":            {"État", "State"},
	"endpoint.state.unverified": {"À vérifier", "To be verified"},
	"endpoint.state.active":     {"Active", "Active"},
	"endpoint.state.paused":     {"En suspens", "On hold"},
	"endpoint.state.disabled":   {"En pause", "Paused"},
	"endpoint.delivered":        {"Livrées, 24\u00a0h", "Delivered, 24 h"},
	"endpoint.of-all":           {"%s sur %s", "%s of %s"},
	"endpoint.of-latest":        {"%s des %s dernières", "%s of the latest %s"},
	"endpoint.or-more":          {"%s ou plus", "%s or more"},
	"endpoint.median":           {"Réponse médiane", "Median answer"},
	"endpoint.pending":          {"En attente", "Pending"},
	"endpoint.secret":           {"Secret", "Secret"},
	"endpoint.secret.new":       {"Son secret", "Its secret"},
	"endpoint.secret.once": {
		"Il n’est montré qu’ici, cette fois. Gardez-le là où votre récepteur le lira.",
		"It is shown here, this once. Keep it where your receiver reads it.",
	},
	"endpoint.secret.what": {
		"Il signe chaque requête. Nous ne le montrons plus\u00a0; s’il est perdu, renouvelez-le.",
		"It signs every request. We do not show it again; if it is lost, rotate it.",
	},
	"endpoint.copy":   {"Copier", "Copy"},
	"endpoint.copied": {"Copié", "Copied"},
	"endpoint.rotate": {"Renouveler", "Rotate"},
	"endpoint.rotate.what": {
		"Un nouveau secret s’affichera une fois. L’ancien signe aussi pendant 24\u00a0heures\u00a0: de quoi changer votre récepteur sans rien perdre.",
		"A new secret is shown once. The previous one signs too for 24 hours, time to change your receiver without losing anything.",
	},
	"endpoint.rotate.button": {"Renouveler le secret", "Rotate the secret"},
	"endpoint.rotating": {
		"Deux secrets signent\u00a0: le nouveau, et l’ancien jusqu’au %s.",
		"Two secrets sign: the new one, and the previous one until %s.",
	},
	"endpoint.rotate.force": {
		"Renouveler maintenant révoque l’ancien secret avant l’heure. Un récepteur qui l’utilise encore refusera nos requêtes.",
		"Rotating now revokes the previous secret early. A receiver that still uses it will refuse our requests.",
	},
	"endpoint.rotate.anyway": {"Renouveler et révoquer l’ancien", "Rotate and revoke the previous one"},
	"endpoint.rotated": {
		"Le secret est renouvelé. L’ancien signe aussi jusqu’au %s.",
		"The secret is rotated. The previous one signs too until %s.",
	},
	"endpoint.missed": {"Évènements manqués\u00a0: du n°\u00a0%s au n°\u00a0%s.", "Events missed: %s to %s."},
	"endpoint.missed.old": {
		"Ils ont plus de trente jours et ne se rejouent plus.",
		"They are older than thirty days and can no longer be replayed.",
	},
	"endpoint.missed.some": {"Ceux à partir du n°\u00a0%s se rejouent.", "Those from %s on can be replayed."},
	"endpoint.missed.none": {"Aucun évènement n’a été manqué.", "No event was missed."},
	"endpoint.missed.failed": {
		"Une livraison a été abandonnée.|%s livraisons ont été abandonnées.",
		"One delivery was given up.|%s deliveries were given up.",
	},
	"endpoint.missed.replay": {"Rejouer ce qui a été manqué", "Replay what was missed"},
	"endpoint.enable":        {"Reprendre", "Resume"},
	"endpoint.enable.what": {
		"La reprise vaut pour ce qui paraît ensuite\u00a0; ce qui a été manqué peut se rejouer après.",
		"It then receives what is published from that moment; what was missed can be replayed afterwards.",
	},
	"endpoint.enabled": {"La destination est de nouveau active.", "The endpoint is active again."},
	"endpoint.pause":   {"Mettre en pause", "Pause"},
	"endpoint.pause.what": {
		"Rien n’est plus envoyé, et les livraisons en attente sont abandonnées. À la reprise, vous pourrez rejouer ce qui a été manqué depuis trente jours.",
		"Nothing is sent any more, and pending deliveries are given up. When you resume, what was missed within thirty days can be replayed.",
	},
	"endpoint.pause.button": {"Mettre en pause", "Pause it"},
	"endpoint.delete":       {"Supprimer", "Delete"},
	"endpoint.delete.what": {
		"La destination, son secret et l’historique de ses livraisons disparaissent. Rien ne les ramène.",
		"The endpoint, its secret and the history of its deliveries are gone. Nothing brings them back.",
	},
	"endpoint.delete.button": {"Supprimer cette destination", "Delete this endpoint"},
	"endpoint.end":           {"Pause et suppression", "Pause and deletion"},
	"endpoint.test":          {"Envoyer un test", "Send a test"},
	"endpoint.test.what": {
		"Envoyé une fois, signé comme les autres, quels que soient les filtres\u00a0; il n’entre pas dans les livraisons.",
		"Sent once, signed like any other, whatever the filters; it is not among the deliveries.",
	},
	"endpoint.test.button":    {"Envoyer", "Send"},
	"endpoint.test.sent":      {"Test %s", "Test %s"},
	"endpoint.challenge.sent": {"Vérification", "Verification"},
	"endpoint.replay":         {"Rejouer", "Replay"},
	"endpoint.replay.what": {
		"Chaque livraison garde son webhook-id\u00a0: un récepteur qui s’en souvient ne traite rien deux fois. On rejoue ce qui a moins de trente jours.",
		"Each delivery keeps its webhook-id: a receiver that remembers it processes nothing twice. What is younger than thirty days can be replayed.",
	},
	"endpoint.from":         {"Du n°", "From event"},
	"endpoint.to":           {"Au n°", "To event"},
	"endpoint.replay.range": {"Rejouer ces évènements", "Replay these events"},
	"endpoint.replayed": {
		"Une livraison est rejouée.|%s livraisons sont rejouées.",
		"One delivery is replayed.|%s deliveries are replayed.",
	},
	"endpoint.replayed.none": {"Il n’y avait rien à rejouer.", "There was nothing to replay."},
	"endpoint.failed":        {"Ce qui a échoué depuis", "What failed within"},
	"endpoint.failed.replay": {"Rejouer les échecs", "Replay what failed"},
	"endpoint.since.1h":      {"1\u00a0heure", "1 hour"},
	"endpoint.since.24h":     {"24\u00a0heures", "24 hours"},
	"endpoint.since.7d":      {"7\u00a0jours", "7 days"},
	"endpoint.since.30d":     {"30\u00a0jours", "30 days"},
	"endpoint.settings":      {"Réglages", "Settings"},
	"endpoint.settings.when": {
		"Les nouveaux filtres valent pour les évènements qui n’ont pas encore de livraison.",
		"New filters apply to events that have no delivery yet.",
	},
	"endpoint.save": {"Enregistrer", "Save"},
	"endpoint.error.challenge": {
		"Votre récepteur a répondu, mais pas par le texte de data.challenge. Sa réponse est ci-dessous.",
		"Your receiver answered, but not with the text of data.challenge. Its answer is below.",
	},
	"endpoint.error.answer": {
		"Votre récepteur n’a pas accepté la requête. Ce que nous en savons est ci-dessous.",
		"Your receiver did not accept the request. What we know is below.",
	},
	"endpoint.error.challenge.class": {
		"Votre récepteur a répondu, mais pas par le texte de data.challenge seul. Tant que la destination n’est pas vérifiée, nous ne montrons pas sa réponse.",
		"Your receiver answered, but not with the text of data.challenge alone. Until the endpoint is verified, we do not show its answer.",
	},
	"endpoint.error.answer.class": {
		"Votre récepteur n’a pas accepté la requête. Tant que la destination n’est pas vérifiée, nous ne montrons que la famille de sa réponse.",
		"Your receiver did not accept the request. Until the endpoint is verified, we show the class of its answer alone.",
	},
	"endpoint.error.from":  {"Il faut le numéro du premier évènement.", "It takes the number of the first event."},
	"endpoint.error.to":    {"Il faut le numéro du dernier évènement.", "It takes the number of the last event."},
	"endpoint.error.order": {"Le dernier évènement vient avant le premier.", "The last event comes before the first."},
	"endpoint.error.since": {"Choisissez depuis quand.", "Choose since when."},
	"done.webhook-verified": {
		"La destination est vérifiée\u00a0: elle reçoit ce qui paraît désormais.",
		"The endpoint is verified: it receives what is published from now on.",
	},
	"done.webhook-unverified": {"La destination attend d’être vérifiée.", "The endpoint waits to be verified."},
	"done.webhook-saved":      {"C’est enregistré.", "It is saved."},
	"done.webhook-paused":     {"La destination est en pause.", "The endpoint is paused."},
	"done.webhook-deleted":    {"La destination est supprimée.", "The endpoint is deleted."},
	"done.delivery-replayed": {
		"La livraison est rejouée, sous le même webhook-id.",
		"The delivery is replayed, under the same webhook-id.",
	},
}

// verifyTexts are those of the explanation of verification.
var verifyTexts = layout.Texts{
	"verify.lede": {
		"Une requête prouve que le récepteur est à vous et veut nos livraisons. Quatre étapes.",
		"One request proves that the receiver is yours and wants our deliveries. Four steps.",
	},
	"verify.secret-html": {
		"Donnez le secret à votre récepteur. Perdu\u202f? <a href=\"#secret\">Renouvelez-le</a>.",
		"Give your receiver the secret. Lost it? <a href=\"#secret\">Rotate it</a>.",
	},
	"verify.signature-html": {
		"Calculez le HMAC-SHA256 de <code>webhook-id.webhook-timestamp.corps</code>, avec pour clé ce qui suit <code>whsec_</code>, décodé de base64. Il doit être, en base64, l’une des signatures de <code>webhook-signature</code>, après <code>v1,</code>.",
		"Compute the HMAC-SHA256 of <code>webhook-id.webhook-timestamp.body</code>; the key is what follows <code>whsec_</code>, decoded from base64. In base64 it must be one of the signatures in <code>webhook-signature</code>, after <code>v1,</code>.",
	},
	"verify.challenge-html": {
		"Au type <code>webhook.test</code>, répondez 200 en moins de 15\u00a0secondes avec le texte de <code>data.challenge</code>, seul ou dans un objet JSON.",
		"Answer the type <code>webhook.test</code> with 200 within 15 seconds and the text of <code>data.challenge</code>, alone or in a JSON object.",
	},
	"verify.press-html": {
		"Lancez la vérification. Si elle échoue, vous verrez ce que votre récepteur a répondu.",
		"Start the verification. If it fails you see what your receiver answered.",
	},
	"verify.we":     {"Nous envoyons", "We send"},
	"verify.you":    {"Vous répondez", "You answer"},
	"verify.button": {"Vérifier maintenant", "Verify now"},
	"verify.how":    {"Comment vérifier une signature", "How to verify a signature"},
	"verify.raw-html": {
		"Prenez le corps tel qu’il arrive, avant toute lecture, et refusez un <code>webhook-timestamp</code> à plus de cinq minutes de votre horloge.",
		"Take the body as it arrives, before any parsing, and reject a <code>webhook-timestamp</code> more than five minutes away from your clock.",
	},
	"verify.twice-html": {
		"Répondez 2xx dans les 15\u00a0secondes, et retenez <code>webhook-id</code>\u00a0: la même livraison peut venir deux fois.",
		"Answer 2xx within 15 seconds, and remember <code>webhook-id</code>: the same delivery may come twice.",
	},
}

// deliveryTexts are those of deliveries and their attempts.
var deliveryTexts = layout.Texts{
	"deliveries.delivered": {"livrées", "delivered"},
	"deliveries.pending":   {"en attente", "pending"},
	"deliveries.exhausted": {"abandonnées", "given up"},
	"deliveries.given-up":  {"abandonnée", "given up"},
	"deliveries.waiting":   {"en attente", "pending"},
	"deliveries.attempt":   {"%s, essai %s sur %s", "%s, attempt %s of %s"},
	"deliveries.any-state": {"toutes", "all"},
	"deliveries.any-type":  {"tous", "all"},
	"deliveries.event":     {"Évènement", "Event"},
	"deliveries.when":      {"Quand", "When"},
	"deliveries.spent":     {"Durée", "Time"},
	"deliveries.actions":   {"Actions", "Actions"},
	"deliveries.filter":    {"Filtrer", "Filter"},
	"deliveries.seq":       {"n°\u00a0%s", "no. %s"},
	"deliveries.replay":    {"Rejouer", "Replay"},
	"deliveries.replay.of": {"Rejouer %s n°\u00a0%s", "Replay %s no. %s"},
	"deliveries.see":       {"Voir", "See"},
	"deliveries.none": {
		"Aucune livraison encore. La première partira à la prochaine publication.",
		"No delivery yet. The first goes out with the next publication.",
	},
	"deliveries.none.filtered": {"Aucune livraison ne répond à ces filtres.", "No delivery matches these filters."},
	"deliveries.kept":          {"Les livraisons sont gardées trente jours.", "Deliveries are kept for thirty days."},
	"deliveries.older":         {"Plus anciennes →", "Older →"},
	"deliveries.newest":        {"← Les plus récentes", "← Newest"},
	"delivery.sent":            {"Envoyé", "Sent"},
	"delivery.received":        {"Reçu", "Received"},
	"delivery.after":           {"après %s", "after %s"},
	"delivery.redirect":        {"Nous ne suivons pas les redirections.", "We do not follow redirects."},
	"delivery.about":           {"Sujet", "About"},
	"delivery.created":         {"Créée", "Created"},
	"delivery.next":            {"Prochain essai dans %s.", "Next attempt in %s."},
	"delivery.rule": {
		"Dix essais sur trois jours, puis la livraison est abandonnée et reste rejouable trente jours.",
		"Ten attempts over three days; then it is given up and can be replayed for thirty days.",
	},
	"delivery.exhausted": {
		"Dix essais ont échoué. La livraison est abandonnée et reste rejouable trente jours.",
		"Ten attempts failed. The delivery is given up and can be replayed for thirty days.",
	},
	"delivery.replay.what": {"La même requête, sous le même webhook-id.", "The same request, under the same webhook-id."},
	"delivery.attempts":    {"Les essais", "The attempts"},
	"delivery.attempt":     {"Essai %s", "Attempt %s"},
	"delivery.untried":     {"Rien n’a encore été envoyé.", "Nothing was sent yet."},
	"delivery.body":        {"Le corps", "The body"},
	"delivery.same": {
		"Les mêmes octets à chaque essai, ici mis en page.",
		"The same bytes with every attempt, laid out here.",
	},
	"delivery.lost": {"L’évènement n’est plus dans notre journal.", "The event is no longer in our log."},
}

// limitTexts say which limit is met, and until when.
var limitTexts = layout.Texts{
	"limit.tests": {
		"Votre compte a envoyé %s tests et vérifications en une heure. Le prochain est possible à partir du %s.",
		"Your account has sent %s tests and challenges within an hour. The next is possible from %s on.",
	},
	"limit.host": {
		"Votre compte a envoyé %s tests et vérifications à ce serveur en une heure. Le prochain est possible à partir du %s.",
		"Your account has sent %s tests and challenges to this host within an hour. The next is possible from %s on.",
	},
	"limit.challenges": {
		"Ce serveur a reçu %s vérifications en une heure, tous comptes confondus, sans y répondre. La prochaine est possible à partir du %s.",
		"This host got %s challenges within an hour, from all accounts, and answered none. The next is possible from %s on.",
	},
}
