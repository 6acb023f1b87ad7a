package webhook

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
)

const (
	boxVersion  = 1 // the first byte of what is sealed: AES-256-GCM, the nonce before the text
	boxInfo     = "palmares webhook secrets"
	leastMaster = 32
)

// ErrSealed says that a sealed secret cannot be opened: it was sealed with another
// master secret, for another endpoint, or it was changed since.
var ErrSealed = errors.New("the sealed secret cannot be opened")

// A Box seals secrets for the database, so that a copy of it signs nothing.
type Box struct{ aead cipher.AEAD }

// NewBox makes a box of the service's own secret.
func NewBox(master []byte) (*Box, error) {
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
	return &Box{aead}, nil
}

// Seal encrypts a secret. Only the endpoint of that id can have it opened: a sealed
// secret that is moved to another row is worth nothing.
func (b *Box) Seal(s Secret, endpoint string) []byte {
	return b.aead.Seal([]byte{boxVersion}, nil, []byte(s.Reveal()), []byte(endpoint))
}

// Open gives back a sealed secret.
func (b *Box) Open(sealed []byte, endpoint string) (Secret, error) {
	if len(sealed) == 0 || sealed[0] != boxVersion {
		return Secret{}, ErrSealed
	}
	text, err := b.aead.Open(nil, nil, sealed[1:], []byte(endpoint))
	if err != nil {
		return Secret{}, ErrSealed
	}
	return ParseSecret(string(text))
}
