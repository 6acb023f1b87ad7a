package page

import (
	"strconv"
	"time"
)

// Ago says how long ago t was within a day, and its date before that.
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

// LastUse says when something was used last, which is known to the day.
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

// Span is a duration in minutes, hours or days, rounded down.
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

// Millis is a duration in milliseconds.
func (r *Request) Millis(d time.Duration) string {
	return r.Text.Integer(int(d.Milliseconds())) + "\u00a0ms"
}

// Second is a time to the second.
func (r *Request) Second(t time.Time) string {
	return r.Text.Date(t.UTC()) + ", " + t.UTC().Format("15:04:05") + "\u00a0UTC"
}

// Minute is a time to the minute.
func (r *Request) Minute(t time.Time) string {
	return r.Text.Date(t.UTC()) + ", " + t.UTC().Format("15:04") + "\u00a0UTC"
}
