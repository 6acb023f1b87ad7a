package account

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/palmares-hq/palmares/internal/secrets"
)

// NoticesOptions configure Notices. Store and Secrets are required; Counters is for those who look
// and send.
type NoticesOptions struct {
	Store    NoticeStore
	Counters UsageCounters
	Secrets  secrets.Ring
	Now      func() time.Time // time.Now when nil
}

// Notices tell owners by mail that an account is near its daily limit, or at it: once a day each,
// unless they want none. A look finds the accounts in the background, so that no request waits.
type Notices struct{ o NoticesOptions }

// NewNotices returns Notices.
func NewNotices(o NoticesOptions) *Notices {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Notices{o}
}

// noticePage is how many accounts are looked at together.
const noticePage = 1000

// Look looks at all accounts that were used today and stores a notice, with its job, for those that
// have reached a level they were not told of. It returns how many, or ErrNoCounters. Call it every
// minute.
func (n *Notices) Look(ctx context.Context) (added int, err error) {
	day := startOfDay(n.o.Now())
	for after := ""; ; {
		page, err := n.o.Store.UsedOn(ctx, day, limitedPlans(), after, noticePage)
		if err != nil {
			return added, err
		}
		k, err := n.lookAt(ctx, page, day)
		added += k
		if err != nil {
			return added, err
		}
		if len(page) < noticePage {
			return added, n.o.Store.NoteUsageCheck(ctx, n.o.Now())
		}
		after = page[len(page)-1].ID
	}
}

func (n *Notices) lookAt(ctx context.Context, page []UsedAccount, day time.Time) (int, error) {
	if len(page) == 0 {
		return 0, nil
	}
	ids := make([]string, len(page))
	for i, a := range page {
		ids[i] = a.ID
	}
	used, err := n.charged(ctx, ids, day)
	if err != nil {
		return 0, err
	}
	var due []UsageNotice
	for i, a := range page {
		if level := noticeLevel(used[i], a.Plan); level > 0 {
			due = append(due, UsageNotice{a.ID, day.Format(time.DateOnly), level})
		}
	}
	if len(due) == 0 {
		return 0, nil
	}
	return n.o.Store.AddNotices(ctx, due)
}

// ErrNoCounters says that the counters of usage do not answer.
var ErrNoCounters = errors.New("what accounts have used cannot be read")

func (n *Notices) charged(ctx context.Context, ids []string, day time.Time) ([]int, error) {
	used, err := n.o.Counters.Charged(ctx, ids, day)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoCounters, err)
	}
	return used, nil
}

// A NoticeMail is what the mail of a notice says.
type NoticeMail struct {
	Account     Account
	Percent     int
	Used, Limit int
	Resets      time.Time
	Token       string // of UnsubscribeToken
}

// Mail returns the mail of a notice. It is not wanted any more when the day is over, the account
// was deleted or has another plan, or the owner has ended such mail.
func (n *Notices) Mail(ctx context.Context, notice UsageNotice) (m NoticeMail, wanted bool, err error) {
	day, err := time.Parse(time.DateOnly, notice.Day)
	if err != nil {
		return m, false, fmt.Errorf("the day of a notice: %w", err)
	}
	if !day.Equal(startOfDay(n.o.Now())) {
		return m, false, nil
	}
	a, err := n.o.Store.Get(ctx, Operator(), notice.Account)
	limit := a.Plan.Limits().Daily
	switch {
	case errors.Is(err, ErrNoAccount):
		return m, false, nil
	case err != nil:
		return m, false, err
	case !a.MailUsage || limit == 0:
		return m, false, nil
	}
	used, err := n.charged(ctx, []string{a.ID}, day)
	if err != nil {
		return m, false, err
	}
	return NoticeMail{
		Account: a, Percent: notice.Percent, Used: min(used[0], limit), Limit: limit,
		Resets: day.AddDate(0, 0, 1), Token: UnsubscribeToken(n.o.Secrets, a.ID),
	}, true, nil
}

// Unsubscribe ends the mail about the usage of the account that the token names. It returns
// ErrNoUnsubscribe for a token that was not made here, and ErrNoAccount for that of an account that
// was deleted. Whoever has the token may do this, and nothing else.
func (n *Notices) Unsubscribe(ctx context.Context, token string) error {
	id, err := ParseUnsubscribeToken(n.o.Secrets, token)
	if err != nil {
		return err
	}
	return n.o.Store.StopUsageMail(ctx, ByAccount(id), id, n.o.Now())
}

// KeepNotices is how long notices are kept: as long as the counters that they are about.
const KeepNotices = 35 * 24 * time.Hour

// Tidy deletes old notices. Call it every hour.
func (n *Notices) Tidy(ctx context.Context) error {
	const batch = 10_000 // rows per transaction
	for {
		k, err := n.o.Store.PruneNotices(ctx, n.o.Now().Add(-KeepNotices), batch)
		if err != nil || k < batch {
			return err
		}
	}
}

func startOfDay(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }
