package account

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"hash/crc32"
	"log/slog"
	"strings"
)

// A key is plm_, 30 random characters and 6 of checksum, all letters and digits:
// scanners for leaked secrets find it by its prefix, and a mistyped one is refused
// without a look-up.
const (
	keyPrefix = "plm_"
	keyRandom = 30
	keySum    = 6
	keyLength = len(keyPrefix) + keyRandom + keySum
	base62    = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// A Key is an API key. It does not show itself when printed: Reveal does. The
// pointer keeps it out of sight where fmt calls no method: in an unexported field.
type Key struct{ secret *string }

// A Hash is what is stored of a key. The key is random enough that a plain hash
// gives nothing away.
type Hash [sha256.Size]byte

// ErrNotKey says that a text is no key, whether anybody has it or not.
var ErrNotKey = errors.New("not an API key: a character is wrong or missing")

// NewKey makes a key.
func NewKey() Key {
	secret := make([]byte, 0, keyLength)
	secret = append(secret, keyPrefix...)
	// Bytes from 248 on would make the first 8 characters likelier than the rest.
	const fair = 256 / len(base62) * len(base62)
	for len(secret) < len(keyPrefix)+keyRandom {
		var b [keyRandom]byte
		rand.Read(b[:]) // it never fails
		for _, c := range b {
			if int(c) < fair && len(secret) < len(keyPrefix)+keyRandom {
				secret = append(secret, base62[int(c)%len(base62)])
			}
		}
	}
	sum := checksum(string(secret))
	return keyOf(string(append(secret, sum[:]...)))
}

// newKeyID makes the id of a key, by which its owner names it.
func newKeyID() string { return "key_" + strings.ToLower(rand.Text()[:12]) }

// checksum is the CRC-32 of the text, in six digits of base 62.
func checksum(s string) (sum [keySum]byte) {
	n := crc32.ChecksumIEEE([]byte(s))
	for i := keySum - 1; i >= 0; i-- {
		sum[i] = base62[n%uint32(len(base62))]
		n /= uint32(len(base62))
	}
	return sum
}

// ParseKey reads a key and checks its checksum.
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

// LooksLikeKey reports whether a text was meant to be a key, be it mistyped: it is
// not to be repeated in a message.
func LooksLikeKey(s string) bool { return strings.HasPrefix(strings.TrimSpace(s), keyPrefix) }

// Reveal gives the key itself, to be shown once.
func (k Key) Reveal() string {
	if k.secret == nil {
		return ""
	}
	return *k.secret
}

// Hash is what to store of the key.
func (k Key) Hash() Hash { return HashOf(k.Reveal()) }

// HashOf is the hash of what may be a key.
func HashOf(text string) Hash { return sha256.Sum256([]byte(text)) }

// Preview is enough of the key for its owner to recognise it.
func (k Key) Preview() string {
	if k.secret == nil {
		return ""
	}
	return (*k.secret)[:len(keyPrefix)+4] + "…"
}

// String is the preview.
func (k Key) String() string { return k.Preview() }

// GoString is the preview, for %#v.
func (k Key) GoString() string { return k.Preview() }

// LogValue is the preview, for slog.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.Preview()) }
