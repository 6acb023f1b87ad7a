package docs

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/jsonld"
	"github.com/palmares-hq/palmares/internal/site/view"
)

// A Data makes the page that lists the files that can be downloaded.
type Data struct {
	keeper *export.Cache // nil if there are no files: sizes are then unknown
}

// NewData returns a Data that shows the sizes of the files in k, which may be nil.
func NewData(k *export.Cache) *Data { return &Data{k} }

// sizesWait is how long a reader waits for files that are not made yet. A small catalog's take milliseconds.
const sizesWait = time.Second

// Files maps files to their contents, as far as they have been made.
type Files map[export.File]*export.Artifact

// Measure has all files of the edition made, and returns those that are ready within sizesWait.
func (d *Data) Measure(ctx context.Context) Files {
	found := make(Files)
	if d.keeper == nil {
		return found
	}
	ctx, cancel := context.WithTimeout(ctx, sizesWait)
	defer cancel()
	for _, f := range export.Files() {
		if made, err := d.keeper.Get(ctx, f); err == nil { // a file that is late is left out, and the page says so
			found[f] = made
		}
	}
	return found
}

type dataBody struct {
	Date          string     // of the edition
	Formats       []string   // their names, the columns of the matrix
	For           []dataFile // what each format is for
	Tables        []dataTable
	Credit, Guide string
	License       catalog.License
}

type dataTable struct {
	Name, Title, What string
	Rows              string
	Columns           []string
	Files             []dataFile
}

type dataFile struct {
	Name, Path, Format, For, Size, Packed string // sizes are "" if unknown
}

// Page returns the page that lists the files. made has the files whose sizes are known.
func (d *Data) Page(v *view.View, made Files) (*view.Document, error) {
	service, day := v.Catalog.Service(), v.Catalog.Edition().PublishedAt.UTC()
	body := dataBody{
		Credit:  v.Text.Must("data.credit.line", service.Credit(), locale.French.Date(day)),
		License: service.License, Guide: v.Path(address.Guide, v.Text.Must("data.guide.slug")),
	}
	body.Date = v.Text.Date(day)
	for _, format := range export.Formats() {
		what := v.Text.Must("data.for." + strings.ReplaceAll(string(format), ".", "-"))
		name := v.Text.Must("data.format." + strings.ReplaceAll(string(format), ".", "-"))
		body.Formats, body.For = append(body.Formats, name), append(body.For, dataFile{Format: name, For: what})
	}
	for _, t := range export.Tables() {
		shown := dataTable{
			Name: t.Name, Title: v.Text.Must("data." + t.Name), What: v.Text.Must("data.what." + t.Name),
			Rows: v.Text.Integer(t.Rows(v.Catalog, export.CSV)),
		}
		for _, c := range t.Columns {
			shown.Columns = append(shown.Columns, c.Name)
		}
		for i, format := range export.Formats() {
			f := export.File{Table: t.Name, Format: format}
			file := dataFile{Name: f.Name(), Path: export.Path + "/" + f.Name(), Format: body.Formats[i]}
			if m := made[f]; m != nil {
				file.Size, file.Packed = size(v, m.Size), size(v, len(m.Gzip))
			}
			shown.Files = append(shown.Files, file)
		}
		body.Tables = append(body.Tables, shown)
	}
	return &view.Document{
		Template: "data", Section: address.Guides, Title: v.Text.Must("data.title"),
		Description: v.Text.Must("data.description"), Data: jsonld.Dataset(v, v.Text.Must("data.title"), v.Text.Must("data.description")), Body: body,
	}, nil
}

// size formats a number of bytes: 940 octets, 12 ko, 3,4 Mo.
func size(v *view.View, n int) string {
	const kilo, mega = 1000, 1000 * 1000
	switch {
	case n < kilo:
		return v.Text.Many("data.bytes", n)
	case n < mega:
		return v.Text.Must("data.kilobytes", v.Text.Integer((n+kilo/2)/kilo))
	}
	s := strconv.FormatFloat(float64(n)/mega, 'f', 1, 64)
	if v.Text.Language == locale.French {
		s = strings.ReplaceAll(s, ".", ",")
	}
	return v.Text.Must("data.megabytes", s)
}

