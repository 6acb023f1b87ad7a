package signin

import "github.com/palmares-hq/palmares/internal/layout"

// Texts returns the texts of the sign-in pages.
func Texts() layout.Texts { return signInTexts }

var signInTexts = layout.Texts{
	"sign-in.title":   {"Se connecter", "Sign in"},
	"sign-in.heading": {"Une adresse, et c’est tout", "Sign in with your e-mail"},
	"sign-in.lede": {
		"Un lien et un code arrivent par e-mail. Pas de mot de passe\u202f; si vous n’avez pas de compte, il est créé à la première connexion.",
		"A link and a code come by e-mail. There is no password; your account is created the first time you sign in.",
	},
	"sign-in.lede.closed": {
		"Un lien et un code arrivent par e-mail, à l’adresse de votre compte. Pas de mot de passe.",
		"A link and a code come by e-mail, to your account’s address. There is no password.",
	},
	"sign-in.closed": {
		"Les inscriptions sont fermées\u00a0: seules les adresses qui ont déjà un compte reçoivent un e-mail.",
		"Sign-up is closed: only addresses that already have an account get an e-mail.",
	},
	"sign-in.closed.write-html": {
		`Pour ouvrir un compte, écrivez à <a href="mailto:%s">%s</a>.`, `For an account, write to <a href="mailto:%s">%s</a>.`,
	},
	"sign-in.closed.page-html": {
		`Pour ouvrir un compte, <a href="%s">écrivez à l’exploitant</a>.`, `For an account, <a href="%s">write to the operator</a>.`,
	},
	"sign-in.email":  {"Votre adresse e-mail", "Your e-mail address"},
	"sign-in.send":   {"Recevoir le lien", "Send me the link"},
	"sign-in.resend": {"Renvoyer l’e-mail", "Send another e-mail"},
	"sign-in.sent":   {"Consultez vos e-mails", "Check your e-mail"},
	"sign-in.sentto": {"Si %s peut se connecter, un e-mail vient de partir.", "If %s can sign in, an e-mail is on its way."},
	"sign-in.howto-html": {
		"Ouvrez son lien dans ce navigateur, ou tapez ici son code à six chiffres. Chacun ne sert qu’une fois et reste valable <b>%s\u00a0minutes</b>.",
		"Open its link in this browser, or type its six-digit code here. Each works once, for <b>%s minutes</b>.",
	},
	"sign-in.code": {"Code à six chiffres", "Six-digit code"},
	"sign-in.again": {
		"Rien reçu\u202f? Regardez dans les courriers indésirables, puis demandez un autre e-mail. Une adresse en reçoit cinq par heure au plus\u00a0: au-delà, le dernier reste valable.",
		"Nothing yet? Check your spam folder, then ask for another e-mail. An address gets five an hour at most: after that, the last one stays valid.",
	},
	"sign-in.other": {"Utiliser une autre adresse", "Use another address"},

	"sign-in.error.email": {"Saisissez une adresse e-mail, par exemple ada@exemple.fr.", "Enter an e-mail address, such as ada@example.org."},
	"sign-in.error.code": {
		"Ce code n’est pas valable. Saisissez celui de l’e-mail\u00a0: il ne sert qu’une fois, pendant dix minutes.",
		"That code is not valid. Enter the one we sent: it works once, for ten minutes.",
	},
	"sign-in.error.digits": {
		"Le code de l’e-mail a six chiffres. Cette tentative n’est pas comptée.", "The code we sent has six digits. This attempt does not count.",
	},
	"sign-in.error.ended": {
		"Les codes ne sont plus acceptés ici\u00a0: cinq tentatives ont échoué, ou dix en un jour pour cette adresse, ou le code a déjà servi. Demandez un autre e-mail\u202f; son lien fonctionne toujours.",
		"Codes are no longer accepted here: five attempts failed, or ten in a day for this address, or the code was used. Ask for another e-mail; its link always works.",
	},
	"sign-in.error.accounts": {
		"Trop de comptes ont été créés aujourd’hui depuis votre réseau. Réessayez demain, ou depuis un autre réseau. On peut toujours se connecter à un compte qui existe.",
		"Too many accounts were created from your network today. Try again tomorrow, or from another network. You can always sign in to an account that exists.",
	},
	"sign-in.error.link": {
		"Ce lien n’est plus valable ici\u00a0: il a plus de dix minutes, a déjà servi, ou un autre navigateur l’a demandé. Demandez-en un autre, ou tapez le code dans la page qui l’a demandé.",
		"This link is not valid here: it is older than ten minutes, has been used, or was requested in another browser. Ask for another, or type the code into the page where you asked for it.",
	},

	"sign-in.why.address": {
		"On ne peut pas se connecter ici\u00a0: l’adresse publique du service n’est pas configurée (PALMARES_BASE_URL).",
		"Sign-in is unavailable: the service’s own address is not set (PALMARES_BASE_URL).",
	},
	"sign-in.why.https": {
		"On ne peut pas se connecter ici\u00a0: l’adresse du service n’est pas en https, et un navigateur n’y garderait pas la session.",
		"Sign-in is unavailable: the service’s address is not https, and browsers would not keep a session.",
	},
	"sign-in.why.mail": {
		"On ne peut pas se connecter ici\u00a0: ce service n’envoie pas d’e-mail. Son exploitant peut vous donner un lien.",
		"Sign-in is unavailable: this service sends no e-mail. Its operator can give you a link.",
	},

	"sign-in-link.title": {"Se connecter", "Sign in"},
	"sign-in-link.elsewhere": {
		"Un autre navigateur a demandé ce lien, et il ne fonctionne que dans celui-là. Ouvrez-le là-bas, ou tapez le code à six chiffres du même e-mail dans la page qui l’a demandé.",
		"This link was requested in another browser, and works only there. Open it there, or type the six-digit code from the same e-mail into the page where you asked for it.",
	},
	"sign-in-link.here": {"Recevoir un lien pour ce navigateur", "Get a link for this browser"},
	"sign-in-link.lede": {"Encore un clic, et vous y êtes.", "One more click and you are in."},
}
