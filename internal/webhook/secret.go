package webhook

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"log/slog"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
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
