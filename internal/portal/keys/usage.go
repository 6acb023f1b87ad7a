package keys

import (
	"bytes"
	"context"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/chart"
	"github.com/palmares-hq/palmares/internal/portal/page"
	"github.com/palmares-hq/palmares/internal/quota"
)

// usageWait is how long the page waits for the counts before it is shown without them.
const usageWait = 2 * time.Second

// formatParam is the query parameter that asks for the page's numbers as a file.
const formatParam = "format"

// A usageBody is what the page of usage shows.
type usageBody struct {
	Action  string
	Limit   int            // requests a day; 0 without a limit
	Missing string         // the name of the text that says why there are no numbers; "" if there are
	History *quota.History // nil when there are no numbers
	Gauge   usageGauge
	Resets  string           // in words: "9 h 12"
	Charts  [2]template.HTML // wide, narrow
	Mean    int              // mean requests a day
	AtLimit string           // the days on which the limit was reached, in words
	CSV     string
	Keys    []usageKey
	Parts   []usagePart // the keys that the chart tells apart; nil for one key
	Mailed  bool        // mail about the quota is sent
	NoMail  bool        // this service sends none
}

// A usageGauge is how much of today's quota is used.
type usageGauge struct {
	Used, Left, Percent int
	Width               int // width of the used part, in a drawing 998 wide
}

// A usageKey is a key and its usage.
type usageKey struct {
	quota.KeyTotal
	Preview, Last, Revoked string
}

// Show shows the usage, or returns it as a CSV file. When there are no numbers for the file, it shows the page
// as a 503.
func (p *UsagePage) Show(r *page.Request) (*page.Answer, error) {
	days := quota.UsageDays(r.Now)
	keys, err := p.Accounts.FilterKeys(r.Context(), r.By, r.Account.ID, account.KeyFilter{UsedSince: days[len(days)-1]})
	if err != nil {
		return nil, err
	}
	history, missing := p.history(r, keys)
	file := r.Query.Get(formatParam) == "csv"
	if file && history != nil {
		return usageFile(r, history)
	}
	body := usageBody{
		Action: r.At(address.Usage), Limit: r.Account.Plan.Limits().Daily, Missing: missing, History: history,
		Keys: usageKeys(r, keys, history), Mailed: r.Account.MailUsage && p.Mail, NoMail: !p.Mail,
	}
	if history != nil {
		addHistory(r, &body, history)
	}
	a := &page.Answer{Body: body}
	if file {
		a.Status = http.StatusServiceUnavailable
	}
	return a, nil
}

// history reads the account's usage. If it cannot, missing names the text that says why.
func (p *UsagePage) history(r *page.Request, keys []account.KeyInfo) (h *quota.History, missing string) {
	if p.Usage == nil {
		return nil, "usage.missing.uncounted"
	}
	ctx, cancel := context.WithTimeout(r.Context(), usageWait)
	defer cancel()
	stored, err := p.Usage.Read(ctx, r.Account.ID)
	if err != nil {
		r.LogError(err)
		return nil, "usage.missing.down"
	}
	history := quota.NewHistory(r.Account.Plan, r.Now, stored, keys)
	return &history, ""
}

// usageFile returns the history as a CSV file.
func usageFile(r *page.Request, h *quota.History) (*page.Answer, error) {
	var b bytes.Buffer
	if err := h.WriteCSV(&b); err != nil {
		return nil, err
	}
	today := h.Days[len(h.Days)-1].Date.Format(time.DateOnly)
	return &page.Answer{File: &page.File{
		Name: r.Text.Must("usage.file", today), ContentType: "text/csv; charset=utf-8; header=present", Data: b.Bytes(),
	}}, nil
}

// addHistory fills in the parts of the page that need the numbers.
func addHistory(r *page.Request, body *usageBody, h *quota.History) {
	body.CSV = body.Action + "?" + formatParam + "=csv"
	body.Resets = countdown(r, h.ResetsIn)
	body.Mean = (h.Total + len(h.Days)/2) / len(h.Days)
	body.AtLimit = daysAtLimit(r, h)
	body.Parts = usageParts(r, h)
	body.Charts = [2]template.HTML{usageChart(r, 900, 250, body, h), usageChart(r, chart.Narrow, 220, body, h)}
	body.Gauge.Used = h.Report.Used
	if body.Limit > 0 {
		body.Gauge.Left = body.Limit - h.Report.Used
		body.Gauge.Percent = h.Report.Used * 100 / body.Limit
		body.Gauge.Width = h.Report.Used * 998 / body.Limit
	}
}

// countdown writes a time that is left, to the minute.
func countdown(r *page.Request, d time.Duration) string {
	hours, minutes := int(d.Hours()), int(d.Minutes())%60
	switch {
	case hours > 0:
		return r.Text.Must("usage.hours", r.Text.Integer(hours), minutes)
	case minutes > 0:
		return r.Text.Must("usage.minutes", r.Text.Integer(minutes))
	default:
		return r.Text.Must("usage.soon")
	}
}

