package account

import (
	"context"
	"errors"
	"time"
)

// A Store stores accounts. Methods that take an Actor apply to what the actor owns and nothing
// else, and check ownership in the same statement or transaction: anything else is not found.
type Store interface {
	Finder
	Changer
	SessionStore
	Preferences
	Watchlists
	Records
}

// A Finder finds accounts that are not deleted, or returns ErrNoAccount.
type Finder interface {
	// Get finds an account by id.
	Get(ctx context.Context, by Actor, id string) (Account, error)
	// Find finds an account by e-mail address.
	Find(ctx context.Context, by Actor, email string) (Account, error)
	// List lists up to limit accounts in order of e-mail address, starting after one.
	List(ctx context.Context, by Actor, after string, limit int) ([]Account, error)
}

// A Changer creates, changes and deletes accounts.
type Changer interface {
	// Create creates an account, or returns ErrEmailTaken.
	Create(ctx context.Context, email string, plan Plan) (Account, error)
	// SetPlan moves an account to another plan, suspends or resumes keys, and pauses or resumes its
	// webhooks. It returns ErrSubscribed for an account that would lose a plan it pays for.
	SetPlan(ctx context.Context, id string, plan Plan, now time.Time) error
	// SetEmail gives an account another e-mail address, or returns ErrEmailTaken.
	SetEmail(ctx context.Context, by Actor, id, email string, now time.Time) error
	// Delete erases an account's e-mail address and everything about its owner, revokes its keys
	// and deletes its endpoints and sessions. The address, encrypted by seal, is stored for the
	// final mail, whose job commits with the deletion; with a nil seal there is no mail. It returns
	// ErrNotFresh to an account that does not act in a Fresh session.
	Delete(ctx context.Context, by Actor, id string, seal Seal, now time.Time) error
}

// A Seal encrypts the e-mail address of an account.
type Seal func(email, accountID string) []byte

// Preferences store the settings of owners.
type Preferences interface {
	// SetLanguage sets the language of pages and mail.
	SetLanguage(ctx context.Context, by Actor, id string, l Language, now time.Time) error
	// SetSwitch turns a switch on or off, and leaves the others as they are. It does not log one that
	// stays the same.
	SetSwitch(ctx context.Context, by Actor, id string, s Switch, on bool, now time.Time) error
}

// Records return what is stored about an account, for its owner.
type Records interface {
	// Activity returns up to limit actions, the newest first.
	Activity(ctx context.Context, by Actor, id string, limit int) ([]Activity, error)
	// Export returns everything that is held about an account.
	Export(ctx context.Context, by Actor, id string, now time.Time) (Export, error)
}

// A SessionStore lists and ends the sessions of accounts. It treats actors as a Store does.
type SessionStore interface {
	// Sessions lists the active sessions of an account, the newest first.
	Sessions(ctx context.Context, by Actor, accountID string, now time.Time) ([]Session, error)
	// EndSession ends a session, or returns ErrNoSession.
	EndSession(ctx context.Context, by Actor, id string, now time.Time) error
	// EndSessions ends all sessions of an account but one, and returns how many.
	EndSessions(ctx context.Context, by Actor, accountID, except string, now time.Time) (int, error)
}

// A KeyStore stores keys by their hashes. It treats actors as a Store does.
type KeyStore interface {
	KeyIssuer
	// List lists the keys of an account: live ones, those in their grace, and the revoked ones that
	// the filter selects.
	List(ctx context.Context, by Actor, accountID string, f KeyFilter, now time.Time) ([]KeyInfo, error)
	// Rename gives a key another name, or returns ErrNoKey.
	Rename(ctx context.Context, by Actor, id, name string, now time.Time) error
	// Revoke revokes a key and ends its grace, or returns ErrNoKey. Revoking a key again changes
	// nothing.
	Revoke(ctx context.Context, by Actor, id string, now time.Time) error
	// Pin stores which live keys the owner chose, replacing the earlier choice, and suspends or
	// resumes keys. It returns ErrNoAccount, or ErrNoKey for an id that is not one of the account's
	// live keys.
	Pin(ctx context.Context, by Actor, accountID string, ids []string, now time.Time) error
}

// A KeyIssuer stores new keys.
type KeyIssuer interface {
	// Create stores a key. It returns ErrKeyMade if there is one with that id,
	// ErrTooManyKeys if the account has all its plan allows, and a limit.ReachedError if KeyLimit is met. Keys
	// that are suspended do not count.
	Create(ctx context.Context, by Actor, accountID string, key KeyInfo, hash Hash, now time.Time) (
		created time.Time, err error)
	// Rotate stores a key in place of another and returns it with the name of that one. It returns
	// ErrNoKey, ErrKeyInGrace, ErrKeyRevoked, ErrKeySuspended, ErrTooManyGracePeriods or, if
	// KeyLimit is reached, a limit.ReachedError.
	Rotate(ctx context.Context, by Actor, r Rotation) (KeyInfo, error)
}

// ActivityFor is how long the log of an account's actions is stored.
const ActivityFor = 90 * 24 * time.Hour

// A Pruner deletes at most limit rows older than a time, and returns how many.
type Pruner interface {
	PruneActivity(ctx context.Context, before time.Time, limit int) (int, error)
	PruneEmailChanges(ctx context.Context, before time.Time, limit int) (int, error)
	PruneDeletionNotices(ctx context.Context, before time.Time, limit int) (int, error)
	PruneActs(ctx context.Context, before time.Time, limit int) (int, error)
	// PruneWatchlists deletes the lists of accounts that were deleted before a time.
	PruneWatchlists(ctx context.Context, before time.Time, limit int) (int, error)
}

// Tidy deletes old rows. Call it every hour.
func Tidy(ctx context.Context, p Pruner, now time.Time) error {
	return errors.Join(
		pruneAll(ctx, p.PruneDeletionNotices, now.Add(-DeletionNoticeFor)),
		pruneAll(ctx, p.PruneEmailChanges, now.Add(-ChangeFor)),
		pruneAll(ctx, p.PruneActs, now.Add(-KeyLimit.Within)), // the longest time that counts
		pruneAll(ctx, p.PruneActivity, now.Add(-ActivityFor)),
		pruneAll(ctx, p.PruneWatchlists, now),
	)
}

func pruneAll(
	ctx context.Context, prune func(context.Context, time.Time, int) (int, error), before time.Time,
) error {
	const batch = 10_000 // rows per transaction
	for {
		n, err := prune(ctx, before, batch)
		if err != nil || n < batch {
			return err
		}
	}
}
