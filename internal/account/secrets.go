package account

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
)

// What keys are derived for. Each purpose has a key of its own.
const (
	farewellPurpose = "palmares farewell addresses"
	changePurpose   = "palmares e-mail changes"
)

const (
	sealVersion = 1  // the first byte of a sealed address: AES-256-GCM, the nonce before the text
	minMaster   = 32 // bytes of a master secret
)

// ErrSealed says that a sealed address cannot be opened: it was sealed with another secret or for
// another account.
var ErrSealed = errors.New("the sealed address cannot be opened with PALMARES_SECRET")

// Secrets are the keys that accounts need, derived from the service's master secret. New addresses
// are sealed and new tokens derived with the current one; earlier ones still open and derive what
// they did before.
type Secrets struct {
	seals   []cipher.AEAD // the current one first
	changes [][]byte      // the current one first
	counts  signInKeys    // as sign-ins have them
}

// NewSecrets derives the keys from the service's master secret and earlier ones.
func NewSecrets(master []byte, previous ...[]byte) (*Secrets, error) {
	s := &Secrets{counts: newSignInKeys(master)}
	for _, m := range append([][]byte{master}, previous...) {
		if len(m) < minMaster {
			return nil, fmt.Errorf("the secret to derive keys from is %d bytes long: at least %d are needed", len(m), minMaster)
		}
		aead, err := newSeal(m)
		if err != nil {
			return nil, err
		}
		change, err := hkdf.Key(sha256.New, m, nil, changePurpose, sha256.Size)
		if err != nil {
			return nil, fmt.Errorf("derive the key of e-mail changes: %w", err)
		}
		s.seals, s.changes = append(s.seals, aead), append(s.changes, change)
	}
	return s, nil
}

func newSeal(master []byte) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, master, nil, farewellPurpose, 32)
	if err != nil {
		return nil, fmt.Errorf("derive the key of farewells: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make the cipher of farewells: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("make the cipher of farewells: %w", err)
	}
	return aead, nil
}

// recipient returns what stands for the mailbox of an address.
func (s *Secrets) recipient(email string) []byte { return s.counts.recipient(email) }

// sealEmail encrypts the address of an account. It opens for that account only.
func (s *Secrets) sealEmail(email, accountID string) []byte {
	return s.seals[0].Seal([]byte{sealVersion}, nil, []byte(email), []byte(accountID))
}

// openEmail decrypts a sealed address, or returns ErrSealed.
func (s *Secrets) openEmail(sealed []byte, accountID string) (string, error) {
	if len(sealed) == 0 || sealed[0] != sealVersion {
		return "", ErrSealed
	}
	for _, aead := range s.seals {
		if text, err := aead.Open(nil, nil, sealed[1:], []byte(accountID)); err == nil {
			return string(text), nil
		}
	}
	return "", ErrSealed
}
