package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/palmares-hq/palmares/internal/secrets"
)

// The purposes of derived keys. Each purpose has a key of its own.
const (
	deletionPurpose = "palmares farewell addresses"
	changePurpose   = "palmares e-mail changes"
)

// ErrOtherSecret means that a mail cannot be sent by this process, because it needs a value that was
// made with a master secret that this process does not have. A process that has it can send the mail.
var ErrOtherSecret = errors.New("it was made with another PALMARES_SECRET than that of this node")

// ErrSealed means that a sealed address cannot be opened: it was sealed with another secret or for
// another account.
var ErrSealed = fmt.Errorf("the sealed address cannot be opened with PALMARES_SECRET: %w", ErrOtherSecret)

// addressSeals returns the seals that encrypt the addresses of deleted accounts for their final mail.
// A sealed address can only be opened for its account.
func addressSeals(ring secrets.Ring) secrets.Seals { return ring.Seals(deletionPurpose) }

// openAddress decrypts a sealed address, or returns ErrSealed.
func openAddress(seals secrets.Seals, sealed []byte, accountID string) (string, error) {
	email, _, err := seals.Open(sealed, accountID)
	if err != nil {
		return "", ErrSealed
	}
	return email, nil
}

// DeletionNoticeFor is how long the address of a deleted account is stored for the final mail. Tidy
// runs every hour, so that the address is gone after a day.
const DeletionNoticeFor = 23 * time.Hour

// ErrNoDeletionNotice means that there is no notice for the account, or that it was sent.
var ErrNoDeletionNotice = errors.New("there is no such farewell")

// MailDeletion is the job that tells an owner that the account is deleted. Jobs hold no e-mail
// address.
type MailDeletion struct {
	Account string `json:"account"`
}

// Kind implements river.JobArgs.
func (MailDeletion) Kind() string { return "account_mail_farewell" }

// A DeletionNotice is stored for a deleted account until its owner is told.
type DeletionNotice struct {
	Sealed    []byte // the address
	Language  Language
	CreatedAt time.Time
	Ordered   bool // it has paid for an order, which is kept
}

// A DeletionNoticeStore stores deletion notices, which Changer.Delete creates.
type DeletionNoticeStore interface {
	// DeletionNotice returns the notice of a deleted account, or ErrNoDeletionNotice.
	DeletionNotice(ctx context.Context, accountID string) (DeletionNotice, error)
	// DropDeletionNotice deletes the notice, if there is one.
	DropDeletionNotice(ctx context.Context, accountID string) error
}

// A DeletionMail has the values of the final mail.
type DeletionMail struct {
	ID        string // of the mail
	To        string
	Language  Language
	DeletedAt time.Time
	Ordered   bool // what was ordered is kept
}

// DeletionNotices tells owners that their account is deleted.
type DeletionNotices struct {
	store DeletionNoticeStore
	seals secrets.Seals
	now   func() time.Time
}

// NewDeletionNotices returns the service. A nil now is time.Now.
func NewDeletionNotices(store DeletionNoticeStore, ring secrets.Ring, now func() time.Time) *DeletionNotices {
	if now == nil {
		now = time.Now
	}
	return &DeletionNotices{store: store, seals: addressSeals(ring), now: now}
}

// Mail sends the final mail of a deleted account and then erases its address. If send fails, the
// address is kept for another attempt, for a day at most.
func (f *DeletionNotices) Mail(
	ctx context.Context, accountID string, send func(context.Context, DeletionMail) error,
) error {
	kept, err := f.store.DeletionNotice(ctx, accountID)
	if errors.Is(err, ErrNoDeletionNotice) {
		return nil
	}
	if err != nil {
		return err
	}
	if f.now().Before(kept.CreatedAt.Add(DeletionNoticeFor)) {
		email, err := openAddress(f.seals, kept.Sealed, accountID)
		if err != nil {
			return err
		}
		err = send(ctx, DeletionMail{
			ID: "farewell-" + accountID, To: email, Language: kept.Language, DeletedAt: kept.CreatedAt, Ordered: kept.Ordered,
		})
		if err != nil {
			return err
		}
	}
	return f.store.DropDeletionNotice(ctx, accountID)
}
