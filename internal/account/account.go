package account

import (
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// An Account belongs to whoever signed up with an e-mail address.
type Account struct {
	ID        string
	Email     string // "" once deleted
	Plan      Plan
	Source    PlanSource // of the plan
	CreatedAt time.Time
	Keys      int // number of keys that work, without those in their grace
	Suspended int // number of keys that are suspended

	Language                 Language // of pages and mail
	MailUsage, MailEndpoints bool     // whether mail is sent about the quota, and about disabled endpoints
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

// A Grant is what a live key gives its bearer.
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
	// ErrSubscribed is returned to the operator who takes Pro from an account that pays for it.
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
		!strings.ContainsAny(s, " \"[]") && !strings.ContainsFunc(s, notPrintable) &&
		strings.Contains(s[strings.LastIndexByte(s, '@'):], ".")
}

// notPrintable is true of spaces other than U+0020, control characters and bidirectional marks.
func notPrintable(r rune) bool { return !unicode.IsPrint(r) }

// ParseKeyName parses the name that an owner gives a key.
func ParseKeyName(s string) (string, error) {
	s = strings.TrimSpace(s)
	if s == "" || utf8.RuneCountInString(s) > maxName || !utf8.ValidString(s) ||
		strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return "", fmt.Errorf("a key's name has 1 to %d characters, all of them visible", maxName)
	}
	return s, nil
}
