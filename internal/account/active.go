package account

import (
	"cmp"
	"errors"
	"slices"
)

// Errors about keys that are suspended.
var (
	ErrKeySuspended = errors.New("the key sleeps, because the plan allows fewer keys: " +
		"choose it among those that work, or upgrade")
	ErrTooManyPinned = errors.New("more keys were chosen than the Developer plan allows")
)

// MaxPinned is how many keys an owner can choose: those that Developer, the smallest plan, leaves
// active.
func MaxPinned() int { return Developer.Limits().Keys }

// ActiveKeys returns the ids of the keys that work on a plan that allows so many; the other ones are suspended.
// The owner's choice comes first, then the keys that are active already, so that asking twice changes
// nothing; of these the last used, then the newest. Keys that are revoked or in their grace are not
// among them: they take no place on any plan, and end by themselves.
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