var dataTexts = layout.Texts{
	"data.title": {"Données à télécharger", "Downloads"},
	"data.description": {
		"Tout le catalogue en fichiers JSONL et CSV, à télécharger sans clé, et comment en tenir une copie à jour.",
		"The whole catalogue as JSONL and CSV files, to download without a key, and how to keep a copy up to date.",
	},
	"data.lede": {
		"Tout le catalogue en quelques fichiers, sans clé et sans compte\u00a0: un téléchargement compte pour une requête.",
		"The whole catalogue in a few files, without a key or an account: a download counts as one request.",
	},
	"data.tools":       {"Outils", "Tools"},
	"data.pricing":     {"Prix", "Prices"},
	"data.comparatifs": {"Comparatifs", "Comparisons"},
	"data.cimetiere":   {"Cimetière", "Cemetery"},
	"data.categories":  {"Catégories", "Categories"},
	"data.what.tools": {
		"Les outils en activité, avec leur note, leur prix en centimes et leurs adresses.",
		"The active tools, with their scores, their prices in cents and their addresses.",
	},
	"data.what.pricing": {
		"Les prix actuels\u202f; en JSONL, chaque prix vient avec son historique.",
		"The current prices; in JSONL, each one comes with its history.",
	},
	"data.what.comparatifs": {"Deux outils face à face, le vainqueur et la raison.", "Two tools side by side, the winner and why."},
	"data.what.cimetiere":   {"Les outils retirés, avec la date et la raison.", "The retired tools, with the date and the reason."},
	"data.facts":            {"Sources", "Sources"},
	"data.what.facts": {
		"D’où viennent les prix, les notes, les domaines et les dates de retrait, et quand quelqu’un a vérifié pour la dernière fois.",
		"Where prices, scores, domains and dates of retirement come from, and when somebody last checked.",
	},
	"data.identifiers": {"Qui est qui", "Who is who"},
	"data.what.identifiers": {
		"Les paquets (npm, PyPI…) et les domaines des outils, en activité ou retirés, avec la date de fin, le successeur, la note et le prix\u00a0: de quoi reconnaître un outil dans une liste de dépendances.",
		"The packages (npm, PyPI…) and domains of tools, active or retired, with their end, successor, score and price: to recognise a tool in a list of dependencies.",
	},
	"data.history": {"Historique", "History"},
	"data.what.history": {
		"Ce qui a été vrai des outils, en activité ou retirés\u00a0: leurs prix, leurs notes et leur présence au catalogue, avec les jours.",
		"What was true of tools, active or retired: their prices, their scores and their time in the catalogue, with the days.",
	},
	"data.what.categories": {
		"Les catégories, leur nombre d’outils et leur note moyenne.",
		"The categories, how many tools they have and their average score.",
	},
	"data.rows":          {"Lignes", "Rows"},
	"data.files":         {"Les fichiers", "The files"},
	"data.table":         {"Données", "Data"},
	"data.format.jsonl":  {"JSONL", "JSONL"},
	"data.format.csv":    {"CSV", "CSV"},
	"data.format.fr-csv": {"CSV français", "French CSV"},
	"data.gzip":          {"%s compressé", "%s compressed"},
	"data.columns.all":   {"Les colonnes de chaque fichier", "The columns of each file"},
	"data.colon":         {"\u00a0:", ":"},
	"data.date":          {"Édition du", "Edition of"},
	"data.columns.count": {"%s colonne|%s colonnes", "%s column|%s columns"},
	"data.unknown":       {"en préparation", "being prepared"},
	"data.for.jsonl":     {"un programme\u00a0: un objet par ligne", "a program: one object per line"},
	"data.for.csv":       {"un tableur, une base de données", "a spreadsheet, a database"},
	"data.for.fr-csv":    {"un tableur en français\u00a0: points-virgules, virgule décimale", "a spreadsheet in French: semicolons, decimal comma"},
	"data.bytes":         {"%s\u00a0octet|%s\u00a0octets", "%s\u00a0byte|%s\u00a0bytes"},
	"data.kilobytes":     {"%s\u00a0ko", "%s\u00a0kB"},
	"data.megabytes":     {"%s\u00a0Mo", "%s\u00a0MB"},
	"data.more":          {"Décrits pour des programmes", "Described for programs"},
	"data.package-html": {
		`<a href="/api/v1/export/datapackage.json"><code>datapackage.json</code></a> décrit ces fichiers et leurs colonnes (Frictionless). Avec une clé, <code>/api/embeddings/export.jsonl</code> donne tous les avis en extraits.`,
		`<a href="/api/v1/export/datapackage.json"><code>datapackage.json</code></a> describes these files and their columns (Frictionless). With a key, <code>/api/embeddings/export.jsonl</code> has all reviews in chunks.`,
	},
	"data.credit":      {"Mention obligatoire", "Credit line"},
	"data.credit.what": {"Toute réutilisation de ces données porte cette mention\u00a0:", "Wherever you reuse this data, show this line:"},
	"data.credit.line": {"%s, édition du %s", "%s, édition du %s"}, // always in French, like the credit line
	"data.license": {
		"Ces données sont publiées sous cette licence, qui demande la source et la date de l’édition\u00a0:",
		"This data is published under this licence, which asks for the source and the date of the edition:",
	},
	"data.catalog-html": {
		"Pour les portails de données\u00a0: <a href=\"/catalog.jsonld\"><code>catalog.jsonld</code></a>, la description DCAT de ces fichiers et de l’API.",
		"For data portals: <a href=\"/catalog.jsonld\"><code>catalog.jsonld</code></a>, the DCAT description of these files and of the API.",
	},
	"data.step": {"Tenir une copie à jour", "Keep a copy up to date"},
	"data.step.1": {
		"Téléchargez un fichier, et gardez l’en-tête X-Changes-Cursor de la réponse.",
		"Download a file, and keep the X-Changes-Cursor header of the response.",
	},
	"data.step.2-html": {
		"Demandez <code>/api/v1/changes?since=</code> suivi du curseur, chaque minute si vous voulez\u00a0: tant que rien n’a changé, c’est gratuit.",
		`Request <code>/api/v1/changes?since=</code> followed by the cursor, every minute if you like: while nothing has changed, it is free.`,
	},
	"data.step.3": {
		"Gardez un curseur par fichier, sautez les événements qui ne le dépassent pas, et ignorez un téléchargement plus ancien que ce que vous avez.",
		"Keep one cursor per file, skip events at or below it, and ignore a download that is older than what you have.",
	},
	"data.guide.slug": {"telechargements", "downloads"},
	"data.guide":      {"Le guide des téléchargements, avec quatre recettes", "The guide to downloads, with four recipes"},
}
