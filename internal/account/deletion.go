package account

import (
	"context"
	"errors"
	"time"

	"github.com/palmares-hq/palmares/internal/secrets"
)

// DeletionNoticeFor is how long the address of a deleted account is kept for the final mail. Tidy runs
// every hour, so that the address is gone after a day.
const DeletionNoticeFor = 23 * time.Hour

// ErrNoDeletionNotice says that nobody is to be told of a deletion, or that it was done.
var ErrNoDeletionNotice = errors.New("there is no such farewell")

// MailDeletion is the job of telling an owner that the account is deleted. Jobs hold no e-mail
// address.
type MailDeletion struct {
	Account string `json:"account"`
}

// Kind is the name of the job in River.
func (MailDeletion) Kind() string { return "account_mail_farewell" }

// A DeletionNotice is what is kept of a deleted account until its owner was told.
type DeletionNotice struct {
	Sealed    []byte // the address
	Language  Language
	CreatedAt time.Time
	Ordered   bool // it has ordered and paid, and the order is kept
}

// A DeletionNoticeStore keeps deletion notices. Changer.Delete makes them.
type DeletionNoticeStore interface {
	// DeletionNotice returns that of a deleted account, or ErrNoDeletionNotice.
	DeletionNotice(ctx context.Context, accountID string) (DeletionNotice, error)
	// DropDeletionNotice deletes it, if it is there.
	DropDeletionNotice(ctx context.Context, accountID string) error
}

// A DeletionMail is what the final mail needs.
type DeletionMail struct {
	ID        string // of the mail
	To        string
	Language  Language
	DeletedAt time.Time
	Ordered   bool // what was ordered is kept
}

// DeletionNotices tell owners that their account is deleted.
type DeletionNotices struct {
	store DeletionNoticeStore
	seals secrets.Seals
	now   func() time.Time
}

// NewDeletionNotices returns the service; now is time.Now when nil.
func NewDeletionNotices(store DeletionNoticeStore, ring secrets.Ring, now func() time.Time) *DeletionNotices {
	if now == nil {
		now = time.Now
	}
	return &DeletionNotices{store: store, seals: addressSeals(ring), now: now}
}

// Mail sends the final mail of a deleted account and then erases its address. An error of send keeps
// the address for another attempt, a day at most.
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
