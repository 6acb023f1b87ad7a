package mail

import "github.com/palmares-hq/palmares/internal/locale"

// texts are the texts of all messages.
var texts = locale.Join(commonTexts, signInTexts, addressTexts, usageTexts, reportTexts, disabledTexts, reasonTexts, proTexts,
	unpaidTexts, endedTexts, refundedTexts, documentTexts, differenceTexts, vatTexts, deletedTexts, digestTexts)

var commonTexts = locale.Texts{
	"mail.hello": {"Bonjour,", "Hello,"},
	"mail.colon": {"\u00a0:", ":"}, // after the name of a fact
	"mail.time":  {"%s\u00a0à\u00a0%s", "%s, %s"},
}

var signInTexts = locale.Texts{
	"sign-in.subject": {"%s\u00a0: votre lien de connexion", "Your sign-in link for %s"},
	"sign-in.open": {
		"Pour vous connecter, ouvrez ce lien dans le navigateur où vous l’avez demandé\u00a0:",
		"To sign in, open this link in the browser where you asked for it:",
	},
	"sign-in.button": {"Me connecter", "Sign in"},

	"sign-in.code.use": {
		"Vous lisez ce message sur un autre appareil\u202f? Saisissez ce code dans la page où vous avez indiqué " +
			"votre adresse\u00a0:",
		"Reading this on another device? Type this code into the page where you gave your address:",
	},
	"sign-in.code.until": {
		"Le lien et le code ne servent qu’une fois, et dans les dix minutes\u00a0: jusqu’à %s.",
		"The link and the code work once, within ten minutes: until %s.",
	},
	"sign-in.code.last": {
		"Le lien et le code ne servent qu’une fois, jusqu’à %s. Cinq messages vous ont été envoyés en une " +
			"heure\u00a0: d’ici là, c’est le dernier, et il fonctionne dans tout navigateur où vous demandez à vous connecter.",
		"The link and the code work once, until %s. Five messages were sent to you within an hour: until then, " +
			"this is the last, and it works in any browser where you ask to sign in.",
	},
	"sign-in.code.not-you": {
		"Si vous n’avez rien demandé, ignorez ce message\u00a0: il ne se passera rien. Ne communiquez ce code à " +
			"personne.",
		"If you did not ask for it, ignore this message and nothing will happen. Do not share the code with anyone.",
	},

	"sign-in.link.use": {
		"Ce message n’a pas de code\u00a0: dix codes faux ont été saisis pour votre adresse en un jour. " +
			"Jusqu’à demain, on ne se connecte que par lien.",
		"This message has no code: ten wrong codes were entered for your address within a day. Until tomorrow, " +
			"you can only sign in by link.",
	},
	"sign-in.link.until": {
		"Le lien ne sert qu’une fois, et dans les dix minutes\u00a0: jusqu’à %s.",
		"The link works once, within ten minutes: until %s.",
	},
	"sign-in.link.last": {
		"Le lien ne sert qu’une fois, jusqu’à %s. Cinq messages vous ont été envoyés en une heure\u00a0: d’ici là, " +
			"c’est le dernier, et il fonctionne dans tout navigateur où vous demandez à vous connecter.",
		"The link works once, until %s. Five messages were sent to you within an hour: until then, this is the " +
			"last, and it works in any browser where you ask to sign in.",
	},
	"sign-in.link.not-you": {
		"Si vous n’avez rien demandé, ignorez ce message\u00a0: il ne se passera rien. Ne communiquez ce lien à " +
			"personne.",
		"If you did not ask for it, ignore this message and nothing will happen. Do not share the link with anyone.",
	},
}

