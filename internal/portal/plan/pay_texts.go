package plan

import "github.com/palmares-hq/palmares/internal/layout"

var buyTexts = layout.Texts{
	"pay.decides.operator": {
		"L’exploitant du service vous l’a attribuée\u00a0: vous n’avez rien à payer, et aucun paiement ne la change.",
		"The operator assigned it to you: there is nothing to pay, and no payment changes it.",
	},
	"pay.decides.provider": {"Elle dépend de votre abonnement.", "It depends on your subscription."},

	"pay.buy": {"Passer à Pro", "Upgrade to Pro"},
	"pay.buy.price": {
		"99\u00a0€ HT par mois\u202f; la commande montre la TVA et le total. Sans engagement\u00a0: vous résiliez ici, en trois clics au plus.",
		"€99 a month before VAT; the order shows the VAT and the total. No commitment: cancel here, in three clicks at most.",
	},
	"pay.buy.keys": {
		"Vos clés ne changent pas. La limite du jour disparaît dès que le paiement est confirmé, le plus souvent en quelques secondes.",
		"Your keys stay the same. The daily limit is lifted as soon as the payment is confirmed, usually within seconds.",
	},
	"pay.buy.ended": {"Votre dernier abonnement s’est terminé le %s.", "Your last subscription ended on %s."},
	"pay.buy.void":  {"Sa dernière facture est annulée\u00a0: vous ne devez rien.", "Its last invoice is void: you owe nothing."},
	"pay.buy.closed": {
		"Pro n’est pas en vente en ce moment\u00a0: un réglage est à corriger de notre côté, et nous en sommes avertis.",
		"Pro is not on sale at the moment: a setting has to be corrected on our side, and we have been alerted.",
	},
	"pay.buy.begun": {
		"Vous avez commencé un paiement. Le bouton ramène à la même page de paiement, jamais à une seconde.",
		"You have started a payment. The button takes you back to the same payment page, never to a second one.",
	},
	"pay.buy.until": {
		"Votre commande attend son paiement jusqu’au %s. Sans paiement d’ici là, elle est annulée.",
		"Your order awaits payment until %s. Unless you pay by then, it is void.",
	},
	"pay.buy.begun.see": {"Voir où il en est", "Check its status"},

	"pay.country.choose": {"Choisissez un pays", "Choose a country"},

	"pay.net":         {"Prix HT", "Price before tax"},
	"pay.vat":         {"TVA", "VAT"},
	"pay.vat.rate":    {"TVA à %s", "VAT at %s"},
	"pay.vat.reverse": {"TVA (autoliquidation)", "VAT (reverse charge)"},
	"pay.vat.exempt":  {"TVA non applicable", "VAT not applicable"},
	"pay.total":       {"Total TTC", "Total"},
	"pay.month":       {"par mois", "a month"},

	"pay.why.seller": {
		"C’est le taux du pays du vendeur. Une entreprise y récupère la TVA dans sa déclaration.",
		"This is the rate in the seller’s own country. A business there reclaims the VAT in its VAT return.",
	},
	"pay.why.consumer": {"C’est le taux normal de votre pays.", "This is the standard rate in your country."},
	"pay.why.small_seller": {
		"C’est le taux du pays du vendeur\u00a0: il s’applique aux clients des autres États membres qui n’ont pas de numéro de TVA.",
		"This is the rate in the seller’s own country: it applies to customers in other member states who have no VAT number.",
	},
	"pay.why.exempt": {
		"TVA non applicable, art. 293\u00a0B du CGI\u00a0: le vendeur est en franchise de TVA, et il n’y a rien à récupérer.",
		"The seller is exempt from VAT (article 293 B of the French tax code): none is charged, and there is none to reclaim.",
	},
	"pay.why.reverse_exempt": {
		"Autoliquidation\u00a0: votre entreprise déclare elle-même la TVA dans son pays.",
		"Reverse charge: your business accounts for the VAT in its own country.",
	},
	"pay.why.reverse": {
		"Autoliquidation\u00a0: votre entreprise déclare elle-même la TVA dans son pays. Le numéro est comparé au registre européen après le paiement. S’il n’y figure pas, nous vous écrivons\u202f; sans correction sous 14\u00a0jours, vos factures suivantes portent la TVA.",
		"Reverse charge: your business accounts for the VAT in its own country. The number is compared with the European register after you pay. If it is not there we write to you; unless you correct it within 14 days, your following invoices carry VAT.",
	},
	"pay.why.outside": {
		"Hors de l’Union européenne, nous ne facturons pas de TVA. Votre pays peut avoir ses propres taxes.",
		"Outside the European Union we charge no VAT. Your country may levy its own taxes.",
	},
	"pay.rates-of": {
		"Estimation d’après les taux normaux au %s. Le montant exact s’affiche avant de payer.",
		"An estimate from the standard rates as of %s. You see the exact amount before you pay.",
	},

	"pay.problem.away": {
		"Le prestataire de paiement ne répond pas. Rien n’a été facturé ni changé\u00a0: votre offre, vos clés et vos webhooks fonctionnent. Réessayez dans quelques minutes.",
		"The payment provider is not responding. Nothing was charged or changed: your plan, your keys and your webhooks work. Try again in a few minutes.",
	},
	"pay.problem.refused": {
		"Le prestataire de paiement a refusé notre demande\u00a0: un réglage est à corriger de notre côté, et nous en sommes avertis. Rien n’a été facturé ni changé, et réessayer n’y fera rien avant la correction.",
		"The payment provider refused our request: a setting has to be corrected on our side, and we have been alerted. Nothing was charged or changed, and trying again will not help until then.",
	},
	"pay.sandbox": {
		"Mode test\u00a0: le prestataire de paiement est en bac à sable. Rien n’est réellement payé, et seuls les comptes que l’exploitant a choisis peuvent commander.",
		"Test mode: the payment provider is in a sandbox. Nothing is really paid, and only the accounts chosen by the operator can order.",
	},
	"pay.problem.price": {
		"Pro n’est pas en vente en ce moment\u00a0: le prix enregistré chez notre prestataire n’est pas celui que nous affichons, et nous préférons ne pas facturer un mauvais montant. Nous en sommes avertis.",
		"Pro is not on sale at the moment: our payment provider’s price differs from the one we show, and we would rather not charge the wrong amount. We have been alerted.",
	},
	"pay.problem.busy": {
		"Votre abonnement est déjà en cours de vérification. Attendez quelques secondes, puis réessayez.",
		"Your subscription is already being checked. Wait a few seconds, then try again.",
	},
	"pay.problem.given": {
		"L’exploitant du service vous a attribué Pro\u00a0: vous n’avez rien à payer.",
		"The operator has assigned you Pro: there is nothing to pay.",
	},
	"pay.problem.subscribed":   {"Vous avez déjà un abonnement.", "You already have a subscription."},
	"pay.problem.none":         {"Ce compte n’a pas d’abonnement. Rien n’a été fait.", "This account has no subscription. Nothing was done."},
	"pay.problem.unconfigured": {"On ne peut pas payer ici.", "You cannot pay here."},
	"pay.problem.often": {
		"Trop de demandes en une heure. Rien n’a été facturé ni changé\u202f; réessayez plus tard.",
		"Too many requests within an hour. Nothing was charged or changed; try again later.",
	},

	"leave.checkout.title": {"Vers le paiement", "Continue to payment"},
	"leave.checkout.lede": {
		"Le paiement se fait chez notre prestataire. Nous ne voyons ni votre carte ni votre compte bancaire.",
		"You pay on our payment provider’s page. We see neither your card nor your bank account.",
	},
	"leave.checkout.go":      {"Continuer vers le paiement", "Continue to payment"},
	"leave.checkout.price":   {"99\u00a0€ HT par mois.", "€99 a month before VAT."},
	"leave.checkout.next":    {"Ce qui se passe ensuite", "What happens next"},
	"leave.checkout.address": {"Vous donnez votre carte. Le montant exact s’affiche avant que vous payiez.", "You give your card. The exact amount is shown before you pay."},
	"leave.checkout.back":    {"Après le paiement, vous revenez ici. Pro s’active dès que le prestataire le confirme.", "After the payment you come back here. Pro starts as soon as the provider confirms it."},
	"leave.checkout.renews":  {"L’abonnement se renouvelle chaque mois, jusqu’à ce que vous le résiliiez.", "The subscription renews every month until you cancel it."},

	"leave.portal.title": {"Factures et moyen de paiement", "Invoices and payment method"},
	"leave.portal.lede": {
		"Vos factures et votre carte sont chez notre prestataire de paiement.",
		"Your invoices and your card are with our payment provider.",
	},
	"leave.subscribed": {
		"Vous avez déjà un abonnement\u00a0: rien de plus à payer. Ses factures et votre moyen de paiement sont chez notre prestataire.",
		"You already have a subscription: there is nothing more to pay. Its invoices and payment method are with our payment provider.",
	},
	"leave.portal.go": {"Ouvrir la page du prestataire", "Open the provider’s page"},
	"leave.back":      {"Revenir à mon offre", "Back to my plan"},
}

