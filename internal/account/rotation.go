package account

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// GracePeriods returns how long a key may go on working after its rotation.
func GracePeriods() []time.Duration {
	return []time.Duration{0, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}
}

// A Rotation puts a new key in the place of another.
type Rotation struct {
	Old  string  // the id of the key that is replaced
	New  KeyInfo // without a name
	Hash Hash    // of the new key
	Now  time.Time
	End  time.Time // when the old key stops working; not after Now without a grace
}

// Errors of rotations, and of forms that are sent twice.
var (
	ErrKeyInGrace = errors.New("the key was rotated already and works until its grace ends: " +
		"rotate the key that replaced it")
	ErrKeyRevoked          = errors.New("the key is revoked: create another")
	ErrTooManyGracePeriods = errors.New("the account has as many rotated keys in their grace as its plan " +
		"allows keys: revoke one of them first, or rotate without a grace")
	ErrKeyMade = errors.New("the key was created already, and shown then: " +
		"if you do not have it, revoke it and create another")
	ErrNotOnce = errors.New("the form is not as the page made it: load the page again")
)

func checkGrace(grace time.Duration) error {
	if !slices.Contains(GracePeriods(), grace) {
		return fmt.Errorf("a grace of %v is not possible: it is 0, 1, 24 or 168 hours", grace)
	}
	return nil
}

// graceEnd returns when a grace that begins now ends. Nodes hold the end in seconds, so it is a
// whole one.
func graceEnd(now time.Time, grace time.Duration) time.Time {
	end := now.Add(grace)
	if whole := end.Truncate(time.Second); grace > 0 && !whole.Equal(end) {
		return whole.Add(time.Second)
	}
	return end
}

// onceLength is how long what NewOnce returns is: with its prefix, as long as the id of a key.
const onceLength = 12

// NewOnce returns a new random text for a form that creates one key, however often it is sent.
func NewOnce() string { return strings.TrimPrefix(newKeyID(), keyIDPrefix) }

// onceKeyID returns the id of the key that a form creates.
func onceKeyID(once string) (string, error) {
	if len(once) != onceLength || strings.ContainsFunc(once, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) {
		return "", ErrNotOnce
	}
	return keyIDPrefix + once, nil
}
