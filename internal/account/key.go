package account

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/limit"
)

// A key is plm_, 30 random characters and 6 of checksum, all letters and digits. Secret scanners
// find leaked keys by the prefix, and the checksum rejects a mistyped key without a look-up.
const (
	keyPrefix = "plm_"
	keyRandom = 30
	keySum    = 6
	keyLength = len(keyPrefix) + keyRandom + keySum
	base62    = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// A Key is an API key. Printing it shows only the preview; Reveal returns the key. The secret is
// behind a pointer because fmt calls no method on unexported fields.
type Key struct{ secret *string }

// A Hash is the stored form of a key. Keys are random enough for an unsalted hash to be safe.
type Hash [sha256.Size]byte

// ErrNotKey means that a text cannot be anybody's key.
var ErrNotKey = errors.New("not an API key: a character is wrong or missing")

// NewKey returns a new random key.
func NewKey() Key {
	secret := make([]byte, 0, keyLength)
	secret = append(secret, keyPrefix...)
	// Bytes from 248 on are rejected: they would favour the first 8 characters.
	const unbiased = 256 / len(base62) * len(base62)
	for len(secret) < len(keyPrefix)+keyRandom {
		var b [keyRandom]byte
		rand.Read(b[:]) // never fails
		for _, c := range b {
			if int(c) < unbiased && len(secret) < len(keyPrefix)+keyRandom {
				secret = append(secret, base62[int(c)%len(base62)])
			}
		}
	}
	sum := checksum(string(secret))
	return keyOf(string(append(secret, sum[:]...)))
}

// newKeyID returns a new id, by which the owner refers to a key.
func newKeyID() string { return keyIDPrefix + strings.ToLower(rand.Text()[:12]) }

const keyIDPrefix = "key_"

// checksum returns the CRC-32 of the text in six base-62 digits.
func checksum(s string) (sum [keySum]byte) {
	n := crc32.ChecksumIEEE([]byte(s))
	for i := keySum - 1; i >= 0; i-- {
		sum[i] = base62[n%uint32(len(base62))]
		n /= uint32(len(base62))
	}
	return sum
}

// ParseKey parses a key and verifies its checksum.
func ParseKey(s string) (Key, error) {
	if len(s) != keyLength || s[:len(keyPrefix)] != keyPrefix {
		return Key{}, ErrNotKey
	}
	if sum := checksum(s[:keyLength-keySum]); s[keyLength-keySum:] != string(sum[:]) {
		return Key{}, ErrNotKey
	}
	for i := len(keyPrefix); i < keyLength; i++ {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return Key{}, ErrNotKey
		}
	}
	return keyOf(s), nil
}

func keyOf(s string) Key { return Key{&s} }

// LooksLikeKey reports whether a text was meant to be a key, even a mistyped one. Messages must not
// repeat such a text.
func LooksLikeKey(s string) bool { return strings.HasPrefix(strings.TrimSpace(s), keyPrefix) }

// Reveal returns the key itself, to show it once.
func (k Key) Reveal() string {
	if k.secret == nil {
		return ""
	}
	return *k.secret
}

// Hash returns the stored form of the key.
func (k Key) Hash() Hash { return HashOf(k.Reveal()) }

// HashOf returns the hash of a text that may be a key.
func HashOf(text string) Hash { return sha256.Sum256([]byte(text)) }

// Preview returns enough of the key for its owner to recognise it.
func (k Key) Preview() string {
	if k.secret == nil {
		return ""
	}
	return (*k.secret)[:len(keyPrefix)+4] + "…"
}

// String returns the preview.
func (k Key) String() string { return k.Preview() }

// GoString returns the preview, for %#v.
func (k Key) GoString() string { return k.Preview() }

// LogValue returns the preview, for slog.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.Preview()) }

// GracePeriods returns the times for which a key can go on working after its rotation.
func GracePeriods() []time.Duration {
	return []time.Duration{0, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}
}

// A Rotation replaces a key by a new one.
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

// graceEnd returns when a grace that begins now ends, in whole seconds, as nodes hold it.
func graceEnd(now time.Time, grace time.Duration) time.Time {
	end := now.Add(grace)
	if whole := end.Truncate(time.Second); grace > 0 && !whole.Equal(end) {
		return whole.Add(time.Second)
	}
	return end
}

// onceLength is the length of what NewOnce returns: a key's id without its prefix.
const onceLength = 12

// NewOnce returns a new random text for a form that creates one key however often it is sent.
func NewOnce() string { return strings.TrimPrefix(newKeyID(), keyIDPrefix) }

// onceKeyID returns the id of the key that the form with this text creates.
func onceKeyID(once string) (string, error) {
	if len(once) != onceLength || strings.ContainsFunc(once, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) {
		return "", ErrNotOnce
	}
	return keyIDPrefix + once, nil
}

// KeyLimit limits how many keys an account may create or rotate. Each leaves a row for ever, and
// every node is told of it. The operator's commands are not counted.
var KeyLimit = limit.Limit{Name: "keys", Most: 50, Within: 24 * time.Hour}

// A KeyFilter selects the revoked keys to list. Other keys are always listed.
type KeyFilter struct {
	Revoked   int       // the most to list, those revoked last; 0 for any number
	UsedSince time.Time // only those used since that day, or revoked just now; zero for all
}
