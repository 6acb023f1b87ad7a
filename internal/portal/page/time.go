package page

import (
	"strconv"
	"time"

	"github.com/palmares-hq/palmares/internal/locale"
)

// Ago writes how long ago t was if that is less than a day, and its date otherwise.
func (r *Request) Ago(t time.Time) string {
	switch d := r.Now.Sub(t); {
	case d < time.Minute:
		return r.Text.Must("span.now")
	case d < 24*time.Hour:
		return r.Text.Must("span.ago", r.Span(d))
	default:
		return r.Text.Date(t.UTC())
	}
}

// LastUse writes when something was last used: never, today, yesterday or a date. Last use is known to the day
// only.
func (r *Request) LastUse(used time.Time) string {
	today := r.Now.UTC().Truncate(24 * time.Hour)
	switch {
	case used.IsZero():
		return r.Text.Must("used.never")
	case !used.Before(today):
		return r.Text.Must("used.today")
	case !used.Before(today.AddDate(0, 0, -1)):
		return r.Text.Must("used.yesterday")
	default:
		return r.Text.Date(used.UTC())
	}
}

// Span writes a duration in minutes, hours or days, rounded down.
func (r *Request) Span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return r.Text.Must("span.moment")
	case d < time.Hour:
		return r.Text.Must("span.minutes", strconv.Itoa(int(d.Minutes())))
	case d < 48*time.Hour:
		return r.Text.Must("span.hours", strconv.Itoa(int(d.Hours())))
	default:
		return r.Text.Must("span.days", strconv.Itoa(int(d.Hours()/24)))
	}
}

// Millis writes a duration in milliseconds.
func (r *Request) Millis(d time.Duration) string {
	return r.Text.Integer(int(d.Milliseconds())) + "\u00a0ms"
}

// Second writes a time to the second: 15 novembre 2026 à 9 h 40 min 07 s UTC, 15 November 2026, 09:40:07 UTC.
func (r *Request) Second(t time.Time) string {
	t = t.UTC()
	clock := t.Format("15:04:05")
	if r.Text.Language == locale.French {
		clock = strconv.Itoa(t.Hour()) + t.Format("\u00a0h\u00a004\u00a0min\u00a005\u00a0s")
	}
	return r.Text.Must("time.at", r.Text.Date(t), clock)
}

// Minute writes a time to the minute: 15 novembre 2026 à 9 h 40 UTC, 15 November 2026, 09:40 UTC.
func (r *Request) Minute(t time.Time) string {
	t = t.UTC()
	return r.Text.Must("time.at", r.Text.Date(t), r.Text.Clock(t))
}
