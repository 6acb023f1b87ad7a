package account

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/secrets"
)

// The levels of usage at which owners are told, in percent of the daily limit.
const (
	NearLimit = 80
	AtLimit   = 100
)

// noticeLevel returns the level that a number of requests has reached; 0 for none, and on a plan
// without a limit.
func noticeLevel(used int, plan Plan) int {
	limit := plan.Limits().Daily
	switch {
	case limit == 0:
		return 0
	case used >= limit:
		return AtLimit
	case used*100 >= limit*NearLimit:
		return NearLimit
	}
	return 0
}

// limitedPlans returns the plans of accounts that have a daily limit.
func limitedPlans() (limited []Plan) {
	for p := Developer; int(p) < len(plans); p++ {
		if p.Limits().Daily > 0 {
			limited = append(limited, p)
		}
	}
	return limited
}

// UsageNotice is the job that tells an owner that an account has reached a level on a day, at most
// once for each day and level. Jobs hold no e-mail address.
type UsageNotice struct {
	Account string `json:"account"`
	Day     string `json:"day"` // in UTC, such as 2026-03-14
	Percent int    `json:"percent"`
}

// Kind implements river.JobArgs.
func (UsageNotice) Kind() string { return "account_usage_notice" }

// A NoticeStore stores which notices were sent. The service calls it; accounts do so only with a
// token that names them.
type NoticeStore interface {
	NoticeQueue
	NoticeRecipients
}

// A NoticeQueue stores notices and their jobs.
type NoticeQueue interface {
	// UsedOn lists at most limit accounts in order of id, starting after one: those with one of the
	// plans and a key used on that day, that want mail about usage and were not yet told on that
	// day that they are at the limit.
	UsedOn(ctx context.Context, day time.Time, plans []Plan, after string, limit int) (
		[]UsedAccount, error)
	// AddNotices stores notices and inserts their jobs in one transaction, and returns how many. It
	// leaves out those that exist, and those below an existing level.
	AddNotices(ctx context.Context, notices []UsageNotice) (int, error)
	// NoteUsageCheck records when a check of all accounts ended.
	NoteUsageCheck(ctx context.Context, at time.Time) error
	// PruneNotices deletes at most limit notices of days before a time, and returns how many.
	PruneNotices(ctx context.Context, before time.Time, limit int) (int, error)
}

// NoticeRecipients finds the recipients of notices.
type NoticeRecipients interface {
	// Get finds an account by id, as a Finder does.
	Get(ctx context.Context, by Actor, id string) (Account, error)
	// SetSwitch turns a switch on or off, or returns ErrNoAccount.
	SetSwitch(ctx context.Context, by Actor, id string, s Switch, on bool, now time.Time) error
}

// A UsedAccount is an account to check against its limit.
type UsedAccount struct {
	ID   string
	Plan Plan
}

// UsageCounters counts the requests of accounts.
type UsageCounters interface {
	// Charged returns how many requests were charged to each of the accounts on a day. It may count
	// requests beyond the limit.
	Charged(ctx context.Context, accounts []string, day time.Time) ([]int, error)
}

// ErrNoUnsubscribe means that a token ends no mail.
var ErrNoUnsubscribe = errors.New("this link does not end any mail: it is not complete, or it is too old")

const (
	unsubscribePurpose = "palmares unsubscribe tokens"
	endDigestPurpose   = "palmares digest tokens"
)

// UnsubscribeToken returns the token that ends the mail about an account's usage, and permits
// nothing else. It is derived from the master secret and contains the account's id, so that no row
// is needed.
func UnsubscribeToken(ring secrets.Ring, accountID string) string {
	return mailToken(ring, unsubscribePurpose, accountID)
}

// ParseUnsubscribeToken returns the account of a token made with one of the master secrets, or
// ErrNoUnsubscribe.
func ParseUnsubscribeToken(ring secrets.Ring, token string) (accountID string, err error) {
	return parseMailToken(ring, unsubscribePurpose, token)
}

// EndDigestToken returns the token that ends an account's digest, and permits nothing else, as
// UnsubscribeToken does for the mail about usage.
func EndDigestToken(ring secrets.Ring, accountID string) string {
	return mailToken(ring, endDigestPurpose, accountID)
}

// ParseEndDigestToken returns the account of a token that EndDigestToken made, or ErrNoUnsubscribe.
func ParseEndDigestToken(ring secrets.Ring, token string) (accountID string, err error) {
	return parseMailToken(ring, endDigestPurpose, token)
}

func mailToken(ring secrets.Ring, purpose, accountID string) string {
	return accountID + "." + base64.RawURLEncoding.EncodeToString(ring.Keys(purpose)[0].MAC(accountID))
}

func parseMailToken(ring secrets.Ring, purpose, token string) (accountID string, err error) {
	accountID, signature, _ := strings.Cut(token, ".")
	got, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil || !ring.Keys(purpose).Made(got, func(k secrets.Key) []byte { return k.MAC(accountID) }) {
		return "", ErrNoUnsubscribe
	}
	return accountID, nil
}

// NoticesOptions configure Notices. Store and Secrets are required; Counters is needed by Look and
// Mail.
type NoticesOptions struct {
	Store    NoticeStore
	Counters UsageCounters
	Secrets  secrets.Ring
	Now      func() time.Time // time.Now when nil
}

// Notices tells owners by mail that an account is near its daily limit, or at it: each once a day,
// unless they want no such mail. It finds the accounts in the background, so that no request waits.
type Notices struct{ o NoticesOptions }

// NewNotices returns Notices.
func NewNotices(o NoticesOptions) *Notices {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Notices{o}
}

// noticePage is how many accounts are checked together.
const noticePage = 1000

// Look checks all accounts used today and stores a notice, with its job, for those that have
// reached a level they were not told of. It returns how many, or ErrNoCounters. Call it every
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

// ErrNoCounters means that the usage counters do not answer.
var ErrNoCounters = errors.New("what accounts have used cannot be read")

func (n *Notices) charged(ctx context.Context, ids []string, day time.Time) ([]int, error) {
	used, err := n.o.Counters.Charged(ctx, ids, day)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoCounters, err)
	}
	return used, nil
}

// A NoticeMail has the values of a notice's mail.
type NoticeMail struct {
	Account     Account
	Percent     int
	Used, Limit int
	Resets      time.Time
	Token       string // for Unsubscribe
}

// Mail returns the mail of a notice. wanted is false if the day is over, the account was deleted or
// has a plan without a daily limit, or the owner has ended such mail. It returns ErrNoCounters if the
// counters do not answer.
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
// ErrNoUnsubscribe for an invalid token, and ErrNoAccount if the account was deleted.
//
// Anybody with the token may do this, and nothing else.
func (n *Notices) Unsubscribe(ctx context.Context, token string) error {
	id, err := ParseUnsubscribeToken(n.o.Secrets, token)
	if err != nil {
		return err
	}
	return n.o.Store.SetSwitch(ctx, ByAccount(id), id, UsageMail, false, n.o.Now())
}

// KeepNotices is how long notices are stored: as long as the counters that they are about.
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
