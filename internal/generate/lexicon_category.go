package generate

// categories are the twelve, in the order of categories.yaml. A nature is a
// singular with its article, a but an infinitive, a tâche a singular with its
// article, a corpus a singular with an indefinite article, a unité a plural.
var categories = []category{
	{
		slug: "code", label: "Code et développement", weight: 20, icps: []int{35, 40, 25},
		nameWords: []string{"Code", "Dev", "Commit", "Console", "Patch"},
		words: lexicon{
			"nature": {"un assistant de code", "un relecteur automatique", "un éditeur assisté", "un générateur de tests", "une console augmentée", "un compagnon de débogage"},
			"but":    {"écrire des tests unitaires", "relire une demande de fusion", "migrer un vieux module", "comprendre un dépôt inconnu", "corriger une régression", "documenter une API", "typer un projet ancien", "chasser le code mort"},
			"tâche":  {"la reprise d'un module ancien", "l'écriture de tests unitaires", "la relecture d'une demande de fusion", "la migration d'un schéma SQL", "le découpage d'une fonction trop longue", "la recherche d'une fuite de mémoire", "l'ajout d'une route à une API", "la mise à jour des dépendances"},
			"corpus": {"un dépôt de {8-90} 000 lignes", "une API de facturation", "un service écrit en 2016", "une application mobile à {3-9} écrans", "un monorepo de {12-60} paquets", "une bibliothèque sans documentation"},
			"unité":  {"fonctions", "correctifs", "relectures", "tests"},
		},
	},
	{
		slug: "chat", label: "Chat et assistants", weight: 14, icps: []int{45, 15, 40},
		nameWords: []string{"Chat", "Dialogue", "Réponse", "Causerie"},
		words: lexicon{
			"nature": {"un assistant généraliste", "un assistant de conversation", "un modèle de dialogue", "un compagnon de bureau", "une messagerie assistée", "un assistant pour la clientèle"},
			"but":    {"répondre aux questions courantes", "préparer une réunion", "résumer un fil de messages", "trier une boîte de réception", "expliquer un contrat", "réviser un cours", "reformuler un courrier", "planifier un voyage"},
			"tâche":  {"la synthèse d'un long échange", "la réponse à une réclamation", "la préparation d'un entretien", "l'explication d'une facture", "la tenue d'une conversation longue", "le calcul en plusieurs étapes", "la lecture d'un document joint", "l'aide aux devoirs"},
			"corpus": {"un fil de {40-300} messages", "un jeu de {50-200} questions", "une foire aux questions interne", "un contrat de {8-40} pages", "une série de {20-60} réclamations", "un manuel d'accueil"},
			"unité":  {"réponses", "synthèses", "explications", "échanges"},
		},
	},
	{
		slug: "image", label: "Image", weight: 13, icps: []int{65, 5, 30},
		nameWords: []string{"Image", "Pixel", "Palette", "Toile", "Cadre"},
		words: lexicon{
			"nature": {"un générateur d'images", "un atelier de retouche", "une palette assistée", "un outil de détourage", "un illustrateur automatique", "une banque d'images sur mesure"},
			"but":    {"illustrer un article", "détourer un produit", "agrandir une vieille photo", "décliner une affiche", "garder un personnage d'une image à l'autre", "composer une couverture", "retoucher un portrait", "préparer une planche de style"},
			"tâche":  {"le détourage d'un objet fin", "la retouche d'un visage", "l'écriture d'un texte lisible dans l'image", "la déclinaison d'une affiche", "le respect d'une charte de couleurs", "la restauration d'une photo ancienne", "le dessin des mains", "l'agrandissement sans flou"},
			"corpus": {"un lot de {40-200} photos", "une charte de {4-12} couleurs", "un catalogue de {30-300} produits", "une série de {10-40} portraits", "un carnet de croquis", "une affiche de festival"},
			"unité":  {"images", "retouches", "affiches", "détourages"},
		},
	},
	{
		slug: "video", label: "Vidéo", weight: 7, icps: []int{70, 5, 25},
		nameWords: []string{"Vidéo", "Montage", "Séquence", "Écran", "Plan"},
		words: lexicon{
			"nature": {"un banc de montage assisté", "un générateur de plans", "un outil de sous-titrage", "un studio de présentation filmée", "un monteur automatique"},
			"but":    {"monter un entretien", "sous-titrer une conférence", "tirer des extraits courts", "générer un plan de coupe", "doubler une présentation", "stabiliser une prise", "nettoyer un plan trop sombre", "raconter un produit en une minute"},
			"tâche":  {"le montage d'un entretien", "le sous-titrage d'une conférence", "la génération d'un plan de {4-12} secondes", "la synchronisation des lèvres", "le choix des extraits courts", "l'étalonnage de plusieurs caméras", "la suppression des silences", "la continuité d'un plan à l'autre"},
			"corpus": {"un entretien de {20-90} minutes", "une conférence à deux caméras", "un lot de {12-60} rushs", "une publicité de {20-45} secondes", "un tutoriel filmé à l'écran", "un documentaire amateur"},
			"unité":  {"plans", "extraits", "sous-titres", "montages"},
		},
	},
	{
		slug: "voix", label: "Voix et audio", weight: 5, icps: []int{50, 15, 35},
		nameWords: []string{"Voix", "Écho", "Parole", "Micro", "Timbre"},
		words: lexicon{
			"nature": {"un synthétiseur de voix", "un outil de transcription", "un standard vocal", "un nettoyeur de son", "un lecteur à voix haute"},
			"but":    {"transcrire une réunion", "lire un article à voix haute", "répondre au téléphone", "nettoyer un enregistrement", "doubler une formation", "séparer deux voix", "dicter un compte rendu", "produire un livre audio"},
			"tâche":  {"la transcription d'une réunion bruyante", "la lecture d'un texte littéraire", "la prise d'un rendez-vous par téléphone", "la séparation de deux voix", "la prononciation des noms propres", "la suppression d'un écho", "la dictée de termes médicaux", "le changement de ton en cours de phrase"},
			"corpus": {"une réunion de {30-90} minutes", "un enregistrement fait dans le train", "un roman de {150-400} pages", "une série de {30-120} appels", "un podcast à {2-5} voix", "une dictée de {10-40} minutes"},
			"unité":  {"phrases", "appels", "minutes", "lectures"},
		},
	},
	{
		slug: "agents", label: "Agents", weight: 12, icps: []int{10, 70, 20},
		nameWords: []string{"Agent", "Relais", "Équipage", "Pilote", "Escale"},
		words: lexicon{
			"nature": {"un agent autonome", "un chef d'orchestre d'agents", "un cadre pour agents", "un agent de navigation", "une équipe d'agents spécialisés", "un banc d'essai pour agents"},
			"but":    {"enchaîner des tâches longues", "piloter un navigateur", "répartir le travail entre agents", "surveiller un service", "traiter des tickets la nuit", "tenir un budget de jetons", "rejouer une session", "demander l'accord d'un humain au bon moment"},
			"tâche":  {"la réservation d'un voyage de bout en bout", "le tri de tickets", "la reprise après une erreur", "l'appel d'outils en chaîne", "la remise d'un rapport chaque matin", "le remplissage d'un formulaire", "la coordination de trois agents", "le respect d'un budget"},
			"corpus": {"une file de {50-400} tickets", "un parcours de {12-40} étapes", "un site marchand d'essai", "une boîte de réception factice", "un scénario de panne", "un jeu de {20-80} outils"},
			"unité":  {"missions", "étapes", "appels d'outil", "sessions"},
		},
	},
	{
		slug: "recherche", label: "Recherche et veille", weight: 3, icps: []int{25, 30, 45},
		nameWords: []string{"Veille", "Source", "Index", "Boussole"},
		words: lexicon{
			"nature": {"un moteur de réponse", "un outil de veille", "un lecteur d'articles", "une bibliothèque assistée", "un moteur interne"},
			"but":    {"suivre un sujet", "retrouver une source", "comparer des études", "interroger un fonds de documents", "préparer une revue de presse", "vérifier une affirmation", "cartographier un marché", "lire une thèse en une heure"},
			"tâche":  {"la recherche d'une source primaire", "la revue de presse du matin", "la comparaison de deux études", "la vérification d'un chiffre", "la lecture d'un article payant", "la veille sur un concurrent", "le repérage des doublons", "la citation au mot près"},
			"corpus": {"un fonds de {200-900} articles", "une thèse de {180-420} pages", "une archive de presse régionale", "un jeu de {40-120} affirmations", "un dossier de brevets", "un wiki interne"},
			"unité":  {"citations", "réponses", "alertes", "fiches"},
		},
	},
	{
		slug: "ecriture", label: "Écriture", weight: 8, icps: []int{60, 5, 35},
		nameWords: []string{"Plume", "Texte", "Brouillon", "Marge", "Verbe"},
		words: lexicon{
			"nature": {"un correcteur", "un assistant de rédaction", "un atelier d'écriture", "un traducteur", "un éditeur de textes longs"},
			"but":    {"corriger un manuscrit", "rédiger une fiche produit", "traduire un dossier", "tenir un ton d'un texte à l'autre", "raccourcir un rapport", "préparer une lettre d'information", "trouver un titre", "relire avant l'envoi"},
			"tâche":  {"la correction d'un manuscrit", "la traduction d'un mode d'emploi", "la rédaction d'une fiche produit", "le maintien d'un ton", "la coupe d'un texte trop long", "l'accord des participes", "la relecture d'un discours", "l'écriture d'une lettre d'information"},
			"corpus": {"un manuscrit de {120-380} pages", "un lot de {30-150} fiches", "un rapport annuel", "une lettre d'information hebdomadaire", "un discours de {6-20} minutes", "un mode d'emploi en trois langues"},
			"unité":  {"paragraphes", "corrections", "fiches", "phrases"},
		},
	},
	{
		slug: "donnees", label: "Données et analyse", weight: 5, icps: []int{15, 45, 40},
		nameWords: []string{"Data", "Tableau", "Mesure", "Courbe", "Repère"},
		words: lexicon{
			"nature": {"un analyste automatique", "un tableur assisté", "un générateur de requêtes", "un outil de tableaux de bord", "un nettoyeur de données"},
			"but":    {"interroger une base en français", "nettoyer un fichier", "tracer une courbe juste", "prévoir les ventes", "rapprocher deux listes", "expliquer un écart", "écrire une requête SQL", "bâtir un tableau de bord"},
			"tâche":  {"la jointure de trois tables", "le nettoyage d'un fichier mal saisi", "la prévision des ventes", "l'explication d'un écart", "le choix du bon graphique", "le rapprochement de deux listes", "l'écriture d'une requête à fenêtre", "la détection des valeurs aberrantes"},
			"corpus": {"un fichier de {20-900} 000 lignes", "une base de {8-40} tables", "un export comptable", "une enquête de {200-900} réponses", "un historique de ventes sur {3-8} ans", "un relevé de capteurs"},
			"unité":  {"requêtes", "graphiques", "calculs", "rapprochements"},
		},
	},
	{
		slug: "automatisation", label: "Automatisation", weight: 9, icps: []int{30, 45, 25},
		nameWords: []string{"Flux", "Rouage", "Relais", "Cadence", "Levier"},
		words: lexicon{
			"nature": {"un automate de flux", "un connecteur d'applications", "un robot de saisie", "un planificateur", "un atelier de scénarios"},
			"but":    {"relier deux applications", "traiter les factures entrantes", "relancer les clients", "classer les pièces jointes", "programmer une publication", "remplir un formulaire en série", "tenir un registre", "prévenir l'équipe au bon moment"},
			"tâche":  {"le classement des factures", "la relance des impayés", "la synchronisation de deux agendas", "la reprise d'un flux interrompu", "l'extraction d'un bon de commande", "la saisie en série", "le traitement d'un doublon", "l'envoi d'une alerte"},
			"corpus": {"un lot de {80-600} factures", "un scénario de {6-30} étapes", "une boîte de {200-900} courriels", "un carnet de commandes", "un flux de {5-40} événements par minute", "une procédure papier"},
			"unité":  {"exécutions", "factures", "relances", "étapes"},
		},
	},
	{
		slug: "design", label: "Design et interfaces", weight: 3, icps: []int{60, 15, 25},
		nameWords: []string{"Design", "Maquette", "Grille", "Contour"},
		words: lexicon{
			"nature": {"un générateur de maquettes", "un atelier d'interfaces", "un outil de prototypage", "un gardien de charte", "un convertisseur de maquettes"},
			"but":    {"passer de la maquette au code", "prototyper un écran", "tenir une charte", "décliner un logo", "vérifier les contrastes", "préparer un jeu d'icônes", "essayer trois mises en page", "ranger une bibliothèque de composants"},
			"tâche":  {"la conversion d'une maquette en code", "le contrôle des contrastes", "la création d'un jeu d'icônes", "l'adaptation au mobile", "le respect d'une grille", "la déclinaison d'un logo", "le prototypage d'un parcours", "le nommage des composants"},
			"corpus": {"une maquette de {8-40} écrans", "une charte de {20-70} pages", "un site vitrine", "une bibliothèque de {30-140} composants", "un formulaire en {4-9} étapes", "une application de réservation"},
			"unité":  {"écrans", "icônes", "composants", "maquettes"},
		},
	},
	{
		slug: "musique", label: "Musique", weight: 1, icps: []int{75, 5, 20},
		nameWords: []string{"Musique", "Accord", "Tempo", "Refrain", "Gamme"},
		words: lexicon{
			"nature": {"un générateur de morceaux", "un arrangeur automatique", "un outil de mastérisation", "un accompagnateur", "un séparateur de pistes"},
			"but":    {"composer un générique", "séparer les pistes", "mastériser un titre", "trouver un accompagnement", "prolonger une boucle", "transcrire un solo", "accorder des paroles et une mélodie", "sonoriser une vidéo"},
			"tâche":  {"la séparation des pistes", "la mastérisation d'un titre", "l'écriture d'un refrain", "la transcription d'un solo", "le maintien d'un tempo", "la composition d'un générique", "l'arrangement pour quatuor", "le raccord de deux boucles"},
			"corpus": {"un album de {8-14} titres", "une maquette enregistrée en répétition", "un standard de jazz", "une boucle de {8-32} mesures", "un chœur à {3-6} voix", "un générique de {15-40} secondes"},
			"unité":  {"morceaux", "pistes", "refrains", "accords"},
		},
	},
}
