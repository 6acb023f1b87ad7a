package account

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"
)

// Errors about keys that are suspended.
var (
	ErrKeySuspended = errors.New("the key sleeps, because the plan allows fewer keys: " +
		"choose it among those that work, or upgrade")
	ErrTooManyPinned = errors.New("more keys were chosen than the Developer plan allows")
)

// MaxPinned returns how many keys an owner can choose: those that Developer, the smallest plan,
// leaves active.
func MaxPinned() int { return Developer.Limits().Keys }

// ActiveKeys returns the ids of the keys that stay active on a plan that allows limit of them; the
// others are suspended. The owner's choice comes first, then the keys that are already active, so
// that a second call changes nothing; of these the last used, then the newest. Keys that are
// revoked or in their grace are left out: they count on no plan, and end by themselves.
func ActiveKeys(keys []KeyInfo, limit int) []string {
	live := slices.DeleteFunc(slices.Clone(keys), func(k KeyInfo) bool {
		return !k.RevokedAt.IsZero() || !k.EndsAt.IsZero()
	})
	slices.SortFunc(live, func(a, b KeyInfo) int {
		return cmp.Or(
			trueFirst(a.Pinned, b.Pinned),
			trueFirst(!a.Suspended, !b.Suspended),
			b.LastUsed.Compare(a.LastUsed),
			b.CreatedAt.Compare(a.CreatedAt),
			cmp.Compare(a.ID, b.ID),
		)
	})
	ids := make([]string, 0, limit)
	for _, k := range live[:min(len(live), limit)] {
		ids = append(ids, k.ID)
	}
	return ids
}

func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}

// CreateKey creates a key for an account, with a name that ParseKeyName must accept. The result is
// the only copy of the key: only its hash is stored. It returns ErrTooManyKeys if the account has
// all the keys its plan allows, not counting suspended ones, and a limit.ReachedError if KeyLimit is
// reached.
//
// Only the account itself and the operator may create its keys. Returns ErrNoAccount otherwise.
func (s *Service) CreateKey(
	ctx context.Context, by Actor, accountID, name string,
) (Key, KeyInfo, error) {
	name, err := ParseKeyName(name)
	if err != nil {
		return Key{}, KeyInfo{}, err
	}
	return s.createKey(ctx, by, accountID, newKeyID(), name)
}

// CreateKeyOnce is CreateKey for a form that a browser may send twice. The form carries the result
// of NewOnce from when the page was made, which determines the key's id. A second call returns
// ErrKeyMade, even if the key was revoked. Any other text is ErrNotOnce.
//
// Only the account itself and the operator may create its keys. Returns ErrNoAccount otherwise.
func (s *Service) CreateKeyOnce(
	ctx context.Context, by Actor, accountID, name, once string,
) (Key, KeyInfo, error) {
	id, err := onceKeyID(once)
	if err != nil {
		return Key{}, KeyInfo{}, err
	}
	name, err = ParseKeyName(name)
	if err != nil {
		return Key{}, KeyInfo{}, err
	}
	return s.createKey(ctx, by, accountID, id, name)
}

func (s *Service) createKey(
	ctx context.Context, by Actor, accountID, id, name string,
) (Key, KeyInfo, error) {
	key := NewKey()
	info := KeyInfo{ID: id, Name: name, Preview: key.Preview()}
	created, err := s.keys.Create(ctx, by, accountID, info, key.Hash(), s.now())
	if err != nil {
		return Key{}, KeyInfo{}, err
	}
	info.CreatedAt = created
	return key, info, nil
}

// RotateKey creates a key in place of another, with its name. The old key works until the grace is
// over, which must be one of GracePeriods, and then stops by the clock of each node, without any
// message. It does not count towards the keys that the plan allows, but at most as many may be in
// their grace: one more is ErrTooManyGracePeriods. A key that was rotated or revoked, or is
// suspended, cannot be rotated: ErrKeyInGrace, ErrKeyRevoked, ErrKeySuspended. A rotation counts
// towards KeyLimit.
//
// Only the key's account and the operator may rotate it. Returns ErrNoKey otherwise.
func (s *Service) RotateKey(
	ctx context.Context, by Actor, id string, grace time.Duration,
) (Key, KeyInfo, error) {
	if err := checkGrace(grace); err != nil {
		return Key{}, KeyInfo{}, err
	}
	key, now := NewKey(), s.now()
	info, err := s.keys.Rotate(ctx, by, Rotation{
		Old: id, New: KeyInfo{ID: newKeyID(), Preview: key.Preview()}, Hash: key.Hash(),
		Now: now, End: graceEnd(now, grace),
	})
	if err != nil {
		return Key{}, KeyInfo{}, err
	}
	return key, info, nil
}

// Keys returns the keys of an account: live ones, those in their grace, revoked ones.
//
// Only the account itself and the operator may see them. Returns ErrNoAccount otherwise.
func (s *Service) Keys(ctx context.Context, by Actor, accountID string) ([]KeyInfo, error) {
	return s.keys.List(ctx, by, accountID, KeyFilter{}, s.now())
}

// FilterKeys is Keys with only the revoked keys that the filter selects.
//
// Only the account itself and the operator may see them. Returns ErrNoAccount otherwise.
func (s *Service) FilterKeys(ctx context.Context, by Actor, accountID string, f KeyFilter) ([]KeyInfo, error) {
	return s.keys.List(ctx, by, accountID, f, s.now())
}

// RenameKey renames a key; ParseKeyName must accept the name.
//
// Only the key's account and the operator may rename it. Returns ErrNoKey otherwise.
func (s *Service) RenameKey(ctx context.Context, by Actor, id, name string) error {
	name, err := ParseKeyName(name)
	if err != nil {
		return err
	}
	return s.keys.Rename(ctx, by, id, name, s.now())
}

// RevokeKey revokes a key, or ends its grace. Revoking it again is not an error.
//
// Only the key's account and the operator may revoke it. Returns ErrNoKey otherwise.
func (s *Service) RevokeKey(ctx context.Context, by Actor, id string) error {
	return s.keys.Revoke(ctx, by, id, s.now())
}

// PinKeys chooses which keys stay active when the plan allows fewer than there are, replacing the
// earlier choice. On such a plan it takes effect at once; otherwise it is stored for later. If
// fewer are chosen than the plan allows, ActiveKeys adds the rest. More than MaxPinned is
// ErrTooManyPinned, and a key that is not one of the account's live ones is ErrNoKey.
//
// Only the account itself and the operator may choose. Returns ErrNoAccount otherwise.
func (s *Service) PinKeys(ctx context.Context, by Actor, accountID string, ids []string) error {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) > MaxPinned() {
		return ErrTooManyPinned
	}
	return s.keys.Pin(ctx, by, accountID, ids, s.now())
}
