package webhooks

import "github.com/palmares-hq/palmares/internal/layout"

// Texts returns the texts of the pages about webhooks.
func Texts() layout.Texts {
	return layout.Join(
		listTexts, typeTexts, errorTexts, endpointTexts, verifyTexts, hoursTexts, deliveryTexts, reasonTexts, limitTexts,
	)
}

// listTexts are the texts of the list of endpoints.
var listTexts = layout.Texts{
	"webhooks.title": {"Webhooks", "Webhooks"},
	"webhooks.lede": {
		"Votre serveur apprend ce qui change dans le catalogue dès la publication\u00a0: un POST signé pour chaque événement, avec de nouvelles tentatives pendant trois jours.",
		"Your server learns what changes in the catalogue as soon as it is published: one signed POST for each event, retried for three days.",
	},
	"webhooks.pro": {
		"Les webhooks font partie de l’offre Pro. Voici ce que vous recevriez.",
		"Webhooks are part of the Pro plan. This is what you would receive.",
	},
	"webhooks.plan":       {"Voir l’offre Pro", "See the Pro plan"},
	"webhooks.endpoints":  {"Vos webhooks", "Your endpoints"},
	"webhooks.endpoint":   {"Webhook", "Endpoint"},
	"webhooks.all":        {"Tous les événements", "All events"},
	"webhooks.types":      {"Un type d’événement|%s types d’événements", "One event type|%s event types"},
	"webhooks.categories": {"une catégorie|%s catégories", "one category|%s categories"},
	"webhooks.add":        {"Ajouter un webhook", "Add an endpoint"},
	"webhooks.add.button": {"Ajouter", "Add it"},
	"webhooks.full": {
		"Vous avez déjà les %s webhooks que permet votre offre. Supprimez-en un pour en ajouter un autre.",
		"You already have all %s endpoints your plan allows. Delete one to add another.",
	},
	"webhooks.form.url":         {"Adresse de votre récepteur", "URL of your receiver"},
	"webhooks.form.url.hint":    {"En https, joignable depuis Internet.", "https, reachable from the internet."},
	"webhooks.form.description": {"Description (facultative)", "Description (optional)"},
	"webhooks.form.choose":      {"Choisir les événements (tous par défaut)", "Choose the events (all by default)"},
	"webhooks.form.types":       {"Types d’événements", "Event types"},
	"webhooks.form.types.hint": {
		"Sans aucune case cochée, vous les recevez tous.",
		"With none ticked, you receive all of them.",
	},
	"webhooks.form.categories": {"Catégories", "Categories"},
	"webhooks.form.categories.hint": {
		"Sans aucune case cochée, toutes les catégories comptent.",
		"With none ticked, every category counts.",
	},
	"webhooks.catalog":      {"Les événements", "The events"},
	"webhooks.catalog.lede": {"Choisissez un type pour en voir un exemple.", "Select a type to see an example."},
	"webhooks.example":      {"Un exemple", "An example"},
	"webhooks.example.lede": {
		"Le corps d’une requête telle que nous l’enverrions maintenant, à propos d’un outil inventé.",
		"The body of a request as we would send it now, about an invented tool.",
	},
	"webhooks.lines": {"Voir la ligne|Voir les %s lignes", "Show the line|Show the %s lines"},
}