var subscriptionTexts = layout.Texts{
	"pay.subscription": {"Abonnement", "Subscription"},
	"pay.next":         {"Prochain paiement", "Next payment"},
	"pay.ends":         {"Fin de l’abonnement", "End of the subscription"},
	"pay.as-before":    {"Montants de la dernière facture.", "Amounts from the last invoice."},
	"pay.portal":       {"Factures et moyen de paiement", "Invoices and payment method"},
	"pay.mend":         {"Régler la facture", "Pay the invoice"},
	"pay.cancel":       {"Résilier", "Cancel"},
	"pay.resume":       {"Annuler la résiliation", "Undo the cancellation"},

	"pay.state.active":     {"Actif", "Active"},
	"pay.state.trial":      {"À l’essai", "Trial"},
	"pay.state.cancelled":  {"Résilié", "Cancelled"},
	"pay.state.cancelling": {"Résiliation enregistrée", "Cancellation recorded"},
	"pay.state.past-due":   {"Échec du paiement", "Payment failed"},
	"pay.state.unpaid":     {"Impayé", "Unpaid"},
	"pay.state.paused":     {"Suspendu", "Paused"},

	"pay.says.active": {"L’abonnement se renouvelle chaque mois.", "The subscription renews every month."},
	"pay.says.renewing": {
		"Une nouvelle période a commencé. Sa facture est en préparation\u202f; le paiement suit, en général dans l’heure.",
		"A new period has begun. Its invoice is being prepared, and the payment follows, usually within the hour.",
	},
	"pay.says.trial": {"L’essai dure jusqu’au %s\u202f; le premier paiement suit.", "The trial runs until %s; the first payment follows."},
	"pay.says.cancelling": {
		"Vous avez résilié le %s, et votre résiliation compte depuis ce moment. Notre prestataire de paiement ne répond pas encore\u00a0: nous l’en informerons dès qu’il répondra. S’il renouvelait l’abonnement d’ici là, vous seriez remboursé en entier.",
		"You cancelled on %s, and your cancellation counts from then. Our payment provider is not responding yet: we will tell it as soon as it does. If it renewed the subscription before then, you would get a full refund.",
	},
	"pay.says.cancelled": {"Vous gardez Pro jusqu’au %s. Rien ne vous sera facturé ensuite.", "You keep Pro until %s. You will not be charged after that."},
	"pay.says.past-due": {
		"Le dernier paiement a échoué. Le prestataire fera d’autres tentatives\u202f; vérifiez votre moyen de paiement.",
		"The last payment failed. The provider will try again; check your payment method.",
	},
	"pay.says.grace": {
		"Le paiement de la facture du %s a échoué. Vous gardez Pro jusqu’au %s\u00a0: d’ici là, vérifiez votre moyen de paiement. Le prestataire fera d’autres tentatives.",
		"Payment of the invoice of %s failed. You keep Pro until %s: check your payment method before then. The provider will try again.",
	},
	"pay.says.too-long": {
		"La facture du %s n’est pas payée, et Pro s’est arrêté le %s. Il reprend dès qu’elle est réglée.",
		"The invoice of %s is unpaid, and Pro stopped on %s. It resumes as soon as the invoice is paid.",
	},
	"pay.says.unpaid": {
		"Faute de paiement, Pro s’est arrêté. Vous pouvez vous abonner de nouveau\u00a0: cet abonnement prend alors fin, et sa facture ouverte est annulée.",
		"Pro has stopped, as an invoice was not paid. You can subscribe again: this subscription then ends, and its open invoice is void.",
	},
	"pay.says.overdue": {
		"La facture du %s n’est pas payée, alors que l’abonnement est actif. Nous en sommes avertis. Sans paiement, Pro s’arrête le %s.",
		"The invoice of %s is unpaid although the subscription is active. We have been alerted. Without a payment, Pro stops on %s.",
	},
	"pay.says.waiting": {
		"Le premier paiement est en cours. Pro s’active dès qu’il arrive.",
		"The first payment is under way. Pro starts as soon as it arrives.",
	},
	"pay.state.waiting": {"Paiement en cours", "Payment under way"},
	"pay.says.paused": {
		"L’abonnement est suspendu\u00a0: rien n’est facturé, et le compte a l’offre Développeur.",
		"The subscription is paused: nothing is charged, and the account is on the Developer plan.",
	},

	"done.plan-resumed": {"La résiliation est annulée\u00a0: l’abonnement continue.", "The cancellation is undone: the subscription continues."},
	"done.keys-kept":    {"Votre choix de clés est enregistré.", "Your choice of keys is saved."},
}

