package quota

import (
	"slices"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// A Report is an account's usage as its owner sees it.
type Report struct {
	Plan      string        `json:"plan"`
	Limit     *int          `json:"limit"` // nil without a limit
	Used      int           `json:"used"`  // today
	Remaining *int          `json:"remaining"`
	Reset     string        `json:"reset"`
	Days      []DayRequests `json:"days"` // today first
	Keys      []KeyRequests `json:"keys"`
}

// DayRequests is the number of requests on a day.
type DayRequests struct {
	Date     string `json:"date"`
	Requests int    `json:"requests"`
}

// KeyRequests is the usage of one key.
type KeyRequests struct {
	ID   string        `json:"id"`
	Name *string       `json:"name"` // nil if unknown
	Days []DayRequests `json:"days"`
}

// NewReport makes an account's report from what is stored for UsageDays(now). It lists the given
// keys that are live or were used, in the given order, then other keys that were used, whose names
// are unknown.
func NewReport(plan account.Plan, now time.Time, stored []DayUsage, keys []account.KeyInfo) Report {
	_, reset := day(now)
	days := UsageDays(now)
	r := Report{
		Plan: plan.String(), Reset: reset.Format(time.RFC3339),
		Days: make([]DayRequests, len(days)), Keys: []KeyRequests{},
	}
	used := make(map[string]bool)
	for i, d := range days {
		r.Days[i] = DayRequests{d.Format(time.DateOnly), accepted(stored[i]) + stored[i].Unlimited}
		for id := range stored[i].Keys {
			used[id] = true
		}
	}
	r.Used = r.Days[0].Requests
	if limit := plan.Limits().Daily; limit > 0 {
		r.Used = min(stored[0].Charged, limit)
		remaining := limit - r.Used
		r.Limit, r.Remaining = &limit, &remaining
	}
	add := func(id string, name *string) {
		k := KeyRequests{ID: id, Name: name, Days: make([]DayRequests, len(days))}
		for i, d := range days {
			k.Days[i] = DayRequests{d.Format(time.DateOnly), stored[i].Keys[id]}
		}
		r.Keys = append(r.Keys, k)
		delete(used, id)
	}
	for _, k := range keys {
		if k.RevokedAt.IsZero() || used[k.ID] {
			add(k.ID, &k.Name)
		}
	}
	unknown := make([]string, 0, len(used))
	for id := range used {
		unknown = append(unknown, id)
	}
	slices.Sort(unknown)
	for _, id := range unknown {
		add(id, nil)
	}
	return r
}

// accepted returns how many of the requests charged to a quota were within it: the counter keeps
// counting beyond the limit.
func accepted(d DayUsage) int { return min(d.Charged, account.Developer.Limits().Daily) }
