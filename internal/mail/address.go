package mail

import "time"

// EmailChangeOld asks the present address of an account to confirm that the account moves to
// another.
func EmailChangeOld(l Letter, newEmail, link string, until time.Time) Message {
	return l.message(draft{
		"Changement d’adresse de votre compte", []block{
			text("Bonjour,"),
			text("Vous avez demandé que votre compte " + l.Service.name() + " change d’adresse :"),
			{Facts: []fact{{"Nouvelle adresse", newEmail}}},
			text("Pour donner votre accord, ouvrez ce lien :"),
			button("Confirmer le changement", link),
			text("La nouvelle adresse reçoit un message comme celui-ci. Le changement a lieu quand " +
				"les deux ont confirmé. Le lien est valable 24 heures : jusqu’au " + frenchTime(until) + "."),
			small("Si vous n’avez rien demandé, n’ouvrez pas ce lien : rien ne changera. Quelqu’un " +
				"a toutefois accès à votre compte ; fermez-en les sessions dans vos réglages."),
		},
	}, draft{
		"Changing the address of your account", []block{
			text("Hello,"),
			text("You asked for your " + l.Service.name() + " account to have another address:"),
			{Facts: []fact{{"New address", newEmail}}},
			text("If that is what you want, open this link:"),
			button("Confirm the change", link),
			text("The new address gets a message like this one. The change is made when both have " +
				"confirmed it. The link works for 24 hours: until " + englishTime(until) + "."),
			small("If it was not you who asked, do not open the link, and nothing will change. But " +
				"somebody has access to your account: end its sessions in your settings."),
		},
	})
}

// EmailChangeNew asks the address that an account is to have to confirm it. It does not name the
// present one, which is nobody's business if the new one was mistyped.
func EmailChangeNew(l Letter, link string, until time.Time) Message {
	return l.message(draft{
		"Confirmez votre nouvelle adresse", []block{
			text("Bonjour,"),
			text("Cette adresse a été indiquée comme nouvelle adresse d’un compte " + l.Service.name() +
				". Si ce compte est le vôtre, ouvrez ce lien :"),
			button("Confirmer cette adresse", link),
			text("L’ancienne adresse reçoit un message comme celui-ci. Le changement a lieu quand " +
				"les deux ont confirmé. Le lien est valable 24 heures : jusqu’au " + frenchTime(until) + "."),
			small("Si ce compte n’est pas le vôtre, ignorez ce message : rien ne changera."),
		},
	}, draft{
		"Confirm your new address", []block{
			text("Hello,"),
			text("Somebody gave this address as the new one of a " + l.Service.name() +
				" account. If the account is yours, open this link:"),
			button("Confirm this address", link),
			text("The old address gets a message like this one. The change is made when both have " +
				"confirmed it. The link works for 24 hours: until " + englishTime(until) + "."),
			small("If the account is not yours, ignore this message and nothing will change."),
		},
	})
}
