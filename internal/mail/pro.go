package mail

import "time"

// A Welcome is what an account has now that it is on Pro.
type Welcome struct {
	Keys, Endpoints int    // that it may have
	Link            string // to the page of the plan; "" if its address is not known
}

// ProWelcome tells the owner of an account that its subscription has begun.
func ProWelcome(l Letter, w Welcome) Message {
	return l.message(draft{
		"Votre compte passe à Pro", filled(
			text("Bonjour,"),
			text("Merci\u202f! Votre compte "+l.Service.name()+" a maintenant l’offre Pro. Vos clés restent "+
				"les mêmes, et la limite du jour ne les arrête plus."),
			block{Facts: []fact{
				{"Requêtes", "sans limite"},
				{"Clés", grouped(w.Keys, "\u202f") + " au plus"},
				{"Webhooks", grouped(w.Endpoints, "\u202f") + " au plus"},
			}},
			text("Si des clés ou des webhooks étaient en sommeil, ils fonctionnent de nouveau. Factures, moyen "+
				"de paiement et résiliation sont au même endroit\u00a0:"),
			button("Voir mon offre", w.Link),
			small("L’abonnement se renouvelle chaque mois. Il se résilie en ligne, quand vous voulez."),
		),
	}, draft{
		"Your account is on Pro", filled(
			text("Hello,"),
			text("Thank you! Your "+l.Service.name()+" account is now on the Pro plan. Your keys stay the "+
				"same, and no daily limit stops them any more."),
			block{Facts: []fact{
				{"Requests", "no limit"},
				{"Keys", "up to " + grouped(w.Keys, ",")},
				{"Webhook endpoints", "up to " + grouped(w.Endpoints, ",")},
			}},
			text("Keys and endpoints that were asleep work again. Invoices, means of payment and cancellation "+
				"are all in one place:"),
			button("See my plan", w.Link),
			small("The subscription renews every month. You can cancel it online whenever you like."),
		),
	})
}

// A Cancelled is a subscription that goes on until the end of its period.
type Cancelled struct {
	Ends time.Time
	Link string // to the page of the plan
}

// ProCancelled confirms that a subscription was cancelled, and says until when Pro stays.
func ProCancelled(l Letter, c Cancelled) Message {
	return l.message(draft{
		"Votre résiliation est enregistrée", filled(
			text("Bonjour,"),
			text("L’abonnement Pro de votre compte "+l.Service.name()+" est résilié. Vous gardez Pro jusqu’à la "+
				"fin de la période déjà payée, et rien ne vous sera plus facturé ensuite."),
			block{Facts: []fact{{"Fin de Pro", "le " + frenchTime(c.Ends)}}},
			text("Ce jour-là, votre compte revient à l’offre Développeur\u00a0: trois clés restent actives, les autres "+
				"se mettent en sommeil et les webhooks sont suspendus. Rien n’est effacé. D’ici là, vous pouvez "+
				"choisir les trois clés, ou annuler la résiliation\u00a0:"),
			button("Voir mon offre", c.Link),
			small("Si vous n’y êtes pour rien, annulez la résiliation et terminez les sessions que vous ne "+
				"connaissez pas."),
		),
	}, draft{
		"Your cancellation is confirmed", filled(
			text("Hello,"),
			text("The Pro subscription of your "+l.Service.name()+" account is cancelled. You keep Pro until "+
				"the end of the period that you have paid for, and nothing is charged after that."),
			block{Facts: []fact{{"Pro ends", englishTime(c.Ends)}}},
			text("On that day your account goes back to the Developer plan: three keys stay active, the others "+
				"go to sleep and webhooks are paused. Nothing is erased. Until then you can choose the three "+
				"keys, or undo the cancellation:"),
			button("See my plan", c.Link),
			small("If it was not you, undo the cancellation and end the sessions that you do not recognise."),
		),
	})
}

// An UnpaidInvoice is one that the means of payment did not pay.
type UnpaidInvoice struct {
	Day   int       // since its date: 0, 3 or 6
	Until time.Time // until when the account keeps Pro; zero if that is not known
	Link  string    // to the page of the plan
}

// lastDay is the day of the last letter about an unpaid invoice.
const lastDay = 6

// ProUnpaid tells the owner of an account that a payment failed, and until when Pro stays.
func ProUnpaid(l Letter, u UnpaidInvoice) Message {
	french, english := u.words()
	return l.message(draft{
		french.subject, filled(
			text("Bonjour,"),
			text(french.what),
			block{Facts: u.facts("Pro reste actif jusqu’au", frenchTime)},
			text("Le prestataire de paiement fera d’autres tentatives. Le plus souvent, c’est une carte expirée, un "+
				"plafond ou une confirmation que la banque attend. Pour vérifier le moyen de paiement ou "+
				"payer la facture\u00a0:"),
			button("Régler le paiement", u.Link),
			small("Sans paiement d’ici là, votre compte "+l.Service.name()+" revient à l’offre Développeur\u00a0: "+
				"trois clés restent actives, les autres se mettent en sommeil et les webhooks sont suspendus. Rien "+
				"n’est effacé, et tout reprend dès que la facture est payée."),
		),
	}, draft{
		english.subject, filled(
			text("Hello,"),
			text(english.what),
			block{Facts: u.facts("Pro stays until", englishTime)},
			text("The payment provider will try again. Most often it is a card that has expired, a limit, or a "+
				"confirmation that the bank is waiting for. To check your means of payment or pay the invoice:"),
			button("Settle the payment", u.Link),
			small("Without a payment by then, your "+l.Service.name()+" account goes back to the Developer plan: "+
				"three keys stay active, the others go to sleep and webhooks are paused. Nothing is erased, and "+
				"everything resumes as soon as the invoice is paid."),
		),
	})
}

