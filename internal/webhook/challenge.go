package webhook

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"
)

// Challenge sends an endpoint a webhook.test with a challenge and reports whether the receiver
// answered it. That proves that whoever runs the receiver wants the deliveries: nobody can aim them
// at somebody else's server.
func Challenge(ctx context.Context, s *Sender, k *Keyring, e Endpoint, now time.Time) (
	answered bool, r Result, err error,
) {
	secrets, _, err := k.signers(e, now)
	if err != nil {
		return false, Result{}, err
	}
	challenge := rand.Text()
	r = s.Send(ctx, Message{
		URL: e.URL, ID: NewDeliveryID(), At: now, Body: TestPayload(e.ID, now, challenge), Secrets: secrets,
	})
	return r.OK() && answersChallenge(r.Response, challenge), r, nil
}

// answersChallenge reports whether a response is the challenge alone, or {"challenge":"…"} and
// nothing else. A server that echoes requests proves nothing, so the request itself is no answer.
func answersChallenge(response, challenge string) bool {
	if challenge == "" {
		return false
	}
	if strings.TrimSpace(response) == challenge {
		return true
	}
	// Token by token: decoding into a map would accept a repeated key.
	d := json.NewDecoder(strings.NewReader(response))
	for _, want := range []json.Token{json.Delim('{'), "challenge", challenge, json.Delim('}')} {
		if got, err := d.Token(); err != nil || got != want {
			return false
		}
	}
	_, err := d.Token()
	return errors.Is(err, io.EOF)
}
