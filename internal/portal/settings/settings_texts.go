package settings

import "github.com/palmares-hq/palmares/internal/layout"

// Texts returns the texts of the settings, and of the pages that mails link to.
func Texts() layout.Texts {
	return layout.Join(accountTexts, sessionTexts, addressTexts, deletionTexts, activityTexts, unsubscribeTexts)
}

var accountTexts = layout.Texts{
	"settings.title": {"Compte", "Account"},

	"settings.preferences": {"Préférences", "Preferences"},
	"settings.language":    {"Langue des pages et des e-mails", "Language of pages and e-mails"},
	"settings.language.fr": {"Français", "Français"},
	"settings.language.en": {"English", "English"},
	"settings.mails":       {"E-mails que vous recevez", "E-mail notifications"},
	"settings.mail-usage": {
		"Quand j’atteins 80\u00a0% et 100\u00a0% de mon quota du jour",
		"When I reach 80% and 100% of my daily quota",
	},
	"settings.mail-endpoints": {
		"Quand l’un de mes webhooks est mis en pause après des échecs",
		"When one of my webhook endpoints is paused after failures",
	},
	"settings.mails.always": {
		"Les e-mails de connexion, de changement d’adresse, d’abonnement et de suppression partent toujours.",
		"E-mails about signing in, a change of address, a subscription or a deletion are always sent.",
	},
	"settings.save": {"Enregistrer", "Save"},

	"settings.export": {"Exporter", "Export"},
	"settings.export.what": {
		"Tout ce que nous gardons de ce compte, dans un fichier JSON\u00a0: réglages, clés et webhooks sans leurs secrets, sessions, activité.",
		"Everything we hold about this account, in one JSON file: settings, keys and webhooks without their secrets, sessions, activity.",
	},
	"settings.export.usage": {"Le nombre de requêtes s’obtient en CSV, page Consommation.", "Request counts: CSV, on the Usage page."},
	"settings.export.do":    {"Exporter mes données", "Export my data"},
	"settings.export.file":  {"compte-%s.json", "account-%s.json"},

	"settings.error.language": {"La langue est le français ou l’anglais.", "The language is French or English."},
	"done.preferences-saved":  {"Vos préférences sont enregistrées.", "Your preferences are saved."},
}

var sessionTexts = layout.Texts{
	"settings.sessions":         {"Sessions", "Sessions"},
	"settings.sessions.browser": {"Navigateur", "Browser"},
	"settings.sessions.unknown": {"Navigateur inconnu", "Unknown browser"},
	"settings.sessions.this":    {"celle-ci", "this one"},
	"settings.sessions.since":   {"Ouverte le", "Signed in on"},
	"settings.sessions.seen":    {"Dernière activité le", "Last active on"},
	"settings.sessions.actions": {"Actions", "Actions"},
	"settings.sessions.end":     {"Fermer", "End"},
	"settings.sessions.end-of":  {"la session %s du %s", "the %s session of %s"},
	"settings.sessions.others":  {"Fermer l’autre session|Fermer les %s autres", "End the other session|End the other %s"},
	"settings.sessions.all":     {"Se déconnecter partout", "Sign out everywhere"},

	"done.session-ended":         {"La session est fermée.", "The session has ended."},
	"done.others-ended":          {"Les autres sessions sont fermées.", "The other sessions have ended."},
	"done.signed-out-everywhere": {"Toutes vos sessions sont fermées.", "You are signed out everywhere."},
}

