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

// FreshFor is how long after its sign-in a session may be used for what cannot be undone.
const FreshFor = 10 * time.Minute

// ErrNotFresh says that the sign-in is too long ago for what cannot be undone: whoever finds an open
// browser must not be able to do it.
var ErrNotFresh = errors.New("the sign-in is more than ten minutes ago: sign in again first")

// Fresh reports whether a session began shortly before that time.
func (s Session) Fresh(now time.Time) bool { return s.CreatedAt.After(now.Add(-FreshFor)) }

// Is reports whether the session is that of a cookie: the one in which its owner looks at it.
func (s Session) Is(token string) bool {
	hash := sha256.Sum256([]byte(token)) // as scs hashes it with HashTokenInStore
	return s.TokenHash == base64.RawURLEncoding.EncodeToString(hash[:])
}

// NewSessionID returns a new id for a session.
func NewSessionID() string { return "ses_" + strings.ToLower(rand.Text()[:12]) }