// typeTexts describe each event type in a sentence.
var typeTexts = layout.Texts{
	"webhooks.type.tool-created": {"Un outil entre au catalogue, ou y revient.", "A tool joins the catalogue, or comes back."},
	"webhooks.type.tool-updated": {
		"Les données d’un outil ont changé.",
		"A tool’s data has changed.",
	},
	"webhooks.type.tool-retired": {"Un outil est parti au cimetière.", "A tool went to the cemetery."},
	"webhooks.type.tool-removed": {
		"Un outil est supprimé sans passer par le cimetière.",
		"A tool was removed without going to the cemetery.",
	},
	"webhooks.type.tool-renamed":       {"Un outil a changé d’identifiant.", "A tool has another slug."},
	"webhooks.type.comparatif-renamed": {"Un comparatif a changé d’identifiant.", "A comparison has another slug."},
	"webhooks.type.cimetiere-renamed":  {"Une notice du cimetière a changé d’identifiant.", "An entry of the cemetery has another slug."},
	"webhooks.type.price-changed": {
		"Le prix d’un outil, ou sa formule tarifaire, a changé.",
		"A tool’s price, or its pricing model, has changed.",
	},
	"webhooks.type.price-announced": {
		"Un prix à venir est annoncé, modifié ou retiré.",
		"A price to come was announced, changed or withdrawn.",
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
	"webhooks.type.tool-ending": {
		"La fin d’un outil est annoncée, déplacée ou démentie.",
		"The end of a tool was announced, moved or taken back.",
	},
	"webhooks.type.cimetiere-added": {
		"Une notice entre au cimetière sans avoir été un outil du catalogue.",
		"The cemetery has a new entry that was never a tool of the catalogue.",
	},
	"webhooks.type.cimetiere-updated": {"Une notice du cimetière a changé.", "An entry of the cemetery has changed."},
	"webhooks.type.cimetiere-removed": {
		"Une notice quitte le cimetière\u00a0: elle est retirée, ou l’outil revient.",
		"An entry left the cemetery: it was taken back, or the tool is back.",
	},
	"webhooks.type.embeddings-updated": {
		"Les extraits d’un avis, pour la recherche sémantique, ont changé.",
		"The chunks of a review, for semantic search, have changed.",
	},
	"webhooks.type.catalog-updated": {
		"Le nom du service, son adresse ou ses catégories ont changé.",
		"The service’s name, its address or its categories have changed.",
	},
}

// errorTexts say what is wrong with a form, or why something was not done.
var errorTexts = layout.Texts{
	"webhooks.error.url": {
		"Saisissez une adresse complète en https, par exemple https://api.exemple.fr/webhooks, sans port, mot de passe ni #.",
		"Enter a full https URL, such as https://api.example.org/webhooks, without a port, a password or a #.",
	},
	"webhooks.error.private": {
		"Cette adresse n’est pas publique\u00a0: nous ne livrons que sur Internet.",
		"That address is not public: we only deliver to the internet.",
	},
	"webhooks.error.description": {
		"La description tient en une ligne de 200\u00a0caractères au plus.",
		"The description is one line of at most 200 characters.",
	},
	"webhooks.error.types": {"Ce type d’événement n’existe pas.", "There is no such event type."},
	"webhooks.error.categories": {
		"Ces catégories ne conviennent pas\u00a0: choisissez-en cinquante au plus, ou aucune pour les avoir toutes.",
		"These categories are not valid: choose at most fifty, or none to get all.",
	},
	"webhooks.refused.plan": {"Les webhooks font partie de l’offre Pro.", "Webhooks are part of the Pro plan."},
	"webhooks.refused.many": {
		"Vous avez autant de webhooks que votre offre en permet.",
		"You have as many endpoints as your plan allows.",
	},
	"webhooks.refused.inactive": {
		"Le webhook n’est pas actif\u00a0: rien ne peut lui être rejoué.",
		"The endpoint is not active: nothing can be replayed to it.",
	},
	"webhooks.refused.unverified": {
		"Le webhook n’est pas vérifié\u00a0: il ne reçoit que la demande de vérification.",
		"The endpoint is not verified: it only gets the challenge.",
	},
	"webhooks.refused.old": {
		"Un événement se rejoue pendant trente jours, et le premier demandé est plus ancien.",
		"Events can be replayed for thirty days, and the first one you asked for is older.",
	},
	"webhooks.refused.range": {
		"On rejoue 10\u202f000\u00a0événements au plus à la fois.",
		"At most 10,000 events can be replayed at once.",
	},
	"webhooks.refused.rotating": {
		"L’ancien secret signe encore jusqu’au %s. Renouveler une fois de plus le révoquerait.",
		"The previous secret still signs until %s. Rotating again would revoke it.",
	},
	"webhooks.refused.category": {
		"«\u202f%s\u202f» n’est plus une catégorie du catalogue.",
		"“%s” is no longer a category in the catalogue.",
	},
}

// endpointTexts are the texts of the page of an endpoint.
var endpointTexts = layout.Texts{
	"endpoint.of":               {"Livraisons, %s", "Deliveries, %s"},
	"endpoint.heading":          {"Livraisons", "Deliveries"},
	"endpoint.verify":           {"Vérifier le webhook", "Verify the endpoint"},
	"endpoint.created":          {"Le webhook est ajouté.", "The endpoint is added."},
	"webhooks.headers":          {"En-têtes", "Headers"},
	"webhooks.body":             {"Corps du message", "Message body"},
	"endpoint.state":            {"État", "State"},
	"endpoint.state.unverified": {"À vérifier", "To be verified"},
	"endpoint.state.active":     {"Actif", "Active"},
	"endpoint.state.failing":    {"En échec", "Failing"},
	"endpoint.state.paused":     {"Suspendu", "Suspended"},
	"endpoint.state.disabled":   {"En pause", "Paused"},
	"endpoint.delivered":        {"Livrées, 24\u00a0h", "Delivered, 24 h"},
	"endpoint.of-all":           {"%s sur %s", "%s of %s"},
	"endpoint.of-latest":        {"%s des %s dernières", "%s of the latest %s"},
	"endpoint.or-more":          {"%s ou plus", "%s or more"},
	"endpoint.median":           {"Temps de réponse médian", "Median response time"},
	"endpoint.pending":          {"En attente", "Pending"},
	"endpoint.secret":           {"Secret", "Secret"},
	"endpoint.secret.new":       {"Son secret", "Its secret"},
	"endpoint.secret.once": {
		"Il ne s’affiche que cette fois. Enregistrez-le dans la configuration de votre récepteur.",
		"Shown only once. Store it in your receiver’s configuration.",
	},
	"endpoint.secret.what": {
		"Il signe chaque requête. Nous ne le montrons plus\u202f; s’il est perdu, renouvelez-le.",
		"It signs every request. We do not show it again; if you lose it, rotate it.",
	},
	"endpoint.copy":   {"Copier", "Copy"},
	"endpoint.copied": {"Copié", "Copied"},
	"endpoint.rotate": {"Renouveler", "Rotate"},
	"endpoint.rotate.what": {
		"Un nouveau secret s’affichera une fois. L’ancien signe encore pendant 24\u00a0heures\u00a0: le temps de régler votre récepteur sans rien perdre.",
		"A new secret is shown once. The previous one still signs for 24 hours: time to change your receiver without losing anything.",
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
		"Le secret est renouvelé. L’ancien signe encore jusqu’au %s.",
		"The secret is rotated. The previous one still signs until %s.",
	},
	"endpoint.missed": {"Événements manqués\u00a0: du n°\u00a0%s au n°\u00a0%s.", "Events missed: %s to %s."},
	"endpoint.missed.old": {
		"Ils ont plus de trente jours et ne se rejouent plus.",
		"They are older than thirty days and can no longer be replayed.",
	},
	"endpoint.missed.some": {"Ceux à partir du n°\u00a0%s se rejouent.", "Those from %s on can be replayed."},
	"endpoint.missed.none": {"Aucun événement n’a été manqué.", "No event was missed."},
	"endpoint.missed.failed": {
		"Une livraison a été abandonnée.|%s livraisons ont été abandonnées.",
		"One delivery was abandoned.|%s deliveries were abandoned.",
	},
	"endpoint.missed.replay": {"Rejouer ce qui a été manqué", "Replay what was missed"},
	"endpoint.enable":        {"Reprendre", "Resume"},
	"endpoint.enable.what": {
		"À la reprise, vous recevez ce qui paraît ensuite\u202f; ce qui a été manqué peut se rejouer après.",
		"It then receives what is published from that moment on; what was missed can be replayed afterwards.",
	},
	"endpoint.enabled": {"Le webhook est de nouveau actif.", "The endpoint is active again."},
	"endpoint.pause":   {"Mettre en pause", "Pause"},
	"endpoint.pause.what": {
		"Rien n’est plus envoyé, et les livraisons en attente sont abandonnées. À la reprise, vous pourrez rejouer ce qui a été manqué ces trente derniers jours.",
		"Nothing more is sent, and pending deliveries are abandoned. When you resume, you can replay what was missed in the last thirty days.",
	},
	"endpoint.pause.button": {"Mettre en pause", "Pause it"},
	"endpoint.delete":       {"Supprimer", "Delete"},
	"endpoint.delete.what": {
		"Le webhook, son secret et l’historique de ses livraisons sont supprimés. C’est irréversible.",
		"The endpoint, its secret and its delivery history are deleted. This cannot be undone.",
	},
	"endpoint.delete.button": {"Supprimer ce webhook", "Delete this endpoint"},
	"endpoint.end":           {"Pause et suppression", "Pause and deletion"},
	"endpoint.test":          {"Envoyer un test", "Send a test"},
	"endpoint.test.what": {
		"Envoyé une fois, signé comme les autres, quels que soient les filtres\u202f; il n’apparaît pas parmi les livraisons.",
		"Sent once, signed like any other, whatever the filters; it is not listed among the deliveries.",
	},
	"endpoint.test.button":    {"Envoyer", "Send"},
	"endpoint.test.sent":      {"Test %s", "Test %s"},
	"endpoint.challenge.sent": {"Vérification", "Verification"},
	"endpoint.replay":         {"Rejouer", "Replay"},
	"endpoint.replay.what": {
		"Chaque livraison garde son webhook-id\u00a0: un récepteur qui s’en souvient ne traite rien deux fois. On rejoue ce qui a moins de trente jours.",
		"Each delivery keeps its webhook-id: a receiver that remembers it processes nothing twice. Events from the last thirty days can be replayed.",
	},
	"endpoint.from":         {"Du n°", "From event"},
	"endpoint.to":           {"Au n°", "To event"},
	"endpoint.replay.range": {"Rejouer ces événements", "Replay these events"},
	"endpoint.replayed": {
		"Une livraison est rejouée.|%s livraisons sont rejouées.",
		"One delivery is replayed.|%s deliveries are replayed.",
	},
	"endpoint.replayed.none": {"Il n’y avait rien à rejouer.", "There was nothing to replay."},
	"endpoint.failed":        {"Ce qui a échoué depuis", "What failed in the last"},
	"endpoint.failed.replay": {"Rejouer les échecs", "Replay what failed"},
	"endpoint.since.1h":      {"1\u00a0heure", "1 hour"},
	"endpoint.since.24h":     {"24\u00a0heures", "24 hours"},
	"endpoint.since.7d":      {"7\u00a0jours", "7 days"},
	"endpoint.since.30d":     {"30\u00a0jours", "30 days"},
	"endpoint.settings":      {"Réglages", "Settings"},
	"endpoint.settings.when": {
		"Les nouveaux filtres s’appliquent aux événements qui n’ont pas encore de livraison.",
		"New filters apply to events that have no delivery yet.",
	},
	"endpoint.save": {"Enregistrer", "Save"},
	"endpoint.error.challenge": {
		"Votre récepteur a répondu, mais pas par le texte de data.challenge. Sa réponse est ci-dessous.",
		"Your receiver answered, but not with the text of data.challenge. Its response is below.",
	},
	"endpoint.error.answer": {
		"Votre récepteur n’a pas accepté la requête. Ce que nous en savons est ci-dessous.",
		"Your receiver did not accept the request. What we know is below.",
	},
	"endpoint.error.challenge.class": {
		"Votre récepteur a répondu, mais pas par le texte de data.challenge seul. Tant que le webhook n’est pas vérifié, nous ne montrons pas sa réponse.",
		"Your receiver answered, but not with the text of data.challenge alone. Until the endpoint is verified, we do not show its response.",
	},
	"endpoint.error.answer.class": {
		"Votre récepteur n’a pas accepté la requête. Tant que le webhook n’est pas vérifié, nous ne montrons que la famille de sa réponse.",
		"Your receiver did not accept the request. Until the endpoint is verified, we show only the class of its response.",
	},
	"endpoint.error.from":  {"Saisissez le numéro du premier événement.", "Enter the number of the first event."},
	"endpoint.error.to":    {"Saisissez le numéro du dernier événement.", "Enter the number of the last event."},
	"endpoint.error.order": {"Le dernier événement vient avant le premier.", "The last event comes before the first."},
	"endpoint.error.since": {"Choisissez une période.", "Choose a period."},
	"done.webhook-verified": {
		"Le webhook est vérifié\u00a0: il reçoit désormais ce qui paraît.",
		"The endpoint is verified: it receives what is published from now on.",
	},
	"done.webhook-unverified": {"Le webhook est à vérifier.", "The endpoint is awaiting verification."},
	"done.webhook-saved":      {"C’est enregistré.", "Saved."},
	"done.webhook-paused":     {"Le webhook est en pause.", "The endpoint is paused."},
	"done.webhook-deleted":    {"Le webhook est supprimé.", "The endpoint is deleted."},
	"done.delivery-replayed": {
		"La livraison est rejouée, sous le même webhook-id.",
		"The delivery is replayed, under the same webhook-id.",
	},
}

// verifyTexts explain verification.
var verifyTexts = layout.Texts{
	"verify.lede": {
		"Une requête prouve que le récepteur est à vous et accepte nos livraisons, en quatre étapes.",
		"One request proves that the receiver is yours and accepts our deliveries, in four steps.",
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
		"À un événement <code>webhook.test</code>, répondez 200 en moins de 15\u00a0secondes avec le texte de <code>data.challenge</code>, seul ou dans un objet JSON.",
		"Answer a <code>webhook.test</code> event with 200 within 15 seconds, and the text of <code>data.challenge</code>, alone or in a JSON object.",
	},
	"verify.press-html": {
		"Lancez la vérification. Si elle échoue, vous verrez ce que votre récepteur a répondu.",
		"Start the verification. If it fails, you see what your receiver answered.",
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

// deliveryTexts are the texts of deliveries and their attempts.
var deliveryTexts = layout.Texts{
	"deliveries.delivered": {"livrées", "delivered"},
	"deliveries.pending":   {"en attente", "pending"},
	"deliveries.exhausted": {"abandonnées", "abandoned"},
	"deliveries.given-up":  {"abandonnée", "abandoned"},
	"deliveries.waiting":   {"en attente", "pending"},
	"deliveries.attempt":   {"%s, tentative %s sur %s", "%s, attempt %s of %s"},
	"deliveries.any-state": {"toutes", "all"},
	"deliveries.any-type":  {"tous", "all"},
	"deliveries.event":     {"Événement", "Event"},
	"deliveries.when":      {"Quand", "When"},
	"deliveries.spent":     {"Durée", "Time"},
	"deliveries.actions":   {"Actions", "Actions"},
	"deliveries.filter":    {"Filtrer", "Filter"},
	"deliveries.seq":       {"n°\u00a0%s", "no. %s"},
	"deliveries.replay":    {"Rejouer", "Replay"},
	"deliveries.replay.of": {"Rejouer %s n°\u00a0%s", "Replay %s no. %s"},
	"deliveries.see":       {"Voir", "See"},
	"deliveries.none": {
		"Aucune livraison pour l’instant. La première partira à la prochaine publication.",
		"No deliveries yet. The first goes out with the next publication.",
	},
	"deliveries.none.filtered": {"Aucune livraison ne correspond à ces filtres.", "No deliveries match these filters."},
	"deliveries.kept":          {"Les livraisons sont gardées trente jours.", "Deliveries are kept for thirty days."},
	"deliveries.older":         {"Plus anciennes →", "Older →"},
	"deliveries.newest":        {"← Les plus récentes", "← Newest"},
	"delivery.sent":            {"Envoyé", "Sent"},
	"delivery.received":        {"Reçu", "Received"},
	"delivery.after":           {"après %s", "after %s"},
	"delivery.redirect":        {"Nous ne suivons pas les redirections.", "We do not follow redirects."},
	"delivery.about":           {"Sujet", "About"},
	"delivery.created":         {"Créée", "Created"},
	"delivery.next":            {"Prochaine tentative dans %s.", "Next attempt in %s."},
	"delivery.rule": {
		"Dix tentatives sur trois jours, puis la livraison est abandonnée et reste rejouable trente jours.",
		"Ten attempts over three days; then it is abandoned and can be replayed for thirty days.",
	},
	"delivery.exhausted": {
		"Dix tentatives ont échoué. La livraison est abandonnée et reste rejouable trente jours.",
		"Ten attempts failed. The delivery is abandoned and can be replayed for thirty days.",
	},
	"delivery.replay.what": {"La même requête, sous le même webhook-id.", "The same request, under the same webhook-id."},
	"delivery.attempts":    {"Les tentatives", "Attempts"},
	"delivery.attempt":     {"Tentative %s", "Attempt %s"},
	"delivery.untried":     {"Rien n’a encore été envoyé.", "Nothing has been sent yet."},
	"delivery.body":        {"Le corps", "The body"},
	"delivery.same": {
		"Les mêmes octets à chaque tentative, ici mis en forme.",
		"The same bytes on every attempt, formatted here.",
	},
	"delivery.lost": {"L’événement n’est plus dans notre journal.", "The event is no longer in our log."},
}

// limitTexts say which limit is met, and until when.
var limitTexts = layout.Texts{
	"limit.tests": {
		"Votre compte a envoyé %s\u00a0tests et vérifications en une heure. Le prochain est possible à partir du %s.",
		"Your account has sent %s tests and challenges within an hour. The next one is possible from %s.",
	},
	"limit.host": {
		"Votre compte a envoyé %s\u00a0tests et vérifications à ce serveur en une heure. Le prochain est possible à partir du %s.",
		"Your account has sent %s tests and challenges to this host within an hour. The next one is possible from %s.",
	},
	"limit.challenges": {
		"Ce serveur a reçu %s\u00a0vérifications en une heure, tous comptes confondus, sans y répondre. La prochaine est possible à partir du %s.",
		"This host received %s challenges within an hour, from all accounts, and answered none. The next one is possible from %s.",
	},
}