var addressTexts = layout.Texts{
	"settings.address": {"Adresse", "Address"},
	"settings.address.use": {
		"Elle sert à vous connecter et reçoit nos e-mails.", "You sign in with it, and we write to it.",
	},
	"settings.address.change": {"Changer d’adresse", "Change the address"},
	"settings.address.new":    {"Nouvelle adresse e-mail", "New e-mail address"},
	"settings.address.how": {
		"Un lien part vers l’ancienne adresse et vers la nouvelle. Le changement a lieu quand les deux ont confirmé, dans les 24\u00a0heures.",
		"A link goes to the old address and to the new one. The change is made when both have confirmed, within 24 hours.",
	},
	"settings.address.send": {"Envoyer les deux liens", "Send both links"},
	"settings.address.lost-html": {
		"Vous n’avez plus accès à l’ancienne adresse\u202f? Écrivez à <a href=\"mailto:%s\">%s</a>, qui peut la changer.",
		`Lost access to the old address? Write to <a href="mailto:%s">%s</a>, who can change it.`,
	},
	"settings.address.lost.page-html": {
		"Vous n’avez plus accès à l’ancienne adresse\u202f? <a href=\"%s\">L’exploitant</a> peut la changer.",
		`Lost access to the old address? <a href="%s">The operator</a> can change it.`,
	},
	"settings.address.lost": {
		"Vous n’avez plus accès à l’ancienne adresse\u202f? L’exploitant du service peut la changer.",
		"Lost access to the old address? The operator can change it.",
	},
	"settings.address.no-mail": {
		"Ce service n’envoie pas d’e-mail\u00a0: seul son exploitant peut changer l’adresse.",
		"This service sends no e-mail: only its operator can change the address.",
	},

	"settings.pending":           {"Changement demandé", "Change requested"},
	"settings.pending.to":        {"Changer pour", "Changing to"},
	"settings.pending.old":       {"Ancienne adresse", "Old address"},
	"settings.pending.new":       {"Nouvelle adresse", "New address"},
	"settings.pending.until":     {"Valable jusqu’au", "Valid until"},
	"settings.pending.confirmed": {"confirmée", "confirmed"},
	"settings.pending.waiting":   {"en attente", "waiting"},
	"settings.pending.cancel":    {"Annuler le changement", "Cancel the change"},

	"settings.error.email": {"Saisissez une adresse e-mail, par exemple ada@exemple.fr.", "Enter an e-mail address, such as ada@example.org."},
	"settings.error.same":  {"C’est déjà l’adresse du compte.", "This is already the account’s address."},
	"settings.error.asked": {
		"Trop de changements ont été demandés. Réessayez demain.", "Too many change requests. Try again tomorrow.",
	},
	"done.address-asked": {
		"Un lien vient de partir vers chacune des deux adresses.", "A link is on its way to each of the two addresses.",
	},
	"done.address-cancelled": {"Le changement d’adresse est annulé.", "The change of address is cancelled."},

	"address.title": {"Changement d’adresse", "Change of address"},
	"address.lede": {
		"Un clic confirme l’adresse qui a reçu ce lien. Le changement a lieu quand les deux adresses sont confirmées.",
		"One click confirms the address that received this link. The change is made once both addresses are confirmed.",
	},
	"address.confirm": {"Confirmer", "Confirm"},
	"address.done": {
		"C’est fait\u00a0: le compte a sa nouvelle adresse. Utilisez-la désormais pour vous connecter.",
		"Done: the account has its new address. Use it to sign in from now on.",
	},
	"address.old-missing": {
		"La nouvelle adresse est confirmée. Reste l’ancienne\u00a0: ouvrez le lien qu’elle a reçu.",
		"The new address is confirmed. Now confirm the old one, from the link it received.",
	},
	"address.new-missing": {
		"L’ancienne adresse est confirmée. Reste la nouvelle\u00a0: ouvrez le lien qu’elle a reçu.",
		"The old address is confirmed. Now confirm the new one, from the link it received.",
	},
	"address.taken": {
		"L’adresse a été prise entre-temps par un autre compte\u00a0: le changement est annulé.",
		"Another account has taken this address in the meantime: the change is cancelled.",
	},
	"address.ended": {
		"Ce lien n’est plus valable\u00a0: il a plus de 24\u00a0heures, ou le changement a été fait, annulé ou remplacé par un autre.",
		"This link is no longer valid: it is older than 24 hours, or the change was made, cancelled or replaced by another.",
	},
	"address.settings": {"Voir mon compte", "See my account"},
}

