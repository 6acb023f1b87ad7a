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

// A Field is the part of a tool's entry that a report is about.
type Field string

// The fields. Those of facts have the names of the API.
const (
	Price     Field = "price"
	Score     Field = "score"
	Domain    Field = "domain"
	RetiredAt Field = "retired_at"
	Other     Field = "other"
)

// Fields returns the fields that a report about a tool can name.
func Fields(retired bool) []Field {
	if retired {
		return []Field{RetiredAt, Other}
	}
	return []Field{Price, Score, Domain, Other}
}

// The names of the form's inputs, as FaultError lists them.
const (
	FieldInput  = "field"
	RightInput  = "right"
	SourceInput = "source"
	EmailInput  = "email"
)

// Maximum lengths of a report's texts, in characters.
const (
	MaxRight  = 2000
	MaxSource = 500
)

// A Draft is a report as somebody typed it.
type Draft struct {
	Slug     string // of an existing tool, living or retired
	Retired  bool
	Field    Field
	Value    string // what the catalog says
	Right    string // what is right
	Source   string // a URL; "" for none
	Email    string // where to send an answer; "" for no answer
	Language account.Language
}

// A FaultError names the invalid inputs, in the order of the form.
type FaultError struct{ Inputs []string }

// Error implements error.
func (e *FaultError) Error() string {
	return "the report cannot be taken: " + strings.Join(e.Inputs, ", ")
}

// ErrFull is returned when so many reports wait to be read that no more are taken.
var ErrFull = errors.New("too many reports wait to be read")

// ErrNone is returned when a report does not exist or is closed.
var ErrNone = errors.New("there is no such report, or it is closed")

// ErrNoEmail is returned for an answer to a report whose sender left no address.
var ErrNoEmail = errors.New("whoever sent the report left no address to answer to")

// ErrEmptyAnswer is returned for an answer without any visible text.
var ErrEmptyAnswer = errors.New("the answer is empty")

// A Report is a stored report.
type Report struct {
	Draft
	ID         int64
	CreatedAt  time.Time
	ClosedAt   time.Time // zero while it is open
	AnsweredAt time.Time // when the answer was sent; zero if none was
	Wanted     bool      // the sender asked for an answer
}

// A Sent is a report to be stored.
type Sent struct {
	Draft
	// Networks are keyed digests of the networks that the report came from, widest first. They are kept for
	// BoundFor only.
	Networks  [3][]byte
	Digest    []byte // of what was typed, so that a form sent twice is stored once
	CreatedAt time.Time
}

// parse returns the draft with its texts cleaned, or a *FaultError.
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

// isSource reports whether s is an http or https URL without white space, of at most MaxSource characters.
func isSource(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" &&
		utf8.RuneCountInString(s) <= MaxSource && !strings.ContainsFunc(s, unicode.IsSpace)
}

// cleaned returns a reader's text without characters that could change how other text is displayed.
func cleaned(s string) string { return strings.TrimSpace(text.Lines(s)) }

// Excerpt returns a text on one line, cut to the given number of characters.
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

// A MailDigest is the job that mails the operator about new reports.
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

// A Line is one report in the mail to the operator. It contains nothing that a stranger typed.
type Line struct {
	ID     int64
	Slug   string
	Field  Field
	Wanted bool // the sender asked for an answer
}

// An Answer is the operator's mail to the sender of a report.
type Answer struct {
	Slug, Email, Text string
	Language          account.Language
}

func idText(id int64) string { return fmt.Sprintf("report %d", id) }
