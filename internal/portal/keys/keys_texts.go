package keys

import "github.com/palmares-hq/palmares/internal/layout"

// Texts returns the texts of the pages of keys and usage.
func Texts() layout.Texts { return layout.Join(keysTexts, usageTexts) }

var keysTexts = layout.Texts{
	"keys.title": {"Clés", "Keys"},

	"keys.first.heading": {"Votre première clé", "Your first key"},
	"keys.first.lede": {
		"Un clic, et vous appelez l’API avec %s requêtes par jour. La clé s’affiche une seule fois\u00a0: nous n’en gardons que l’empreinte.",
		"One click and you call the API with %s requests a day. The key is shown once: we keep only its hash.",
	},
	"keys.first.unlimited": {
		"Un clic, et vous appelez l’API sans limite. La clé s’affiche une seule fois\u00a0: nous n’en gardons que l’empreinte.",
		"One click and you call the API with no limit. The key is shown once: we keep only its hash.",
	},
	"keys.first.name":   {"Ma première clé", "My first key"},
	"keys.first.create": {"Créer ma clé", "Create my key"},
	"keys.next.name":    {"Clé %s", "Key %s"},
	"keys.name":         {"Nom", "Name"},
	"keys.name.hint":    {"Pour vous y retrouver\u00a0: le programme ou la machine qui s’en sert.", "A label for you: the program or machine that uses it."},

	"keys.created":          {"Créée", "Created"},
	"keys.used":             {"Dernier appel", "Last call"},
	"keys.requests":         {"Requêtes, 30\u00a0jours", "Requests, 30 days"},
	"keys.actions":          {"Actions", "Actions"},
	"keys.ends":             {"renouvelée, s’arrête le %s", "rotated, stops on %s"},
	"keys.suspended":        {"en sommeil", "dormant"},
	"keys.suspended.number": {"Une clé est en sommeil.|%s clés sont en sommeil.", "One key is dormant.|%s keys are dormant."},
	"keys.suspended.why": {
		"Votre offre permet %s clés actives\u00a0: une clé en sommeil n’est pas perdue, mais l’API lui répond par une erreur\u00a0401. Elle fonctionne de nouveau dès que vous la choisissez ou que votre offre la permet.",
		"Your plan allows %s active keys. A dormant key is not lost, but the API answers it with a 401 error. It works again as soon as you choose it, or your plan allows it.",
	},
	"keys.suspended.choose": {"Choisir les clés actives", "Choose the active keys"},
	"keys.uncounted": {
		"Le nombre de requêtes n’est pas disponible pour le moment\u202f; les clés, elles, fonctionnent.",
		"The number of requests is not available at the moment; the keys work all the same.",
	},

	"keys.rename":      {"Renommer", "Rename"},
	"keys.rename.save": {"Enregistrer", "Save"},
	"keys.rotate":      {"Renouveler", "Rotate"},
	"keys.rotate.what": {
		"Une nouvelle clé prend la place de celle-ci, sous le même nom.",
		"A new key takes the place of this one, under the same name.",
	},
	"keys.grace":      {"L’ancienne cesse de fonctionner", "The old one stops working"},
	"keys.grace.0":    {"tout de suite", "now"},
	"keys.grace.1":    {"dans 1\u00a0heure", "in 1 hour"},
	"keys.grace.24":   {"dans 24\u00a0heures", "in 24 hours"},
	"keys.grace.168":  {"dans 7\u00a0jours", "in 7 days"},
	"keys.rotate.yes": {"Afficher la nouvelle clé", "Show the new key"},
	"keys.revoke":     {"Révoquer", "Revoke"},
	"keys.revoke.what": {
		"Dans les cinq secondes, les programmes qui s’en servent reçoivent une erreur\u00a0401. La révocation est définitive.",
		"Within five seconds, the programs that use it get a 401 error. Revocation is permanent.",
	},
	"keys.revoke.yes": {"Oui, révoquer", "Yes, revoke it"},

	"keys.create":       {"Créer une clé", "Create a key"},
	"keys.create.of":    {"Créer une clé (%s sur %s)", "Create a key (%s of %s)"},
	"keys.full":         {"Vous avez déjà les %s clés que permet votre offre. Révoquez-en une, ou changez d’offre.", "You already have all %s keys your plan allows. Revoke one, or change your plan."},
	"keys.full.plan":    {"Voir les offres", "See the plans"},
	"keys.revoked":      {"Une clé révoquée ces 30\u00a0derniers jours|%s clés révoquées ces 30\u00a0derniers jours", "One key revoked in the last 30 days|%s keys revoked in the last 30 days"},
	"keys.revoked.last": {"Les %s dernières clés révoquées", "The last %s revoked keys"},
	"keys.revoked.on":   {"Révoquée", "Revoked"},
	"done.key-renamed":  {"La clé est renommée.", "The key has been renamed."},
	"done.key-revoked":  {"La clé est révoquée.", "The key is revoked."},

	"keys.error.name":  {"Le nom compte de 1 à 80\u00a0caractères visibles.", "Use 1 to 80 visible characters."},
	"keys.error.many":  {"Vous avez déjà toutes les clés que permet votre offre\u00a0: révoquez-en une d’abord.", "You already have all the keys your plan allows: revoke one first."},
	"keys.error.grace": {"Choisissez quand l’ancienne clé cesse de fonctionner.", "Choose when the old key stops working."},
	"keys.error.graces": {
		"Trop d’anciennes clés fonctionnent encore\u00a0: révoquez-en une, ou choisissez «\u202ftout de suite\u202f».",
		"Too many old keys still work: revoke one of them, or choose “now”.",
	},
	"keys.error.suspended": {
		"Cette clé est en sommeil\u00a0: choisissez-la parmi les clés actives avant de la renouveler.",
		"This key is dormant: choose it as an active key before you rotate it.",
	},

	"key-shown.title": {"Votre nouvelle clé", "Your new key"},
	"key-shown.lede": {
		"Copiez-la maintenant\u00a0: elle ne sera plus jamais affichée.",
		"Copy it now: it will never be shown again.",
	},
	"key-shown.old":     {"L’ancienne clé fonctionne jusqu’au %s.", "The old key works until %s."},
	"key-shown.copy":    {"Copier la clé", "Copy the key"},
	"key-shown.call":    {"Premier appel", "First call"},
	"key-shown.samples": {"Le même appel, avec votre clé", "The same call, with your key"},
	"key-shown.do":      {"Faire l’appel", "Make the call"},
	"key-shown.again":   {"Refaire l’appel", "Make it again"},
	"key-shown.charged": {"Compte pour une requête de votre quota.", "Counts as one request of your quota."},
	"key-shown.away": {
		"L’API est servie ailleurs, cette page ne peut pas l’appeler. Essayez depuis un terminal\u00a0:",
		"The API is served elsewhere, and this page cannot call it. Try it from a terminal:",
	},
	"key-shown.headers":  {"En-têtes de la réponse", "Response headers"},
	"key-shown.answer":   {"Réponse", "Response"},
	"key-shown.continue": {"Continuer", "Continue"},
	"key-shown.copied":   {"La clé est-elle copiée\u202f? Elle ne sera plus affichée.", "Is the key copied? It will not be shown again."},
	"key-shown.yes":      {"Oui, je l’ai copiée", "Yes, I have copied it"},

	"key-made.title": {"Déjà fait", "Already done"},
	"key-made.created": {
		"Cette clé est créée, et elle a été affichée une fois. Si vous ne l’avez pas copiée, renouvelez-la «\u202ftout de suite\u202f»\u00a0: une nouvelle prend sa place.",
		"The key was created, and shown once. If you did not copy it, rotate it “now”: a new one takes its place.",
	},
	"key-made.rotated": {
		"Cette clé a déjà été renouvelée ou révoquée. La nouvelle a été affichée une fois\u202f; si vous ne l’avez pas copiée, renouvelez-la «\u202ftout de suite\u202f».",
		"This key has already been rotated or revoked. The new one was shown once; if you did not copy it, rotate that one “now”.",
	},
	"key-made.back": {"Voir mes clés", "See my keys"},

	"limit.keys": {
		"Vous avez créé ou renouvelé %s\u00a0clés en 24\u00a0heures. Vous pourrez créer la suivante à partir du %s.",
		"You have created or rotated %s keys within 24 hours. You can create the next one from %s.",
	},
}
