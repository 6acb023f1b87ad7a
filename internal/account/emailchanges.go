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

// An EmailChangeStore keeps changes of address.
type EmailChangeStore interface {
	EmailAsker
	EmailConfirmer
}

// An EmailAsker keeps what owners ask for. It treats actors as a Store does.
type EmailAsker interface {
	// AskEmail stores a change in place of an earlier one of the account, with the jobs of its mails.
	// It returns ErrSameEmail, or ErrTooManyAsked, which counts those asked for since then.
	AskEmail(ctx context.Context, by Actor, accountID string, c ChangeRequest, since, now time.Time) error
	// PendingEmail returns the change of an account that was asked for after then, or ErrNoChange.
	PendingEmail(ctx context.Context, by Actor, accountID string, after time.Time) (EmailChange, error)
	// CancelEmail deletes that change, or returns ErrNoChange.
	CancelEmail(ctx context.Context, by Actor, accountID string, after, now time.Time) error
}

// An EmailConfirmer is for jobs and for whoever has a token.
type EmailConfirmer interface {
	// EmailToSend returns what a mail needs, or ErrNoChange.
	EmailToSend(ctx context.Context, job MailChange) (StoredChange, error)
	// CountEmail counts the mail to the new mailbox of a change with those of sign-ins, unless it is
	// counted already. Where the recipient, or the service, has sent all that it may for now, it
	// returns when to try again. It returns ErrNoChange for one that was replaced or cancelled.
	CountEmail(ctx context.Context, change string, recipient []byte, now time.Time) (again time.Time, err error)
	// ConfirmEmail notes that the mailbox whose token has this hash has confirmed a change that was
	// asked for after then. Once both have, the address changes. If another account has it by now,
	// the change is deleted and the error is ErrEmailTaken.
	ConfirmEmail(ctx context.Context, hash []byte, after, now time.Time) (EmailChange, error)
}

// EmailChanges are changes of address that both mailboxes confirm.
type EmailChanges struct {
	store  EmailChangeStore
	keys   secrets.Keys // of tokens
	counts signInKeys   // mails to the new mailbox count with those of sign-ins
	now    func() time.Time
}

// NewEmailChanges returns the service; now is time.Now when nil.
func NewEmailChanges(store EmailChangeStore, ring secrets.Ring, now func() time.Time) *EmailChanges {
	if now == nil {
		now = time.Now
	}
	return &EmailChanges{store: store, keys: ring.Keys(changePurpose), counts: newSignInKeys(ring)[0], now: now}
}

// Ask asks for another address, which ParseEmail must accept. A link is mailed to each mailbox. The
// answer does not say whether another account has the address; such an account gets no mail. An
// earlier request of the account ends.
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

// oldest is when the oldest change that can still be confirmed was asked for.
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

// Confirm spends a token for its mailbox. Confirming again changes nothing. When the change that
// it returns is done, the account has its new address; ErrEmailTaken says that another account got
// it first. Sessions and keys stay.
//
// The token says who may: whoever reads the mailbox. Returns ErrNoChange for any other.
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
		case errors.Is(err, ErrNoChange): // it ended meanwhile: what is not counted is not sent
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
