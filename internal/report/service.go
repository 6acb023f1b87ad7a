package report

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/secrets"
)

// BoundFor is the period over which reports are counted.
const BoundFor = time.Hour

// The maximum numbers of reports in BoundFor: from a network (an IPv4 address or an IPv6 /64, and the wider
// networks that one customer may have), about a tool, and in all. A network or tool at its bound does not use
// up the bounds of the others.
const (
	MostPer64   = 5
	MostPer56   = 4 * MostPer64
	MostPer48   = 16 * MostPer64
	MostPerTool = 20
	MostInAll   = 200
)

// MostAgain is the total from which on a network that has already sent a report in BoundFor is refused another.
// The rest of MostInAll is reserved for networks that have sent none: a few heavy senders cannot keep out
// everybody else's first report.
const MostAgain = MostInAll / 2

// MaxOpen is how many reports wait to be read. Beyond it none is taken.
const MaxOpen = 10_000

// How long reports are kept: open ones since they were sent, closed ones since they were closed.
const (
	KeepOpen   = 365 * 24 * time.Hour
	KeepClosed = 30 * 24 * time.Hour
)

// DigestEvery is the minimum interval between mails to the operator about new reports.
const DigestEvery = time.Hour

// MaxAnswer is the maximum length of an answer, in characters.
const MaxAnswer = 4000

// A Store keeps reports. The methods with an actor are for the operator only: for anyone else no report exists,
// so that Report and Close return ErrNone.
type Store interface {
	// Add stores a report within the bounds of this package, counted from since. Beyond them it returns a
	// *limit.ReachedError or ErrFull. It returns nil for a report that is already stored.
	Add(ctx context.Context, r Sent, since time.Time) error
	List(ctx context.Context, by account.Actor, closed bool, most int) (reports []Report, total int, err error)
	Report(ctx context.Context, by account.Actor, id int64) (Report, error)
	// Close closes all of the reports, or none if one cannot be closed or has no address for the answer; the
	// error names that one. A report closed without an answer loses its address.
	Close(ctx context.Context, by account.Actor, ids []int64, answer string, now time.Time) error
	// CloseWhere closes the open reports of a selection, and returns how many there were.
	CloseWhere(ctx context.Context, by account.Actor, which Selection, now time.Time) (int, error)
	// ClaimDigest enqueues the job that mails the operator about reports that no mail has mentioned, unless one
	// was enqueued after the given time.
	ClaimDigest(ctx context.Context, after, now time.Time) (bool, error)
	// Digest returns the reports of a digest, most at most, and the total.
	Digest(ctx context.Context, id int64, most int) (lines []Line, total int, err error)
	Answer(ctx context.Context, id int64) (Answer, error)
	Answered(ctx context.Context, id int64, now time.Time) error
	// Prune deletes reports that were sent before open or closed before closed, limit at most. It also deletes
	// the networks of reports that were sent before networks.
	Prune(ctx context.Context, open, closed, networks time.Time, limit int) (int, error)
}

// A Service takes reports and hands them to the operator.
type Service struct {
	store    Store
	limits   limit.Counter
	networks secrets.Key
	now      func() time.Time
}

// Options configure a Service.
type Options struct {
	Store   Store
	Limits  limit.Counter    // nil if reports cannot be sent
	Secrets secrets.Ring     // required if reports can be sent
	Now     func() time.Time // time.Now when nil
}

// NewService returns a Service.
func NewService(o Options) *Service {
	s := &Service{store: o.Store, limits: o.Limits, now: o.Now}
	if keys := o.Secrets.Keys("palmares report networks"); len(keys) > 0 {
		s.networks = keys[0]
	}
	if s.now == nil {
		s.now = time.Now
	}
	return s
}

// Send takes a report from a network address. It returns a *FaultError for invalid input, and a
// *limit.ReachedError or ErrFull when a bound is reached.
//
// Anybody may call it.
func (s *Service) Send(ctx context.Context, from netip.Addr, d Draft) error {
	d, err := d.parse()
	if err != nil {
		return err
	}
	if s.limits == nil {
		return errors.New("sending a report to a service that takes none")
	}
	networks, inAll := limit.Networks(from), MostInAll
	if !s.limits.HasRoom(ctx, hourly("report 48", 1), networks[0]) {
		inAll = MostAgain
	}
	bounds := []struct {
		limit.Limit
		subject string
	}{
		{hourly("report 64", MostPer64), networks[2]},
		{hourly("report 56", MostPer56), networks[1]},
		{hourly("report 48", MostPer48), networks[0]},
		{hourly("report tool", MostPerTool), d.Slug},
		{hourly("report", inAll), "all"},
	}
	// Check all bounds before counting against any: a sender refused because of others' reports keeps his own
	// allowance.
	for _, allow := range []func(context.Context, limit.Limit, string) bool{s.limits.HasRoom, s.limits.Allow} {
		for _, b := range bounds {
			if !allow(ctx, b.Limit, b.subject) {
				return &limit.ReachedError{Limit: hourly("reports", b.Most), Until: s.limits.End(ctx, b.Limit, b.subject)}
			}
		}
	}
	now := s.now()
	r := Sent{Draft: d, Digest: digest(d), CreatedAt: now}
	for i, network := range networks {
		r.Networks[i] = s.networks.MAC(network)[:16]
	}
	return s.store.Add(ctx, r, now.Add(-BoundFor))
}

