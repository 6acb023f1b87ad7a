package digest

import (
	"context"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
)

// A Store holds lists of tools, how far the log was read for them, and which digests are on their way.
type Store interface {
	// ReadLog passes the next entries of the log, all of one edition, to look, and marks the lists that have tools of the
	// result. Tools that were renamed are renamed in lists first.
	ReadLog(ctx context.Context, have Turn, types []catalog.EventType, look func([]*catalog.LogEntry) Marks) (Pass, error)
	// Claim moves the cursors of lists whose digests are due to the end of what was read, and returns the lists as they
	// were. Until Settle no other worker gets them.
	Claim(ctx context.Context, have Turn, c Claiming) ([]Claimed, Pass, error)
	// Settle notes what became of a digest that was claimed. stopped reports whether the outcome was one refusal too many.
	Settle(ctx context.Context, c Claim, o Outcome, now time.Time) (stopped bool, err error)
	// Abandon ends claims from before a time, whose workers have ended, and returns how many.
	Abandon(ctx context.Context, before time.Time) (int, error)
	// Backlog returns how many digests are due, and since when.
	Backlog(ctx context.Context, now time.Time) (Backlog, error)
	// SetDigest sets how often an account gets a digest, as account.Watchlists does.
	SetDigest(ctx context.Context, by account.Actor, id string, every account.Frequency, now time.Time) error
}

// A Turn identifies a state of the digests in the database. Turns are numbered. A database without a turn that a worker
// knows was restored from a backup. The zero Turn is that of a worker that knows none.
type Turn struct {
	Number int64
	ID     string
}

// A Pass says how a look at the database ended.
type Pass struct {
	Turn     Turn
	Restored bool // the database was restored from a backup: all cursors were moved to the end of the log
	More     bool // there is more to do at once
}

// Marks are what entries of the log mean for lists.
type Marks struct {
	Renamed       [][2]string // slugs before and after, in order
	Slugs         []string    // the present slugs of tools that digests tell of
	Daily, Weekly time.Time   // when digests that tell of them go
}

// Claiming says which digests to claim.
type Claiming struct {
	Now       time.Time
	Most      int // at once
	PerMinute int // by all workers
	// MostBeside is Most while sign-in mail waits for the mail server.
	MostBeside    int
	Daily, Weekly time.Time // when the next digests go
	Types         []catalog.EventType
}

// A Claimed is a list whose digest is due.
type Claimed struct {
	Claim
	Since   int64 // the entry that the last digest ended with
	Until   int64 // and this one
	Tools   []ClaimedTool
	Entries []*catalog.LogEntry // of its tools, under any slug that they had, after Since, in order
	Names   map[string]string   // of the tools to use instead of them, by slug
}

// A ClaimedTool is a tool of a list.
type ClaimedTool struct {
	Tool
	After int64 // the entry after which it was added
}

// A Claim is the right to send a digest.
type Claim struct {
	Turn     int64
	Account  string
	Email    string
	Language account.Language
	Every    account.Frequency
}

// An Outcome is what became of a digest.
type Outcome string

// The outcomes.
const (
	Sent    Outcome = "sent"
	Quiet   Outcome = "quiet"   // there was nothing to tell
	Refused Outcome = "refused" // the mail server will never accept it
	Failed  Outcome = "failed"  // the mail server certainly has not accepted it: it is tried again
	Lost    Outcome = "lost"    // nobody knows whether the mail server has accepted it
)

// Outcomes returns all outcomes.
func Outcomes() []Outcome { return []Outcome{Sent, Quiet, Refused, Failed, Lost} }

// A Backlog is what waits.
type Backlog struct {
	Due   int       // digests that are due, counted to MaxCounted
	Since time.Time // when the first was due, or the oldest entry of the log that was not read was published; zero for none
}

// MaxCounted is how many digests that are due are counted at most.
const MaxCounted = 100_000
