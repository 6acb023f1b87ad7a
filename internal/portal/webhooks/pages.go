package webhooks

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"strings"

	"github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// Templates are the templates of the pages about webhooks.
//
//go:embed templates
var Templates embed.FS

// Pages has the handlers of the pages about webhooks: the list of endpoints, an endpoint, a delivery.
type Pages struct {
	Endpoints *webhook.Endpoints
	Catalog   page.Catalog // has the categories that an endpoint can choose
}

// reasonText gives a reason in the language of the page; "" for none. What an operator wrote stays as it is.
func reasonText(r *page.Request, why webhook.Reason) string {
	name := "reason." + string(why.Code)
	at, timed := why.At()
	switch {
	case why == webhook.Reason{}:
		return ""
	case timed:
		return r.Text.Must(name, r.Second(at))
	case why.Code == webhook.TimedOut:
		return r.Text.Must(name, strings.ReplaceAll(why.Detail, " ", "\u00a0"))
	case why.Code.Detailed():
		return r.Text.Must(name, why.Detail)
	default:
		return r.Text.Must(name)
	}
}

// foldFrom is the number of lines from which code is folded.
const foldFrom = 24

// A code is text to show as a block.
type code struct {
	HTML  template.HTML
	Lines int
}

// Long reports whether it is shown folded.
func (c code) Long() bool { return c.Lines >= foldFrom }

// newCode returns JSON indented, with its keys and strings highlighted; any other text is only escaped.
func newCode(text []byte) code {
	var laidOut bytes.Buffer
	markup := template.HTMLEscapeString(string(text))
	if json.Indent(&laidOut, text, "", "  ") == nil {
		markup = markJSON(laidOut.String())
	}
	return code{template.HTML(markup), strings.Count(markup, "\n") + 1} //nolint:gosec // it was escaped
}

// markJSON wraps the keys and strings of valid JSON in spans, and escapes them.
func markJSON(s string) string {
	var b strings.Builder
	for s != "" {
		start := strings.IndexByte(s, '"')
		if start < 0 {
			break
		}
		end := start + 1
		for s[end] != '"' {
			if s[end] == '\\' {
				end++
			}
			end++
		}
		end++
		class := "s"
		if strings.HasPrefix(s[end:], ":") {
			class = "k"
		}
		b.WriteString(s[:start] + `<span class="` + class + `">` + template.HTMLEscapeString(s[start:end]) + `</span>`)
		s = s[end:]
	}
	return b.String() + s
}
