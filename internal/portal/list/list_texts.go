package list

import "github.com/palmares-hq/palmares/internal/layout"

// Texts returns the texts of the list, and of the page that ends its digest.
func Texts() layout.Texts { return layout.Join(listTexts, endTexts) }

var listTexts = layout.Texts{
	"list.title": {"Votre liste", "Your list"},
	"list.lede": {
		"Les outils que vous suivez. Un e-mail vous dit lesquels s’arrêtent, coûtent plus cher, changent de note ou trouvent un successeur, et rien quand il ne s’est rien passé.",
		"The tools you follow. An e-mail tells you which of them end, cost more, get another score or a successor, and none comes when nothing happened.",
	},
	"list.tools":       {"Outils suivis", "Tools you follow"},
	"list.count":       {"%s sur %s", "%s of %s"},
	"list.tool":        {"Outil", "Tool"},
	"list.state":       {"Prix, ou ce qu’il devient", "Price, or what becomes of it"},
	"list.none":        {"La liste est vide.", "The list is empty."},
	"list.ends":        {"s’arrête le %s", "ends on %s"},
	"list.retired":     {"retiré le %s", "retired on %s"},
	"list.gone":        {"n’est plus au catalogue", "no longer in the catalogue"},
	"list.remove":      {"Retirer les outils cochés", "Remove the ticked tools"},
	"list.offer":       {"À ajouter à votre liste", "To add to your list"},
	"list.offer.save":  {"Ajouter cet outil|Ajouter ces %s outils", "Add this tool|Add these %s tools"},
	"list.offer.room":  {"Il reste %s place dans votre liste\u00a0: décochez les autres.|Il reste %s places dans votre liste\u00a0: décochez les autres.", "Your list has room for %s more tool: untick the others.|Your list has room for %s more tools: untick the others."},
	"list.add":         {"Ajouter des outils", "Add tools"},
	"list.names":       {"Noms, séparés par des virgules", "Names, separated by commas"},
	"list.names.hint":  {"Le nom, le domaine ou l’identifiant de chacun.", "The name, the domain or the slug of each."},
	"list.add.do":      {"Ajouter", "Add"},
	"list.add.watch":   {"Les choisir par catégorie", "Choose them by category"},
	"list.full":        {"La liste est pleine\u00a0: votre offre en permet %s. Retirez un outil pour en ajouter un autre.", "The list is full: your plan allows %s. Remove a tool to add another."},
	"list.digest":      {"E-mail récapitulatif", "E-mail digest"},
	"list.every":       {"M’écrire, quand il y a du nouveau", "Write to me, when there is news"},
	"list.every.daily": {"une fois par jour au plus, à partir de 6\u00a0h\u00a0UTC", "once a day at most, from 06:00\u00a0UTC"},
	"list.every.weekly": {
		"une fois par semaine au plus, le lundi à partir de 6\u00a0h\u00a0UTC", "once a week at most, on Mondays from 06:00\u00a0UTC",
	},
	"list.every.never": {"jamais", "never"},
	"list.save":        {"Enregistrer", "Save"},
	"list.to":          {"À %s.", "To %s."},
	"list.sent":        {"Dernier envoi le %s.", "Last sent on %s."},
	"list.no-mail":     {"Ce service n’envoie pas d’e-mails.", "This service sends no e-mail."},
	"list.unconfirmed": {
		"Cette adresse n’est pas confirmée\u00a0: rien n’est envoyé tant qu’un e-mail reçu à cette adresse ne vous a pas connecté.",
		"This address is not confirmed: nothing is sent until you have signed in with an e-mail that arrived there.",
	},
	"list.stopped": {
		"Le récapitulatif est arrêté depuis le %s\u00a0: votre messagerie l’a refusé %s\u00a0fois de suite.",
		"The digest has been stopped since %s: your mail provider refused it %s times in a row.",
	},
	"list.stopped.how": {"Vérifiez votre adresse, puis enregistrez votre choix pour le reprendre.", "Check your address, then save your choice to start it again."},
	"list.chat-html": {
		"Pour Slack, Discord ou un lecteur de flux\u00a0: <a href=\"%s\">le flux de votre liste</a>.",
		"For Slack, Discord or a feed reader: <a href=\"%s\">the feed of your list</a>.",
	},

	"list.error.none":    {"Nommez un outil au moins.", "Name at least one tool."},
	"list.error.missing": {"%s ne nomme aucun outil du catalogue, ou en nomme plusieurs.", "%s names no tool of the catalogue, or several."},
	"list.error.full":    {"Cela ne tient pas dans la liste\u00a0: votre offre permet %s outils. Rien n’a été ajouté.", "The list has no room for that: your plan allows %s tools. Nothing was added."},

	"done.list-saved":   {"Votre liste est enregistrée.", "Your list is saved."},
	"done.list-removed": {"Les outils sont retirés.", "The tools are removed."},
	"done.digest-set":   {"Votre choix est enregistré.", "Your choice is saved."},
}

var endTexts = layout.Texts{
	"end-digest.title": {"Ne plus recevoir le récapitulatif", "Stop the digest"},
	"end-digest.lede": {
		"Il vous dit ce qui arrive aux outils de votre liste. Un clic, et vous ne le recevez plus\u202f; la liste reste.",
		"It tells you what happens to the tools on your list. One click stops it; the list stays.",
	},
	"end-digest.yes":       {"Ne plus m’écrire", "Stop writing to me"},
	"end-digest.done":      {"C’est fait", "Done"},
	"end-digest.done.lede": {"Vous ne recevrez plus de récapitulatif. Votre liste est toujours là.", "You will get no more digests. Your list is still there."},
	"end-digest.back":      {"Votre liste", "Your list"},
	"end-digest.wrong":     {"Ce lien ne mène à aucun compte", "This link leads to no account"},
	"end-digest.wrong.lede": {
		"Il est incomplet, ou le compte n’existe plus. Rien n’a été changé. Si des e-mails continuent d’arriver, copiez le lien en entier ou réglez-les dans votre compte.",
		"It is incomplete, or the account is gone. Nothing was changed. If e-mails still arrive, copy the whole link, or switch them off in your account.",
	},
}