func hourly(name string, most int) limit.Limit {
	return limit.Limit{Name: name, Most: most, Within: BoundFor}
}

// digest returns a digest of what was typed.
func digest(d Draft) []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", []string{d.Slug, string(d.Field), d.Right, d.Source, d.Email}))
	return sum[:]
}

// List returns open reports, or closed ones, oldest first, and the total.
//
// Only the operator may.
func (s *Service) List(ctx context.Context, by account.Actor, closed bool, most int) (reports []Report, total int, err error) {
	if !by.IsOperator() {
		return nil, 0, account.ErrOperatorOnly
	}
	return s.store.List(ctx, by, closed, most)
}

// Show returns a report, open or closed. Only the operator may.
func (s *Service) Show(ctx context.Context, by account.Actor, id int64) (Report, error) {
	if !by.IsOperator() {
		return Report{}, account.ErrOperatorOnly
	}
	return s.store.Report(ctx, by, id)
}

// Close closes reports, all or none. An answer that is not "" is sent to the senders of all of them; Close
// returns an error that wraps ErrNoEmail if one left no address. It returns ErrEmptyAnswer for an answer
// without visible text. Only the operator may.
func (s *Service) Close(ctx context.Context, by account.Actor, ids []int64, answer string) error {
	if !by.IsOperator() {
		return account.ErrOperatorOnly
	}
	if answer != "" && cleaned(answer) == "" {
		return ErrEmptyAnswer
	}
	answer = strings.TrimSpace(answer)
	if n := utf8.RuneCountInString(answer); n > MaxAnswer {
		return fmt.Errorf("an answer has %d characters at most, and this one has %d", MaxAnswer, n)
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	return s.store.Close(ctx, by, ids, answer, s.now())
}

// CloseWhere closes the open reports of a selection without an answer, and returns how many there were. Only the
// operator may.
func (s *Service) CloseWhere(ctx context.Context, by account.Actor, which Selection) (int, error) {
	switch {
	case !by.IsOperator():
		return 0, account.ErrOperatorOnly
	case which.Slug == "" && which.Before.IsZero():
		return 0, errors.New("no report is selected: name a tool or a day")
	}
	return s.store.CloseWhere(ctx, by, which, s.now())
}

// Tell enqueues the mail to the operator about new reports, unless there are none or one was enqueued within
// DigestEvery. Call it every few minutes, on any number of nodes.
func (s *Service) Tell(ctx context.Context) (bool, error) {
	now := s.now()
	return s.store.ClaimDigest(ctx, now.Add(-DigestEvery), now)
}

// Digest returns the lines of a digest's mail, most at most, and the total.
func (s *Service) Digest(ctx context.Context, id int64, most int) (lines []Line, total int, err error) {
	return s.store.Digest(ctx, id, most)
}

// Mail sends the answer to a report with send and then forgets the address. It does nothing if the answer was
// already sent. If recording the delivery fails, it returns the error, and the answer may be sent again.
func (s *Service) Mail(ctx context.Context, id int64, send func(context.Context, Answer) error) error {
	a, err := s.store.Answer(ctx, id)
	if errors.Is(err, ErrNone) { // it was sent
		return nil
	}
	if err == nil {
		err = send(ctx, a)
	}
	if err != nil {
		return fmt.Errorf("answering %s: %w", idText(id), err)
	}
	return s.store.Answered(ctx, id, s.now())
}

// Tidy deletes reports past KeepOpen or KeepClosed, and the networks of reports past BoundFor. Call it every
// hour.
func (s *Service) Tidy(ctx context.Context) error {
	const batch = 10_000 // rows per transaction
	now := s.now()
	for {
		n, err := s.store.Prune(ctx, now.Add(-KeepOpen), now.Add(-KeepClosed), now.Add(-BoundFor), batch)
		if err != nil || n < batch {
			return err
		}
	}
}