var addressTexts = locale.Texts{
	"address.old-subject": {"Changement d’adresse de votre compte", "Changing your account’s address"},
	"address.old-asked": {
		"Vous avez demandé à changer l’adresse de votre compte %s\u00a0:",
		"You asked to change the address of your %s account:",
	},
	"address.new": {"Nouvelle adresse", "New address"},
	"address.old-open": {
		"Pour donner votre accord, ouvrez ce lien\u00a0:",
		"If that is what you want, open this link:",
	},
	"address.old-confirm": {"Confirmer le changement", "Confirm the change"},
	"address.old-both": {
		"La nouvelle adresse reçoit un message comme celui-ci. Le changement a lieu quand les deux ont confirmé. " +
			"Le lien est valable 24\u00a0heures\u00a0: jusqu’au %s.",
		"The new address gets a message like this one. The change is made once both have confirmed it. The link " +
			"works for 24 hours: until %s.",
	},
	"address.old-not-you": {
		"Si vous n’avez rien demandé, n’ouvrez pas ce lien\u00a0: rien ne changera. Mais quelqu’un a accès à " +
			"votre compte\u00a0: fermez-en les sessions, page Compte.",
		"If you did not ask for it, do not open the link, and nothing will change. But someone has access to " +
			"your account: end its sessions on the Account page.",
	},

	"address.new-subject": {"Confirmez votre nouvelle adresse", "Confirm your new address"},
	"address.new-asked": {
		"Cette adresse a été indiquée comme nouvelle adresse d’un compte %s. Si ce compte est le vôtre, ouvrez ce " +
			"lien\u00a0:",
		"This address was given as the new address of a %s account. If the account is yours, open this link:",
	},
	"address.new-confirm": {"Confirmer cette adresse", "Confirm this address"},
	"address.new-both": {
		"L’ancienne adresse reçoit un message comme celui-ci. Le changement a lieu quand les deux ont confirmé. " +
			"Le lien est valable 24\u00a0heures\u00a0: jusqu’au %s.",
		"The old address gets a message like this one. The change is made once both have confirmed it. The link " +
			"works for 24 hours: until %s.",
	},
	"address.new-not-you": {
		"Si ce compte n’est pas le vôtre, ignorez ce message\u00a0: rien ne changera.",
		"If the account is not yours, ignore this message and nothing will change.",
	},
}

var reportTexts = locale.Texts{
	"report.subject":    {"Signalements d’erreurs\u00a0: %s", "Reports of errors: %s"},
	"report.came":       {"%s signalement est arrivé.|%s signalements sont arrivés.", "%s report has come in.|%s reports have come in."},
	"report.number":     {"N°\u00a0%s", "No.\u00a0%s"},
	"report.line":       {"%s, %s", "%s, %s"},
	"report.wanted":     {"%s\u202f; une réponse est demandée", "%s; reply requested"},
	"report.price":      {"le prix", "the price"},
	"report.score":      {"la note", "the score"},
	"report.domain":     {"le site", "the website"},
	"report.retired_at": {"la date du retrait", "the date of the retirement"},
	"report.other":      {"autre chose", "something else"},
	"report.more":       {"Et %s autre.|Et %s autres.", "And %s more.|And %s more."},
	"report.how": {
		"Pour les lire\u00a0: palmares reports list, puis palmares reports show et le numéro. Ce message ne reprend rien de ce que les visiteurs ont écrit.",
		"To read them: palmares reports list, then palmares reports show with the number. This message repeats nothing that visitors wrote.",
	},
	"report.often": {
		"Ce message est envoyé une fois par heure au plus, et seulement s’il y a du nouveau.",
		"This message is sent once an hour at most, and only when there is something new.",
	},
	"report.answer-subject": {"Réponse à votre signalement", "Reply to your report"},
	"report.answer": {
		"Vous avez signalé une erreur à %s et demandé une réponse. La voici.",
		"You reported an error to %s and asked for an answer. Here it is.",
	},
	"report.tool": {"Voir la page de l’outil", "See the tool’s page"},
	"report.once": {
		"Votre adresse n’est plus enregistrée\u00a0: ce message est le seul que vous recevrez.",
		"Your address is no longer stored: this is the only message you will get.",
	},
}

