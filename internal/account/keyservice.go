package account

import (
	"context"
	"slices"
	"time"
)

// CreateKey creates a key for an account, with a name that ParseKeyName must accept. The key
// itself is in the result and nowhere else: only its hash is stored. It returns ErrTooManyKeys if
// the account has all the keys its plan allows, not counting those that are suspended, and a LimitError if it
// has made as many as KeyLimit allows.
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

// CreateKeyOnce is CreateKey for a form that a browser may send twice. The form carries what
// NewOnce returned when the page was made, and the id of the key is made from it. The second call
// returns ErrKeyMade, whatever became of the key. What NewOnce did not return is ErrNotOnce.
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

// RotateKey creates a key in the place of another, with its name. The old key works until the grace
// is over, which must be one of GracePeriods, and then stops by the clock of each node: nothing has to
// reach the node for it. It takes no place among the keys that the plan allows, but there are at
// most as many in their grace: one more is ErrTooManyGracePeriods. A key that was rotated or revoked
// before cannot be rotated, nor one that is suspended: ErrKeyInGrace, ErrKeyRevoked, ErrKeySuspended. A rotation
// counts towards KeyLimit.
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

// FilterKeys is Keys with those of the revoked ones that the filter leaves.
//
// Only the account itself and the operator may see them. Returns ErrNoAccount otherwise.
func (s *Service) FilterKeys(ctx context.Context, by Actor, accountID string, f KeyFilter) ([]KeyInfo, error) {
	return s.keys.List(ctx, by, accountID, f, s.now())
}

// RenameKey gives a key another name, which ParseKeyName must accept.
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

// PinKeys chooses which keys stay active when the plan allows fewer than there are, in the place of
// what was chosen before. On such a plan it takes effect at once; otherwise it is remembered. If fewer
// are chosen than the plan allows, ActiveKeys names the rest. More than MaxPinned is ErrTooManyPinned, and a
// key that is not one of the account's live ones is ErrNoKey.
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