var cancelTexts = layout.Texts{
	"plan-cancel.title": {"Résilier Pro", "Cancel Pro"},
	"plan-cancel.lede": {
		"Vous gardez Pro jusqu’au %s, et vous pouvez changer d’avis d’ici là. Rien ne vous sera facturé ensuite.",
		"You keep Pro until %s, and you can change your mind until then. You will not be charged after that.",
	},
	"plan-cancel.lede.developer": {
		"L’abonnement se termine le %s, et rien ne vous sera facturé ensuite. Vous pouvez changer d’avis d’ici là.",
		"The subscription ends on %s, and you will not be charged after that. You can change your mind until then.",
	},
	"plan-cancel.lede.failing": {
		"Le dernier paiement a échoué\u00a0: rien n’a été payé pour la période en cours. L’abonnement prend fin tout de suite, sa facture ouverte est annulée et vous ne devez rien.",
		"The last payment failed: nothing was paid for the current period. The subscription ends at once, its open invoice is void and you owe nothing.",
	},
	"plan-cancel.draft": {
		"La facture de la période en cours est en préparation, et sera encore débitée.",
		"The invoice of the current period is being prepared, and will still be charged.",
	},
	"plan-cancel.now":          {"Aussitôt", "At once"},
	"plan-cancel.back.failing": {"Ne pas résilier", "Do not cancel"},
	"done.plan-ended": {
		"L’abonnement est résilié et terminé. Rien n’a été payé pour la période en cours, et vous ne devez rien.",
		"The subscription is cancelled and over. Nothing was paid for the current period, and you owe nothing.",
	},
	"plan-cancel.then": {"Ce jour-là", "On that day"},
	"plan-cancel.developer": {
		"Votre compte revient à l’offre Développeur\u00a0: %s requêtes par jour et %s clés. Rien n’est effacé, et tout reprend au retour à Pro.",
		"Your account goes back to the Developer plan: %s requests a day and %s keys. Nothing is erased, and everything resumes when you are back on Pro.",
	},
	"plan-cancel.do":   {"Confirmer la résiliation", "Confirm the cancellation"},
	"plan-cancel.back": {"Garder Pro", "Keep Pro"},
	"done.plan-cancelling": {
		"Votre résiliation est enregistrée.", "Your cancellation is recorded.",
	},
	"done.plan-cancelled": {"L’abonnement est résilié. Vous gardez Pro jusqu’à la date ci-dessous.", "The subscription is cancelled. You keep Pro until the date below."},

	"pin.title":     {"Ce qui se mettra en sommeil", "What will become dormant"},
	"pin.title.now": {"En sommeil", "Dormant"},
	"pin.keys": {
		"%s de vos %s clés restent actives, celles que vous cochez. Les autres se mettent en sommeil\u00a0: l’API leur répond 401 et dit pourquoi.",
		"%s of your %s keys stay active, those you tick. The others become dormant: the API answers them 401 and says why.",
	},
	"pin.keys.now": {
		"%s de vos %s clés sont actives, celles qui sont cochées. Les autres sont en sommeil\u00a0: l’API leur répond 401 et dit pourquoi.",
		"%s of your %s keys are active, those that are ticked. The others are dormant: the API answers them 401 and says why.",
	},
	"pin.legend": {"Clés qui restent actives", "Keys that stay active"},
	"pin.used":   {"dernier appel\u00a0: %s", "last call: %s"},
	"pin.save":   {"Enregistrer ce choix", "Save this choice"},
	"pin.error":  {"Cochez %s clés au plus.", "Tick %s keys at most."},
	"pin.endpoints": {
		"Ce webhook sera suspendu, faute d’offre Pro. Il reprendra dès le retour à Pro.|Ces %s webhooks seront suspendus, faute d’offre Pro. Ils reprendront dès le retour à Pro.",
		"This endpoint will be suspended, because webhooks are part of the Pro plan. It resumes as soon as you are back on Pro.|These %s endpoints will be suspended, because webhooks are part of the Pro plan. They resume as soon as you are back on Pro.",
	},
}