var usageTexts = locale.Texts{
	"usage.near-subject": {"%s de vos requêtes du jour utilisées", "%s of today’s requests used"},
	"usage.near": {
		"Votre compte %s a utilisé %s de ses requêtes du jour.",
		"Your %s account has used %s of today’s requests.",
	},
	"usage.near-advice": {
		"Au-delà du quota, l’API répond 429 jusqu’à la remise à zéro. Une requête dont la réponse est 304 " +
			"(If-None-Match) n’est pas comptée\u00a0: conservez les ETag, vous en économiserez beaucoup.",
		"Beyond the quota, the API returns 429 until the quota resets. A request answered with 304 " +
			"(If-None-Match) does not count: keep the ETags to save many.",
	},
	"usage.full-subject": {"Quota du jour atteint", "Daily quota reached"},
	"usage.full": {
		"Votre compte %s a utilisé toutes ses requêtes du jour.",
		"Your %s account has used all of today’s requests.",
	},
	"usage.full-advice": {
		"Jusqu’à la remise à zéro, l’API répond 429 à ses clés. Une requête dont la réponse est 304 " +
			"(If-None-Match) n’est pas comptée\u00a0: conservez les ETag, vous en économiserez beaucoup.",
		"Until the quota resets, the API returns 429 to its keys. A request answered with 304 " +
			"(If-None-Match) does not count: keep the ETags to save many.",
	},
	"usage.requests": {"Requêtes", "Requests"},
	"usage.of":       {"%s sur %s", "%s of %s"},
	"usage.resets":   {"Remise à zéro", "Resets"},
	"usage.at":       {"le %s", "%s"},
	"usage.details":  {"Le détail, par jour et par clé\u00a0:", "The details, by day and by key:"},
	"usage.button":   {"Voir ma consommation", "See my usage"},
	"usage.how-often": {
		"Vous recevez ce message une fois par jour au plus pour chaque seuil. Pour ne plus en recevoir\u00a0:",
		"You get this message at most once a day for each threshold. To stop these messages:",
	},
	"usage.unsubscribe": {"désactiver ces messages", "switch these messages off"},
}

var disabledTexts = locale.Texts{
	"disabled.subject": {"Votre webhook est en pause", "Your webhook endpoint is paused"},
	"disabled.subject-host": {
		"Votre webhook vers %s est en pause",
		"Your webhook endpoint at %s is paused",
	},
	"disabled.what": {
		"L’un de vos webhooks vient d’être mis en pause.",
		"One of your webhook endpoints has just been paused.",
	},
	"disabled.endpoint":  {"Webhook", "Endpoint"},
	"disabled.url":       {"URL", "URL"},
	"disabled.reason":    {"Motif", "Reason"},
	"disabled.not-known": {"inconnu", "unknown"},
	"disabled.nothing-delivered": {
		"Il ne reçoit plus rien tant qu’il n’est pas relancé. Les événements qui n’ont pas été livrés peuvent " +
			"être rejoués pendant 30\u00a0jours.",
		"Nothing is delivered to it until it is resumed. Events that were not delivered can be replayed " +
			"for 30 days.",
	},
	"disabled.enable": {
		"Pour en recevoir à nouveau, corrigez le récepteur, puis relancez le webhook\u00a0:",
		"To receive events again, fix the receiver, then resume the endpoint:",
	},
	"disabled.answer": {
		"Pour en recevoir à nouveau, corrigez le récepteur, puis répondez à ce message\u00a0: l’exploitant du " +
			"service relancera le webhook.",
		"To receive events again, fix the receiver, then reply to this message: the operator will " +
			"resume the endpoint.",
	},
	"disabled.button": {"Voir ce webhook", "See this endpoint"},
	"disabled.unused": {
		"S’il ne vous sert plus, il n’y a rien à faire.",
		"If you no longer need it, there is nothing to do.",
	},
}

