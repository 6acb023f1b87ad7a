package quota

import (
	"slices"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// A Report is what an account has used, as its owner is shown it.
type Report struct {
	Plan      string        `json:"plan"`
	Limit     *int          `json:"limit"` // nil without a limit
	Used      int           `json:"used"`  // today
	Remaining *int          `json:"remaining"`
	Reset     string        `json:"reset"`
	Days      []DayRequests `json:"days"` // today first
	Keys      []KeyRequests `json:"keys"`
}

// DayRequests is how many requests were made on a day.
type DayRequests struct {
	Date     string `json:"date"`
	Requests int    `json:"requests"`
}

// KeyRequests is what was done with one key.
type KeyRequests struct {
	ID   string        `json:"id"`
	Name *string       `json:"name"` // nil when it is not known
	Days []DayRequests `json:"days"`
}

// NewReport makes the report of an account out of what is stored for UsageDays(now).
// Keys that live are all in it, in the order given; others when they were used. Of
// keys that are not given the name is not known.
func NewReport(plan account.Plan, now time.Time, stored []DayUsage, keys []account.KeyInfo) Report {
	_, reset := day(now)
	days := UsageDays(now)
	r := Report{Plan: plan.String(), Reset: reset.Format(time.RFC3339), Days: make([]DayRequests, len(days)), Keys: []KeyRequests{}}
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
		left := limit - r.Used
		r.Limit, r.Remaining = &limit, &left
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
	rest := make([]string, 0, len(used))
	for id := range used {
		rest = append(rest, id)
	}
	slices.Sort(rest)
	for _, id := range rest {
		add(id, nil)
	}
	return r
}

// accepted is how many of the requests charged to a quota were within it: the counter
// goes on counting when it is used up.
func accepted(d DayUsage) int { return min(d.Charged, account.Developer.Limits().Daily) }
