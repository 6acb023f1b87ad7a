package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/palmares-hq/palmares/internal/secrets"
)

// ChangeFor is how long the links of a change of address work.
const ChangeFor = 24 * time.Hour

// MaxChangesAsked is how many changes of address an account can ask for in ChangeFor. Each sends a
// mail to an address that may not be its owner's.
const MaxChangesAsked = 5

// Errors of changes of address.
var (
	ErrNoChange     = errors.New("there is no such change of address, or its time is over")
	ErrSameEmail    = errors.New("this is the account's e-mail address already")
	ErrTooManyAsked = errors.New("too many changes of address were asked for: try again tomorrow")
)

// A LaterError reports that a mail must wait, because its recipient or the service has reached its limit.
type LaterError struct{ After time.Duration }

func (e *LaterError) Error() string { return fmt.Sprintf("the mail can be sent in %v", e.After) }

// A Mailbox is one of the two mailboxes that confirm a change of address.
type Mailbox string

// The mailboxes.
const (
	OldMailbox Mailbox = "old"
	NewMailbox Mailbox = "new"
)

// An EmailChange is a change of address. It is made once both mailboxes have confirmed it.
type EmailChange struct {
	Email        string    `json:"email"` // the new one
	OldConfirmed bool      `json:"old_confirmed"`
	NewConfirmed bool      `json:"new_confirmed"`
	AskedAt      time.Time `json:"asked_at"`
	ExpiresAt    time.Time `json:"expires_at"`
}

// Done reports whether both mailboxes have confirmed.
func (c EmailChange) Done() bool { return c.OldConfirmed && c.NewConfirmed }

// A ChangeRequest is a change of address for the store.
type ChangeRequest struct {
	ID               string // a UUID
	Email            string // the new one
	OldHash, NewHash []byte // of the tokens
}

// MailChange is the job that sends one of the two mails of a change. Jobs hold no e-mail address.
type MailChange struct {
	Change  string  `json:"change"`
	Mailbox Mailbox `json:"mailbox"`
}

// Kind implements river.JobArgs.
func (MailChange) Kind() string { return "account_mail_change" }

// A StoredChange is the stored part of one of the two mails.
type StoredChange struct {
	To        string // the address of the mailbox
	NewEmail  string
	Language  Language
	TokenHash []byte
	Taken     bool // the mailbox is the new one, and belongs to another account
	AskedAt   time.Time
}

// A ChangeMail has the values of one of the two mails.
type ChangeMail struct {
	ID        string // of the mail
	To        string
	NewEmail  string
	Mailbox   Mailbox
	Language  Language
	Token     string // of the link
	ExpiresAt time.Time
}

// An EmailChangeStore stores changes of address.
type EmailChangeStore interface {
	EmailAsker
	EmailConfirmer
}

// An EmailAsker stores the requests of owners. It treats actors as a Store does.
type EmailAsker interface {
	// AskEmail stores a change in place of an earlier one of the account, with the jobs of its
	// mails. It returns ErrSameEmail, or ErrTooManyAsked if too many were asked for since the given
	// time.
	AskEmail(ctx context.Context, by Actor, accountID string, c ChangeRequest, since, now time.Time) error
	// PendingEmail returns the change that an account asked for after the given time, or
	// ErrNoChange.
	PendingEmail(ctx context.Context, by Actor, accountID string, after time.Time) (EmailChange, error)
	// CancelEmail deletes that change, or returns ErrNoChange.
	CancelEmail(ctx context.Context, by Actor, accountID string, after, now time.Time) error
}

// An EmailConfirmer is the part of the store for the jobs that send the mails, and for readers who have
// the token of one.
type EmailConfirmer interface {
	// EmailToSend returns what a mail needs, or ErrNoChange.
	EmailToSend(ctx context.Context, job MailChange) (StoredChange, error)
	// CountEmail counts the mail to the new mailbox of a change with those of sign-ins, unless it
	// is counted already. If the recipient or the service has reached its limit, it returns when to
	// try again. It returns ErrNoChange for a change that was replaced or cancelled.
	CountEmail(ctx context.Context, change string, recipient []byte, now time.Time) (again time.Time, err error)
	// ConfirmEmail records that the mailbox with this token hash has confirmed a change asked for
	// after the given time. Once both have, it changes the address. If another account has it by
	// now, it deletes the change and returns ErrEmailTaken.
	ConfirmEmail(ctx context.Context, hash []byte, after, now time.Time) (EmailChange, error)
}

// EmailChanges changes addresses once both mailboxes confirm.
type EmailChanges struct {
	store  EmailChangeStore
	keys   secrets.Keys // of tokens
	counts signInKeys   // mails to the new mailbox count with those of sign-ins
	now    func() time.Time
}