var paymentTexts = layout.Texts{
	"plan-payment.title": {"Paiement", "Payment"},
	"plan-payment.pro": {
		"C’est fait\u00a0: votre compte a l’offre Pro. Vos clés n’ont plus de limite par jour.",
		"Done: your account is on the Pro plan. Your keys no longer have a daily limit.",
	},
	"plan-payment.pro.plan": {"Voir mon offre", "See my plan"},
	"plan-payment.pro.keys": {"Voir mes clés", "See my keys"},
	"plan-payment.waiting": {
		"Nous attendons la confirmation du prestataire de paiement. Cela prend le plus souvent quelques secondes\u202f; cette page se met à jour d’elle-même.",
		"We are waiting for the payment provider to confirm. It usually takes a few seconds; this page refreshes itself.",
	},
	"plan-payment.slow": {
		"La confirmation n’est pas encore là. Vous pouvez fermer cette page\u00a0: Pro s’activera de lui-même dès qu’elle arrivera, et vous ne paierez pas deux fois.",
		"The confirmation has not arrived yet. You can close this page: Pro starts by itself as soon as it does, and you will not pay twice.",
	},
	"plan-payment.look": {"Interroger le prestataire", "Ask the provider"},
	"plan-payment.unpaid": {
		"Vous n’avez pas encore payé\u202f? Vous pouvez rouvrir la page de paiement depuis la page Offre.",
		"Not paid yet? You can reopen the payment page from the Plan page.",
	},
	"plan-payment.none": {
		"Aucun paiement n’est en attente pour ce compte.",
		"No payment is pending for this account.",
	},
	"done.payment-looked": {"Nous venons de l’interroger\u00a0: le prestataire n’a encore rien confirmé.", "We have just asked: the provider has confirmed nothing yet."},
}