var deletionTexts = layout.Texts{
	"settings.delete": {"Supprimer le compte", "Deleting the account"},
	"settings.delete.ends": {
		"Aussitôt, sans retour possible\u00a0: vos clés sont refusées (cinq secondes au plus), vos sessions sont fermées, vos webhooks, leurs livraisons et votre activité sont effacés.",
		"At once, and for good: your keys are refused (within five seconds), your sessions end, and your webhooks, their deliveries and your activity are erased.",
	},
	"settings.delete.subscription": {
		"Un abonnement Pro prend fin aussitôt chez notre prestataire de paiement, sans attendre la fin du mois payé. Votre carte y est effacée, puis votre fiche de client dès que plus rien n’est à payer ni à rembourser.",
		"A Pro subscription ends at our payment provider at once, not at the end of the paid month. Your card is erased there, and then your customer record as soon as nothing is left to pay or to refund.",
	},
	"settings.delete.keeps": {
		"Nous gardons un compte sans adresse\u00a0: son identifiant, ses dates, l’empreinte de ses clés révoquées, pour qu’aucune ne soit réutilisée, et le nombre de ses requêtes par jour.",
		"We keep an account without an address: its id, its dates, the hashes of its revoked keys, so that none is ever used again, and how many requests it made each day.",
	},
	"settings.delete.order": {
		"Une commande de Pro que vous avez payée est conservée onze ans avec les textes acceptés, sans votre adresse e-mail. L’exploitant conserve ses factures et ses avoirs dix ans à compter de la clôture de l’exercice, comme la loi l’y oblige (article L.\u00a0123-22 du code de commerce).",
		"An order of Pro that you paid for is kept for eleven years with the texts you accepted, without your e-mail address. The operator keeps its invoices and credit notes for ten years from the close of the financial year, as the law requires (article L.\u00a0123-22 of the French commercial code).",
	},
	"settings.delete.mail": {
		"Votre adresse reste chiffrée jusqu’au départ d’un dernier e-mail, 24\u00a0heures au plus.",
		"Your address stays, encrypted, until a last e-mail has been sent: 24 hours at most.",
	},
	"settings.delete.type": {"Pour confirmer, tapez l’adresse du compte", "To confirm, type the account’s address"},
	"settings.delete.do":   {"Supprimer mon compte", "Delete my account"},
	"settings.delete.fresh": {
		"On ne supprime un compte que dans les %s\u00a0minutes qui suivent la connexion\u00a0: un navigateur resté ouvert n’y suffit pas.",
		"An account is deleted only within %s minutes of signing in: a browser left open is not enough.",
	},
	"settings.delete.again": {"Me reconnecter, puis revenir ici", "Sign in again, then come back here"},
	"settings.error.fresh": {
		"Votre connexion date de plus de dix minutes. Rien n’a été supprimé\u00a0: reconnectez-vous d’abord.",
		"You signed in more than ten minutes ago. Nothing was deleted: sign in again first.",
	},
	"settings.error.confirm": {"Ce n’est pas l’adresse du compte. Rien n’a été supprimé.", "That is not the account’s address. Nothing was deleted."},

	"deleted.title": {"Votre compte est supprimé", "Your account is deleted"},
	"deleted.lede": {
		"Vos sessions sont fermées. Vos clés ne sont plus acceptées, et plus rien n’est envoyé à vos webhooks.",
		"You are signed out. Your keys are refused, and nothing more is delivered to your webhooks.",
	},
	"deleted.mail": {
		"Un dernier e-mail vous le confirme\u202f; votre adresse est effacée dès qu’il est parti, dans 24\u00a0heures au plus tard.",
		"A last e-mail confirms it; your address is erased as soon as it has been sent, within 24 hours at the latest.",
	},
	"deleted.again": {"La même adresse peut ouvrir un nouveau compte", "The same address can open a new account"},
}

