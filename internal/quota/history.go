package quota

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// A History is a report with what a page shows beside it.
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
	AtLimit  bool      // all of the quota was used
}

// A KeyTotal is what was done with a key on all days.
type KeyTotal struct {
	ID       string
	Name     string // "" if unknown
	Requests int
	Today    int
	Days     []int // the oldest first
}

// NewHistory makes a history from what NewReport takes. An account that has no limit now had one on
// the days on which it was charged.
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
