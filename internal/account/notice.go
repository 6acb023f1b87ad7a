package account

import (
	"context"
	"time"
)

// The levels of use at which owners are told, in percent of the daily limit.
const (
	NearLimit = 80
	AtLimit   = 100
)

// noticeLevel returns the level that a number of requests has reached, or 0. A plan without a limit
// has none.
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

// A UsageNotice is the job of telling an owner that an account has reached a level on a day. An
// account has one a day and level at most. It holds no e-mail address: jobs do not.
type UsageNotice struct {
	Account string `json:"account"`
	Day     string `json:"day"` // in UTC, such as 2026-03-14
	Percent int    `json:"percent"`
}

// Kind implements river.JobArgs.
func (UsageNotice) Kind() string { return "account_usage_notice" }

// A NoticeStore keeps which notices were sent. Its methods belong to the service: no account calls
// them, but through a token that names it.
type NoticeStore interface {
	NoticeQueue
	NoticeRecipients
}

// A NoticeQueue hands notices to jobs.
type NoticeQueue interface {
	// UsedOn lists up to limit accounts in order of id, starting after one: those with a key that
	// was used on that day and one of the plans, who want mail about usage and were not told yet on
	// that day that they are at the limit.
	UsedOn(ctx context.Context, day time.Time, plans []Plan, after string, limit int) (
		[]UsedAccount, error)
	// AddNotices stores notices and inserts their jobs in one transaction, and returns how many. It
	// leaves out those that there are already, and those below one that there is.
	AddNotices(ctx context.Context, notices []UsageNotice) (int, error)
	// NoteUsageCheck stores when a check of all accounts ended.
	NoteUsageCheck(ctx context.Context, at time.Time) error
	// PruneNotices deletes up to limit notices of days before then, and returns how many.
	PruneNotices(ctx context.Context, before time.Time, limit int) (int, error)
}

// NoticeRecipients are those who get notices.
type NoticeRecipients interface {
	// Get finds an account by id, as a Finder does.
	Get(ctx context.Context, by Actor, id string) (Account, error)
	// StopUsageMail ends the mail about an account's usage, or returns ErrNoAccount.
	StopUsageMail(ctx context.Context, by Actor, id string, now time.Time) error
}

// A UsedAccount is an account whose counter is worth a look.
type UsedAccount struct {
	ID   string
	Plan Plan
}

// UsageCounters read what accounts have used.
type UsageCounters interface {
	// Charged returns how many requests were charged to each of the accounts on a day. It may count
	// requests beyond the limit.
	Charged(ctx context.Context, accounts []string, day time.Time) ([]int, error)
}
