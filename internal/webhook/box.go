package webhook

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
)

const (
	boxVersion  = 1 // the first byte of what is sealed: AES-256-GCM, the nonce before the text
	boxInfo     = "palmares webhook secrets"
	leastMaster = 32

	canaryText  = "the secret of this database"
	canaryLabel = "canary" // endpoints' begin with ep_
)

// ErrSealed says that a sealed secret cannot be opened: it was sealed with another
// master secret, for another endpoint, or it was changed since.
var ErrSealed = errors.New("the sealed secret cannot be opened with PALMARES_SECRET")

// A Box seals secrets for the database, so that a copy of it signs nothing.
type Box struct {
	aead     cipher.AEAD
	previous []cipher.AEAD // these only open
}

// NewBox makes a box of the service's own secret. It opens what was sealed with earlier
// ones as well.
func NewBox(master []byte, previous ...[]byte) (*Box, error) {
	aead, err := newAEAD(master)
	if err != nil {
		return nil, err
	}
	b := &Box{aead: aead}
	for _, p := range previous {
		aead, err := newAEAD(p)
		if err != nil {
			return nil, err
		}
		b.previous = append(b.previous, aead)
	}
	return b, nil
}

func newAEAD(master []byte) (cipher.AEAD, error) {
	if len(master) < leastMaster {
		return nil, fmt.Errorf("the secret to seal with is %d bytes long: at least %d are needed", len(master), leastMaster)
	}
	key, err := hkdf.Key(sha256.New, master, nil, boxInfo, 32)
	if err != nil {
		return nil, fmt.Errorf("derive the key of webhook secrets: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make the cipher of webhook secrets: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("make the cipher of webhook secrets: %w", err)
	}
	return aead, nil
}

// Seal encrypts a secret. Only the endpoint of that id can have it opened: a sealed
// secret that is moved to another row is worth nothing.
func (b *Box) Seal(s Secret, endpoint string) []byte { return b.seal(s.Reveal(), endpoint) }

// Open gives back a sealed secret.
func (b *Box) Open(sealed []byte, endpoint string) (Secret, error) {
	text, _, err := b.open(sealed, endpoint)
	if err != nil {
		return Secret{}, err
	}
	return ParseSecret(text)
}

func (b *Box) seal(text, label string) []byte {
	return b.aead.Seal([]byte{boxVersion}, nil, []byte(text), []byte(label))
}

// open also tells whether it was the box's own secret that opened, not an earlier one.
func (b *Box) open(sealed []byte, label string) (text string, own bool, err error) {
	if len(sealed) == 0 || sealed[0] != boxVersion {
		return "", false, ErrSealed
	}
	for i, aead := range slices.Concat([]cipher.AEAD{b.aead}, b.previous) {
		if plain, err := aead.Open(nil, nil, sealed[1:], []byte(label)); err == nil {
			return string(plain), i == 0, nil
		}
	}
	return "", false, ErrSealed
}

// canary is what shows, sealed, that a box has the secret of a database.
func (b *Box) canary() []byte { return b.seal(canaryText, canaryLabel) }

// knows reports whether the box has the secret that the canary was sealed with, and
// whether that is the box's own.
func (b *Box) knows(canary []byte) (own, known bool) {
	text, own, err := b.open(canary, canaryLabel)
	return own, err == nil && text == canaryText
}
