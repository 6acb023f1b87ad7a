package report

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/text"
)

// A Field is what a report is about.
type Field string

// The fields. Those of facts have the names of the API.
const (
	Price     Field = "price"
	Score     Field = "score"
	Domain    Field = "domain"
	RetiredAt Field = "retired_at"
	Other     Field = "other"
)

// Fields are those that a report about a tool can name.
func Fields(retired bool) []Field {
	if retired {
		return []Field{RetiredAt, Other}
	}
	return []Field{Price, Score, Domain, Other}
}

// The names of what a form sends, in which faults are told.
const (
	FieldInput  = "field"
	RightInput  = "right"
	SourceInput = "source"
	EmailInput  = "email"
)

// The longest that the texts of a report may be, in characters.
const (
	MaxRight  = 2000
	MaxSource = 500
)

// A Draft is what somebody typed.
type Draft struct {
	Slug     string // of a tool that there is, living or retired
	Retired  bool
	Field    Field
	Value    string // what the catalog says
	Right    string // what is right
	Source   string // a URL; "" for none
	Email    string // where an answer is wanted; "" for nowhere
	Language account.Language
}

// A FaultError names the inputs that cannot be taken, in the order of the form.
type FaultError struct{ Inputs []string }

// Error implements error.
func (e *FaultError) Error() string {
	return "the report cannot be taken: " + strings.Join(e.Inputs, ", ")
}

// ErrFull says that nobody has read the reports for so long that no more are taken.
var ErrFull = errors.New("too many reports wait to be read")

// ErrNone says that there is no such report, or that it is closed.
var ErrNone = errors.New("there is no such report, or it is closed")

// ErrNoEmail says that whoever sent a report wants no answer.
var ErrNoEmail = errors.New("whoever sent the report left no address to answer to")

// ErrEmptyAnswer says that an answer was meant to be sent that has nothing to read.
var ErrEmptyAnswer = errors.New("the answer is empty")

// A Report is one that was sent.
type Report struct {
	Draft
	ID         int64
	CreatedAt  time.Time
	ClosedAt   time.Time // zero while it is open
	AnsweredAt time.Time // when the answer was sent; zero for not
	Wanted     bool      // an answer was asked for
}

// A Sent is a report on its way to the store.
type Sent struct {
	Draft
	// Networks stand for those that it came from, the widest first. They are kept for BoundFor alone.
	Networks  [3][]byte
	Digest    []byte // of what was typed: a form that is sent twice is one report
	CreatedAt time.Time
}

// parse checks what was typed and makes it harmless.
func (d Draft) parse() (Draft, error) {
	var faults []string
	if !slices.Contains(Fields(d.Retired), d.Field) {
		faults = append(faults, FieldInput)
	}
	d.Right, d.Source, d.Email = cleaned(d.Right), cleaned(d.Source), strings.TrimSpace(d.Email)
	if d.Right == "" || utf8.RuneCountInString(d.Right) > MaxRight {
		faults = append(faults, RightInput)
	}
	if d.Source != "" && !isSource(d.Source) {
		faults = append(faults, SourceInput)
	}
	if d.Email != "" {
		email, err := account.ParseEmail(d.Email)
		if err != nil {
			faults = append(faults, EmailInput)
		}
		d.Email = email
	}
	if faults != nil {
		return Draft{}, &FaultError{faults}
	}
	return d, nil
}

// isSource reports whether a text is the address of a page.
func isSource(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" &&
		utf8.RuneCountInString(s) <= MaxSource && !strings.ContainsFunc(s, unicode.IsSpace)
}

// cleaned returns a text of a reader without what could change how another is shown.
func cleaned(s string) string { return strings.TrimSpace(text.Lines(s)) }

// Excerpt is the beginning of a text on one line.
func Excerpt(s string, most int) string {
	words := strings.Join(strings.Fields(s), " ")
	if runes := []rune(words); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return words
}

// A Selection says which reports are meant: those about a tool, those that were sent before a time, or those that are both.
type Selection struct {
	Slug   string    // "" for any
	Before time.Time // zero for any
}

// A MailDigest is the job that tells the operator of new reports.
type MailDigest struct {
	Digest int64 `json:"digest"`
}

// Kind implements river.JobArgs.
func (MailDigest) Kind() string { return "report_digest" }

// A MailAnswer is the job that sends the operator's answer.
type MailAnswer struct {
	Report int64 `json:"report"`
}

// Kind implements river.JobArgs.
func (MailAnswer) Kind() string { return "report_answer" }

// A Line is what the mail to the operator says of a report: nothing that a stranger typed.
type Line struct {
	ID     int64
	Slug   string
	Field  Field
	Wanted bool // an answer
}

// An Answer is the mail to whoever sent a report.
type Answer struct {
	Slug, Email, Text string
	Language          account.Language
}

func idText(id int64) string { return fmt.Sprintf("report %d", id) }
