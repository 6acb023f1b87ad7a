package settings

import "github.com/palmares-hq/palmares/internal/layout"

// Texts are those of the settings, and of the pages that mails link to.
func Texts() layout.Texts {
	return layout.Join(accountTexts, sessionTexts, addressTexts, deletionTexts, activityTexts, unsubscribeTexts)
}

var accountTexts = layout.Texts{
	"settings.title": {"Compte", "Account"},

	"settings.preferences": {"Préférences", "Preferences"},
	"settings.language":    {"Langue des pages et des e-mails", "Language of pages and mails"},
	"settings.language.fr": {"Français", "Français"},
	"settings.language.en": {"English", "English"},
	"settings.mails":       {"E-mails que vous recevez", "Mails that you get"},
	"settings.mails.usage": {
		"Quand j’atteins 80\u00a0% et 100\u00a0% de ma limite du jour",
		"When I reach 80% and 100% of the day’s limit",
	},
	"settings.mails.endpoints": {
		"Quand un de mes webhooks est désactivé après des échecs",
		"When one of my webhook endpoints is disabled after failures",
	},
	"settings.mails.always": {
		"Les e-mails de connexion, de changement d’adresse, d’abonnement et de suppression partent toujours.",
		"Mails about signing in, a change of address, a subscription or a deletion are always sent.",
	},
	"settings.save": {"Enregistrer", "Save"},

	"settings.export": {"Exporter", "Export"},
	"settings.export.what": {
		"Tout ce que nous gardons de ce compte, dans un fichier JSON\u00a0: réglages, clés et webhooks sans leurs secrets, sessions, activité.",
		"Everything that we hold about this account in one JSON file: settings, keys and webhooks without their secrets, sessions, activity.",
	},
	"settings.export.usage": {"Le nombre de requêtes s’obtient en CSV, page Utilisation.", "The number of requests is there as CSV, on the page Usage."},
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
	"settings.sessions.since":   {"Connectée le", "Signed in on"},
	"settings.sessions.seen":    {"Vue le", "Last seen on"},
	"settings.sessions.actions": {"Actions", "Actions"},
	"settings.sessions.end":     {"Terminer", "End"},
	"settings.sessions.end-of":  {"la session %s du %s", "the session of %s from %s"},
	"settings.sessions.others":  {"Terminer l’autre session|Terminer les %s autres", "End the other session|End the %s others"},
	"settings.sessions.all":     {"Se déconnecter partout", "Sign out everywhere"},

	"done.session-ended":         {"La session est terminée.", "The session has ended."},
	"done.others-ended":          {"Les autres sessions sont terminées.", "The other sessions have ended."},
	"done.signed-out-everywhere": {"Vous êtes déconnecté partout.", "You are signed out everywhere."},
}

