package account

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"hash/crc32"
	"log/slog"
	"strings"
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

// A Key is an API key. Printing it shows only the preview; Reveal returns the key. The pointer
// hides it in unexported fields, where fmt calls no method.
type Key struct{ secret *string }

// A Hash is what is stored of a key. Keys are random enough that an unsalted hash is safe.
type Hash [sha256.Size]byte

// ErrNotKey says that a text cannot be a key, whoever it may belong to.
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

// LooksLikeKey reports whether a text was meant to be a key, even a mistyped one. Messages must
// not repeat it.
func LooksLikeKey(s string) bool { return strings.HasPrefix(strings.TrimSpace(s), keyPrefix) }

// Reveal returns the key itself, to be shown once.
func (k Key) Reveal() string {
	if k.secret == nil {
		return ""
	}
	return *k.secret
}

// Hash returns what to store of the key.
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
