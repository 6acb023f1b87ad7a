package layout

import (
	"fmt"
	"net/http"

	"github.com/palmares-hq/palmares/internal/web"
)

// An ErrorBody is what the template "error" shows.
type ErrorBody struct {
	Status   int
	Heading  string
	Sentence string
	Detail   string // what the API would say, in English; "" when it adds nothing
	Near     []Near // what the reader may have meant
	Instead  string // a sentence about Contact
	Contact  Contact
	// Of a parameter that was refused:
	Accepts string // what it accepts, in words
	Choices []Near // all that it accepts, where that can be listed, with the paths that ask for it
	Without string // the path of the page without it
}

// A Near is a page that a path that leads nowhere may have meant.
type Near struct{ Name, Path string }

// Write adds whom to write to instead, if there is anybody.
func (b *ErrorBody) Write(sentence string, c Contact) {
	if c.Href != "" {
		b.Instead, b.Contact = sentence, c
	}
}

// ErrorBody is the body of the page of an error.
func (w Writer) ErrorBody(e *web.Error) ErrorBody {
	name := fmt.Sprintf("error.%d", e.Status)
	if !w.Has(name) {
		name = "error.other"
	}
	body := ErrorBody{Status: e.Status, Heading: w.Must(name), Sentence: w.Must(name + ".sentence")}
	if e.Status == http.StatusBadRequest {
		body.Detail = e.Message
	}
	return body
}
