package webhook

import (
	"errors"
	"fmt"
	"time"

	"github.com/palmares-hq/palmares/internal/secrets"
)

const (
	sealPurpose = "palmares webhook secrets"

	canaryText  = "the secret of this database"
	canaryLabel = "canary" // the labels of endpoints begin with ep_
)

// ErrSealed says that a sealed secret cannot be opened: it was sealed with another master secret
// or for another endpoint, or it has been changed.
var ErrSealed = errors.New("the sealed secret cannot be opened with PALMARES_SECRET")

// A Keyring seals (encrypts) endpoints' secrets for the database, so that a copy of the database
// signs nothing. It seals with the current master secret and opens with that one or earlier ones.
type Keyring struct{ seals secrets.Seals }

// NewKeyring returns the keyring of the service's secrets.
func NewKeyring(ring secrets.Ring) *Keyring { return &Keyring{ring.Seals(sealPurpose)} }

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

func (k *Keyring) seal(text, label string) []byte { return k.seals.Seal(text, label) }

// open also reports whether the current master secret opened it, not an earlier one.
func (k *Keyring) open(sealed []byte, label string) (text string, current bool, err error) {
	text, current, err = k.seals.Open(sealed, label)
	if err != nil {
		return "", false, ErrSealed
	}
	return text, current, nil
}

// signers returns what signs an endpoint's deliveries: one secret, or two during a rotation.
// skipped says that the old one cannot be opened and was left out.
func (k *Keyring) signers(e Endpoint, now time.Time) (signers []Secret, skipped bool, err error) {
	current, err := k.Open(e.Secret, e.ID)
	if err != nil {
		return nil, false, fmt.Errorf("opening the secret of %s: %w", e.ID, err)
	}
	signers = []Secret{current}
	if len(e.OldSecret) > 0 && now.Before(e.OldSecretUntil) {
		old, err := k.Open(e.OldSecret, e.ID)
		if err != nil {
			return signers, true, nil //nolint:nilerr // the current one is enough
		}
		signers = append(signers, old)
	}
	return signers, false, nil
}

// canary returns a known text, sealed. It shows whether a keyring has the secret of a database.
func (k *Keyring) canary() []byte { return k.seal(canaryText, canaryLabel) }

// opensCanary reports whether the keyring has the secret that sealed the canary, and whether that
// is the current one.
func (k *Keyring) opensCanary(canary []byte) (current, ok bool) {
	text, current, err := k.open(canary, canaryLabel)
	return current, err == nil && text == canaryText
}