// facts says until when Pro stays, if that is known.
func (u UnpaidInvoice) facts(name string, write func(time.Time) string) []fact {
	if u.Until.IsZero() {
		return nil
	}
	return []fact{{name, write(u.Until)}}
}

// unpaidWords are what differs between the letters about an unpaid invoice.
type unpaidWords struct{ subject, what string }

func (u UnpaidInvoice) words() (french, english unpaidWords) {
	switch {
	case u.Day >= lastDay:
		french.subject = "Dernier rappel\u00a0: votre abonnement Pro n’est pas payé"
		french.what = "Votre dernière facture n’est toujours pas payée. C’est notre dernier rappel avant l’arrêt de Pro."
		english.subject = "Last reminder: your Pro subscription is unpaid"
		english.what = "Your last invoice is still not paid. This is our last reminder before Pro stops."
	case u.Day > 0:
		french.subject = "Votre abonnement Pro n’est toujours pas payé"
		french.what = "Votre dernière facture n’est toujours pas payée. Votre compte garde Pro quelques jours encore."
		english.subject = "Your Pro subscription is still unpaid"
		english.what = "Your last invoice is still not paid. Your account keeps Pro for a few more days."
	default:
		french.subject = "Le paiement de votre abonnement Pro a échoué"
		french.what = "Le paiement de votre abonnement Pro n’est pas passé. Rien ne change pour le moment\u00a0: " +
			"votre compte garde Pro pendant sept jours."
		english.subject = "The payment for your Pro subscription failed"
		english.what = "The payment for your Pro subscription did not go through. Nothing changes for now: your " +
			"account keeps Pro for seven days."
	}
	return french, english
}

// An Ended is what an account that went back to Developer still has.
type Ended struct {
	Unpaid    bool     // it ended because an invoice was not paid
	Keys      []string // names of those that sleep
	Endpoints []string // URLs of those that are paused, shown without user and query
	Link      string   // to the page of the plan
}

// ProEnded tells the owner of an account that it is on Developer again, and what sleeps.
func ProEnded(l Letter, e Ended) Message {
	french, english := "L’abonnement Pro de votre compte "+l.Service.name()+" est terminé.",
		"The Pro subscription of your "+l.Service.name()+" account has ended."
	if e.Unpaid {
		french = "Faute de paiement, votre compte " + l.Service.name() + " n’a plus l’offre Pro."
		english = "Your " + l.Service.name() + " account is no longer on the Pro plan, as its invoice was not paid."
	}
	return l.message(
		draft{"Votre compte revient à l’offre Développeur", e.blocks(
			text("Bonjour,"),
			text(french+" Vous revenez à l’offre Développeur\u00a0: mille requêtes par jour et trois clés."),
			block{Facts: e.asleep("Clé en sommeil", "Webhook suspendu")},
			text("Ce qui dort n’est pas effacé, et se réveille avec Pro. Vous pouvez aussi choisir les trois clés "+
				"qui restent actives\u00a0:"),
			button("Voir mon offre", e.Link),
			small("Une clé en sommeil reçoit une erreur 401 qui en donne la raison."),
		)},
		draft{"Your account is back on the Developer plan", e.blocks(
			text("Hello,"),
			text(english+" You are back on the Developer plan: a thousand requests a day and three keys."),
			block{Facts: e.asleep("Key asleep", "Endpoint paused")},
			text("What sleeps is not erased, and wakes with Pro. You can also choose the three keys that stay "+
				"active:"),
			button("See my plan", e.Link),
			small("A key that is asleep gets an error 401 that says why."),
		)},
	)
}

// asleep are the keys and endpoints that sleep.
func (e Ended) asleep(key, endpoint string) (list []fact) {
	for _, name := range e.Keys {
		list = append(list, fact{key, name})
	}
	for _, url := range e.Endpoints {
		if _, shown := redactURL(url); shown != "" {
			list = append(list, fact{endpoint, shown})
		}
	}
	return list
}

// blocks leaves out what is about sleep if nothing sleeps.
func (e Ended) blocks(hello, ended, asleep, wakes, link, refused block) []block {
	if len(asleep.Facts) == 0 {
		return filled(hello, ended, link)
	}
	if len(e.Keys) == 0 {
		return filled(hello, ended, asleep, link)
	}
	return filled(hello, ended, asleep, wakes, link, refused)
}
