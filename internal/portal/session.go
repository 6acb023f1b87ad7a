package portal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"
)

// SessionLifetime is how long a browser stays signed in.
const SessionLifetime = 30 * 24 * time.Hour

// newSessions makes the sessions. They are read with each request for an account page and written
// when one begins, so there is no idle timeout.
func newSessions(store scs.Store) *scs.SessionManager {
	return &scs.SessionManager{ // scs.New would start a goroutine for a store that we do not use
		Store: store, Codec: sessionCodec{}, Lifetime: SessionLifetime, HashTokenInStore: true,
		Cookie: scs.SessionCookie{
			Name: sessionCookie, Path: "/", Persist: true, HttpOnly: true, SameSite: http.SameSiteLaxMode,
			Secure: true, // browsers refuse the prefix __Host- without it
		},
	}
}

// sessionData is what a session holds. The store reads account and browser from it.
type sessionData struct {
	Account  string    `json:"account"`
	Browser  string    `json:"browser"`
	Deadline time.Time `json:"deadline"`
}

const (
	accountValue = "account"
	browserValue = "browser"
)

// sessionCodec writes sessions as JSON, which the store can read.
type sessionCodec struct{}

// Encode implements scs.Codec.
func (sessionCodec) Encode(deadline time.Time, values map[string]any) ([]byte, error) {
	d := sessionData{Deadline: deadline}
	d.Account, _ = values[accountValue].(string)
	d.Browser, _ = values[browserValue].(string)
	if d.Account == "" {
		return nil, errors.New("a session without an account is not stored")
	}
	return json.Marshal(d)
}

// Decode implements scs.Codec.
func (sessionCodec) Decode(data []byte) (time.Time, map[string]any, error) {
	var d sessionData
	if err := json.Unmarshal(data, &d); err != nil {
		return time.Time{}, nil, fmt.Errorf("decoding a session: %w", err)
	}
	return d.Deadline, map[string]any{accountValue: d.Account, browserValue: d.Browser}, nil
}

// signIn begins a session of an account, under a new token. ctx holds no session: whatever the
// browser sent before is not continued.
func (p *Portal) signIn(ctx context.Context, w http.ResponseWriter, accountID, browser string) error {
	ctx, err := p.sessions.Load(ctx, "")
	if err != nil {
		return err
	}
	p.sessions.Put(ctx, accountValue, accountID)
	p.sessions.Put(ctx, browserValue, browser)
	token, expiry, err := p.sessions.Commit(ctx)
	if err != nil {
		return err
	}
	p.sessions.WriteSessionCookie(ctx, w, p.sealToken(token), expiry)
	dropCookie(w, browserCookie)
	return nil
}

func dropCookie(w http.ResponseWriter, name string) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Path: "/", MaxAge: -1, Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}
