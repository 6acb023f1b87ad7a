// Package digest tells accounts by mail what happened to the tools of their lists: which end, cost more, have another
// score or a successor.
//
// Begin with Service. Read looks at new entries of the change log and marks the lists that have a tool of theirs; Claim
// takes the lists whose digest is due, and Settle notes what became of it. The cursor of a list is stored before its
// digest is sent, and goes back only if the mail server certainly has not accepted it: no digest is sent twice, and one
// whose worker ends may be lost. account.Service has what owners do with their list.
//
// Read the files in this order: changes.go says what there is to tell of a tool, store.go what the database holds,
// digest.go has the Service. The package sends nothing and writes no SQL.
package digest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/secrets"
)

// How digests are sent.
const (
	// batch is how many digests are claimed at once.
	batch = 10
	// besideSignIns is how many are, while sign-in mail waits for the mail server.
	besideSignIns = 1
	// SendFor is how long a worker may take for the digests that it has claimed.
	SendFor = 2 * time.Minute
	// abandonAfter is when their worker has ended for certain.
	abandonAfter = 5 * time.Minute
)

// Options configure a Service. Store and Secrets are required.
type Options struct {
	Store   Store
	Secrets secrets.Ring
	Now     func() time.Time // time.Now when nil
}

// A Service makes digests. It is for background work: it acts for no account, but in Unsubscribe.
type Service struct {
	o Options

	mu   sync.Mutex
	turn Turn // the last one that this process knows
}

// NewService returns a Service.
func NewService(o Options) *Service {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Service{o: o}
}

// Read reads new entries of the log and marks the lists that have a tool of theirs, until there are none or ctx is done.
// restored reports whether it noticed that the database was restored from a backup, and abandoned how many digests were
// lost with their workers.
func (s *Service) Read(ctx context.Context) (restored bool, abandoned int, err error) {
	for more := true; more && ctx.Err() == nil; {
		pass, err := s.o.Store.ReadLog(ctx, s.known(), Types(), marks)
		if err != nil {
			return restored, 0, err
		}
		s.know(pass.Turn)
		restored, more = restored || pass.Restored, pass.More
	}
	abandoned, err = s.o.Store.Abandon(ctx, s.o.Now().Add(-abandonAfter))
	return restored, abandoned, err
}

// known returns the last turn that this process knows.
func (s *Service) known() Turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn
}

func (s *Service) know(t Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn = t
}

// marks returns what the entries of an edition mean for lists.
func marks(entries []*catalog.LogEntry) (m Marks) {
	present := make(map[string]string) // of slugs that were renamed
	for _, e := range entries {
		if (e.Type == catalog.ToolRenamed || e.Type == catalog.CemeteryRenamed) && !e.Repeats() {
			m.Renamed = append(m.Renamed, [2]string{e.RenamedFrom, e.RenamedTo})
			for was, is := range present {
				if is == e.RenamedFrom {
					present[was] = e.RenamedTo
				}
			}
			present[e.RenamedFrom] = e.RenamedTo
		}
	}
	for _, e := range entries {
		if !Matters(e) {
			continue
		}
		slug := e.Slug
		if now := present[slug]; now != "" {
			slug = now
		}
		m.Slugs = append(m.Slugs, slug)
	}
	slices.Sort(m.Slugs)
	m.Slugs = slices.Compact(m.Slugs)
	at := entries[0].At
	m.Daily, m.Weekly = account.Daily.After(at), account.Weekly.After(at)
	return m
}

// A Mail is a digest to send.
type Mail struct {
	Claim
	Changes []Change // what ends first; none if there is nothing to tell
	Until   int64    // the entry that the digest ends with
	Token   string   // for Unsubscribe
}

// Claim returns digests that are due, and moves the cursors of their lists: whoever gets one calls Settle with what
// became of it. more reports whether there may be others.
func (s *Service) Claim(ctx context.Context) (mails []Mail, more bool, err error) {
	now := s.o.Now()
	claimed, pass, err := s.o.Store.Claim(ctx, s.known(), Claiming{
		Now: now, Most: batch, MostBeside: besideSignIns, PerMinute: account.DigestsPerMinute,
		Daily: account.Daily.After(now), Weekly: account.Weekly.After(now), Types: Types(),
	})
	if err != nil {
		return nil, false, err
	}
	s.know(pass.Turn)
	for _, c := range claimed {
		m := Mail{Claim: c.Claim, Changes: changes(c), Until: c.Until, Token: account.EndDigestToken(s.o.Secrets, c.Account)}
		mails = append(mails, m)
	}
	return mails, pass.More, nil
}

// changes returns what happened to the tools of a list.
func changes(c Claimed) (all []Change) {
	of := make(map[string]int) // the tool of a slug, present or former
	for i, t := range c.Tools {
		for _, slug := range append(t.Formerly, t.Slug) {
			of[slug] = i
		}
	}
	about := make([][]*catalog.LogEntry, len(c.Tools))
	for _, e := range c.Entries {
		if i, found := of[e.Slug]; found && e.Seq > max(c.Since, c.Tools[i].After) {
			about[i] = append(about[i], e)
		}
	}
	for i, t := range c.Tools {
		if change := ChangeOf(t.Tool, about[i], max(c.Since, t.After), c.Names); !change.Empty() {
			all = append(all, change)
		}
	}
	slices.SortStableFunc(all, func(a, b Change) int { return cmp.Or(a.rank()-b.rank(), strings.Compare(a.Slug, b.Slug)) })
	return all
}

// Settle notes what became of a digest. stopped reports whether the mail server refused it, and others before it, so
// that no more are sent.
func (s *Service) Settle(ctx context.Context, m Mail, o Outcome) (stopped bool, err error) {
	return s.o.Store.Settle(ctx, m.Claim, o, s.o.Now())
}

// Backlog returns how many digests are due, and since when.
func (s *Service) Backlog(ctx context.Context) (Backlog, error) {
	return s.o.Store.Backlog(ctx, s.o.Now())
}

// Unsubscribe ends the digest of the account that the token names, and keeps its list. It returns
// account.ErrNoUnsubscribe for an invalid token, and account.ErrNoAccount if the account was deleted.
//
// Anybody with the token may do this, and nothing else.
func (s *Service) Unsubscribe(ctx context.Context, token string) error {
	id, err := account.ParseEndDigestToken(s.o.Secrets, token)
	if err != nil {
		return err
	}
	return s.o.Store.SetDigest(ctx, account.ByAccount(id), id, account.Never, s.o.Now())
}
