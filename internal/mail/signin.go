package mail

import "time"

// SignIn is the message by which somebody signs in: a link for the browser that asked, and a code
// of six digits to type into it. The code is not in the subject: that is shown on locked screens
// and written into the logs of mail servers.
func SignIn(l Letter, link, code string, until time.Time) Message {
	if len(code) == 6 {
		code = code[:3] + " " + code[3:]
	}
	return l.message(draft{
		l.Service.name() + " : votre lien de connexion", []block{
			text("Bonjour,"),
			text("Pour vous connecter, ouvrez ce lien dans le navigateur où vous l’avez demandé :"),
			button("Me connecter", link),
			text("Vous lisez ce message sur un autre appareil ? Saisissez ce code dans la page " +
				"où vous avez indiqué votre adresse :"),
			{Code: code},
			text("Le lien et le code ne servent qu’une fois, et dans les dix minutes : jusqu’à " +
				frenchClock(until) + "."),
			small("Si vous n’avez rien demandé, ignorez ce message : il ne se passera rien. " +
				"Ne communiquez ce code à personne."),
		},
	}, draft{
		"Your sign-in link for " + l.Service.name(), []block{
			text("Hello,"),
			text("To sign in, open this link in the browser in which you asked for it:"),
			button("Sign in", link),
			text("Reading this on another device? Type this code into the page where you gave your address:"),
			{Code: code},
			text("The link and the code work once, within ten minutes: until " + englishClock(until) + "."),
			small("If it was not you who asked, ignore this message and nothing will happen. " +
				"Do not give the code to anybody."),
		},
	})
}
