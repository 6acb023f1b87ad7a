package webhook

import (
	"context"
	"crypto/rand"
	"time"
)

// Challenge sends an endpoint a webhook.test with a challenge and reports whether the
// receiver answered it. That shows that whoever runs the receiver wants our
// deliveries: nobody can aim them at somebody else.
func Challenge(ctx context.Context, s *Sender, b *Box, e Endpoint, now time.Time) (answered bool, r Result, err error) {
	secrets, _, err := b.secrets(e, now)
	if err != nil {
		return false, Result{}, err
	}
	challenge := rand.Text()
	r = s.Send(ctx, Message{URL: e.URL, ID: NewDeliveryID(), At: now, Body: TestPayload(e.ID, now, challenge), Secrets: secrets})
	return r.OK() && SucceededChallenge(r.Response, challenge), r, nil
}