// usageChart draws a bar chart of the requests of each day.
func usageChart(r *page.Request, width, height int, body *usageBody, h *quota.History) template.HTML {
	limit := body.Limit
	first, last := h.Days[0].Date, h.Days[len(h.Days)-1].Date
	sentence := r.Text.Must("usage.chart", r.Text.DayMonth(first), r.Text.DayMonth(last), r.Text.Integer(h.Total))
	switch {
	case h.AtLimit > 0:
		sentence += r.Text.Many("usage.chart.reached", h.AtLimit)
	case limit > 0:
		sentence += r.Text.Must("usage.chart.never", r.Text.Integer(limit))
	}
	bars := make([]chart.Bar, len(h.Days))
	for i, d := range h.Days {
		bars[i] = chart.Bar{Day: d.Date, Value: d.Requests, Full: d.AtLimit}
		for _, part := range body.Parts {
			if !part.Rest {
				bars[i].Parts = append(bars[i].Parts, part.Days[i])
			}
		}
	}
	return chart.Bars(chart.Frame{
		Title: sentence, Width: width, Height: height, Value: r.Text.Integer, Month: r.Text.ShortMonth,
		Day: func(t time.Time) string { return dayNumber(r, t) + "\u00a0" + r.Text.ShortMonth(t) },
		Tip: func(t time.Time, n int) string {
			return r.Text.Must("usage.tip", r.Text.DayMonth(t), r.Text.Integer(n))
		},
	}, bars, limit)
}

// A usagePart is a key as a part of the bars, or what all other keys used.
type usagePart struct {
	Name   string
	Swatch template.HTML
	Days   []int // the oldest first
	Rest   bool
}

// usageParts returns the keys that were used most, and the others as one; nil if one key was used at most.
func usageParts(r *page.Request, h *quota.History) (parts []usagePart) {
	used := slices.DeleteFunc(slices.Clone(h.Keys), func(k quota.KeyTotal) bool { return k.Requests == 0 })
	if len(used) < 2 {
		return nil
	}
	slices.SortStableFunc(used, func(a, b quota.KeyTotal) int { return b.Requests - a.Requests })
	rest := make([]int, len(h.Days))
	for i, d := range h.Days {
		rest[i] = d.Requests
	}
	for i, k := range used[:min(len(used), chart.MaxParts)] {
		name := k.Name
		if name == "" {
			name = r.Text.Must("usage.keys.unknown")
		}
		parts = append(parts, usagePart{Name: name, Swatch: chart.Swatch(i), Days: k.Days})
		for day, n := range k.Days {
			rest[day] = max(0, rest[day]-n)
		}
	}
	if len(used) > chart.MaxParts {
		parts = append(parts, usagePart{r.Text.Must("usage.keys.others"), chart.Swatch(chart.MaxParts), rest, true})
	}
	return parts
}

// dayNumber writes the day of the month: 4, 1er.
func dayNumber(r *page.Request, t time.Time) string {
	number, _, _ := strings.Cut(r.Text.DayMonth(t), "\u00a0")
	return number
}

// namedDays is the most days that daysAtLimit names; of more, it names only the last.
const namedDays = 6

// daysAtLimit says on which days the limit was reached: le 4 et le 10 novembre.
func daysAtLimit(r *page.Request, h *quota.History) string {
	var days []time.Time
	for _, d := range h.Days {
		if d.AtLimit {
			days = append(days, d.Date)
		}
	}
	switch {
	case len(days) == 0:
		return ""
	case len(days) > namedDays:
		return r.Text.Must("usage.at.many", r.Text.Integer(len(days)), r.Text.DayMonth(days[len(days)-1]))
	}
	var names strings.Builder
	for i, d := range days {
		switch {
		case i == 0:
		case i == len(days)-1:
			names.WriteString(r.Text.Must("usage.and"))
		default:
			names.WriteString(", ")
		}
		name := r.Text.DayMonth(d)
		if i+1 < len(days) && days[i+1].Month() == d.Month() { // the next one says the month
			name = dayNumber(r, d)
		}
		names.WriteString(r.Text.Must("usage.the", name))
	}
	return r.Text.Must("usage.at", names.String())
}

// usageKeys returns the keys that live or were used, with their use if it is known.
func usageKeys(r *page.Request, keys []account.KeyInfo, h *quota.History) (rows []usageKey) {
	known := make(map[string]account.KeyInfo, len(keys))
	for _, k := range keys {
		known[k.ID] = k
		if h == nil && k.RevokedAt.IsZero() {
			rows = append(rows, newUsageKey(r, quota.KeyTotal{ID: k.ID, Name: k.Name}, k))
		}
	}
	if h == nil {
		return rows
	}
	for _, total := range h.Keys {
		rows = append(rows, newUsageKey(r, total, known[total.ID]))
	}
	return rows
}

func newUsageKey(r *page.Request, total quota.KeyTotal, k account.KeyInfo) usageKey {
	row := usageKey{KeyTotal: total, Preview: k.Preview, Last: "–"}
	switch {
	case total.Today > 0:
		row.Last = r.Text.Must("used.today")
	case !k.LastUsed.IsZero():
		row.Last = r.LastUse(k.LastUsed)
	case total.Requests == 0: // a zero LastUsed alone proves nothing: it is stored later than the counts
		row.Last = r.Text.Must("usage.keys.never")
	}
	if !k.RevokedAt.IsZero() {
		row.Revoked = r.Text.Date(k.RevokedAt.UTC())
	}
	return row
}

// SetMail turns the mail about the quota on or off.
func (p *UsagePage) SetMail(r *page.Request) (*page.Answer, error) {
	usage := r.Form.Get("usage") != ""
	if err := p.Accounts.SetSwitch(r.Context(), r.By, r.Account.ID, account.UsageMail, usage); err != nil {
		return nil, err
	}
	if usage {
		return page.GoTo(r.At(address.Usage), "usage-mail-on")
	}
	return page.GoTo(r.At(address.Usage), "usage-mail-off")
}
