package portal

import (
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/web"
)

// An answer is what a handler gives: a page, a redirect or a file.
type answer struct {
	status   int    // 200 when 0
	title    string // the text "ROUTE.title" when ""
	template string // the route's when ""
	body     any    // what the template shows, as .Body
	faults   []fault
	notice   string // what was done, in a sentence

	redirect string // the path to see next; the rest is then empty
	file     *file  // to save; the rest is then empty
	headers  []web.Field
}

// A file is an answer to save.
type file struct {
	name, contentType string
	data              []byte
}

// A fault is what is wrong with a field of a form. The page sums faults up, each with a link to its
// field, and keeps what was typed.
type fault struct{ Field, Text string }

// show answers with the page of the route.
func show(body any) (*answer, error) { return &answer{body: body}, nil }

// goTo answers a POST with a redirect to a page, which says what was done by the name of a text.
func goTo(path, done string) (*answer, error) {
	if done != "" {
		path += "?" + doneParam + "=" + done
	}
	return &answer{redirect: path}, nil
}

// doneParam is the parameter that names what was done. Only names of texts "done.NAME" have an
// effect.
const doneParam = "fait"

// A page is what the templates of this package show.
type page struct {
	Token   string // of every form
	Route   string
	Email   string
	Plan    string
	Side    []layout.Section // the navigation of the account
	SignOut string           // where the form that signs out goes; "" without a session
	Notice  string
	Faults  []fault
	Body    any
}

// Fault is the text of what is wrong with a field, "" if nothing is.
func (p page) Fault(field string) string {
	for _, f := range p.Faults {
		if f.Field == field {
			return f.Text
		}
	}
	return ""
}
