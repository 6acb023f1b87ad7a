package params

import (
	"net/http"

	"github.com/palmares-hq/palmares/internal/web"
)

// A Form is what the values of a parameter look like.
type Form string

// The forms of parameters, and what is wrong with a query string as a whole.
const (
	OneOf    Form = "one"      // of RefusedError.Values
	Positive Form = "positive" // a whole number from 1
	Size     Form = "size"     // a whole number from 1 to MaxLimit
	Number   Form = "number"   // a finite decimal number
	Slug     Form = "slug"     // of a category
	Slugs    Form = "slugs"    // joined by commas
	Words    Form = "words"    // to search for, up to MaxQuery characters
	Euros    Form = "euros"    // an amount with two decimals at most
	Day      Form = "day"      // such as 2026-03-31
	Watched  Form = "watched"  // slugs of tools, up to MaxSlugs
	Once     Form = "once"     // it was given more than once
	Query    Form = "query"    // the query string cannot be read at all
)

// RefusedError is an error about parameters. It tells a page what its message tells programs: which parameter it
// is about, and what that accepts.
type RefusedError struct {
	Name, Value string // "" for Query; of a value that was given more than once, only the name
	Form        Form
	Values      []string // those that OneOf accepts

	sent *web.Error
}

// Error gives the message.
func (r *RefusedError) Error() string { return r.sent.Message }

// Unwrap gives what is sent.
func (r *RefusedError) Unwrap() error { return r.sent }

// refuse makes the error of a parameter.
func refuse(r RefusedError, message string) error {
	r.sent = web.Errorf(http.StatusBadRequest, "%s", message)
	return &r
}
