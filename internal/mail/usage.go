package mail

import (
	"strconv"
	"time"
)

// A Usage is what an account has used of the requests that it has for a day.
type Usage struct {
	Percent     int // that it has reached: 80 or 100
	Used, Limit int
	Resets      time.Time
	Link        string // to the page that shows it
	Unsubscribe string // ends such messages
}

// UsageNotice tells the owner of an account that it is near the limit of a day, or at it.
func UsageNotice(l Letter, u Usage) Message {
	french, english := nearLimit(l, u)
	if u.Percent >= 100 {
		french, english = atLimit(l, u)
	}
	m := l.message(french, english)
	m.Unsubscribe = u.Unsubscribe
	return m
}

func nearLimit(l Letter, u Usage) (french, english draft) {
	percent := strconv.Itoa(u.Percent)
	french = u.frenchDraft(percent+" % de vos requêtes du jour", l, percent+" % de ses requêtes du jour.",
		"Au-delà de la limite, l’API répond 429 jusqu’à la remise à zéro.")
	english = u.englishDraft(percent+"% of your requests for today", l, percent+"% of its requests for today.",
		"Past the limit, the API answers 429 until the count starts again.")
	return french, english
}

func atLimit(l Letter, u Usage) (french, english draft) {
	french = u.frenchDraft("Limite du jour atteinte", l, "toutes ses requêtes du jour.",
		"Jusqu’à la remise à zéro, l’API répond 429 à ses clés.")
	english = u.englishDraft("Today's limit is reached", l, "all of its requests for today.",
		"Until the count starts again, the API answers 429 to its keys.")
	return french, english
}

func (u Usage) frenchDraft(subject string, l Letter, what, then string) draft {
	return draft{subject, []block{
		text("Bonjour,"),
		text("Votre compte " + l.Service.name() + " a utilisé " + what),
		{Facts: []fact{
			{"Requêtes", grouped(u.Used, "\u202f") + " sur " + grouped(u.Limit, "\u202f")},
			{"Remise à zéro", "le " + frenchTime(u.Resets)},
		}},
		text(then + " Une requête dont la réponse est 304 (If-None-Match) n’est pas comptée : conservez " +
			"les ETags, vous en économiserez beaucoup."),
		text("Le détail, par jour et par clé :"),
		button("Voir mon utilisation", u.Link),
		unsubscribe("Vous recevez ce message une fois par jour au plus pour chaque seuil. Pour ne plus en recevoir :",
			"désactiver ces messages", u.Unsubscribe),
	}}
}

func (u Usage) englishDraft(subject string, l Letter, what, then string) draft {
	return draft{subject, []block{
		text("Hello,"),
		text("Your " + l.Service.name() + " account has used " + what),
		{Facts: []fact{
			{"Requests", grouped(u.Used, ",") + " of " + grouped(u.Limit, ",")},
			{"Starts again", englishTime(u.Resets)},
		}},
		text(then + " A request that is answered 304 (If-None-Match) does not count: keeping ETags saves many."),
		text("The details, by day and by key:"),
		button("See my usage", u.Link),
		unsubscribe("You get this message once a day at most for each threshold. To get none:",
			"switch these messages off", u.Unsubscribe),
	}}
}
