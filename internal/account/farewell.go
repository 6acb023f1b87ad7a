package account

import (
	"context"
	"errors"
	"time"
)

// FarewellFor is how long the address of a deleted account is kept for the final mail. Tidy runs
// every hour, so that the address is gone after a day.
const FarewellFor = 23 * time.Hour

// ErrNoFarewell says that nobody is to be told of a deletion, or that it was done.
var ErrNoFarewell = errors.New("there is no such farewell")

// MailFarewell is the job of telling an owner that the account is deleted. Jobs hold no e-mail
// address.
type MailFarewell struct {
	Account string `json:"account"`
}

// Kind is the name of the job in River.
func (MailFarewell) Kind() string { return "account_mail_farewell" }

// A Farewell is what is kept of a deleted account until its owner was told.
type Farewell struct {
	Sealed    []byte // the address
	Language  Language
	CreatedAt time.Time
}

// A FarewellStore keeps farewells. Changer.Delete makes them.
type FarewellStore interface {
	// Farewell returns that of a deleted account, or ErrNoFarewell.
	Farewell(ctx context.Context, accountID string) (Farewell, error)
	// DropFarewell deletes it, if it is there.
	DropFarewell(ctx context.Context, accountID string) error
}

// A FarewellLetter is what the final mail needs.
type FarewellLetter struct {
	ID        string // of the mail
	To        string
	Language  Language
	DeletedAt time.Time
}

// Farewells tell owners that their account is deleted.
type Farewells struct {
	store   FarewellStore
	secrets *Secrets
	now     func() time.Time
}

// NewFarewells returns the service; now is time.Now when nil.
func NewFarewells(store FarewellStore, secrets *Secrets, now func() time.Time) *Farewells {
	if now == nil {
		now = time.Now
	}
	return &Farewells{store: store, secrets: secrets, now: now}
}

// Mail sends the final mail of a deleted account and then erases its address. An error of send keeps
// the address for another attempt, a day at most.
func (f *Farewells) Mail(
	ctx context.Context, accountID string, send func(context.Context, FarewellLetter) error,
) error {
	kept, err := f.store.Farewell(ctx, accountID)
	if errors.Is(err, ErrNoFarewell) {
		return nil
	}
	if err != nil {
		return err
	}
	if f.now().Before(kept.CreatedAt.Add(FarewellFor)) {
		email, err := f.secrets.openEmail(kept.Sealed, accountID)
		if err != nil {
			return err
		}
		err = send(ctx, FarewellLetter{
			ID: "farewell-" + accountID, To: email, Language: kept.Language, DeletedAt: kept.CreatedAt,
		})
		if err != nil {
			return err
		}
	}
	return f.store.DropFarewell(ctx, accountID)
}
