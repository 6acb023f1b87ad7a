package webhook

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"
)

const (
	sealVersion = 1 // the first byte of a sealed secret: AES-256-GCM, the nonce before the text
	sealInfo    = "palmares webhook secrets"
	minMaster   = 32

	canaryText  = "the secret of this database"
	canaryLabel = "canary" // the labels of endpoints begin with ep_
)

// ErrSealed says that a sealed secret cannot be opened: it was sealed with another master secret
// or for another endpoint, or it has been changed.
var ErrSealed = errors.New("the sealed secret cannot be opened with PALMARES_SECRET")

// A Keyring seals (encrypts) endpoints' secrets for the database, so that a copy of the database
// signs nothing. It seals with the current master secret and opens with that one or earlier ones.
type Keyring struct {
	current  cipher.AEAD
	previous []cipher.AEAD // these only open
}

// NewKeyring returns a keyring for the service's master secret and earlier ones.
func NewKeyring(master []byte, previous ...[]byte) (*Keyring, error) {
	current, err := newAEAD(master)
	if err != nil {
		return nil, err
	}
	k := &Keyring{current: current}
	for _, p := range previous {
		aead, err := newAEAD(p)
		if err != nil {
			return nil, err
		}
		k.previous = append(k.previous, aead)
	}
	return k, nil
}

func newAEAD(master []byte) (cipher.AEAD, error) {
	if len(master) < minMaster {
		return nil, fmt.Errorf("the secret to seal with is %d bytes long: at least %d are needed",
			len(master), minMaster)
	}
	key, err := hkdf.Key(sha256.New, master, nil, sealInfo, 32)
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

// Seal encrypts an endpoint's secret. It opens for that endpoint only: moved to another row, it is
// worth nothing.
func (k *Keyring) Seal(s Secret, endpoint string) []byte { return k.seal(s.Reveal(), endpoint) }

// Open decrypts a sealed secret, or returns ErrSealed.
func (k *Keyring) Open(sealed []byte, endpoint string) (Secret, error) {
	text, _, err := k.open(sealed, endpoint)
	if err != nil {
		return Secret{}, err
	}
	return ParseSecret(text)
}

func (k *Keyring) seal(text, label string) []byte {
	return k.current.Seal([]byte{sealVersion}, nil, []byte(text), []byte(label))
}

// open also reports whether the current master secret opened it, not an earlier one.
func (k *Keyring) open(sealed []byte, label string) (text string, current bool, err error) {
	if len(sealed) == 0 || sealed[0] != sealVersion {
		return "", false, ErrSealed
	}
	for i, aead := range slices.Concat([]cipher.AEAD{k.current}, k.previous) {
		if plain, err := aead.Open(nil, nil, sealed[1:], []byte(label)); err == nil {
			return string(plain), i == 0, nil
		}
	}
	return "", false, ErrSealed
}

// secrets returns what signs an endpoint's deliveries: one secret, or two during a rotation.
// skipped says that the old one cannot be opened and was left out.
func (k *Keyring) secrets(e Endpoint, now time.Time) (secrets []Secret, skipped bool, err error) {
	current, err := k.Open(e.Secret, e.ID)
	if err != nil {
		return nil, false, fmt.Errorf("opening the secret of %s: %w", e.ID, err)
	}
	secrets = []Secret{current}
	if len(e.OldSecret) > 0 && now.Before(e.OldSecretUntil) {
		old, err := k.Open(e.OldSecret, e.ID)
		if err != nil {
			return secrets, true, nil //nolint:nilerr // the current one is enough
		}
		secrets = append(secrets, old)
	}
	return secrets, false, nil
}

// canary returns a known text, sealed. It shows whether a keyring has the secret of a database.
func (k *Keyring) canary() []byte { return k.seal(canaryText, canaryLabel) }

// opensCanary reports whether the keyring has the secret that sealed the canary, and whether that
// is the current one.
func (k *Keyring) opensCanary(canary []byte) (current, ok bool) {
	text, current, err := k.open(canary, canaryLabel)
	return current, err == nil && text == canaryText
}