// reasonTexts say why an endpoint was disabled, by the code of the reason. The last ones are for an endpoint
// that was enabled again before its owner was told.
var reasonTexts = locale.Texts{
	"reason.all_failed": {
		"toutes les tentatives échouent depuis le %s",
		"every attempt has failed since %s",
	},
	"reason.answered_gone": {
		"le récepteur a répondu 410 Gone le %s",
		"the receiver answered 410 Gone at %s",
	},
	"reason.in_words":          {"%s", "%s"},
	"reason.disabled_by_owner": {"mis en pause par son propriétaire", "paused by its owner"},
	"reason.not_verified": {
		"il n’a pas encore répondu à sa vérification",
		"it has not answered its challenge yet",
	},
	"reason.not_pro": {
		"le compte n’a plus l’offre Pro\u00a0: les webhooks sont suspendus",
		"the account is no longer on the Pro plan: webhooks are suspended",
	},
	"reason.secret_unreadable": {
		"son secret ne peut plus être déchiffré\u00a0: renouvelez-le\u202f; ce qui est publié d’ici là attend",
		"its secret can no longer be decrypted: rotate it; what is published in the meantime waits",
	},
}

var proTexts = locale.Texts{
	"order.confirms": {
		"Ce message confirme votre commande. Conservez-le, avec les textes joints.",
		"This message confirms your order. Please keep it, with the texts attached.",
	},
	"order.seller":        {"Vendeur", "Seller"},
	"order.seller.says":   {"l’exploitant de %s, dont les mentions légales sont jointes", "the operator of %s, whose legal notice is attached"},
	"order.buyer":         {"Client", "Customer"},
	"order.address":       {"Adresse de facturation", "Billing address"},
	"order.invoices":      {"Adresse e-mail pour les factures", "E-mail address for invoices"},
	"order.reference":     {"Bon de commande", "Purchase order"},
	"order.id":            {"Commande", "Order"},
	"order.date":          {"Date", "Date"},
	"order.what":          {"Objet", "Subject"},
	"order.what.says":     {"offre Pro, pour les besoins d’une activité professionnelle", "Pro plan, for the purposes of a trade, business or profession"},
	"order.net":           {"Prix HT par mois", "Price a month before tax"},
	"order.tax":           {"TVA", "VAT"},
	"order.tax.reverse":   {"TVA (autoliquidation)", "VAT (reverse charge)"},
	"order.total":         {"Total TTC par mois", "Total a month"},
	"order.term":          {"Durée", "Term"},
	"order.term.says":     {"indéterminée, par périodes d’un mois payées d’avance", "indefinite, in periods of a month paid in advance"},
	"order.cancel":        {"Vous résiliez en ligne, à tout moment, en trois clics au plus. L’offre court alors jusqu’à la fin du mois payé.", "You can cancel online at any time, in three clicks at most. The plan then runs to the end of the month you paid for."},
	"order.cancel.button": {"Résilier votre contrat", "Cancel your contract"},
	"order.attached":      {"Les conditions jointes sont celles que vous avez acceptées. Chaque facture vous est envoyée par e-mail une fois payée, et reste sur la page de votre offre.", "The attached terms are those you accepted. Each invoice is e-mailed to you once it is paid, and stays on the page of your plan."},
	"order.file.terms":    {"conditions.txt", "terms.txt"},
	"order.file.legal":    {"mentions-legales.txt", "legal-notice.txt"},

	"pro.plan": {"Voir mon offre", "See my plan"},

	"welcome.subject": {"Votre compte passe à Pro", "Your account is on Pro"},
	"welcome.thanks": {
		"Merci\u202f! Votre compte %s a maintenant l’offre Pro. Vos clés restent les mêmes, et elles n’ont " +
			"plus de limite quotidienne.",
		"Thank you! Your %s account is now on the Pro plan. Your keys stay the same, and they no longer " +
			"have a daily limit.",
	},
	"welcome.requests":  {"Requêtes", "Requests"},
	"welcome.no-limit":  {"sans limite", "no limit"},
	"welcome.keys":      {"Clés", "Keys"},
	"welcome.endpoints": {"Webhooks", "Webhook endpoints"},
	"welcome.up-to":     {"%s au plus", "up to %s"},
	"welcome.resume": {
		"Les clés en sommeil et les webhooks suspendus fonctionnent de nouveau. Factures, moyen de paiement " +
			"et résiliation sont au même endroit\u00a0:",
		"Dormant keys and suspended endpoints work again. Invoices, payment method and cancellation are all in " +
			"one place:",
	},
	"welcome.renews": {
		"L’abonnement se renouvelle chaque mois. Vous pouvez le résilier en ligne, quand vous voulez.",
		"The subscription renews every month. You can cancel it online whenever you like.",
	},

	"cancelled.subject": {"Votre résiliation est enregistrée", "Your cancellation is confirmed"},
	"cancelled.until": {
		"L’abonnement Pro de votre compte %s est résilié. Vous gardez Pro jusqu’à la fin de la période en " +
			"cours, et rien ne vous sera facturé ensuite.",
		"The Pro subscription of your %s account is cancelled. You keep Pro until the end of the current " +
			"period, and you will not be charged after that.",
	},
	"cancelled.ends": {"Fin de Pro", "Pro ends"},
	"cancelled.at":   {"le %s", "%s"},
	"cancelled.then": {
		"Ce jour-là, votre compte revient à l’offre Développeur\u00a0: trois clés restent actives, les autres se " +
			"mettent en sommeil et les webhooks sont suspendus. Rien n’est effacé. D’ici là, vous pouvez choisir " +
			"les trois clés, ou annuler la résiliation\u00a0:",
		"On that day your account goes back to the Developer plan: three keys stay active, the others become " +
			"dormant and webhooks are suspended. Nothing is erased. Until then you can choose the three keys, or undo " +
			"the cancellation:",
	},
	"cancelled.not-you": {
		"Si vous n’y êtes pour rien, annulez la résiliation et fermez les sessions que vous ne connaissez pas.",
		"If this was not you, undo the cancellation and end the sessions you do not recognise.",
	},

	"resumed.subject": {"Votre résiliation est annulée", "Your cancellation is undone"},
	"resumed.what": {
		"La résiliation de l’abonnement Pro de votre compte %s est annulée. Il continue et se renouvelle chaque mois, jusqu’à " +
			"ce que vous le résiliiez.",
		"The cancellation of the Pro subscription of your %s account is undone. It goes on and renews every month until you " +
			"cancel it.",
	},
	"resumed.next": {"Prochain paiement", "Next payment"},
	"resumed.not-you": {
		"Si vous n’y êtes pour rien, résiliez de nouveau et fermez les sessions que vous ne connaissez pas.",
		"If this was not you, cancel again and end the sessions you do not recognise.",
	},
}

