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

// The form of a secret is that of the Standard Webhooks specification.
const (
	secretPrefix = "whsec_"
	secretBytes  = 32
	leastSecret  = 24
	mostSecret   = 64
)

// A Secret signs what is sent to an endpoint. It does not show itself when printed:
// Reveal does. The pointer keeps it out of sight where fmt calls no method: in an
// unexported field.
type Secret struct{ text *string }

// ErrNotSecret says that a text is no secret, without repeating it.
var ErrNotSecret = errors.New("not a webhook secret: whsec_ and 24 to 64 bytes in base64 are expected")

// NewSecret makes a secret.
func NewSecret() Secret {
	var key [secretBytes]byte
	rand.Read(key[:]) // it never fails
	return secretOf(secretPrefix + base64.StdEncoding.EncodeToString(key[:]))
}

// ParseSecret reads a secret.
func ParseSecret(text string) (Secret, error) {
	encoded, found := strings.CutPrefix(text, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(encoded)
	// Decoding forgives line breaks and stray bits: only the one spelling is accepted.
	if !found || err != nil || base64.StdEncoding.EncodeToString(key) != encoded {
		return Secret{}, ErrNotSecret
	}
	if len(key) < leastSecret || len(key) > mostSecret {
		return Secret{}, ErrNotSecret
	}
	return secretOf(text), nil
}

func secretOf(text string) Secret { return Secret{&text} }

// Reveal gives the secret itself, for its owner to see.
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

// Sign gives the value of webhook-signature: one signature per secret. A zero secret
// signs nothing, since anybody could sign with it.
func Sign(id string, at time.Time, body []byte, secrets ...Secret) string {
	var signatures []string
	for _, s := range secrets {
		if s.text == nil {
			continue
		}
		signer, err := standardwebhooks.NewWebhook(s.Reveal())
		if err != nil {
			panic("webhook: a parsed secret is no secret") // ParseSecret has decoded it
		}
		signature, err := signer.Sign(id, at, body)
		if err != nil {
			panic("webhook: signing failed") // the library has no way to fail
		}
		signatures = append(signatures, signature)
	}
	return strings.Join(signatures, " ")
}
