package portal

import (
	"bytes"
	"context"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/chart"
	"github.com/palmares-hq/palmares/internal/quota"
	"github.com/palmares-hq/palmares/internal/web"
)

func usageRoutes() []*route {
	return []*route{{
		name: "usage", paths: [2]string{"/compte/utilisation", "/en/account/usage"}, entry: "usage", get: showUsage,
		actions: map[string]handler{"mail": setUsageMail},
	}}
}

// usageWait is how long the page waits for the counters before it does without.
const usageWait = 2 * time.Second

// formatParam asks for the numbers of the page as a file.
const formatParam = "format"

// A usageBody is what the page of usage shows.
type usageBody struct {
	Action  string
	Limit   int            // requests a day; 0 without a limit
	Missing string         // why there are no numbers, as the name of a text; "" when there are
	History *quota.History // nil when there are no numbers
	Gauge   usageGauge
	Resets  string           // in words: "9 h 12"
	Charts  [2]template.HTML // wide, narrow
	Mean    int              // requests a day
	AtLimit string           // the days on which the limit was reached, in words
	CSV     string
	Keys    []usageKey
	Mailed  bool // mail about the quota is sent
	NoMail  bool // this service sends none
}

// A usageGauge is what was used of today's quota.
type usageGauge struct {
	Used, Left, Percent int
	Width               int // of the used part, in a drawing that is 998 wide
}

// A usageKey is a key with what was done with it.
type usageKey struct {
	quota.KeyTotal
	Preview, Last, Revoked string
}

func showUsage(r *request) (*answer, error) {
	days := quota.UsageDays(r.portal.o.Now())
	keys, err := r.portal.o.Accounts.FilterKeys(r.ctx, r.by, r.account.ID, account.KeyFilter{UsedSince: days[len(days)-1]})
	if err != nil {
		return nil, err
	}
	history, missing := r.history(keys)
	file := r.query.Get(formatParam) == "csv"
	if file && history != nil {
		return r.usageFile(history)
	}
	body := usageBody{
		Action: r.path("usage"), Limit: r.account.Plan.Limits().Daily, Missing: missing, History: history,
		Keys: r.usageKeys(keys, history), Mailed: r.account.MailUsage && r.portal.o.Mail, NoMail: !r.portal.o.Mail,
	}
	if history != nil {
		r.addHistory(&body, history)
	}
	a := &answer{body: body}
	if file {
		a.status = http.StatusServiceUnavailable
	}
	return a, nil
}

// history reads what the account used. Without it, missing is the text that says why.
func (r *request) history(keys []account.KeyInfo) (h *quota.History, missing string) {
	if r.portal.o.Usage == nil {
		return nil, "usage.missing.uncounted"
	}
	ctx, cancel := context.WithTimeout(r.ctx, usageWait)
	defer cancel()
	stored, err := r.portal.o.Usage.Read(ctx, r.account.ID)
	if err != nil {
		web.SetError(r.w, err)
		return nil, "usage.missing.down"
	}
	history := quota.NewHistory(r.account.Plan, r.portal.o.Now(), stored, keys)
	return &history, ""
}

// usageFile is the history as a file.
func (r *request) usageFile(h *quota.History) (*answer, error) {
	var b bytes.Buffer
	if err := h.WriteCSV(&b); err != nil {
		return nil, err
	}
	today := h.Days[len(h.Days)-1].Date.Format(time.DateOnly)
	return &answer{file: &file{
		name: r.Must("usage.file", today), contentType: "text/csv; charset=utf-8; header=present", data: b.Bytes(),
	}}, nil
}

// addHistory adds the numbers to the page.
func (r *request) addHistory(body *usageBody, h *quota.History) {
	body.CSV = body.Action + "?" + formatParam + "=csv"
	body.Resets = r.countdown(h.ResetsIn)
	body.Mean = (h.Total + len(h.Days)/2) / len(h.Days)
	body.AtLimit = r.daysAtLimit(h)
	body.Charts = [2]template.HTML{r.usageChart(900, 250, body.Limit, h), r.usageChart(chart.Narrow, 220, body.Limit, h)}
	body.Gauge.Used = h.Report.Used
	if body.Limit > 0 {
		body.Gauge.Left = body.Limit - h.Report.Used
		body.Gauge.Percent = h.Report.Used * 100 / body.Limit
		body.Gauge.Width = h.Report.Used * 998 / body.Limit
	}
}

