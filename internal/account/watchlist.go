package account

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Frequency is how often an account gets a digest of what happens to the tools of its list.
type Frequency string

// The frequencies. Never keeps the list and sends nothing.
const (
	Daily  Frequency = "daily"
	Weekly Frequency = "weekly"
	Never  Frequency = "never"
)

// Frequencies returns all frequencies, in the order of the page.
func Frequencies() []Frequency { return []Frequency{Daily, Weekly, Never} }

// ParseFrequency parses the name of a frequency.
func ParseFrequency(s string) (Frequency, error) {
	switch f := Frequency(s); f {
	case Daily, Weekly, Never:
		return f, nil
	default:
		return "", fmt.Errorf("%q is not how often a digest is sent: it is daily, weekly or never", s)
	}
}

// DigestHour is the hour of the day, in UTC, from which digests are sent: weekly ones on Mondays.
const DigestHour = 6

// After returns the next time after t at which digests of that frequency are sent.
func (f Frequency) After(t time.Time) time.Time {
	t = t.UTC()
	next := time.Date(t.Year(), t.Month(), t.Day(), DigestHour, 0, 0, 0, time.UTC)
	for !next.After(t) || f == Weekly && next.Weekday() != time.Monday {
		next = next.AddDate(0, 0, 1)
	}
	return next
}

// Limits of digests.
const (
	// DigestsPerMinute is how many digests all nodes together send in a minute.
	DigestsPerMinute = 600
	// DigestRefusals is how many digests in a row the mail server may refuse for good. The last one stops the digest.
	DigestRefusals = 3
)

// A Watchlist is the list of tools that an account follows. An account without one has the zero Watchlist, but for
// Every.
type Watchlist struct {
	Every     Frequency
	Tools     []WatchedTool // by slug
	SentAt    time.Time     // when the last digest went; zero for none
	StoppedAt time.Time     // when the mail server's refusals stopped the digest; zero unless they did
}

// A WatchedTool is a tool of a list.
type WatchedTool struct {
	Slug    string
	AddedAt time.Time
}

// ErrListFull means that a list has no room for what was to be added.
var ErrListFull = errors.New("the list has all the tools that its plan allows: remove one first")

// Watchlists store the lists of accounts.
type Watchlists interface {
	// Watchlist returns the list of an account.
	Watchlist(ctx context.Context, by Actor, id string) (Watchlist, error)
	// Watch adds tools, living or retired, by any slug that they had, and returns how many. It leaves out those that the
	// list has and those that there are not. If there is no room for all, it adds none, and returns ErrListFull. A new
	// list gets the given frequency.
	Watch(ctx context.Context, by Actor, id string, slugs []string, every Frequency, now time.Time) (added int, err error)
	// Unwatch removes tools, and returns how many.
	Unwatch(ctx context.Context, by Actor, id string, slugs []string, now time.Time) (removed int, err error)
	// SetDigest sets how often an account gets a digest, and lets one go on that had stopped. What happened before an
	// account wanted digests is in none.
	SetDigest(ctx context.Context, by Actor, id string, every Frequency, now time.Time) error
}

// Watchlist returns the list of tools that an account follows.
//
// Only the account itself and the operator may see it. Returns ErrNoAccount otherwise.
func (s *Service) Watchlist(ctx context.Context, by Actor, id string) (Watchlist, error) {
	return s.accounts.Watchlist(ctx, by, id)
}

// Watch adds tools to an account's list, and returns how many were added: those that are in the list already, and those
// that there are not, are left out. It returns ErrListFull, and adds none, if the plan allows fewer. A list that a larger
// plan filled stays as it is on a smaller one.
//
// Only the account itself and the operator may add any. Returns ErrNoAccount otherwise.
func (s *Service) Watch(ctx context.Context, by Actor, id string, slugs []string) (added int, err error) {
	return s.accounts.Watch(ctx, by, id, slugs, Weekly, s.now())
}

// Unwatch removes tools from an account's list, and returns how many.
//
// Only the account itself and the operator may remove any. Returns ErrNoAccount otherwise.
func (s *Service) Unwatch(ctx context.Context, by Actor, id string, slugs []string) (removed int, err error) {
	return s.accounts.Unwatch(ctx, by, id, slugs, s.now())
}

// SetDigest sets how often an account gets a digest. Setting it again starts one that the mail server's refusals had
// stopped.
//
// Only the account itself and the operator may set it. Returns ErrNoAccount otherwise.
func (s *Service) SetDigest(ctx context.Context, by Actor, id string, every Frequency) error {
	every, err := ParseFrequency(string(every))
	if err != nil {
		return err
	}
	return s.accounts.SetDigest(ctx, by, id, every, s.now())
}
