package portal

import "github.com/palmares-hq/palmares/internal/layout"

// limitTexts say which limit is met, and until when.
var limitTexts = layout.Texts{
	"limit.forms": {
		"Cette session a envoyé %s\u00a0formulaires en une heure. Elle peut de nouveau en envoyer à partir du %s. Rien n’a été fait.",
		"This session has sent %s forms within an hour. It can send the next from %s on. Nothing was done.",
	},
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
	"limit.keys": {
		"Vous avez créé ou renouvelé %s\u00a0clés en 24\u00a0heures. La prochaine est possible à partir du %s.",
		"You have created or rotated %s keys within 24 hours. The next is possible from %s on.",
	},
}
