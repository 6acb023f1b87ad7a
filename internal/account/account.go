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
	CreatedAt time.Time
	Keys      int // live ones
}

// A KeyInfo is what is known of a key once it has been shown.
type KeyInfo struct {
	ID        string
	Name      string
	Preview   string
	CreatedAt time.Time
	LastUsed  time.Time // to the day; zero for never
	RevokedAt time.Time // zero while it lives
}

// A Grant is what a live key gives its bearer.
type Grant struct {
	KeyID     string
	AccountID string
	Plan      Plan
}

// What can be wrong with a request about accounts and keys.
var (
	ErrNoAccount   = errors.New("there is no such account")
	ErrEmailTaken  = errors.New("there is an account with this e-mail address already")
	ErrNoKey       = errors.New("there is no such key")
	ErrTooManyKeys = errors.New("the account has all the keys that its plan allows: revoke one first")
	// ErrOperatorOnly is for what no account may do, not even to itself.
	ErrOperatorOnly = errors.New("only the operator may do this")
)

const (
	maxEmail = 254 // RFC 5321
	maxName  = 80
)

// ParseEmail reads a bare e-mail address. Case is folded: nobody has two accounts
// that differ by it.
func ParseEmail(s string) (string, error) {
	folded := strings.ToLower(s)
	if len(folded) > maxEmail || !isEmail(s) {
		return "", fmt.Errorf("%q is not an e-mail address such as ada@example.org", s)
	}
	return folded, nil
}

// isEmail asks for less than the standard allows: no quotes, no machine's address
// in brackets, and a dot in the domain.
func isEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s && !strings.ContainsAny(s, " \"[]") && !strings.ContainsFunc(s, unseen) &&
		strings.Contains(s[strings.LastIndexByte(s, '@'):], ".")
}

// unseen is true of what an address has no use for and a reader cannot see: spaces
// of every width, controls, and marks that turn the direction of text.
func unseen(r rune) bool { return !unicode.IsPrint(r) }

// ParseKeyName reads the name that its owner gives a key.
func ParseKeyName(s string) (string, error) {
	s = strings.TrimSpace(s)
	if s == "" || utf8.RuneCountInString(s) > maxName || !utf8.ValidString(s) ||
		strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return "", fmt.Errorf("a key's name has 1 to %d characters, all of them visible", maxName)
	}
	return s, nil
}
