package site

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/site/view"
	"github.com/palmares-hq/palmares/internal/web"
	"github.com/palmares-hq/palmares/internal/web/turns"
)

const (
	maxNear     = 5
	maxNearSlug = 40 // a longer slug would cost too many tries
)

// nearTo looks for tools that a mistyped slug may mean: those one letter away, and those that its
// first words name. It needs no index: it asks for each slug that there might be.
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

// errorDocument is the page of an error. The slug is that of the path, if it names one.
func errorDocument(v *view.View, slug string, e *web.Error) *view.Document {
	body := v.Text.ErrorBody(e)
	switch {
	case e.Status == http.StatusNotFound:
		body.Near = nearTo(v, slug)
	case errors.Is(e, turns.ErrBusy):
		body.Heading, body.Sentence = v.Text.Must("renders.busy"), v.Text.Must("renders.busy.sentence")
	}
	return &view.Document{Template: "error", Status: e.Status, Title: body.Heading, NoIndex: true, Body: body}
}
