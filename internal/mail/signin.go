package mail

import "time"

// A SignInMail is what the message of a sign-in says.
type SignInMail struct {
	Link  string
	Code  string    // six digits; "" where too many wrong ones were typed
	Until time.Time // when both expire
	Last  bool      // no other is sent until then
}

// SignIn is the message by which somebody signs in: a link for the browser that asked, and a code
// of six digits to type into it. The code is not in the subject: that is shown on locked screens
// and written into the logs of mail servers.
func SignIn(l Letter, m SignInMail) Message {
	french, english := m.french(), m.english()
	return l.message(draft{
		l.Service.name() + " : votre lien de connexion", append([]block{
			text("Bonjour,"),
			text("Pour vous connecter, ouvrez ce lien dans le navigateur où vous l’avez demandé :"),
			button("Me connecter", m.Link),
		}, french...),
	}, draft{
		"Your sign-in link for " + l.Service.name(), append([]block{
			text("Hello,"),
			text("To sign in, open this link in the browser in which you asked for it:"),
			button("Sign in", m.Link),
		}, english...),
	})
}

// typed is the code as it is easily typed.
func (m SignInMail) typed() string {
	if len(m.Code) == 6 {
		return m.Code[:3] + " " + m.Code[3:]
	}
	return m.Code
}

func (m SignInMail) french() (all []block) {
	what, works, careful := "Le lien et le code", "ne servent", "Ne communiquez ce code à personne."
	if m.Code != "" {
		all = append(all, text("Vous lisez ce message sur un autre appareil ? Saisissez ce code dans la page "+
			"où vous avez indiqué votre adresse :"), block{Code: m.typed()})
	} else {
		what, works, careful = "Le lien", "ne sert", "Ne communiquez ce lien à personne."
		all = append(all, text("Ce message n’a pas de code : dix codes faux ont été saisis pour votre adresse en un jour, "+
			"et jusqu’à demain seuls les liens connectent."))
	}
	if m.Last {
		all = append(all, text(what+" "+works+" qu’une fois, jusqu’à "+frenchClock(m.Until)+". Cinq messages vous ont été "+
			"envoyés en une heure : d’ici là c’est le dernier, et il vaut dans tout navigateur où vous demandez à vous connecter."))
	} else {
		all = append(all, text(what+" "+works+" qu’une fois, et dans les dix minutes : jusqu’à "+frenchClock(m.Until)+"."))
	}
	return append(all, small("Si vous n’avez rien demandé, ignorez ce message : il ne se passera rien. "+careful))
}

func (m SignInMail) english() (all []block) {
	what, works, careful := "The link and the code", "work", "Do not give the code to anybody."
	if m.Code != "" {
		all = append(all,
			text("Reading this on another device? Type this code into the page where you gave your address:"), block{Code: m.typed()})
	} else {
		what, works, careful = "The link", "works", "Do not give the link to anybody."
		all = append(all, text("This message has no code: ten wrong codes were typed for your address within a day, "+
			"and until tomorrow links alone sign in."))
	}
	if m.Last {
		all = append(all, text(what+" "+works+" once, until "+englishClock(m.Until)+". Five messages were sent to you within "+
			"an hour: until then this is the last, and it is valid in every browser in which you ask to sign in."))
	} else {
		all = append(all, text(what+" "+works+" once, within ten minutes: until "+englishClock(m.Until)+"."))
	}
	return append(all, small("If it was not you who asked, ignore this message and nothing will happen. "+careful))
}