// countdown writes a time that is left, to the minute.
func (r *request) countdown(d time.Duration) string {
	hours, minutes := int(d.Hours()), int(d.Minutes())%60
	switch {
	case hours > 0:
		return r.Must("usage.hours", r.Integer(hours), minutes)
	case minutes > 0:
		return r.Must("usage.minutes", r.Integer(minutes))
	default:
		return r.Must("usage.soon")
	}
}

// usageChart draws the days.
func (r *request) usageChart(width, height, limit int, h *quota.History) template.HTML {
	first, last := h.Days[0].Date, h.Days[len(h.Days)-1].Date
	sentence := r.Must("usage.chart", r.DayMonth(first), r.DayMonth(last), r.Integer(h.Total))
	switch {
	case h.AtLimit > 0:
		sentence += r.Many("usage.chart.reached", h.AtLimit)
	case limit > 0:
		sentence += r.Must("usage.chart.never", r.Integer(limit))
	}
	bars := make([]chart.Bar, len(h.Days))
	for i, d := range h.Days {
		bars[i] = chart.Bar{Day: d.Date, Value: d.Requests, Full: d.AtLimit}
	}
	return chart.Bars(chart.Frame{
		Title: sentence, Width: width, Height: height, Value: r.Integer, Month: r.ShortMonth,
		Day: func(t time.Time) string { return r.dayNumber(t) + "\u00a0" + r.ShortMonth(t) },
		Tip: func(t time.Time, n int) string { return r.Must("usage.tip", r.DayMonth(t), r.Integer(n)) },
	}, bars, limit)
}

// dayNumber is the number of a day in its month: 4, 1er.
func (r *request) dayNumber(t time.Time) string {
	number, _, _ := strings.Cut(r.DayMonth(t), "\u00a0")
	return number
}

// namedDays is how many days are named; of more, only the last is.
const namedDays = 6

// daysAtLimit says on which days the limit was reached: le 4 et le 10 novembre.
func (r *request) daysAtLimit(h *quota.History) string {
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
		return r.Must("usage.at.many", r.Integer(len(days)), r.DayMonth(days[len(days)-1]))
	}
	var names strings.Builder
	for i, d := range days {
		switch {
		case i == 0:
		case i == len(days)-1:
			names.WriteString(r.Must("usage.and"))
		default:
			names.WriteString(", ")
		}
		name := r.DayMonth(d)
		if i+1 < len(days) && days[i+1].Month() == d.Month() { // the next one says the month
			name = r.dayNumber(d)
		}
		names.WriteString(r.Must("usage.the", name))
	}
	return r.Must("usage.at", names.String())
}

// usageKeys are the keys that live or were used, with their use where it is known.
func (r *request) usageKeys(keys []account.KeyInfo, h *quota.History) (rows []usageKey) {
	known := make(map[string]account.KeyInfo, len(keys))
	for _, k := range keys {
		known[k.ID] = k
		if h == nil && k.RevokedAt.IsZero() {
			rows = append(rows, r.usageKey(quota.KeyTotal{ID: k.ID, Name: k.Name}, k))
		}
	}
	if h == nil {
		return rows
	}
	for _, total := range h.Keys {
		rows = append(rows, r.usageKey(total, known[total.ID]))
	}
	return rows
}

func (r *request) usageKey(total quota.KeyTotal, k account.KeyInfo) usageKey {
	row := usageKey{KeyTotal: total, Preview: k.Preview, Last: "–"}
	switch {
	case total.Today > 0:
		row.Last = r.Must("keys.used.today")
	case !k.LastUsed.IsZero():
		row.Last = r.lastUse(k.LastUsed, r.portal.o.Now())
	case total.Requests == 0: // the day of the last call is stored later than the count
		row.Last = r.Must("usage.keys.never")
	}
	if !k.RevokedAt.IsZero() {
		row.Revoked = r.Date(k.RevokedAt.UTC())
	}
	return row
}

// setUsageMail switches the mail about the quota.
func setUsageMail(r *request) (*answer, error) {
	usage := r.form.Get("usage") != ""
	if err := r.portal.o.Accounts.SetMail(r.ctx, r.by, r.account.ID, usage, r.account.MailEndpoints); err != nil {
		return nil, err
	}
	if usage {
		return goTo(r.path("usage"), "usage-mail-on")
	}
	return goTo(r.path("usage"), "usage-mail-off")
}
