package mail

import (
	"bytes"
	"errors"
	"fmt"
	netmail "net/mail"
	"regexp"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"
)

// A Message is a mail to one recipient, in plain text and, unless HTML is empty, in HTML too. Messages with the
// same ID get the same Message-ID, and mail programs show them once, so it is safe to retry an attempt whose
// outcome is unknown.
type Message struct {
	To          string
	Subject     string
	Text        string
	HTML        string
	Logo        *Logo // the logo in the HTML; nil for none
	Attached    []Attachment
	Unsubscribe string // a link that unsubscribes by a POST (RFC 8058); "" for none
	ID          string // letters, digits and ._-
}

// An Attachment is a text file attached to a message.
type Attachment struct {
	Name string // the file name, such as conditions.txt
	Text string
}

// safeFile matches the names an attachment may have.
var safeFile = regexp.MustCompile(`^[a-z0-9-]+\.txt$`)

// safeID matches IDs that need no quoting in a Message-ID.
var safeID = regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)

// safeLink matches URLs that cannot break out of the angle brackets of their header.
var safeLink = regexp.MustCompile(`^https?://[!-;=?-~]+$`)

// The logo's file name in a message, and the content ID by which the HTML refers to it.
const (
	logoName = "logo.png"
	logoID   = "logo"
)

// Limits in bytes, so that no header line is longer than SMTP allows.
const (
	maxID      = 200
	maxSubject = 500
	maxLink    = 900
)

// compose returns the message in Internet Message Format and the recipient's bare address. Errors
// do not quote the address: they end up in logs and job rows.
func (m Message) compose(from *netmail.Address, at time.Time) (data []byte, to string, err error) {
	switch {
	case hasControl(m.To):
		return nil, "", errors.New("the recipient's address has a line break or another control character")
	case hasControl(m.Subject):
		return nil, "", errors.New("the subject has a line break or another control character")
	case len(m.Subject) > maxSubject:
		return nil, "", fmt.Errorf("the subject has %d bytes: %d is the most", len(m.Subject), maxSubject)
	case len(m.ID) > maxID || !safeID.MatchString(m.ID):
		return nil, "", fmt.Errorf("the message's ID is not made of 1 to %d letters, digits and ._-", maxID)
	case m.Unsubscribe != "" && (len(m.Unsubscribe) > maxLink || !safeLink.MatchString(m.Unsubscribe)):
		return nil, "", fmt.Errorf("the link to unsubscribe is not a URL of %d bytes at most", maxLink)
	}
	recipient, err := netmail.ParseAddress(m.To)
	if err != nil {
		return nil, "", errors.New("the recipient's address is not an e-mail address")
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(from)
	msg.ToMailAddress(recipient)
	msg.Subject(strings.ToValidUTF8(m.Subject, "\uFFFD"))
	msg.SetDateWithValue(at)
	msg.SetMessageIDWithValue(m.ID + "@" + domain(from))
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	if m.Unsubscribe != "" {
		msg.SetGenHeader("List-Unsubscribe", "<"+m.Unsubscribe+">")
		msg.SetGenHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
	}
	msg.SetBodyString(gomail.TypeTextPlain, strings.ToValidUTF8(m.Text, "\uFFFD"))
	if m.HTML != "" { // comes last, because mail programs prefer the last part
		msg.AddAlternativeString(gomail.TypeTextHTML, strings.ToValidUTF8(m.HTML, "\uFFFD"))
	}
	if m.HTML != "" && m.Logo != nil { // embedded, because fetching it would reveal when the mail is read
		if err := msg.EmbedReader(logoName, bytes.NewReader(m.Logo.png), gomail.WithFileContentID("<"+logoID+">")); err != nil {
			return nil, "", fmt.Errorf("adding the logo: %w", err)
		}
	}
	for _, a := range m.Attached {
		if !safeFile.MatchString(a.Name) {
			return nil, "", fmt.Errorf("an attachment is named %q", a.Name)
		}
		err := msg.AttachReader(a.Name, strings.NewReader(strings.ToValidUTF8(a.Text, "\uFFFD")),
			gomail.WithFileContentType(gomail.ContentType("text/plain; charset=utf-8")))
		if err != nil {
			return nil, "", fmt.Errorf("attaching %s: %w", a.Name, err)
		}
	}
	var b bytes.Buffer
	if _, err := msg.WriteTo(&b); err != nil {
		return nil, "", fmt.Errorf("writing the message: %w", err)
	}
	return b.Bytes(), recipient.Address, nil
}

func hasControl(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }

// domain returns what follows the last @: a quoted local part may contain one too.
func domain(a *netmail.Address) string { return a.Address[strings.LastIndexByte(a.Address, '@')+1:] }

// envelope formats an address for MAIL and RCPT.
func envelope(address string) string { return (&netmail.Address{Address: address}).String() }
