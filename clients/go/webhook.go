package palmares

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// tolerance is how far the clock of a message may be from ours: an older one may be a copy that somebody sends again.
const tolerance = 5 * time.Minute

// ErrWebhook is the error of a message that is not to be believed.
var ErrWebhook = errors.New("palmares: not a message of the service")

// A WebhookEvent is what a webhook delivers.
type WebhookEvent struct {
	ID        string      `json:"-"` // of the delivery, the same over attempts: what was seen before can be ignored
	Type      string      `json:"type"`
	Timestamp time.Time   `json:"timestamp"`
	Data      WebhookData `json:"data"`
}

// WebhookData is what an event is about.
type WebhookData struct {
	ChangeData
	Test            bool   `json:"test,omitempty"`             // a sample that was asked for; nothing happened
	ObjectOmitted   bool   `json:"object_omitted,omitempty"`   // it is too large: ask the API for it
	PreviousOmitted bool   `json:"previous_omitted,omitempty"` // likewise
	Endpoint        string `json:"endpoint,omitempty"`         // of webhook.test
	Challenge       string `json:"challenge,omitempty"`        // of webhook.test: what to respond with
}

// VerifyWebhook checks the signature and the time of a message, and returns its event. The body is the raw one, before any
// decoding. While a secret is being replaced, give both. An error is ErrWebhook, or of a secret that is none.
func VerifyWebhook(h http.Header, body []byte, secrets ...string) (*WebhookEvent, error) {
	id, at := h.Get("webhook-id"), h.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || id == "" {
		return nil, fmt.Errorf("%w: webhook-id or webhook-timestamp is missing", ErrWebhook)
	}
	if time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return nil, fmt.Errorf("%w: its time is more than 5 minutes off", ErrWebhook)
	}
	signed := false
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) < 16 {
			return nil, errors.New("palmares: a secret is whsec_ and base64, as the account page shows it")
		}
		mac := hmac.New(sha256.New, key)
		_, _ = fmt.Fprintf(mac, "%s.%s.%s", id, at, body) // it never fails
		want := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		for _, one := range strings.Fields(h.Get("webhook-signature")) {
			signed = signed || hmac.Equal([]byte(one), want)
		}
	}
	if !signed {
		return nil, fmt.Errorf("%w: no signature is of one of %d secrets", ErrWebhook, len(secrets))
	}
	e := &WebhookEvent{ID: id}
	if err := json.Unmarshal(body, e); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrWebhook, err)
	}
	return e, nil
}
