package account

import (
	"errors"
	"fmt"
	"time"
)

// ChangeFor is how long the links of a change of address work.
const ChangeFor = 24 * time.Hour

// MaxChangesAsked is how many changes of address an account can ask for in ChangeFor. Each sends a
// mail to an address that its owner may not have.
const MaxChangesAsked = 5

// Errors of changes of address.
var (
	ErrNoChange     = errors.New("there is no such change of address, or its time is over")
	ErrSameEmail    = errors.New("this is the account's e-mail address already")
	ErrTooManyAsked = errors.New("too many changes of address were asked for: try again tomorrow")
)

// A LaterError says that a mail waits because its recipient has had enough for now.
type LaterError struct{ After time.Duration }

func (e *LaterError) Error() string { return fmt.Sprintf("the mail can be sent in %v", e.After) }

// A Mailbox is one of the two that confirm a change of address.
type Mailbox string

// The mailboxes.
const (
	OldMailbox Mailbox = "old"
	NewMailbox Mailbox = "new"
)

// An EmailChange is a change of address that waits for its mailboxes, or is made once both have
// confirmed it.
type EmailChange struct {
	Email        string    `json:"email"` // the new one
	OldConfirmed bool      `json:"old_confirmed"`
	NewConfirmed bool      `json:"new_confirmed"`
	AskedAt      time.Time `json:"asked_at"`
	ExpiresAt    time.Time `json:"expires_at"`
}

// Done reports whether both mailboxes have confirmed.
func (c EmailChange) Done() bool { return c.OldConfirmed && c.NewConfirmed }

// A ChangeRequest is a change of address as it is stored.
type ChangeRequest struct {
	ID               string // a UUID
	Email            string // the new one
	OldHash, NewHash []byte // of the tokens
}

// MailChange is the job of sending one of the two mails of a change. Jobs hold no e-mail address.
type MailChange struct {
	Change  string  `json:"change"`
	Mailbox Mailbox `json:"mailbox"`
}

// Kind is the name of the job in River.
func (MailChange) Kind() string { return "account_mail_change" }

// A StoredChange is what the store knows of one of the two mails.
type StoredChange struct {
	To        string // the address of the mailbox
	NewEmail  string
	Language  Language
	TokenHash []byte
	Taken     bool // the mailbox is the new one, and belongs to another account
	AskedAt   time.Time
}

// A ChangeMail is what one of the two mails says.
type ChangeMail struct {
	ID        string // of the mail
	To        string
	NewEmail  string
	Mailbox   Mailbox
	Language  Language
	Token     string // of the link
	ExpiresAt time.Time
}
