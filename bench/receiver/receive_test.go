package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/webhook"
)

func TestReceiver(t *testing.T) {
	t.Parallel()
	secret := webhook.NewSecret()
	file := filepath.Join(t.TempDir(), "secrets")
	if err := os.WriteFile(file, []byte("/ok/1 "+secret.Reveal()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := newReceiver()
	if err := r.readSecrets(file); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	client := &http.Client{Timeout: 500 * time.Millisecond}
	send := func(path, id string, with webhook.Secret) (status int) {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		q.Header.Set("Webhook-Id", id)
		q.Header.Set("Webhook-Timestamp", fmt.Sprint(now.Unix()))
		q.Header.Set("Webhook-Signature", webhook.Sign(id, now, []byte("{}"), with))
		resp, err := client.Do(q)
		if err != nil {
			return 0
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	began := time.Now()
	for _, c := range []struct {
		path, id string
		want     int
	}{
		{"/ok/1", "a", 204},
		{"/ok/1", "a", 204},
		{"/ok/1", "b", 204},
		{"/ok/2", "c", 204},
		{"/fail-100/1", "d", 503},
		{"/fail-0/1", "d", 204},
		{"/reset-100/1", "e", 0},
		{"/reset-0/1", "e", 204},
		{"/hang/1", "f", 0},
		{"/what/1", "g", 404},
	} {
		if got := send(c.path, c.id, secret); got != c.want {
			t.Errorf("%s: %d, want %d", c.path, got, c.want)
		}
	}
	send("/ok/1", "z", webhook.NewSecret())

	resp, err := client.Get(fmt.Sprintf("%s/stats?since=%d", server.URL, began.UnixNano()))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var all map[string]stats
	if err := json.NewDecoder(resp.Body).Decode(&all); err != nil {
		t.Fatal(err)
	}
	s := all["ok"]
	if s.Count != 5 || s.Acknowledged != 5 || s.Distinct != 4 || s.Duplicates != 1 || s.Forged != 1 || s.Unchecked != 1 {
		t.Errorf("ok: %+v", s)
	}
	if l := s.Latency; l == nil || l.P50 <= 0 || l.Max < l.P50 || l.Max > time.Since(began).Seconds() || s.Last.Before(s.First) {
		t.Errorf("latency: %+v", s.Latency)
	}
	if s := all["hang"]; s.Count != 1 || s.Acknowledged != 0 || s.Latency != nil {
		t.Errorf("hang: %+v", s)
	}
	if s := all["fail-100"]; s.Count != 1 || s.Acknowledged != 0 {
		t.Errorf("fail-100: %+v", s)
	}
}

func TestPercentiles(t *testing.T) {
	t.Parallel()
	began := time.Now()
	c := tally{times: map[string]int{}}
	for i := range 200 { // the last first
		c.arrivals = append(c.arrivals, began.Add(time.Duration(200-i)*time.Second))
	}
	if got, want := *c.stats(began).Latency, (latency{P50: 101, P95: 191, P99: 199, Max: 200}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