var unpaidTexts = locale.Texts{
	"unpaid.first.subject": {
		"Le paiement de votre abonnement Pro a échoué",
		"The payment for your Pro subscription failed",
	},
	"unpaid.first.what": {
		"Le paiement de votre abonnement Pro n’est pas passé. Rien ne change pour le moment\u00a0: votre compte " +
			"garde Pro pendant sept jours.",
		"The payment for your Pro subscription did not go through. Nothing changes for now: your account keeps " +
			"Pro for seven days.",
	},
	"unpaid.still.subject": {
		"Votre abonnement Pro n’est toujours pas payé",
		"Your Pro subscription is still unpaid",
	},
	"unpaid.still.what": {
		"Votre dernière facture n’est toujours pas payée. Votre compte garde Pro quelques jours encore.",
		"Your last invoice is still unpaid. Your account keeps Pro for a few more days.",
	},
	"unpaid.last.subject": {
		"Dernier rappel\u00a0: votre abonnement Pro n’est pas payé",
		"Last reminder: your Pro subscription is unpaid",
	},
	"unpaid.last.what": {
		"Votre dernière facture n’est toujours pas payée. C’est notre dernier rappel avant l’arrêt de Pro.",
		"Your last invoice is still unpaid. This is our last reminder before Pro stops.",
	},
	"unpaid.until": {"Pro reste actif jusqu’au", "Pro stays active until"},
	"unpaid.causes": {
		"Le prestataire de paiement fera d’autres tentatives. Le plus souvent, la cause est une carte expirée, un " +
			"plafond ou une confirmation que la banque attend. Pour vérifier le moyen de paiement ou payer la " +
			"facture\u00a0:",
		"The payment provider will try again. Most often the cause is an expired card, a limit, or a " +
			"confirmation the bank is waiting for. To check your payment method or pay the invoice:",
	},
	"unpaid.button": {"Régler la facture", "Pay the invoice"},
	"unpaid.otherwise": {
		"Sans paiement d’ici là, votre compte %s revient à l’offre Développeur\u00a0: trois clés restent actives, " +
			"les autres se mettent en sommeil et les webhooks sont suspendus. Rien n’est effacé, et tout reprend " +
			"dès que la facture est payée.",
		"Without a payment by then, your %s account goes back to the Developer plan: three keys stay active, the " +
			"others become dormant and webhooks are suspended. Nothing is erased, and everything resumes as soon as the " +
			"invoice is paid.",
	},
}

