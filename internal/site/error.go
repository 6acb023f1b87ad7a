package site

import (
	"fmt"
	"net/http"

	"github.com/palmares-hq/palmares/internal/web"
)

// An errorBody is what the page of an error shows.
type errorBody struct {
	Status   int
	Heading  string
	Sentence string
	Detail   string // what the API would say, in English; "" when it adds nothing
}

// errorDocument is the page of an error.
func errorDocument(r *request, e *web.Error) *document {
	name := fmt.Sprintf("error.%d", e.Status)
	if _, ok := r.texts[name]; !ok {
		name = "error.other"
	}
	body := errorBody{Status: e.Status, Heading: r.must(name), Sentence: r.must(name + ".sentence")}
	if e.Status == http.StatusBadRequest {
		body.Detail = e.Message
	}
	return &document{Status: e.Status, Title: body.Heading, NoIndex: true, Body: body}
}
