package mail

// Farewell is the last message to the owner of an account: it is deleted.
func Farewell(l Letter) Message {
	return l.message(draft{
		"Votre compte est supprimé", []block{
			text("Bonjour,"),
			text("Votre compte " + l.Service.name() + " est supprimé. Ses clés ne sont plus " +
				"acceptées, ses sessions sont fermées, et plus rien n’est envoyé à ses webhooks, qui sont " +
				"effacés."),
			text("Votre adresse est effacée dès que ce message est parti. Il reste un compte sans " +
				"adresse : son identifiant, sa date de création, l’empreinte de ses clés révoquées, pour " +
				"qu’aucune ne resserve, et le nombre de ses requêtes par jour."),
			text("La même adresse peut ouvrir un nouveau compte quand vous le voulez."),
			small("Si vous n’y êtes pour rien, répondez à ce message. La suppression, elle, est définitive."),
		},
	}, draft{
		"Your account is deleted", []block{
			text("Hello,"),
			text("Your " + l.Service.name() + " account is deleted. Its keys are refused, its " +
				"sessions have ended, and its webhook endpoints are erased: nothing is delivered to them " +
				"any more."),
			text("Your address is erased as soon as this message is out. What remains is an account " +
				"without an address: its id, the day it was created, the fingerprints of its revoked " +
				"keys, so that none is ever used again, and how many requests it made each day."),
			text("You can open a new account with the same address whenever you like."),
			small("If it was not you, answer this message. The deletion itself is final."),
		},
	})
}
