package account

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"time"
)

// A Session is a browser that is signed in to an account.
type Session struct {
	ID        string // by which its owner refers to it
	TokenHash string // of the cookie; Is compares it
	Browser   string // such as "Firefox, Linux"
	CreatedAt time.Time
	SeenOn    time.Time // to the day
	ExpiresAt time.Time
}

// ErrNoSession is returned for a session that does not exist, has ended, or is another's.
var ErrNoSession = errors.New("there is no such session")

// Is reports whether the session is that of a cookie: the one in which its owner looks at it.
func (s Session) Is(token string) bool {
	hash := sha256.Sum256([]byte(token)) // as scs hashes it with HashTokenInStore
	return s.TokenHash == base64.RawURLEncoding.EncodeToString(hash[:])
}

// NewSessionID returns a new id for a session.
func NewSessionID() string { return "ses_" + strings.ToLower(rand.Text()[:12]) }
