package webhook_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/webhook"
)

func TestChallenge(t *testing.T) {
	t.Parallel()
	sender, keyring, secret := newSender(t, nil, 0), keyringOf(t, "a"), webhook.NewSecret()
	write := func(code int, text func(r request) string) func(http.ResponseWriter, request) {
		return func(w http.ResponseWriter, r request) {
			w.WriteHeader(code)
			io.WriteString(w, text(r))
		}
	}
	plain := func(r request) string { return r.Data.Challenge }
	for name, tt := range map[string]struct {
		answer func(http.ResponseWriter, request)
		want   bool
		status int
	}{
		"the challenge":                 {write(200, plain), true, 200},
		"the challenge with 201":        {write(201, plain), true, 201},
		"JSON":                          {write(200, func(r request) string { return `{"challenge": "` + r.Data.Challenge + `"}` }), true, 200},
		"the request itself":            {write(200, func(r request) string { return string(r.body) }), false, 200},
		"nothing":                       {status(200), false, 200},
		"another challenge":             {write(200, func(request) string { return "AAAAAAAAAAAAAAAAAAAAAAAAAA" }), false, 200},
		"the challenge with 400":        {write(400, plain), false, 400},
		"the challenge with a redirect": {write(302, plain), false, 302},
	} {
		r := newReceiver(t)
		r.answers(tt.answer)
		e := webhook.Endpoint{ID: "ep_a", URL: r.url, Secret: keyring.Seal(secret, "ep_a")}
		for range 2 {
			answered, result, err := webhook.Challenge(t.Context(), sender, keyring, e, begin)
			if err != nil || answered != tt.want || result.Status != tt.status {
				t.Errorf("%s: answered %t with %d %q: %v", name, answered, result.Status, result.Response, err)
			}
		}
		requests := r.take()
		for _, got := range requests {
			if got.Type != webhook.TestEvent || !got.sentAt().Equal(begin) || !got.signedWith(t, secret) {
				t.Errorf("%s: the receiver got %v", name, got)
			}
		}
		if requests[0].Data.Challenge == requests[1].Data.Challenge || requests[0].id() == requests[1].id() {
			t.Errorf("%s: two challenges are alike: %v", name, requests)
		}
	}
	r := newReceiver(t)
	e := webhook.Endpoint{ID: "ep_a", URL: r.url, Secret: keyring.Seal(secret, "ep_b")}
	answered, _, err := webhook.Challenge(t.Context(), sender, keyring, e, time.Now())
	if err == nil || answered || len(r.all()) != 0 {
		t.Errorf("a secret that cannot be opened: answered %t, %v, %d requests", answered, err, len(r.all()))
	}
}
