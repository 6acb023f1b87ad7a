package generate

import "maps"

// general is what every category says. The order of a list is part of what a
// seed means: a text added or moved changes the catalogs made from then on.
var general = merge(commonPhrases, reviewPhrases, verdictPhrases, otherPhrases)

func merge(parts ...lexicon) lexicon {
	all := lexicon{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

// commonPhrases fill slots. An atout and a défaut are singular, a public is
// plural, a corpus is singular and indefinite: the sentences agree with that.
var commonPhrases = lexicon{
	"atout": {
		"la clarté de l'interface", "la qualité du français", "l'export sans perte", "la rapidité des réponses",
		"le suivi des versions", "la lisibilité des journaux", "la justesse des résultats", "le travail hors ligne",
		"la finesse des réglages", "un support qui répond en {2-9} heures", "la reprise après une coupure",
		"le partage à plusieurs", "la stabilité d'une version à l'autre", "un choix d'exemples bien pensés",
		"le respect des consignes longues", "une vue d'ensemble sur un seul écran",
	},
	"défaut": {
		"l'attente au premier lancement", "l'absence d'historique exportable", "le support en anglais seulement",
		"une documentation qui date", "la limite de {10-60} demandes par heure", "un vocabulaire parfois obscur",
		"l'oubli des réglages d'une session à l'autre", "la lourdeur de la page d'accueil", "un réglage introuvable sans aide",
		"la gestion des droits, trop sommaire", "l'export réservé à un seul format", "le manque de raccourcis",
		"une facturation difficile à prévoir", "l'instabilité de la version mobile", "le nombre de clics",
		"une recherche qui ignore les accents",
	},
	"durée": {
		"trois semaines", "deux semaines", "un mois", "dix jours", "{4-9} jours", "{20-60} heures", "six semaines",
		"une quinzaine de jours",
	},
	"équipe": {
		"une équipe de {3-12} personnes", "un binôme habitué à la catégorie", "une petite agence de {4-9} personnes",
		"une PME de {20-90} salariés", "un indépendant", "une association de {5-30} bénévoles", "un service de {6-25} agents",
		"un groupe de débutants et de confirmés",
	},
	"matériel": {
		"un portable de 2021", "une machine à {8-32} Go de mémoire", "un poste sans carte graphique", "une tablette",
		"un serveur loué au mois", "un téléphone de milieu de gamme", "une connexion de {8-50} Mbit/s",
	},
	"intégration": {
		"le dépôt git", "la messagerie d'équipe", "le tableur partagé", "l'agenda", "le gestionnaire de tickets",
		"l'éditeur de code", "le stockage de fichiers", "l'annuaire de l'entreprise", "la boîte aux lettres",
		"le site de l'entreprise", "l'outil de caisse", "la base clients",
	},
	"public": {
		"les indépendants", "les équipes produit", "les petites agences", "les enseignants", "les services clients",
		"les développeurs pressés", "les rédactions", "les associations", "les studios", "les équipes de {3-20} personnes",
		"les débutants", "les profils techniques", "les directions de PME", "les curieux",
	},
	"manière": {
		"en quelques minutes", "depuis le navigateur", "en français", "à plusieurs", "sans quitter l'éditeur",
		"à partir d'une phrase", "sur un serveur privé", "au fil de la conversation", "en une seule commande",
		"avec un historique complet", "à partir d'un simple fichier", "du brouillon à la version finale", "hors ligne",
		"sans écrire une ligne de code", "avec des sources vérifiables", "à coût connu d'avance",
	},
	"peine": {
		"y passer la nuit", "changer d'habitudes", "perdre le fil", "configuration", "copier-coller", "mauvaise surprise",
		"engagement", "jargon", "partir de zéro", "donner accès aux données", "multiplier les outils", "attendre",
	},
	"mois": {
		"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
		"décembre",
	},
	"hébergement": {
		"en Europe", "en France", "chez un hébergeur irlandais", "sur le poste", "dans la région choisie à l'inscription",
		"aux États-Unis", "chez l'éditeur, en Allemagne",
	},
	"accroche": {
		"{nature} pour {but} {manière}", "{nature} pour {but} sans {peine}", "{but} {manière}", "{but}, sans {peine}",
		"{nature} à l'usage {de public} : {but}", "{but} et {but}, {manière}", "Pour {public} qui veulent {but} {manière}",
		"{tâche}, {manière}", "{tâche} et {tâche}, sans {peine}", "{nature} qui aide {public} à {but}",
	},
}