var endedTexts = locale.Texts{
	"ended.subject": {
		"Votre compte revient à l’offre Développeur",
		"Your account is back on the Developer plan",
	},
	"ended.over": {
		"L’abonnement Pro de votre compte %s est terminé. Vous revenez à l’offre Développeur\u00a0: mille " +
			"requêtes par jour et trois clés.",
		"The Pro subscription of your %s account has ended. You are back on the Developer plan: a thousand " +
			"requests a day and three keys.",
	},
	"ended.unpaid": {
		"Faute de paiement, votre compte %s n’a plus l’offre Pro. Vous revenez à l’offre Développeur\u00a0: mille " +
			"requêtes par jour et trois clés.",
		"Your %s account is no longer on the Pro plan, as its invoice was not paid. You are back on the Developer " +
			"plan: a thousand requests a day and three keys.",
	},
	"ended.void": {
		"L’abonnement Pro de votre compte %s est résilié. Le dernier paiement avait échoué\u00a0: rien n’a été payé " +
			"pour la période en cours, sa facture est annulée et vous ne devez rien. Vous revenez à l’offre " +
			"Développeur\u00a0: mille requêtes par jour et trois clés.",
		"The Pro subscription of your %s account is cancelled. The last payment had failed: nothing was paid for the " +
			"current period, its invoice is void and you owe nothing. You are back on the Developer plan: a thousand " +
			"requests a day and three keys.",
	},
	"ended.key":      {"Clé en sommeil", "Dormant key"},
	"ended.endpoint": {"Webhook suspendu", "Suspended endpoint"},
	"ended.choose": {
		"Rien n’est effacé, et tout reprend au retour à Pro. Vous pouvez aussi choisir les trois clés qui " +
			"restent actives\u00a0:",
		"Nothing is erased, and everything resumes when you are back on Pro. You can also choose the three keys that stay active:",
	},
	"ended.refused": {
		"Une clé en sommeil reçoit une erreur 401 qui en donne la raison.",
		"A dormant key gets a 401 error that says why.",
	},
}