var addressTexts = layout.Texts{
	"settings.address": {"Adresse", "Address"},
	"settings.address.use": {
		"Elle sert à vous connecter et reçoit nos e-mails.", "You sign in with it, and it gets our mails.",
	},
	"settings.address.change": {"Changer d’adresse", "Change the address"},
	"settings.address.new":    {"Nouvelle adresse e-mail", "New e-mail address"},
	"settings.address.how": {
		"Un lien part vers l’ancienne adresse et vers la nouvelle. Le changement a lieu quand les deux ont confirmé, dans les 24\u00a0heures.",
		"A link goes to the old address and to the new one. The change is made when both have confirmed, within 24 hours.",
	},
	"settings.address.send": {"Envoyer les deux liens", "Send both links"},
	"settings.address.lost-html": {
		"Vous n’avez plus accès à l’ancienne\u202f? Écrivez à <a href=\"mailto:%s\">%s</a>, qui peut la changer.",
		`Lost the old mailbox? Write to <a href="mailto:%s">%s</a>, who can change it.`,
	},
	"settings.address.lost.page-html": {
		"Vous n’avez plus accès à l’ancienne\u202f? <a href=\"%s\">L’exploitant</a> peut la changer.",
		`Lost the old mailbox? <a href="%s">The operator</a> can change it.`,
	},
	"settings.address.lost": {
		"Vous n’avez plus accès à l’ancienne\u202f? L’exploitant du service peut la changer.",
		"Lost the old mailbox? The operator of the service can change it.",
	},
	"settings.address.no-mail": {
		"Ce service n’envoie pas d’e-mail\u00a0: seul son exploitant peut changer l’adresse.",
		"This service sends no mail: only its operator can change the address.",
	},

	"settings.pending":           {"Changement demandé", "Change asked for"},
	"settings.pending.to":        {"Nouvelle adresse", "New address"},
	"settings.pending.old":       {"Ancienne boîte", "Old mailbox"},
	"settings.pending.new":       {"Nouvelle boîte", "New mailbox"},
	"settings.pending.until":     {"Valable jusqu’au", "Valid until"},
	"settings.pending.confirmed": {"confirmé", "confirmed"},
	"settings.pending.waiting":   {"en attente", "waiting"},
	"settings.pending.cancel":    {"Annuler le changement", "Cancel the change"},

	"settings.error.email": {"Il faut une adresse e-mail, comme ada@exemple.fr.", "It takes an e-mail address, such as ada@example.org."},
	"settings.error.same":  {"C’est déjà l’adresse du compte.", "This is the account’s address already."},
	"settings.error.asked": {
		"Trop de changements ont été demandés. Réessayez demain.", "Too many changes were asked for. Try again tomorrow.",
	},
	"done.address-asked": {
		"Un lien est parti vers chacune des deux adresses.", "A link is on its way to each of the two addresses.",
	},
	"done.address-cancelled": {"Le changement d’adresse est annulé.", "The change of address is cancelled."},

	"address.title": {"Changement d’adresse", "Change of address"},
	"address.lede": {
		"Un clic donne l’accord de la boîte qui a reçu ce lien. Le changement a lieu quand les deux boîtes ont confirmé.",
		"One click gives the consent of the mailbox that got this link. The change is made when both mailboxes have confirmed.",
	},
	"address.confirm": {"Confirmer", "Confirm"},
	"address.done": {
		"C’est fait\u00a0: le compte a sa nouvelle adresse. C’est avec elle que l’on se connecte désormais.",
		"It is done: the account has its new address, and that is the one to sign in with from now on.",
	},
	"address.old-missing": {
		"La nouvelle boîte a confirmé. Il manque l’ancienne\u00a0: ouvrez le lien qu’elle a reçu.",
		"The new mailbox has confirmed. The old one is missing: open the link that it got.",
	},
	"address.new-missing": {
		"L’ancienne boîte a confirmé. Il manque la nouvelle\u00a0: ouvrez le lien qu’elle a reçu.",
		"The old mailbox has confirmed. The new one is missing: open the link that it got.",
	},
	"address.taken": {
		"L’adresse appartient entre-temps à un autre compte\u00a0: le changement est abandonné.",
		"Another account has got the address meanwhile: the change is off.",
	},
	"address.ended": {
		"Ce lien ne vaut plus\u00a0: il a plus de 24\u00a0heures, le changement est fait, annulé ou remplacé par un autre.",
		"The link is not valid any more: it is older than 24 hours, or the change was made, cancelled or replaced by another.",
	},
	"address.settings": {"Voir mon compte", "See my account"},
}

