package page

import (
	"net/http"

	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/web"
)

// An Answer is what a handler gives: a page, a redirect or a file.
type Answer struct {
	Status      int    // 200 when 0
	Title       string // the text "PAGE.title" when ""
	Template    string // that of the page when ""
	Body        any    // what the template shows, as .Body
	FieldErrors []FieldError
	Notice      string // what was done, in a sentence
	Headers     []web.Field

	Redirect string // the path to see next; what stands above is then empty
	File     *File  // to save; what stands above is then empty

	// Limit is one that was met. It is counted, and the answer is a 429 that says when to come back.
	Limit *limit.ReachedError

	SignIn  string // the id of an account: a session of it begins, and the one that the browser had ends
	SignOut bool   // the session ends, for every copy of its cookie
}

// A File is an answer to save.
type File struct {
	Name, ContentType string
	Data              []byte
}

// A FieldError is what is wrong with a field of a form. The page sums them up, each with a link to its
// field, and keeps what was typed.
type FieldError struct{ Field, Text string }

// NewFieldError says what is wrong with a field.
func NewFieldError(field, text string) FieldError { return FieldError{field, text} }

// Show answers with the page.
func Show(body any) (*Answer, error) { return &Answer{Body: body}, nil }

// Invalid answers with the page again, and with what is wrong with the form.
func Invalid(body any, wrong ...FieldError) *Answer {
	return &Answer{Status: http.StatusUnprocessableEntity, Body: body, FieldErrors: wrong}
}

// GoTo answers a POST with a redirect to a page, which says what was done by the name of a text.
func GoTo(path, done string) (*Answer, error) {
	if done != "" {
		path += "?" + DoneParam + "=" + done
	}
	return &Answer{Redirect: path}, nil
}

// DoneParam is the parameter that names what was done. Only names of texts "done.NAME" have an
// effect.
const DoneParam = "fait"

// A Mark is a state in a word, with the class that colours it.
type Mark struct{ Class, Text string }

// OK marks a state that is well.
func OK(text string) Mark { return Mark{"ok", text} }

// Bad marks a state that is not.
func Bad(text string) Mark { return Mark{"bad", text} }

// Waiting marks a state that will be another.
func Waiting(text string) Mark { return Mark{"wait", text} }
