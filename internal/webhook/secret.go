package webhook

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/palmares-hq/palmares/internal/secrets"
)

// The format of secrets in the Standard Webhooks specification.
const (
	secretPrefix = "whsec_"
	secretBytes  = 32
	minSecret    = 24
	maxSecret    = 64
)

// A Secret signs what is sent to an endpoint. Printing it shows nothing; Reveal returns it. The
// pointer hides it in unexported fields, where fmt calls no method.
type Secret struct{ text *string }

// ErrNotSecret says that a text is not a secret, without repeating it.
var ErrNotSecret = errors.New("not a webhook secret: whsec_ and 24 to 64 bytes in base64 are expected")

// NewSecret returns a new random secret.
func NewSecret() Secret {
	var key [secretBytes]byte
	rand.Read(key[:]) // never fails
	return secretOf(secretPrefix + base64.StdEncoding.EncodeToString(key[:]))
}

// ParseSecret parses a secret.
func ParseSecret(text string) (Secret, error) {
	encoded, found := strings.CutPrefix(text, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(encoded)
	// The decoder tolerates line breaks and stray bits; only the canonical form is accepted.
	if !found || err != nil || base64.StdEncoding.EncodeToString(key) != encoded {
		return Secret{}, ErrNotSecret
	}
	if len(key) < minSecret || len(key) > maxSecret {
		return Secret{}, ErrNotSecret
	}
	return secretOf(text), nil
}

func secretOf(text string) Secret { return Secret{&text} }

// Reveal returns the secret itself, for its owner to see.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// String hides the secret.
func (s Secret) String() string {
	if s.text == nil {
		return ""
	}
	return secretPrefix + "…"
}

// GoString hides the secret from %#v.
func (s Secret) GoString() string { return s.String() }

// LogValue hides the secret from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// Sign returns the value of webhook-signature: one signature per secret. A zero secret signs
// nothing, since anybody could sign with it.
func Sign(id string, at time.Time, body []byte, secrets ...Secret) string {
	var signatures []string
	for _, s := range secrets {
		if s.text == nil {
			continue
		}
		signer, err := standardwebhooks.NewWebhook(s.Reveal())
		if err != nil {
			panic("webhook: a parsed secret is not valid") // ParseSecret has decoded it
		}
		signature, err := signer.Sign(id, at, body)
		if err != nil {
			panic("webhook: signing failed") // the library never returns an error
		}
		signatures = append(signatures, signature)
	}
	return strings.Join(signatures, " ")
}

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

// Seal encrypts an endpoint's secret. Open succeeds only for the same endpoint, so that a sealed secret is
// useless in another endpoint's row.
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

// open decrypts a sealed text, or returns ErrSealed. current reports whether the current master secret
// opened it rather than an earlier one.
func (k *Keyring) open(sealed []byte, label string) (text string, current bool, err error) {
	text, current, err = k.seals.Open(sealed, label)
	if err != nil {
		return "", false, ErrSealed
	}
	return text, current, nil
}

// signers returns the secrets that sign an endpoint's deliveries: one, or two during a rotation.
// skipped means that the old one cannot be opened and was left out.
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

// canary returns a known text, sealed with the current secret. Opening the canary of a database shows
// that a keyring has the database's secret.
func (k *Keyring) canary() []byte { return k.seal(canaryText, canaryLabel) }

// opensCanary reports whether the keyring has the secret that sealed the canary, and whether that
// is the current one.
func (k *Keyring) opensCanary(canary []byte) (current, ok bool) {
	text, current, err := k.open(canary, canaryLabel)
	return current, err == nil && text == canaryText
}

// ErrWrongSecret says that the endpoints' secrets are sealed with another master secret than this
// process has.
var ErrWrongSecret = errors.New("PALMARES_SECRET is not the one " +
	"that the webhook secrets of this database are sealed with: " +
	"set the one of the other nodes, or the one before it as PALMARES_SECRET_PREVIOUS")

// Sealed holds the sealed secrets of an endpoint.
type Sealed struct {
	Endpoint string
	State    State
	Reason   Reason // as in Endpoint
	Secret   []byte
	Old      []byte // nil except during a rotation, and for some time after
	OldUntil time.Time
}

// A CanaryStore stores the canary of a database: a known text, sealed with the secret of its nodes.
type CanaryStore interface {
	// Canary returns the canary, nil if there is none yet.
	Canary(ctx context.Context) ([]byte, error)
	// WriteCanary calls opens with every endpoint's sealed secrets. It writes the canary unless opens
	// returns false for one of them or another process has written one. Nothing is sealed meanwhile.
	WriteCanary(ctx context.Context, canary []byte, now time.Time, opens func(Sealed) bool) error
}

// CheckSecret returns ErrWrongSecret unless the keyring has the secret of the database. The first
// process that can open everything that is sealed writes the canary; from then on every process must
// be able to open the canary. Until then it is enough to open half of the endpoints' secrets.
func CheckSecret(ctx context.Context, s CanaryStore, k *Keyring, now time.Time) error {
	canary, err := s.Canary(ctx)
	if err != nil {
		return err
	}
	opened, all := 0, 0
	if canary == nil {
		err := s.WriteCanary(ctx, k.canary(), now, func(e Sealed) bool {
			current, old := k.opens(e, now)
			all++
			if current {
				opened++
			}
			return current && old
		})
		if err != nil {
			return err
		}
		if canary, err = s.Canary(ctx); err != nil {
			return err
		}
	}
	if canary == nil {
		// No process opens everything. One that opens at least half may go on; the other endpoints
		// wait for their secret.
		if 2*opened < all {
			return ErrWrongSecret
		}
		return nil
	}
	if _, ok := k.opensCanary(canary); !ok {
		return ErrWrongSecret
	}
	return nil
}

// opens reports which of an endpoint's secrets the keyring opens. An expired old one counts as opened.
func (k *Keyring) opens(e Sealed, now time.Time) (current, old bool) {
	_, err := k.Open(e.Secret, e.Endpoint)
	current, old = err == nil, true
	if len(e.Old) > 0 && now.Before(e.OldUntil) {
		_, err := k.Open(e.Old, e.Endpoint)
		old = err == nil
	}
	return current, old
}
