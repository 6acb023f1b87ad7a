package page

import (
	"net/http"

	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/web"
)

// An Answer is what a handler gives: a page, a redirect or a file.
type Answer struct {
	Status      int    // 200 when 0
	Title       string // the text named "PAGE.title" when ""
	Template    string // the page's own template when ""
	Body        any    // the template's .Body
	FieldErrors []FieldError
	Notice      string // what was done, in a sentence
	Headers     []web.Field

	Redirect string // the path to redirect to; the fields above are then empty
	File     *File  // a download; the fields above are then empty

	// Limit is the limit that the request ran into. It is counted, and the answer becomes a 429 that says when
	// to come back.
	Limit *limit.ReachedError

	SignIn  string // the id of the account to sign in; the browser's former session ends
	SignOut bool   // ends the session, for every copy of its cookie
}

// A File is a download.
type File struct {
	Name, ContentType string
	Data              []byte
}

// A FieldError is a problem with a form field. The page lists all of them, each with a link to its field, and
// keeps what was typed.
type FieldError struct{ Field, Text string }

// NewFieldError returns the FieldError of a field.
func NewFieldError(field, text string) FieldError { return FieldError{field, text} }

// Show returns an Answer with the page's own template.
func Show(body any) (*Answer, error) { return &Answer{Body: body}, nil }

// Invalid returns a 422 with the page and the problems of its form.
func Invalid(body any, wrong ...FieldError) *Answer {
	return &Answer{Status: http.StatusUnprocessableEntity, Body: body, FieldErrors: wrong}
}

// GoTo returns a redirect to a page, usually after a POST. done names the text "done.NAME" that the page then
// shows as a notice; "" for none.
func GoTo(path, done string) (*Answer, error) {
	if done != "" {
		path += "?" + DoneParam + "=" + done
	}
	return &Answer{Redirect: path}, nil
}

// DoneParam is the query parameter that names what was done. It has an effect only if there is a text
// "done.NAME".
const DoneParam = "fait"

// A Mark is a one-word state, with the CSS class that colours it.
type Mark struct{ Class, Text string }

// OK returns the mark of a good state.
func OK(text string) Mark { return Mark{"ok", text} }

// Bad returns the mark of a bad state.
func Bad(text string) Mark { return Mark{"bad", text} }

// Waiting returns the mark of a state that is not final.
func Waiting(text string) Mark { return Mark{"wait", text} }
