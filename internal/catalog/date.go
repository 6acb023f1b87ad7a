package catalog

import (
	"fmt"
	"strconv"
	"time"
)

// A Date is a day of the calendar, written YYYY-MM-DD. The zero Date is no day.
type Date string

// DateOf is the day of t in UTC.
func DateOf(t time.Time) Date { return Date(t.UTC().Format(time.DateOnly)) }

// ParseDate reads YYYY-MM-DD, and only days that exist.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return "", fmt.Errorf("%q is not a day written YYYY-MM-DD", s)
	}
	return DateOf(t), nil
}

// Time is midnight UTC of the day.
func (d Date) Time() time.Time {
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		panic("catalog: not a date: " + strconv.Quote(string(d)))
	}
	return t
}