var deletionTexts = layout.Texts{
	"settings.delete": {"Supprimer le compte", "Deleting the account"},
	"settings.delete.ends": {
		"Aussitôt, sans retour possible\u00a0: vos clés sont refusées (cinq secondes au plus), vos sessions se terminent, vos webhooks, leurs livraisons et l’activité sont effacés.",
		"At once, and for good: your keys are refused (within five seconds), your sessions end, your webhooks, their deliveries and the activity are erased.",
	},
	"settings.delete.subscription": {
		"Un abonnement Pro prend fin aussitôt chez notre prestataire de paiement, sans attendre la fin du mois payé.",
		"A Pro subscription ends at our payment provider at once, and not at the end of the month that is paid for.",
	},
	"settings.delete.keeps": {
		"Nous gardons un compte sans adresse\u00a0: son identifiant, ses dates, l’empreinte de ses clés révoquées, pour qu’aucune ne resserve, et le nombre de ses requêtes par jour.",
		"We keep an account without an address: its id, its dates, the fingerprints of its revoked keys, so that none is ever used again, and how many requests it made each day.",
	},
	"settings.delete.mail": {
		"Votre adresse reste chiffrée jusqu’au départ d’un dernier e-mail, 24\u00a0heures au plus.",
		"Your address stays, encrypted, until a last mail is out: 24 hours at most.",
	},
	"settings.delete.type": {"Pour confirmer, tapez l’adresse du compte", "To confirm, type the account’s address"},
	"settings.delete.do":   {"Supprimer mon compte", "Delete my account"},
	"settings.delete.fresh": {
		"On ne supprime un compte que dans les %s minutes qui suivent la connexion : un navigateur resté ouvert n’y suffit pas.",
		"An account is deleted only within %s minutes of signing in: a browser that was left open is not enough.",
	},
	"settings.delete.again": {"Me reconnecter, puis revenir ici", "Sign in again, then come back here"},
	"settings.error.fresh": {
		"Votre connexion date de plus de dix minutes. Rien n’a été supprimé : reconnectez-vous d’abord.",
		"You signed in more than ten minutes ago. Nothing was deleted: sign in again first.",
	},
	"settings.error.confirm": {"Ce n’est pas l’adresse du compte. Rien n’a été supprimé.", "That is not the account’s address. Nothing was deleted."},

	"deleted.title": {"Votre compte est supprimé", "Your account is deleted"},
	"deleted.lede": {
		"Vous êtes déconnecté. Vos clés ne sont plus acceptées et rien n’est plus envoyé à vos webhooks.",
		"You are signed out. Your keys are refused, and nothing is delivered to your webhooks any more.",
	},
	"deleted.mail": {
		"Un dernier e-mail vous le confirme\u202f; votre adresse est effacée dès qu’il est parti, dans 24\u00a0heures au plus tard.",
		"A last mail confirms it; your address is erased as soon as that is out, in 24 hours at the latest.",
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
	"activity.plan-changed":      {"Offre changée", "Plan changed"},
	"activity.language-changed":  {"Langue changée", "Language changed"},
	"activity.mail-changed":      {"Choix des e-mails changé", "Choice of mails changed"},
	"activity.email-asked":       {"Changement d’adresse demandé", "Change of address asked for"},
	"activity.email-cancelled":   {"Changement d’adresse annulé", "Change of address cancelled"},
	"activity.email-changed":     {"Adresse changée", "Address changed"},
	"activity.key-created":       {"Clé créée", "Key created"},
	"activity.key-renamed":       {"Clé renommée", "Key renamed"},
	"activity.key-rotated":       {"Clé renouvelée", "Key rotated"},
	"activity.key-revoked":       {"Clé révoquée", "Key revoked"},
	"activity.keys-kept":         {"Clés choisies pour rester actives", "Keys chosen to stay awake"},
	"activity.session-started":   {"Session commencée", "Session started"},
	"activity.session-ended":     {"Session terminée", "Session ended"},
	"activity.endpoint-created":  {"Webhook créé", "Endpoint created"},
	"activity.endpoint-updated":  {"Webhook modifié", "Endpoint changed"},
	"activity.endpoint-verified": {"Webhook vérifié", "Endpoint verified"},
	"activity.endpoint-enabled":  {"Webhook activé", "Endpoint enabled"},
	"activity.endpoint-disabled": {"Webhook désactivé", "Endpoint disabled"},
	"activity.endpoint-rotated":  {"Secret du webhook renouvelé", "Endpoint’s secret rotated"},
	"activity.endpoint-deleted":  {"Webhook supprimé", "Endpoint deleted"},
	"activity.delivery-replayed": {"Livraison rejouée", "Delivery replayed"},
}

var unsubscribeTexts = layout.Texts{
	"unsubscribe.title": {"Ne plus recevoir ces e-mails", "Stop these mails"},
	"unsubscribe.lede": {
		"Ces e-mails vous préviennent quand votre compte a utilisé 80\u00a0% de son quota, et quand il l’atteint. Un clic, et il n’en part plus.",
		"These mails tell you when your account has used 80% of its quota, and when it reaches it. One click and no more are sent.",
	},
	"unsubscribe.yes": {"Ne plus m’écrire", "Stop writing to me"},

	"unsubscribe.done":      {"C’est fait", "Done"},
	"unsubscribe.done.lede": {"Plus aucun e-mail ne partira au sujet du quota.", "No more mail about the quota will be sent."},
	"unsubscribe.back": {
		"Pour les rétablir\u00a0: la page Utilisation",
		"To have them back: the page Usage",
	},

	"unsubscribe.wrong": {"Ce lien ne mène à aucun compte", "This link leads to no account"},
	"unsubscribe.wrong.lede": {
		"Il est incomplet, ou le compte n’existe plus. Rien n’a été changé. Si des e-mails continuent d’arriver, copiez le lien en entier ou réglez-les dans votre compte.",
		"It is incomplete, or the account is gone. Nothing was changed. If mails still arrive, copy the whole link, or switch them off in your account.",
	},
	"unsubscribe.settings": {"La page Utilisation", "The page Usage"},
}
