package page

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

// A SessionStore stores sessions by the hash of their token.
type SessionStore = scs.CtxStore

// sessions manages the sessions of signed-in browsers.
type sessions struct {
	manager *scs.SessionManager
	tokens  tokens
}

// newSessions returns the manager of sessions. There is no idle timeout: a session is read with each request
// for an account page, but written only when it begins.
func newSessions(store SessionStore, t tokens) sessions {
	return sessions{tokens: t, manager: &scs.SessionManager{ // scs.New would start a goroutine for a store that we do not use
		Store: store, Codec: sessionCodec{}, Lifetime: SessionLifetime, HashTokenInStore: true,
		Cookie: scs.SessionCookie{
			Name: sessionCookie, Path: "/", Persist: true, HttpOnly: true, SameSite: http.SameSiteLaxMode,
			Secure: true, // browsers refuse the prefix __Host- without it
		},
	}}
}

// find returns a context that holds the session of a token, and the id of its account; "" if the session has
// ended.
func (s sessions) find(ctx context.Context, token string) (session context.Context, owner string, err error) {
	session, err = s.manager.Load(ctx, token)
	if err != nil {
		return nil, "", err
	}
	return session, s.manager.GetString(session, accountValue), nil
}

// begin starts a session of an account under a new token. ctx must hold no session, so that nothing the browser
// sent before carries over.
func (s sessions) begin(ctx context.Context, w http.ResponseWriter, owner, browser string) error {
	session, err := s.manager.Load(ctx, "")
	if err != nil {
		return err
	}
	s.manager.Put(session, accountValue, owner)
	s.manager.Put(session, browserValue, browser)
	token, expiry, err := s.manager.Commit(session)
	if err != nil {
		return err
	}
	s.manager.WriteSessionCookie(session, w, s.tokens.cookie(token), expiry)
	dropCookie(w, browserCookie)
	return nil
}

// end ends a session that find returned; every copy of its cookie becomes worthless.
func (s sessions) end(session context.Context) error { return s.manager.Destroy(session) }

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