var activityTexts = layout.Texts{
	"settings.activity":          {"Activité", "Activity"},
	"settings.activity.days":     {"Ce qui a été fait avec ce compte ces %s\u00a0derniers jours.", "What was done with this account in the last %s days."},
	"settings.activity.when":     {"Quand", "When"},
	"settings.activity.what":     {"Action", "Action"},
	"settings.activity.who":      {"Par", "By"},
	"settings.activity.you":      {"vous", "you"},
	"settings.activity.operator": {"l’exploitant", "the operator"},
	"settings.activity.service":  {"le service", "the service"},
	"settings.activity.none":     {"Rien pour le moment.", "Nothing so far."},
	"settings.activity.earlier":  {"Une action plus ancienne|%s actions plus anciennes", "One earlier action|%s earlier actions"},

	"activity.account-created":   {"Compte créé", "Account created"},
	"activity.plan-changed":      {"Offre modifiée", "Plan changed"},
	"activity.language-changed":  {"Langue modifiée", "Language changed"},
	"activity.mail-changed":      {"Choix des e-mails modifié", "E-mail notifications changed"},
	"activity.email-asked":       {"Changement d’adresse demandé", "Change of address requested"},
	"activity.email-cancelled":   {"Changement d’adresse annulé", "Change of address cancelled"},
	"activity.email-changed":     {"Adresse modifiée", "Address changed"},
	"activity.key-created":       {"Clé créée", "Key created"},
	"activity.key-renamed":       {"Clé renommée", "Key renamed"},
	"activity.key-rotated":       {"Clé renouvelée", "Key rotated"},
	"activity.key-revoked":       {"Clé révoquée", "Key revoked"},
	"activity.keys-kept":         {"Clés actives choisies", "Active keys chosen"},
	"activity.session-started":   {"Session ouverte", "Session started"},
	"activity.session-ended":     {"Session fermée", "Session ended"},
	"activity.endpoint-created":  {"Webhook créé", "Endpoint created"},
	"activity.endpoint-updated":  {"Webhook modifié", "Endpoint changed"},
	"activity.endpoint-verified": {"Webhook vérifié", "Endpoint verified"},
	"activity.endpoint-enabled":  {"Webhook relancé", "Endpoint resumed"},
	"activity.endpoint-disabled": {"Webhook mis en pause", "Endpoint paused"},
	"activity.endpoint-rotated":  {"Secret du webhook renouvelé", "Endpoint secret rotated"},
	"activity.endpoint-deleted":  {"Webhook supprimé", "Endpoint deleted"},
	"activity.delivery-replayed": {"Livraison rejouée", "Delivery replayed"},
	"activity.watchlist-changed": {"Liste d’outils modifiée", "List of tools changed"},
	"activity.digest-set":        {"Récapitulatif réglé", "Digest set"},
	"activity.digest-stopped":    {"Récapitulatif arrêté", "Digest stopped"},
	"digest.daily":               {"chaque jour", "daily"},
	"digest.weekly":              {"chaque semaine", "weekly"},
	"digest.never":               {"jamais", "never"},
}

var unsubscribeTexts = layout.Texts{
	"unsubscribe.title": {"Ne plus recevoir ces e-mails", "Stop these e-mails"},
	"unsubscribe.lede": {
		"Ces e-mails vous préviennent quand votre compte a utilisé 80\u00a0% de son quota, et quand il l’atteint. Un clic, et vous n’en recevez plus.",
		"These e-mails tell you when your account has used 80% of its quota, and when it has used it up. One click stops them.",
	},
	"unsubscribe.yes": {"Ne plus m’écrire", "Stop writing to me"},

	"unsubscribe.done":      {"C’est fait", "Done"},
	"unsubscribe.done.lede": {"Vous ne recevrez plus d’e-mails au sujet du quota.", "You will get no more e-mails about the quota."},
	"unsubscribe.back": {
		"Pour les rétablir\u00a0: la page Consommation",
		"To get them back: the Usage page",
	},

	"unsubscribe.wrong": {"Ce lien ne mène à aucun compte", "This link leads to no account"},
	"unsubscribe.wrong.lede": {
		"Il est incomplet, ou le compte n’existe plus. Rien n’a été changé. Si des e-mails continuent d’arriver, copiez le lien en entier ou réglez-les dans votre compte.",
		"It is incomplete, or the account is gone. Nothing was changed. If e-mails still arrive, copy the whole link, or switch them off in your account.",
	},
	"unsubscribe.settings": {"La page Consommation", "The Usage page"},
}
