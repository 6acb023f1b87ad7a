package docs

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/site/reference"
	"github.com/palmares-hq/palmares/internal/site/view"
)

// sampleCall returns the call that the page of an operation shows as a sample: for an item of this catalog, or for a
// list of one item.
func sampleCall(v *view.View, o *reference.Operation) string {
	if o.Parameter("limit") != nil {
		return o.Path + "?limit=1"
	}
	if o.Parameter("items") != nil {
		call := o.Path + "?items=" + sampleItems(v, o)
		if o.Parameter("from") != nil {
			month := catalog.MonthOf(v.Figures.Today.Time())
			call += "&from=" + month.String() + "&to=" + (month + 1).String()
		}
		return call
	}
	if p := o.Parameter("file"); p != nil {
		return strings.Replace(o.Path, "{file}", p.Example, 1)
	}
	return strings.Replace(o.Path, catalog.SlugPlaceholder, sampleSlug(v, o), 1)
}

func sampleSlug(v *view.View, o *reference.Operation) string {
	if o.ID != "getComparison" {
		return sampleTool(v).Slug
	}
	for _, c := range v.Catalog.Comparisons(catalog.ComparisonQuery{Paging: catalog.Paging{Page: 1, Limit: 1}}).Items {
		return c.Slug
	}
	return sampleTool(v).Slug + "-ou-autre"
}

// sampleItems returns as many slugs of tools as the operation needs, joined by commas.
func sampleItems(v *view.View, o *reference.Operation) string {
	first := sampleTool(v)
	if o.ID != "compareTools" {
		return first.Slug
	}
	second := "autre"
	for _, t := range v.Catalog.Tools(catalog.ToolQuery{Paging: catalog.Paging{Page: 1, Limit: 2}}).Items {
		if t.Slug != first.Slug {
			second = t.Slug
		}
	}
	return first.Slug + "," + second
}

// A sampled is a call with its response.
type sampled struct {
	call   string
	answer Shown
	real   bool // whether the response is a 200, which the page can show
}

// sample makes the sample call of an operation, as an account if that needs a key.
func (r *Reference) sample(v *view.View, o *reference.Operation) (sampled, error) {
	plan := account.Anonymous
	if o.Keyed {
		plan = account.Developer
	}
	s := sampled{call: sampleCall(v, o)}
	var err error
	s.answer, err = r.show(v.Catalog, s.call, plan)
	s.real = s.answer.Status == http.StatusOK
	return s, err
}

// shownLines is the most lines of a response that a page shows.
const shownLines = 48

// showAnswer adds the real response, or else the example of the contract, and the headers.
func showAnswer(v *view.View, b *operationBody, s sampled) error {
	b.Call, b.Said = v.Call(s.call), v.Text.Must("reference.answer.real")
	text := b.Example
	switch {
	case s.real && b.Lines:
		text = string(s.answer.Body)
	case s.real:
		var indented bytes.Buffer
		if err := json.Indent(&indented, s.answer.Body, "", "  "); err != nil {
			return err
		}
		text = indented.String()
	case b.ID == "getUsage":
		b.Said = v.Text.Must("reference.answer.usage")
	default:
		b.Said = v.Text.Must("reference.answer.example")
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > shownLines {
		b.Cut = len(lines) - shownLines
		lines = append(lines[:shownLines], "…")
	}
	b.Answer = figure(v, guide.Sample{Language: "json", Text: strings.Join(lines, "\n") + "\n"})
	for _, h := range b.Operation.Headers {
		text, err := guide.Prose(v.Text.Language, credited(v, h.Description))
		if err != nil {
			return err
		}
		b.Headers = append(b.Headers, headerRow{h.Name, headerValue(h.Name, s), h.Name == requestID, text})
	}
	return nil
}

// requestID is the header that differs in each response.
const requestID = "X-Request-Id"

// headerValue returns the value of a header in the real response; "" if there is none, or it differs in each.
func headerValue(name string, s sampled) string {
	switch values := s.answer.Header[name]; {
	case name == requestID:
		return ""
	case s.real && len(values) > 0:
		return values[0]
	case s.real && s.answer.Header.Get(name) != "":
		return s.answer.Header.Get(name)
	default:
		return ""
	}
}

// credited replaces the placeholder credit line in a text of the contract by that of the service.
func credited(v *view.View, text string) string {
	return strings.ReplaceAll(text, "Source : <service_name> (<service_url>)",
		strings.ReplaceAll(v.Catalog.Service().Credit(), "`", "'"))
}

// keySample returns the shell command that sets the key in the environment.
func (r *Reference) keySample() guide.Sample {
	return guide.Sample{Language: "sh", Text: "export KEY=" + r.key + "\n"}
}

// showPrograms adds the programs that call an operation, each with its output.
func (r *Reference) showPrograms(v *view.View, b *operationBody, s sampled) {
	if b.Keyed {
		b.Key = figure(v, r.keySample())
	}
	for _, p := range programs(v, b.Operation, s) {
		if !p.Output {
			b.Programs = append(b.Programs, shownProgram{Name: guide.LanguageName(p.Language)})
		}
		last := &b.Programs[len(b.Programs)-1]
		last.Parts = append(last.Parts, figure(v, p))
	}
}

// maxPrinted is the most bytes of a response that a page shows as the output of curl.
const maxPrinted = 400

// programs returns the sample programs that call an operation, each followed by its output. If there is no real
// response, the output is an ellipsis.
func programs(v *view.View, o *reference.Operation, s sampled) []guide.Sample {
	raw, printed := "…\n", "…\n"
	if s.real {
		raw = strings.TrimSpace(string(s.answer.Body))
		if len(raw) > maxPrinted {
			left := raw[maxPrinted:]
			raw = strings.ToValidUTF8(raw[:maxPrinted], "") + "…"
			if strings.Contains(left, "\n") { // of a file: its other lines are left out too
				raw += "\n…"
			}
		}
		raw, printed = raw+"\n", o.Printed(s.answer.Body)
	}
	var all []guide.Sample
	for _, p := range o.Programs(v.Base() + s.call) {
		all = append(all, guide.Sample{Language: p.Language, Text: p.Text})
		if p.Language == "sh" {
			all = append(all, guide.Sample{Language: "json", Output: true, Text: raw})
		} else {
			all = append(all, guide.Sample{Language: "text", Output: true, Text: printed})
		}
	}
	return all
}
