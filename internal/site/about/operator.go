package about

import (
	"time"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/markdown"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var wordsTexts = layout.Texts{
	"words.description": {"%s\u00a0: %s.", "%s: %s."},
	"words.contents":    {"Sommaire", "Contents"},
	"words.method": {
		"%s n’a pas encore décrit sa méthode.", "%s has not described its method yet.",
	},
	"words.legal": {
		"%s n’a pas encore publié ses mentions légales.", "%s has not published its legal notice yet.",
	},
	"words.privacy": {
		"%s n’a pas encore publié sa politique de confidentialité.", "%s has not published its privacy policy yet.",
	},
	"words.terms": {
		"%s n’a pas encore publié ses conditions.", "%s has not published its terms yet.",
	},

	"words.kept": {"Ce que le service garde, et combien de temps", "What the service keeps, and for how long"},
	"words.kept.lede": {
		"Passé ces durées, le service efface ces données automatiquement.",
		"The service deletes this data automatically after these periods.",
	},
	"words.kept.what":  {"Donnée", "Data"},
	"words.kept.long":  {"Durée", "Kept for"},
	"words.kept.until": {"jusqu’à ce que vous la changiez, ou avec le compte", "until you change it, or with the account"},
	"words.years":      {"%s\u00a0an|%s\u00a0ans", "%s year|%s years"},
	"words.days":       {"%s\u00a0jour|%s\u00a0jours", "%s day|%s days"},
	"words.hours":      {"%s\u00a0heure|%s\u00a0heures", "%s hour|%s hours"},
	"words.processors": {"Qui d’autre y a accès", "Who else has access"},
	"words.mail": {
		"Un relais de messagerie achemine les e-mails\u00a0: il en voit l’adresse et le texte.",
		"A mail relay delivers e-mails: it sees their address and their text.",
	},
	"words.payment": {
		"%s encaisse les paiements\u00a0: les données de carte lui sont transmises directement, sans passer par ce service.",
		"%s takes payments: card data goes there directly, never through this service.",
	},
	"words.payment.given": {
		"Il reçoit de ceux qui commandent Pro l’adresse e-mail des factures, l’identifiant du compte, le nom, l’adresse postale et le numéro de l’entreprise, son numéro de bon de commande et la date de la commande.",
		"From those who order Pro it receives the e-mail address for invoices, the account’s identifier, the name, postal address and number of the business, its purchase order number, and the date of the order.",
	},
	"words.payment.kept": {
		"À la suppression du compte, il efface la carte aussitôt, et la fiche du client dès que plus rien n’est à payer ni à rembourser. Les factures et les avoirs déjà émis y restent tels quels, avec le nom, l’adresse et l’adresse e-mail du client.",
		"When the account is deleted, it erases the card at once, and the customer’s record as soon as nothing is left to pay or to refund. Invoices and credit notes already issued stay there as they are, with the customer’s name, address and e-mail address.",
	},
	"words.payment.seller": {
		"L’exploitant, qui vend Pro, conserve ces factures et ces avoirs dix ans à compter de la clôture de l’exercice, même après la suppression du compte\u00a0: la loi l’y oblige (article L.\u00a0123-22 du code de commerce).",
		"The operator, who sells Pro, keeps these invoices and credit notes for ten years from the close of the financial year, even after the account is deleted: the law requires it (article L.\u00a0123-22 of the French commercial code).",
	},
	"words.payment.abroad": {
		"%s peut transférer ces données hors de l’Union européenne, notamment aux États-Unis, sous les garanties que décrit son propre accord sur les données.",
		"%s may transfer this data outside the European Union, in particular to the United States, under the safeguards that its own data agreement describes.",
	},

	"kept.sign-ins":      {"Demandes de connexion, avec l’adresse e-mail", "Sign-in requests, with the e-mail address"},
	"kept.email-changes": {"Changements d’adresse à confirmer", "Address changes awaiting confirmation"},
	"kept.sessions":      {"Sessions ouvertes, avec le nom du navigateur", "Open sessions, with the browser’s name"},
	"kept.activity":      {"Journal d’activité d’un compte", "An account’s activity log"},
	"kept.usage":         {"Nombre de requêtes par compte et par jour", "Number of requests per account per day"},
	"kept.watchlists":    {"Liste des outils suivis par un compte, et date du dernier récapitulatif", "The list of tools that an account follows, and the date of its last digest"},
	"kept.notices":       {"E-mails envoyés à propos du quota", "E-mails sent about the quota"},
	"kept.addresses": {
		"Compteurs des requêtes sans clé, sous une empreinte de l’adresse IP, après la fin du jour",
		"Counters of requests without a key, under a hash of the IP address, after the day ends",
	},
	"kept.deliveries":     {"Livraisons de webhooks", "Webhook deliveries"},
	"kept.reports":        {"Signalements d’erreurs non traités, avec l’adresse e-mail laissée pour une réponse", "Open error reports, with the e-mail address left for a reply"},
	"kept.closed-reports": {"Signalements traités, sans l’adresse e-mail une fois la réponse partie", "Closed error reports, without the e-mail address once the reply is sent"},
	"kept.report-networks": {
		"Origine d’un signalement, sous une empreinte de l’adresse IP",
		"Where a report came from, under a hash of the IP address",
	},
	"kept.orders": {
		"Commandes de Pro\u00a0: date, nom, adresse et numéro de l’entreprise, texte accepté, sans adresse e-mail une fois le compte supprimé, après la fin du contrat (la loi demande dix ans à compter de la clôture de l’exercice)",
		"Pro orders: date, name, address and number of the business, accepted text, without an e-mail address once the account is deleted, after the contract ends (the law asks for ten years from the close of the financial year)",
	},
	"kept.unpaid-orders":    {"Commandes restées sans paiement", "Orders that were never paid"},
	"kept.payments":         {"Événements du prestataire de paiement et factures envoyées, sans leur contenu", "Events from the payment provider and invoices e-mailed, without their content"},
	"kept.deletion-notices": {"Adresse d’un compte supprimé, le temps de confirmer la suppression", "Address of a deleted account, until the deletion is confirmed"},
}

