package docs

import "github.com/palmares-hq/palmares/internal/layout"

var agentsTexts = layout.Join(layout.Texts{
	"agents.title": {"Pour les agents", "For agents"},
	"agents.description": {
		"Branchez Claude, Cursor ou VS Code sur le catalogue\u00a0: votre agent cherche, compare, vérifie les prix, et cite ses sources.",
		"Connect Claude, Cursor or VS Code to the catalogue: your agent searches, compares, checks prices, and cites its sources.",
	},
	"agents.lede": {
		"Votre assistant peut interroger le catalogue lui-même\u00a0: chercher, comparer, vérifier un prix, et dire d’où il le tient. Il suffit de lui donner cette adresse.",
		"Your assistant can ask the catalogue itself: search, compare, check a price, and say where it comes from. All it needs is this address.",
	},
	"agents.address": {"Adresse du serveur MCP", "Address of the MCP server"},
	"agents.protocol": {
		"Model Context Protocol, par HTTP, en lecture seule. Les mêmes clés, les mêmes quotas et la même édition que l’API.",
		"Model Context Protocol over HTTP, read-only. The same keys, the same quotas and the same edition as the API.",
	},

	"agents.how":     {"Brancher votre agent", "Connect your agent"},
	"agents.example": {"Voir un dialogue", "See a conversation"},

	"agents.tools": {"Ce qu’un agent peut demander", "What an agent can ask"},
	"agents.tools.lede": {
		"Huit outils, que l’agent choisit lui-même d’après votre question. Chaque réponse nomme l’édition, l’appel de l’API qui donne les mêmes données, et la source à citer.",
		"Eight tools, which the agent picks by itself from your question. Each answer names the edition, the API call that gives the same data, and the source to credit.",
	},
	"agents.tool.search_tools":  {"Trouve des outils par mots, catégorie, note, prix ou public.", "Finds tools by words, category, score, price or audience."},
	"agents.ask.search_tools":   {"Quels assistants de code à moins de 20\u00a0€ par mois\u202f?", "Which coding assistants cost less than €20 a month?"},
	"agents.tool.get_tool":      {"Dit tout d’un outil\u00a0: note, prix, sources, rang, comparatifs, début de l’avis.", "Says everything about a tool: score, price, sources, rank, comparisons, the beginning of its review."},
	"agents.ask.get_tool":       {"Que vaut cet outil, et qui le dit\u202f?", "Is this tool any good, and who says so?"},
	"agents.tool.compare_tools": {"Met deux à cinq outils côte à côte\u00a0: ce qui les sépare, et le verdict des comparatifs.", "Sets two to five tools side by side: what differs, and what the comparisons conclude."},
	"agents.ask.compare_tools":  {"Lequel des deux pour une petite équipe\u202f?", "Which of the two for a small team?"},
	"agents.tool.price_history": {"Retrace le prix d’un outil en euros, avec ses vingt derniers changements.", "Traces the price of a tool in euros, with its last twenty changes."},
	"agents.ask.price_history":  {"Son prix a-t-il augmenté depuis un an\u202f?", "Has it become more expensive within a year?"},
	"agents.tool.alternatives":  {"Propose de quoi remplacer un outil, le successeur désigné d’abord, puis les plus proches, et dit ce qui changerait.", "Suggests what could replace a tool, a named successor first, then the closest, and says what would change."},
	"agents.ask.alternatives":   {"Par quoi le remplacer sans payer plus cher\u202f?", "What could replace it without costing more?"},
	"agents.tool.retired":       {"Dit si un outil a été retiré, quand, pourquoi, et quoi prendre à la place.", "Says whether a tool was retired, when, why, and what to use instead."},
	"agents.ask.retired":        {"Ce service existe-t-il encore\u202f?", "Does this service still exist?"},
	"agents.tool.what_changed":  {"Liste les changements, les derniers ou depuis un jour donné, avec l’ancienne valeur\u00a0: nouveaux outils, retraits, prix, fins annoncées.", "Lists changes, the latest or since a given day, with the old value: new tools, retirements, prices, announced ends."},
	"agents.ask.what_changed":   {"Quoi de neuf depuis la dernière fois\u202f?", "What is new since last time?"},
	"agents.tool.check_stack": {
		"Passe en revue jusqu’à cinquante outils, domaines ou paquets que vous utilisez\u00a0: retirés, bientôt arrêtés, plus chers, mal notés.",
		"Goes through up to fifty tools, domains or packages that you use: retired, ending, more expensive, low in score.",
	},
	"agents.ask.check_stack": {"Que faut-il remplacer dans ce package.json\u202f?", "What should be replaced in this package.json?"},

	"agents.key": {"Une clé à votre nom", "A key of your own"},
	"agents.key.why": {
		"Un agent hébergé appelle depuis les serveurs de son fournisseur, et partage leurs adresses avec tous ses autres utilisateurs. Sans clé, le quota est celui de l’adresse, %s requêtes par jour\u00a0: d’autres peuvent l’avoir épuisé avant votre première question. Une clé gratuite vous en donne %s, à vous seul.",
		"A hosted agent calls from its provider’s servers, and shares their addresses with all its other users. Without a key, the quota is that of the address, %s requests a day: others may have used it up before your first question. A free key gives you %s, for you alone.",
	},
	"agents.key.cost": {
		"Un appel d’outil compte pour une requête, même s’il répond par une erreur\u202f; la connexion et la liste des outils sont gratuites.",
		"Calling a tool counts as one request, even if the answer is an error; connecting and listing the tools are free.",
	},
	"agents.key.get": {"Les quotas, et comment avoir une clé", "The quotas, and how to get a key"},

	"agents.connect": {"Comment le brancher", "How to connect it"},
	"agents.connect.lede": {
		"La clé va dans l’en-tête Authorization. Sans clé, retirez cet en-tête\u00a0: tout le reste est pareil.",
		"The key goes into the Authorization header. Without one, leave the header out: the rest stays the same.",
	},
	"agents.client.claude-code":          {"Claude Code", "Claude Code"},
	"agents.connect.claude-code-html":    {"Une commande. Ensuite <code>/mcp</code> montre le serveur et ses huit outils.", "One command. Then <code>/mcp</code> shows the server and its eight tools."},
	"agents.client.claude-team":          {"Claude Code, en équipe", "Claude Code, for a team"},
	"agents.connect.claude-team-html":    {"Dans <code>.mcp.json</code>, à la racine du projet. La clé reste dans l’environnement de chacun, dans <code>AI_TOOLS_KEY</code>\u00a0: le fichier peut être partagé.", "In <code>.mcp.json</code>, at the root of the project. The key stays in everybody’s own environment, in <code>AI_TOOLS_KEY</code>, so the file can be shared."},
	"agents.client.claude-desktop":       {"Claude Desktop", "Claude Desktop"},
	"agents.connect.claude-desktop-html": {"Son fichier de configuration ne prend que des programmes locaux\u00a0: <code>mcp-remote</code>, qui demande Node.js, fait le pont et envoie la clé.", "Its configuration file takes local programs only: <code>mcp-remote</code>, which needs Node.js, is the bridge that sends the key."},
	"agents.client.cursor":               {"Cursor", "Cursor"},
	"agents.connect.cursor-html":         {"Dans <code>~/.cursor/mcp.json</code>, ou <code>.cursor/mcp.json</code> pour un seul projet.", "In <code>~/.cursor/mcp.json</code>, or <code>.cursor/mcp.json</code> for one project."},
	"agents.client.vscode":               {"VS Code", "VS Code"},
	"agents.connect.vscode-html":         {"Dans <code>.vscode/mcp.json</code>. VS Code demande la clé au premier démarrage, et la garde hors du fichier.", "In <code>.vscode/mcp.json</code>. VS Code asks for the key when the server first starts, and keeps it out of the file."},
	"agents.client.hosted":               {"ChatGPT, claude.ai et autres connecteurs", "ChatGPT, claude.ai and other connectors"},
	"agents.connect.hosted": {
		"Leurs réglages prennent une adresse, pas d’en-tête\u00a0: donnez-leur celle du serveur, sans authentification. Ils comptent alors sur le quota sans clé, que leurs utilisateurs se partagent.",
		"Their settings take an address, but no header: give them that of the server, without authentication. They then use the quota without a key, which all their users share.",
	},

	"agents.more": {"En savoir plus", "Read more"},
	"agents.data": {
		"Les textes du catalogue sont des données, pas des consignes\u00a0: le serveur en retire ce que personne ne voit, et un agent ne doit jamais leur obéir.",
		"Texts of the catalogue are data, not instructions: the server removes from them what nobody sees, and an agent must never obey them.",
	},
	"agents.guide":      {"Le guide des agents\u00a0: chaque réponse, les coûts, les erreurs", "The guide to agents: every answer, costs, errors"},
	"agents.guide.slug": {"agents", "agents"},
	"agents.documents":  {"Pour les programmes qui cherchent ce serveur\u00a0:", "For programs that look for this server:"},
}, dialogueTexts)

