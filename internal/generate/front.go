package generate

import (
	"fmt"
	"strings"
	"text/template"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// fence opens and closes a front matter.
const fence = "---\n"

var templates = template.Must(template.New("").Funcs(template.FuncMap{"join": strings.Join, "both": both, "lists": lists}).Parse(`
{{- define "catalog"}}name: Palmarès de synthèse
url: https://palmares.example
site:
  tool: https://palmares.example/outils/{slug}
  review: https://palmares.example/avis/{slug}
  alternatives: https://palmares.example/alternatives/{slug}
  comparison: https://palmares.example/comparatifs/{slug}
{{end}}
{{- define "categories"}}{{range .}}- slug: {{.Slug}}
  label: {{both .Label .English}}
  synonyms: {{lists .Synonyms}}
{{end}}{{end}}
{{- define "tool"}}name: {{printf "%q" .Name}}
domain: {{.Domain}}
{{template "packages" .}}category: {{.Category}}
icp: {{.ICP}}
pricing: {{.Pricing}}
price: {{printf "%q" .Price}}
{{if .Score.Known}}score: {{.Score}}
verifiability: {{.Verifiability}}
tested: {by: {{.Tested.By}}, on: {{.Tested.On}}}
{{end}}tagline: {{both .Tagline .English.Tagline}}
obsolescence: {{.Obsolescence}}
tier: {{.Tier}}
mainstream: {{.Mainstream}}
{{with .Keywords.French}}keywords: {{lists $.Keywords}}
{{end}}{{if .Since}}since: {{.Since}}
{{end}}{{with .Next}}{{if .Announced}}price_next: {price: {{printf "%q" .Price}}, pricing: {{.Pricing}}, from: {{.From}}, source: {{.Source}}}
{{end}}{{end}}{{template "sources" .}}{{if .Ending.Announced}}ends_at: {{.Ending.At}}
ends_source: {{.Ending.Source}}
successor: {{.Ending.Successor}}
{{end}}{{end}}
{{- define "comparison"}}title: {{both .Title .English.Title}}
tool_a: {{.ToolA}}
tool_b: {{.ToolB}}
winner: {{.Winner}}
status: {{if .Draft}}draft{{else}}published{{end}}
{{end}}
{{- define "retired"}}name: {{printf "%q" .Name}}
{{with .Domain}}domain: {{.}}
{{end}}{{template "packages" .}}category: {{.Category}}
reason: {{.Reason}}
retired_at: {{.RetiredAt}}
{{template "sources" .}}successor: {{.Successor}}
{{end}}
{{- define "packages"}}{{with .Packages}}packages: [{{join . ", "}}]
{{end}}{{end}}
{{- define "sources"}}sources:
{{range .FactList}}{{if .Known}}  {{.Field}}: {url: {{.Source}}, checked: {{.Checked}}
{{- with .Text}}, text: {{printf "%q" .}}{{end}}{{with .Note}}, note: {{printf "%q" .}}{{end}}}
{{end}}{{end}}{{end}}`))

func render(kind string, data any) string {
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, kind, data); err != nil {
		panic(err)
	}
	return b.String()
}

// both writes a text in both languages. Go's quotes are YAML's for the texts of a catalog.
func both(french string, english catalog.Translation) string {
	return fmt.Sprintf("{fr: %q, en: %q}", french, english.Text)
}

// lists writes keywords in both languages.
func lists(s catalog.Synonyms) string {
	return "{fr: [" + strings.Join(s.French, ", ") + "], en: [" + strings.Join(s.English, ", ") + "]}"
}