var deletedTexts = locale.Texts{
	"deleted.subject": {"Votre compte est supprimé", "Your account is deleted"},
	"deleted.what": {
		"Votre compte %s est supprimé. Ses clés ne sont plus acceptées, ses sessions sont fermées, et plus rien " +
			"n’est envoyé à ses webhooks, qui sont effacés.",
		"Your %s account is deleted. Its keys are refused, its sessions have ended, and its webhook endpoints are " +
			"erased: nothing more is delivered to them.",
	},
	"deleted.remains": {
		"Votre adresse est effacée dès que ce message est parti. Il reste un compte sans adresse\u00a0: son " +
			"identifiant, sa date de création, l’empreinte de ses clés révoquées, pour qu’aucune ne soit réutilisée, et " +
			"le nombre de ses requêtes par jour.",
		"Your address is erased as soon as this message has been sent. What remains is an account without an address: " +
			"its id, the day it was created, the fingerprints of its revoked keys, so that none is ever used " +
			"again, and how many requests it made each day.",
	},
	"deleted.order": {
		"Votre commande de Pro est conservée onze ans, avec les textes que vous avez acceptés et sans votre adresse e-mail. " +
			"L’exploitant conserve vos factures et vos avoirs dix ans à compter de la clôture de l’exercice, comme la loi l’y oblige " +
			"(article L.\u00a0123-22 du code de commerce). Chez notre prestataire de paiement, votre carte est effacée, puis votre fiche de " +
			"client dès que plus rien n’est à payer ni à rembourser.",
		"Your order of Pro is kept for eleven years, with the texts you accepted and without your e-mail address. The operator " +
			"keeps your invoices and credit notes for ten years from the close of the financial year, as the law requires (article " +
			"L.\u00a0123-22 of the French commercial code). At our payment provider your card is erased, and then your customer " +
			"record as soon as nothing is left to pay or to refund.",
	},
	"deleted.again": {
		"La même adresse peut ouvrir un nouveau compte quand vous le voulez.",
		"You can open a new account with the same address whenever you like.",
	},
	"deleted.not-you": {
		"Si vous n’y êtes pour rien, répondez à ce message. La suppression, elle, est définitive.",
		"If this was not you, reply to this message. The deletion itself is final.",
	},
}

var refundedTexts = locale.Texts{
	"refunded.subject": {"Votre paiement est remboursé", "Your payment is refunded"},
	"refunded.deleted": {
		"Un paiement pour Pro est arrivé après la suppression de votre compte %s. L’abonnement est terminé, et " +
			"le paiement vous est remboursé en entier.",
		"A payment for Pro arrived after your %s account was deleted. The subscription is over, and the payment is " +
			"refunded in full.",
	},
	"refunded.given": {
		"Un paiement pour Pro est arrivé alors que l’exploitant avait déjà attribué Pro à votre compte %s. " +
			"L’abonnement est terminé, le paiement vous est remboursé en entier, et vous gardez Pro.",
		"A payment for Pro arrived after the operator had assigned Pro to your %s account. The subscription is over, " +
			"the payment is refunded in full, and you keep Pro.",
	},
	"refunded.ended": {
		"Un paiement pour Pro est arrivé alors que l’abonnement de votre compte %s était déjà terminé. Il n’ouvre aucun " +
			"droit, il vous est remboursé en entier, et vous ne devez rien.",
		"A payment for Pro arrived after the subscription of your %s account had ended. It gives you nothing, so it is " +
			"refunded in full, and you owe nothing.",
	},
	"refunded.cancelled": {
		"Vous aviez résilié l’abonnement de votre compte %s, et il s’est renouvelé avant que notre prestataire de paiement " +
			"en soit informé. Votre résiliation compte depuis que vous l’avez confirmée\u00a0: l’abonnement est terminé, et le " +
			"paiement vous est remboursé en entier.",
		"You had cancelled the subscription of your %s account, and it renewed before our payment provider could be told. " +
			"Your cancellation counts from when you confirmed it: the subscription is over, and the payment is refunded in full.",
	},
	"refunded.difference": {
		"La première facture de votre abonnement %s dépassait votre commande. La différence vous est remboursée.",
		"The first invoice of your %s subscription was for more than you ordered. The difference is refunded.",
	},
	"refunded.amount":  {"Montant remboursé", "Refunded amount"},
	"refunded.invoice": {"Facture", "Invoice"},
	"refunded.when": {
		"Selon votre banque, le remboursement apparaît sur votre relevé sous cinq à dix jours ouvrés.",
		"Depending on your bank, the refund shows on your statement within five to ten business days.",
	},
}