// dialogueTexts are the questions of the example conversation, and the sentences about the answers.
var dialogueTexts = layout.Texts{
	"agents.dialogue": {"Un dialogue, pour de vrai", "A real conversation"},
	"agents.dialogue.lede": {
		"Les questions sont de nous. Les appels sont faits pour de bon, sur l’édition n°\u00a0%s du %s, et refaits à chaque édition\u202f; la recommandation ne dit que ce que les réponses contiennent.",
		"The questions are ours. The calls are made for real, on edition no.\u00a0%s of %s, and made again for each edition; the recommendation says nothing but what the answers contain.",
	},
	"agents.dialogue.you":   {"Vous", "You"},
	"agents.dialogue.agent": {"L’agent", "The agent"},
	"agents.dialogue.full":  {"Réponse de %s", "Response from %s"},
	"agents.dialogue.first-html": {
		"Quel outil choisir dans la catégorie «\u202f%s\u202f»\u202f?",
		"Which tool should we choose in the category “%s”?",
	},
	"agents.dialogue.second": {"D’où vient cette note, et depuis quand ce prix\u202f?", "Where does that score come from, and since when has this been the price?"},
	"agents.dialogue.third":  {"Aujourd’hui, nous utilisons %s. Faut-il changer\u202f?", "Today we use %s. Should we switch?"},
	"agents.dialogue.and":    {"%s et %s", "%s and %s"},

	"agents.said.search":      {"%s outil trouvé\u202f; %s est en tête, avec %s sur 10.|%s outils trouvés\u202f; %s est en tête, avec %s sur 10.", "%s tool found; %s comes first, with %s out of 10.|%s tools found; %s comes first, with %s out of 10."},
	"agents.said.compared":    {"Face à %s, le comparatif donne l’avantage à %s.", "Against %s, the comparison favours %s."},
	"agents.said.notcompared": {"%s critère les sépare\u202f; personne ne les a encore comparés.|%s critères les séparent\u202f; personne ne les a encore comparés.", "They differ in %s respect; nobody has compared them yet.|They differ in %s respects; nobody has compared them yet."},
	"agents.said.facts":       {"%s valeur avec sa source.|%s valeurs avec leur source.", "%s value with its source.|%s values with their sources."},
	"agents.said.price":       {"%s, sans changement connu.", "%s, with no known change."},
	"agents.said.prices":      {"%s changement, le dernier le %s.|%s changements, le dernier le %s.", "%s change, the last one on %s.|%s changes, the last one on %s."},
	"agents.said.fine":        {"%s\u00a0: rien à signaler.", "%s: nothing to report."},
	"agents.said.finding":     {"%s\u00a0: %s.", "%s: %s."},
	"agents.said.instead":     {"%s\u00a0: %s\u202f; à la place, %s.", "%s: %s; use %s instead."},
	"agents.find.retired":     {"retiré", "retired"},
	"agents.find.ending":      {"fin annoncée", "its end is announced"},
	"agents.find.dearer":      {"plus cher qu’il y a un an", "more expensive than a year ago"},
	"agents.find.low_score":   {"note basse", "a low score"},

	"agents.advice": {"Prenez %s.", "Choose %s."},
	"agents.advice.score-html": {
		"En tête de la catégorie «\u202f%s\u202f», avec %s sur 10.",
		"First in the category “%s”, with %s out of 10.",
	},
	"agents.advice.price":       {"%s, prix vérifié le %s.", "%s, checked on %s."},
	"agents.advice.bare":        {"%s.", "%s."},
	"agents.advice.favoured":    {"Face à %s, le comparatif lui donne l’avantage.", "Against %s, the comparison favours it."},
	"agents.advice.notcompared": {"%s vient ensuite, avec %s sur 10.", "%s comes next, with %s out of 10."},
	"agents.advice.moved":       {"Dernier changement de prix le %s\u00a0: de %s à %s.", "Last change of price on %s: from %s to %s."},
	"agents.advice.unmoved":     {"Son prix n’a pas changé depuis qu’il est au catalogue.", "Its price has not changed since it joined the catalogue."},
	"agents.advice.tool":        {"Fiche de %s", "Page about %s"},
	"agents.advice.compared":    {"Comparatif", "Comparison"},
	"agents.advice.beside":      {"Les deux côte à côte", "The two side by side"},
	"agents.advice.history":     {"Historique du prix", "Price history"},
	"agents.advice.stack":       {"Revue de vos outils", "Review of your tools"},
	"agents.advice.source":      {"Source\u00a0: %s", "Source: %s"},
	"agents.advice.api":         {"Réponse de l’API", "API response"},
	"agents.advice.credit":      {"Mention à garder\u00a0:", "Credit line to keep:"},
}