// NewEmailChanges returns the service. A nil now is time.Now.
func NewEmailChanges(store EmailChangeStore, ring secrets.Ring, now func() time.Time) *EmailChanges {
	if now == nil {
		now = time.Now
	}
	return &EmailChanges{store: store, keys: ring.Keys(changePurpose), counts: newSignInKeys(ring)[0], now: now}
}

// Ask asks for another address, which ParseEmail must accept, in place of an earlier request of the
// account. It mails a link to each mailbox. The answer does not reveal whether another account has
// the address; such an account gets no mail.
//
// Only the account itself and the operator may ask. Returns ErrNoAccount otherwise.
func (s *EmailChanges) Ask(ctx context.Context, by Actor, accountID, email string) error {
	email, err := ParseEmail(email)
	if err != nil {
		return err
	}
	c := ChangeRequest{ID: newChangeID(), Email: email}
	_, c.OldHash = changeToken(s.keys[0], c.ID, OldMailbox)
	_, c.NewHash = changeToken(s.keys[0], c.ID, NewMailbox)
	return s.store.AskEmail(ctx, by, accountID, c, s.oldest(), s.now())
}

// newChangeID returns a random UUID.
func newChangeID() string {
	var id [16]byte
	rand.Read(id[:]) // never fails
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return uuidText(id)
}

// oldest returns the time before which requests have expired.
func (s *EmailChanges) oldest() time.Time { return s.now().Add(-ChangeFor) }

// Pending returns the change that an account has asked for, or ErrNoChange.
//
// Only the account itself and the operator may see it. Returns ErrNoAccount otherwise.
func (s *EmailChanges) Pending(ctx context.Context, by Actor, accountID string) (EmailChange, error) {
	return s.store.PendingEmail(ctx, by, accountID, s.oldest())
}

// Cancel ends the change that an account has asked for, or returns ErrNoChange.
//
// Only the account itself and the operator may cancel it. Returns ErrNoAccount otherwise.
func (s *EmailChanges) Cancel(ctx context.Context, by Actor, accountID string) error {
	return s.store.CancelEmail(ctx, by, accountID, s.oldest(), s.now())
}

// Confirm confirms a change for the mailbox that the token was sent to. Confirming again changes nothing. If
// the change that it returns is done, the account has its new address; ErrEmailTaken means that
// another account got it first. Sessions and keys stay.
//
// Anybody with the token may confirm: it is proof of reading the mailbox. Returns ErrNoChange for
// any other token.
func (s *EmailChanges) Confirm(ctx context.Context, token string) (EmailChange, error) {
	return s.store.ConfirmEmail(ctx, hashToken(token), s.oldest(), s.now())
}

// Mail sends one of the two mails of a change, unless the change is over or the new address belongs
// to another account. The mail to the new address counts with those of sign-ins: a *LaterError says
// when it can be sent.
func (s *EmailChanges) Mail(
	ctx context.Context, job MailChange, send func(context.Context, ChangeMail) error,
) error {
	l, err := s.store.EmailToSend(ctx, job)
	if errors.Is(err, ErrNoChange) {
		return nil
	}
	if err != nil {
		return err
	}
	expires := l.AskedAt.Add(ChangeFor)
	if l.Taken || !s.now().Before(expires) {
		return nil
	}
	token, err := s.tokenOf(job, l.TokenHash)
	if err != nil {
		return err
	}
	if job.Mailbox == NewMailbox {
		again, err := s.store.CountEmail(ctx, job.Change, s.counts.recipient(l.To), s.now())
		switch {
		case errors.Is(err, ErrNoChange): // it ended meanwhile: a mail that was not counted is not sent
			return nil
		case err != nil:
			return err
		case !again.IsZero():
			return &LaterError{After: again.Sub(s.now())}
		}
	}
	return send(ctx, ChangeMail{
		ID: "email-change-" + string(job.Mailbox) + "-" + job.Change, To: l.To, NewEmail: l.NewEmail,
		Mailbox: job.Mailbox, Language: l.Language, Token: token, ExpiresAt: expires,
	})
}

var errNoToken = fmt.Errorf("the token of a change of address: %w", ErrOtherSecret)

// changeToken derives the token of one of the two mailboxes of a change, and its hash.
func changeToken(key secrets.Key, id string, box Mailbox) (token string, hash []byte) {
	token = base64.RawURLEncoding.EncodeToString(key.MAC(string(box) + " " + id))
	return token, hashToken(token)
}

func hashToken(token string) []byte {
	hash := sha256.Sum256([]byte(token))
	return hash[:]
}

// tokenOf derives the token of a mail again, with the secret that its hash was made with.
func (s *EmailChanges) tokenOf(job MailChange, hash []byte) (string, error) {
	for _, key := range s.keys {
		if token, made := changeToken(key, job.Change, job.Mailbox); secrets.Equal(made, hash) {
			return token, nil
		}
	}
	return "", errNoToken
}
