// Package secrets derives keys from the service's master secret, PALMARES_SECRET, and signs, seals and
// opens with them. It is the only package that derives a key or encrypts.
//
// Begin with New: a Ring is the master secret and those before it. Ring.Keys derives the keys of one
// purpose, which make and check MACs; Ring.Seals derives those that encrypt. New values are made with
// the current secret; those made with an earlier one are still accepted.
//
// A purpose is a text that must never change: stored rows, mails and cookies were made with the key that
// it names. So no purpose serves two uses, and a changed format gets a new version byte. The package knows
// neither rows nor settings, logs nothing, and never shows a key.
package secrets

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
)

// MinLength is the shortest master secret, in bytes.
const MinLength = 32

// A Ring is a master secret and those before it, the current one first.
type Ring struct{ masters [][]byte }

// New returns a ring. An empty previous secret counts as none; a short one is an error.
func New(current []byte, previous ...[]byte) (Ring, error) {
	r := Ring{masters: [][]byte{current}}
	for _, p := range previous {
		if len(p) > 0 {
			r.masters = append(r.masters, p)
		}
	}
	for _, m := range r.masters {
		if len(m) < MinLength {
			return Ring{}, fmt.Errorf("the secret to derive keys from is %d bytes long: at least %d are needed", len(m), MinLength)
		}
	}
	return r, nil
}

// Keys derives the keys of a purpose, the current one first.
func (r Ring) Keys(purpose string) (keys Keys) {
	for _, m := range r.masters {
		keys = append(keys, derive(m, purpose))
	}
	return keys
}

// A Key makes MACs (HMAC-SHA-256).
type Key []byte

// derive derives the key of a purpose from one master secret (HKDF-SHA-256, no salt).
func derive(master []byte, purpose string) Key {
	key, err := hkdf.Key(sha256.New, master, nil, purpose, sha256.Size)
	if err != nil {
		panic(fmt.Sprintf("derive the key of %s: %v", purpose, err)) // it is short enough for HKDF
	}
	return key
}

// MAC returns the MAC of a text, 32 bytes.
func (k Key) MAC(text string) []byte {
	h := hmac.New(sha256.New, k)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// Keys are the keys of one purpose, the current one first.
type Keys []Key

// Made reports whether with returns the value, such as a MAC or a part of one, for any of the keys. It
// takes the same time whichever key matches.
func (k Keys) Made(value []byte, with func(Key) []byte) bool {
	made := false
	for _, key := range k {
		made = Equal(value, with(key)) || made
	}
	return made
}

// Equal compares two MACs in constant time.
func Equal(a, b []byte) bool { return hmac.Equal(a, b) }

// sealVersion is the first byte of a sealed text: AES-256-GCM, the nonce before the text.
const sealVersion = 1

// ErrSealed means that a sealed text cannot be opened: it was sealed with another secret or under
// another label, or it was changed.
var ErrSealed = errors.New("what is sealed cannot be opened with PALMARES_SECRET")

// Seals encrypt and decrypt texts of one purpose for the database.
type Seals struct {
	ciphers []cipher.AEAD // the current one first
}

// Seals derives the keys that encrypt for a purpose.
func (r Ring) Seals(purpose string) Seals {
	var s Seals
	for _, key := range r.Keys(purpose) {
		s.ciphers = append(s.ciphers, newCipher(key))
	}
	return s
}

func newCipher(key Key) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err == nil {
		var aead cipher.AEAD
		if aead, err = cipher.NewGCMWithRandomNonce(block); err == nil {
			return aead
		}
	}
	panic(fmt.Sprintf("make the cipher of a seal: %v", err)) // its key has 32 bytes
}

// Seal encrypts a text with the current secret. It can only be opened under the same label, so that
// moving it to another row is useless.
func (s Seals) Seal(text, label string) []byte {
	return s.ciphers[0].Seal([]byte{sealVersion}, nil, []byte(text), []byte(label))
}

// Open decrypts a text sealed under a label, or returns ErrSealed. current reports whether the
// current secret sealed it, not a previous one.
func (s Seals) Open(sealed []byte, label string) (text string, current bool, err error) {
	if len(sealed) == 0 || sealed[0] != sealVersion {
		return "", false, ErrSealed
	}
	for i, aead := range s.ciphers {
		if plain, err := aead.Open(nil, nil, sealed[1:], []byte(label)); err == nil {
			return string(plain), i == 0, nil
		}
	}
	return "", false, ErrSealed
}
