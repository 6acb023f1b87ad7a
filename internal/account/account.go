package account

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/text"
)

// An Account belongs to the person who signed up with its e-mail address.
type Account struct {
	ID        string
	Email     string // "" once deleted
	Plan      Plan
	Source    PlanSource // of the plan
	CreatedAt time.Time
	Keys      int  // number of keys that work, without those in their grace
	Suspended int  // number of keys that are suspended
	Confirmed bool // somebody has read mail at Email

	Settings
}

// A KeyInfo describes a key without the key itself.
type KeyInfo struct {
	ID        string
	Name      string
	Preview   string
	CreatedAt time.Time
	LastUsed  time.Time // to the day; zero if never used
	RevokedAt time.Time // zero unless the key is revoked
	EndsAt    time.Time // when the key stops working; zero unless it was rotated and still works
	Suspended bool      // the plan allows fewer keys, and this one is not among those that work
	Pinned    bool      // the owner chose it to stay active on a smaller plan
}

// A Grant is what an active key gives its bearer.
type Grant struct {
	KeyID     string
	AccountID string
	Plan      Plan
}

// Errors of requests about accounts and keys.
var (
	ErrNoAccount   = errors.New("there is no such account")
	ErrEmailTaken  = errors.New("there is an account with this e-mail address already")
	ErrNoKey       = errors.New("there is no such key")
	ErrTooManyKeys = errors.New("the account has all the keys that its plan allows: revoke one first")
	// ErrOperatorOnly is returned for what no account may do, not even to itself.
	ErrOperatorOnly = errors.New("only the operator may do this")
	// ErrSubscribed is returned to an operator who takes Pro from an account that pays for it.
	ErrSubscribed = errors.New("the account has a subscription: cancel it at the payment provider first")
)

const (
	maxEmail = 254 // bytes, RFC 5321
	maxName  = 80  // characters
)

// ParseEmail parses a bare e-mail address and folds it to lower case, so that nobody has two
// accounts whose addresses differ only in case.
func ParseEmail(s string) (string, error) {
	folded := strings.ToLower(s)
	if len(folded) > maxEmail || !isEmail(s) {
		return "", fmt.Errorf("%q is not an e-mail address such as ada@example.org", s)
	}
	return folded, nil
}

// isEmail accepts less than the standard allows: no quoting, no address literal in brackets, no
// invisible characters, and a dot in the domain.
func isEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s &&
		!strings.ContainsAny(s, " \"[]") && text.Line(s) == s &&
		strings.Contains(s[strings.LastIndexByte(s, '@'):], ".")
}

// ParseKeyName parses the name that an owner gives a key.
func ParseKeyName(s string) (string, error) {
	s = strings.TrimSpace(s)
	if text.Line(s) == "" || utf8.RuneCountInString(s) > maxName || !text.IsLine(s) {
		return "", fmt.Errorf("a key's name has 1 to %d characters, all of them visible", maxName)
	}
	return s, nil
}

// A Session is a browser signed in to an account.
type Session struct {
	ID        string
	TokenHash string // of the cookie; see Is
	Browser   string // such as "Firefox, Linux"
	CreatedAt time.Time
	SeenOn    time.Time // to the day
	ExpiresAt time.Time
}

// ErrNoSession is returned for a session that does not exist, has ended, or is another's.
var ErrNoSession = errors.New("there is no such session")

// FreshFor is for how long after its sign-in a session permits actions that cannot be undone.
const FreshFor = 10 * time.Minute

// ErrNotFresh means that the sign-in is too long ago for an action that cannot be undone. It protects
// owners who leave a browser open.
var ErrNotFresh = errors.New("the sign-in is more than ten minutes ago: sign in again first")

// Fresh reports whether the session began less than FreshFor before now.
func (s Session) Fresh(now time.Time) bool { return s.CreatedAt.After(now.Add(-FreshFor)) }

// Is reports whether the session is that of the cookie with a token.
func (s Session) Is(token string) bool {
	hash := sha256.Sum256([]byte(token)) // as scs hashes it with HashTokenInStore
	return s.TokenHash == base64.RawURLEncoding.EncodeToString(hash[:])
}

// NewSessionID returns a new id for a session.
func NewSessionID() string { return "ses_" + strings.ToLower(rand.Text()[:12]) }
