package signin

import "github.com/palmares-hq/palmares/internal/layout"

// Texts are those of the pages of signing in.
func Texts() layout.Texts { return signInTexts }

var signInTexts = layout.Texts{
	"sign-in.title":   {"Se connecter", "Sign in"},
	"sign-in.heading": {"Une adresse, et c’est tout", "An address is all it takes"},
	"sign-in.lede": {
		"Un lien et un code arrivent par e-mail. Pas de mot de passe\u00a0; si vous n’avez pas de compte, il naît à la première connexion.",
		"A link and a code come by e-mail. There is no password, and whoever has no account yet gets one with the first sign-in.",
	},
	"sign-in.lede.closed": {
		"Un lien et un code arrivent par e-mail, à l’adresse de votre compte. Pas de mot de passe.",
		"A link and a code come by e-mail, to the address of your account. There is no password.",
	},
	"sign-in.closed": {
		"Les inscriptions sont fermées\u00a0: seules les adresses qui ont déjà un compte reçoivent un e-mail.",
		"Sign-up is closed: only addresses that have an account already get a mail.",
	},
	"sign-in.closed.write-html": {
		`Pour en avoir un, écrivez à <a href="mailto:%s">%s</a>.`, `To have one, write to <a href="mailto:%s">%s</a>.`,
	},
	"sign-in.closed.page-html": {
		`Pour en avoir un, <a href="%s">écrivez à l’exploitant</a>.`, `To have one, <a href="%s">write to the operator</a>.`,
	},
	"sign-in.email":  {"Votre adresse e-mail", "Your e-mail address"},
	"sign-in.send":   {"Recevoir le lien", "Send me the link"},
	"sign-in.sent":   {"Regardez votre boîte", "Look at your mailbox"},
	"sign-in.sentto": {"Si une connexion est possible pour %s, un e-mail est en route.", "If %s can sign in, a mail is on its way."},
	"sign-in.howto-html": {
		"Ouvrez son lien dans ce navigateur, ou tapez ici son code à six chiffres. L’un et l’autre servent une fois, pendant <b>%s\u00a0minutes</b>.",
		"Open its link in this browser, or type its six-digit code here. Either works once, for <b>%s minutes</b>.",
	},
	"sign-in.code": {"Code à six chiffres", "Six-digit code"},
	"sign-in.again": {
		"Rien reçu\u202f? Regardez les indésirables, puis demandez-en un autre. Une adresse reçoit cinq e-mails par heure au plus\u00a0: après, le dernier reste valable.",
		"Nothing there? Look among the spam, then ask for another. An address gets five mails an hour at most: after that, the last one stays valid.",
	},
	"sign-in.other": {"Utiliser une autre adresse", "Use another address"},

	"sign-in.error.email": {"Il faut une adresse e-mail, comme ada@exemple.fr.", "It takes an e-mail address, such as ada@example.org."},
	"sign-in.error.code": {
		"Ce n’est pas un code valable\u00a0: il faut celui de l’e-mail, qui sert une fois, pendant dix minutes.",
		"That is not a valid code: it takes the one of the mail, which works once, for ten minutes.",
	},
	"sign-in.error.digits": {
		"Le code de l’e-mail a six chiffres. Cet essai n’est pas compté.", "The code of the mail has six digits. This try does not count.",
	},
	"sign-in.error.ended": {
		"Aucun code ne vaut plus ici\u00a0: cinq essais ont échoué, ou dix en un jour pour cette adresse, ou le code a déjà servi. Demandez un autre e-mail\u00a0; son lien vaut toujours.",
		"No code is valid here any more: five tries failed, or ten in a day for this address, or the code was used. Ask for another mail; its link always works.",
	},
	"sign-in.error.accounts": {
		"Trop de comptes ont été créés aujourd’hui depuis votre réseau. Réessayez demain, ou depuis un autre réseau. Un compte qui existe se connecte toujours.",
		"Too many accounts were created from your network today. Try again tomorrow, or from another network. Accounts that exist can always sign in.",
	},
	"sign-in.error.link": {
		"Ce lien ne vaut plus ici\u00a0: il a plus de dix minutes, a déjà servi, ou un autre navigateur l’a demandé. Demandez-en un autre, ou tapez le code dans la page qui l’a demandé.",
		"The link is not valid here: it is older than ten minutes, was used, or another browser asked for it. Ask for another, or type the code into the page that asked.",
	},

	"sign-in.why.address": {
		"On ne peut pas se connecter ici\u00a0: l’adresse publique du service n’est pas réglée (PALMARES_BASE_URL).",
		"Nobody can sign in here: the service’s own address is not set (PALMARES_BASE_URL).",
	},
	"sign-in.why.https": {
		"On ne peut pas se connecter ici\u00a0: l’adresse du service n’est pas en https, et un navigateur n’y garderait pas la session.",
		"Nobody can sign in here: the service’s address is not https, and browsers would not keep a session for it.",
	},
	"sign-in.why.mail": {
		"On ne peut pas se connecter ici\u00a0: ce service n’envoie pas d’e-mail. Son exploitant peut vous donner un lien.",
		"Nobody can sign in here: this service sends no mail. Its operator can give you a link.",
	},

	"sign-in-link.title": {"Se connecter", "Sign in"},
	"sign-in-link.elsewhere": {
		"Un autre navigateur a demandé ce lien, et il ne marche que dans celui-là. Ouvrez-le là-bas, ou tapez le code à six chiffres du même e-mail dans la page qui l’a demandé.",
		"Another browser asked for this link, and it works in that one alone. Open it there, or type the six-digit code of the same mail into the page that asked.",
	},
	"sign-in-link.here": {"Recevoir un lien pour ce navigateur", "Get a link for this browser"},
	"sign-in-link.lede": {"Encore un clic, et vous y êtes.", "One more click and you are in."},
}