// PrivacyFacts are what the privacy page says about the program as it is configured.
type PrivacyFacts struct {
	Retention []Retention // in the order of the table; there is no table if empty
	Mail      bool        // mail is sent through a relay
	Payment   string      // the name of the payment provider; "" without one
}

// A Retention is how long one kind of personal data is stored.
type Retention struct {
	What string        // the suffix of the name of its text
	For  time.Duration // 0 until the account is deleted, or its owner changes it
}

// A wordsBody is the data of a page that the operator writes.
type wordsBody struct {
	Title    string
	Neutral  string // a neutral text, until the operator has written one; then ""
	Foreign  bool   // the text is French and the page is not
	Text     markdown.Review
	Contents []markdown.Heading
	Kept     []keptRow
	Fresh    *freshness // of the page about the method

	Processors []string
}

// A keptRow is a row of the table of retention.
type keptRow struct{ What, For string }

// Written returns a function that makes a page that the operator writes, such as the legal notice or the terms.
func Written(page address.Page) func(*view.View) (*view.Document, error) {
	return func(v *view.View) (*view.Document, error) {
		d, body := written(v, page)
		d.Body = body
		return d, nil
	}
}

// Privacy returns a function that makes the page about privacy: the operator's text, and the facts about the program.
func Privacy(facts PrivacyFacts) func(*view.View) (*view.Document, error) {
	return func(v *view.View) (*view.Document, error) {
		d, body := written(v, address.Privacy)
		body.addFacts(v, facts)
		d.Body = body
		return d, nil
	}
}

// written returns a page that the operator writes, without its body, and the body, for the caller to add to and set.
func written(v *view.View, page address.Page) (*view.Document, wordsBody) {
	title := v.Text.OwnTitle(v.Catalog, page.Name)
	body := wordsBody{Title: title}
	d := &view.Document{
		Template: "words", Title: title,
		Description: v.Text.Must("words.description", v.Catalog.Service().Name, title),
	}
	if file, language := ownPage(v, page); file != nil {
		body.Text = markdown.Render(file.Text, language.Typeset)
		body.Foreign = language != v.Text.Language
	} else {
		body.Neutral = v.Text.Must("words."+page.Name, v.Catalog.Service().Name)
		d.NoIndex = true
	}
	const short = 3 // sections: fewer need no table of contents
	if len(body.Text.Headings) >= short {
		body.Contents = body.Text.Headings
	}
	return d, body
}

// ownPage returns the operator's file for a page and its language: that of the request if there is such a file, else
// French. The file is nil until the operator has written the page.
func ownPage(v *view.View, page address.Page) (*catalog.OperatorFile, locale.Language) {
	name := layout.OwnPage(page.Name)
	if v.Text.Language == locale.English {
		if file, ok := v.Catalog.OperatorFile(name + catalog.EnglishPage); ok {
			return file, locale.English
		}
	}
	file, _ := v.Catalog.OperatorFile(name + catalog.FrenchPage)
	return file, locale.French
}

// addFacts adds the facts about the program to the page about privacy.
func (b *wordsBody) addFacts(v *view.View, facts PrivacyFacts) {
	for _, k := range facts.Retention {
		b.Kept = append(b.Kept, keptRow{v.Text.Must("kept." + k.What), term(v, k.For)})
	}
	if facts.Mail {
		b.Processors = append(b.Processors, v.Text.Must("words.mail"))
	}
	if name := facts.Payment; name != "" {
		b.Processors = append(b.Processors, v.Text.Must("words.payment", name), v.Text.Must("words.payment.given"), v.Text.Must("words.payment.kept"),
			v.Text.Must("words.payment.seller"), v.Text.Must("words.payment.abroad", name))
	}
}

// term formats how long data is kept, in whole years, days or else hours, rounded up.
func term(v *view.View, d time.Duration) string {
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	if d == 0 {
		return v.Text.Must("words.kept.until")
	}
	if d >= year && d%year == 0 {
		return v.Text.Many("words.years", int(d/year))
	}
	if d >= day && d%day == 0 {
		return v.Text.Many("words.days", int(d/day))
	}
	return v.Text.Many("words.hours", int((d+time.Hour-1)/time.Hour))
}
