package portal

import (
	"strconv"
	"time"
)

// ago says how long ago t was within a day, and its date before that.
func (r *request) ago(t time.Time) string {
	switch d := r.portal.o.Now().Sub(t); {
	case d < time.Minute:
		return r.Must("span.now")
	case d < 24*time.Hour:
		return r.Must("span.ago", r.span(d))
	default:
		return r.Date(t.UTC())
	}
}

// span is a duration in minutes, hours or days, rounded down.
func (r *request) span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return r.Must("span.moment")
	case d < time.Hour:
		return r.Must("span.minutes", strconv.Itoa(int(d.Minutes())))
	case d < 48*time.Hour:
		return r.Must("span.hours", strconv.Itoa(int(d.Hours())))
	default:
		return r.Must("span.days", strconv.Itoa(int(d.Hours()/24)))
	}
}

// millis is a duration in milliseconds.
func (r *request) millis(d time.Duration) string {
	return r.Integer(int(d.Milliseconds())) + "\u00a0ms"
}

// moment is a time to the second.
func (r *request) moment(t time.Time) string {
	return r.Date(t.UTC()) + ", " + t.UTC().Format("15:04:05") + "\u00a0UTC"
}

// minute is a time to the minute.
func (r *request) minute(t time.Time) string {
	return r.Date(t.UTC()) + ", " + t.UTC().Format("15:04") + "\u00a0UTC"
}
