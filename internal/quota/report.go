package quota

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
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

// NewReport returns an account's report from the stored usage of UsageDays(now). It lists the given
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

// A History is a report with totals for a page.
type History struct {
	Report   Report
	Days     []HistoryDay  // the oldest first
	Keys     []KeyTotal    // in the order of the report
	Total    int           // requests of all days
	AtLimit  int           // days on which the limit was reached
	ResetsIn time.Duration // until the quota starts over, in whole seconds
}

// A HistoryDay is one day of an account.
type HistoryDay struct {
	Date     time.Time // midnight in UTC
	Requests int       // those that were answered, within the limit
	Limit    int       // 0 if there was none
	AtLimit  bool      // the whole quota was used
}

// A KeyTotal sums up the usage of a key over all days.
type KeyTotal struct {
	ID       string
	Name     string // "" if unknown
	Requests int
	Today    int
	Days     []int // the oldest first
}

// NewHistory returns the history for the arguments of NewReport. If the account has no limit now, the
// days on which it was charged get that of the Developer plan.
func NewHistory(plan account.Plan, now time.Time, stored []DayUsage, keys []account.KeyInfo) History {
	_, reset := day(now)
	days := UsageDays(now)
	h := History{Report: NewReport(plan, now, stored, keys), Days: make([]HistoryDay, len(days))}
	h.ResetsIn = (reset.Sub(now) + time.Second - 1).Truncate(time.Second)
	for i, date := range days {
		d := HistoryDay{Date: date, Requests: h.Report.Days[i].Requests, Limit: plan.Limits().Daily}
		if stored[i].Charged > 0 && d.Limit == 0 {
			d.Limit = account.Developer.Limits().Daily
		}
		d.AtLimit = d.Limit > 0 && stored[i].Charged >= d.Limit
		h.Total += d.Requests
		if d.AtLimit {
			h.AtLimit++
		}
		h.Days[len(days)-1-i] = d
	}
	for _, k := range h.Report.Keys {
		total := KeyTotal{ID: k.ID, Today: k.Days[0].Requests, Days: make([]int, len(days))}
		if k.Name != nil {
			total.Name = *k.Name
		}
		for i, d := range k.Days {
			total.Requests += d.Requests
			total.Days[len(days)-1-i] = d.Requests
		}
		h.Keys = append(h.Keys, total)
	}
	return h
}

// WriteCSV writes a row for each day and key: the requests of the account on that day and its
// limit, empty without one, then the key and its own requests. Without keys, the last columns are
// empty.
func (h History) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true // RFC 4180
	rows := [][]string{{"day", "requests", "limit", "key_id", "key_name", "key_requests"}}
	for i, d := range h.Days {
		limit := ""
		if d.Limit > 0 {
			limit = strconv.Itoa(d.Limit)
		}
		account := []string{d.Date.Format(time.DateOnly), strconv.Itoa(d.Requests), limit}
		for _, k := range h.Keys {
			rows = append(rows, append(account[:3:3], k.ID, inertCell(k.Name), strconv.Itoa(k.Days[i])))
		}
		if len(h.Keys) == 0 {
			rows = append(rows, append(account, "", "", ""))
		}
	}
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("writing usage as CSV: %w", err)
	}
	return nil
}

// inertCell keeps spreadsheets from taking a name for a formula.
func inertCell(name string) string {
	if name != "" && strings.ContainsRune("=+-@\t\r", rune(name[0])) {
		return "'" + name
	}
	return name
}
