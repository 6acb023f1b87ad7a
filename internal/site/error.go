package site

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/logging"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/web"
)

var refusedTexts = layout.Texts{
	"refused":               {"Cette valeur n’est pas acceptée", "This value is not accepted"},
	"refused.value":         {"Le paramètre %s de l’adresse ne peut pas valoir %s.", "The parameter %s in this URL cannot be %s."},
	"refused.form.one":      {"Il accepte\u00a0:", "It accepts:"},
	"refused.form.number":   {"Il accepte un nombre, comme 8 ou 7.5.", "It accepts a number, such as 8 or 7.5."},
	"refused.form.positive": {"Il accepte un nombre entier, à partir de 1.", "It accepts a whole number, from 1 up."},
	"refused.form.size":     {"Il accepte un nombre entier de 1 à %s.", "It accepts a whole number from 1 to %s."},
	"refused.form.slug":     {"Il accepte l’identifiant d’une catégorie, comme dans l’adresse de sa page.", "It accepts the slug of a category, as in the address of its page."},
	"refused.form.slugs":    {"Il accepte jusqu’à %s identifiants, séparés par des virgules.", "It accepts up to %s slugs, separated by commas."},
	"refused.form.words":    {"Il accepte jusqu’à %s caractères, dont au moins une lettre ou un chiffre.", "It accepts up to %s characters, including a letter or digit."},
	"refused.form.euros":    {"Il accepte une somme en euros, comme 20 ou 19.99.", "It accepts an amount of euros, such as 20 or 19.99."},
	"refused.form.day":      {"Il accepte un jour, comme 2026-03-31.", "It accepts a day, such as 2026-03-31."},
	"refused.form.watched":  {"Il accepte les identifiants de cent outils au plus, séparés par des virgules.", "It accepts the slugs of up to a hundred tools, separated by commas."},
	"refused.form.compared": {
		"On compare quatre outils au plus : il accepte leurs identifiants, séparés par des virgules.",
		"Up to four tools are compared: it accepts their slugs, separated by commas.",
	},
	"refused.once": {"Ce paramètre est donné deux fois", "This parameter is given twice"},
	"refused.once.sentence": {
		"L’adresse donne le paramètre %s plusieurs fois\u202f; une seule est permise.",
		"The address gives the parameter %s more than once; once at most is allowed.",
	},
	"refused.query":          {"Adresse illisible", "This URL is malformed"},
	"refused.query.sentence": {"Ce qui suit le point d’interrogation est mal codé.", "What follows the question mark is not well encoded."},
}

// maxKept is the longest query string, in bytes, whose other parameters those links keep.
const maxKept = 500

// explainRefused adds to the page of an error which parameter was refused, what it accepts, and links to the same page
// with each valid value and without the parameter.
func explainRefused(v *view.View, body *layout.ErrorBody, at *url.URL, r *params.RefusedError) {
	others := make(url.Values)
	if len(at.RawQuery) <= maxKept {
		others = at.Query()
	}
	lead := func(value string) string {
		others.Del(r.Name)
		if value != "" {
			others.Set(r.Name, value)
		}
		if len(others) == 0 {
			return at.Path
		}
		return at.Path + "?" + others.Encode()
	}
	name := v.Text.Quoted(r.Name)
	body.Detail = ""
	switch r.Form {
	case params.Query:
		body.Heading, body.Sentence = v.Text.Must("refused.query"), v.Text.Must("refused.query.sentence")
		body.Without = at.Path
		return
	case params.Once:
		body.Heading, body.Sentence = v.Text.Must("refused.once"), v.Text.Must("refused.once.sentence", name)
	default:
		body.Heading = v.Text.Must("refused")
		body.Sentence = v.Text.Must("refused.value", name, v.Text.Quoted(logging.Clean(r.Value, layout.MaxQuoted)))
		var args []any
		switch r.Form { //nolint:exhaustive // the others have no figure
		case params.Size:
			args = append(args, v.Text.Integer(params.MaxLimit))
		case params.Slugs:
			args = append(args, v.Text.Integer(params.MaxSlugs))
		case params.Words:
			args = append(args, v.Text.Integer(params.MaxQuery))
		}
		body.Accepts = v.Text.Must("refused.form."+string(r.Form), args...)
	}
	for _, value := range r.Values {
		body.Choices = append(body.Choices, layout.Near{Name: value, Path: lead(value)})
	}
	body.Without = lead("")
}

const (
	maxNear     = 5
	maxNearSlug = 40 // in bytes; a longer one would take too many look-ups
)

// nearTo returns tools, living or retired, that a mistyped slug may mean: those one typing error away, and those named
// by its first words. It needs no index: it looks up each possible slug.
func nearTo(v *view.View, slug string) []layout.Near {
	if len(slug) > maxNearSlug {
		return nil
	}
	var found []layout.Near
	try := func(slug string) {
		n := layout.Near{Path: v.Path(address.Tool, slug)}
		if t, ok := v.Catalog.Tool(slug); ok {
			n.Name = t.Name
		} else if dead, ok := v.Catalog.Retired(slug); ok {
			n.Name = dead.Name
		}
		if n.Name != "" && len(found) < maxNear && !slices.Contains(found, n) {
			found = append(found, n)
		}
	}
	for words := slug; words != ""; {
		words = words[:max(strings.LastIndexByte(words, '-'), 0)]
		try(words)
	}
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789-"
	for i := range len(slug) + 1 {
		before, after := slug[:i], slug[i:]
		for _, letter := range letters {
			try(before + string(letter) + after)
			if after != "" {
				try(before + string(letter) + after[1:])
			}
		}
		if after != "" {
			try(before + after[1:])
		}
		if len(after) > 1 {
			try(before + after[1:2] + after[:1] + after[2:])
		}
	}
	return found
}

// asked is what the failed request asked for.
type asked struct {
	slug string   // in the path; "" if there is none
	url  *url.URL // nil if the page is the same for all
}

// errorDocument returns the page of an error.
func errorDocument(v *view.View, at asked, e *web.Error) *view.Document {
	body := v.Text.ErrorBody(e)
	var refused *params.RefusedError
	switch {
	case e.Status == http.StatusNotFound:
		body.Near = nearTo(v, at.slug)
	case errors.As(e, &refused) && at.url != nil:
		explainRefused(v, &body, at.url, refused)
	case e.Status == http.StatusTooManyRequests:
		body.Heading, body.Sentence = v.Text.Must("form.limited"), v.Text.Must("form.limited.sentence")
		body.Write(v.Text.Must("form.write"), v.Operator().Contact)
	case errors.Is(e, errUnsent):
		body.Heading, body.Sentence = v.Text.Must("form.away"), v.Text.Must("form.away.sentence")
		if errors.Is(e, errCrowded) {
			body.Sentence = v.Text.Must("form.crowd.sentence")
		}
		body.Write(v.Text.Must("form.write"), v.Operator().Contact)
	case errors.Is(e, limit.ErrBusy):
		body.Heading, body.Sentence = v.Text.Must("renders.busy"), v.Text.Must("renders.full.sentence")
		if errors.Is(e, limit.ErrShare) {
			body.Sentence = v.Text.Must("renders.busy.sentence")
		}
	}
	return &view.Document{Template: "error", Status: e.Status, Title: body.Heading, NoIndex: true, Body: body}
}
