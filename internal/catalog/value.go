package catalog

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A Measure is a number from 0 to 10 with at most two decimals, or nothing: the
// zero Measure is absent. It is held exactly, so that averages and filters
// cannot drift.
type Measure uint16 // hundredths plus one

// maxHundredths is 10, the top of every scale.
const maxHundredths = 1000

// Hundredths makes a Measure from hundredths: Hundredths(910) is 9.1.
func Hundredths(n int) Measure {
	if n < 0 || n > maxHundredths {
		panic("catalog: measure out of scale: " + strconv.Itoa(n))
	}
	return Measure(n + 1)
}

// What ParseMeasure has to say against a text.
var (
	ErrNotNumber = errors.New("not a number")
	ErrDecimals  = errors.New("more than two decimals")
	ErrScale     = errors.New("not between 0 and 10")
)

// ParseMeasure reads a plain decimal number such as 8, 8.5 or 8.25.
func ParseMeasure(s string) (Measure, error) {
	whole, frac, dotted := strings.Cut(s, ".")
	if !digits(strings.TrimPrefix(whole, "-")) || dotted && !digits(frac) {
		return 0, ErrNotNumber
	}
	if strings.HasPrefix(whole, "-") {
		return 0, ErrScale
	}
	frac = strings.TrimRight(frac, "0")
	if len(frac) > 2 {
		return 0, ErrDecimals
	}
	n, err := strconv.Atoi(whole + (frac + "00")[:2])
	if err != nil || n > maxHundredths {
		return 0, ErrScale
	}
	return Hundredths(n), nil
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// Known reports whether there is a measure at all.
func (m Measure) Known() bool { return m != 0 }

// Hundredths gives the measure in hundredths; it must be known.
func (m Measure) Hundredths() int { return int(m) - 1 }

// String is the shortest decimal form, or "" when absent.
func (m Measure) String() string {
	if !m.Known() {
		return ""
	}
	return string(appendHundredths(nil, m.Hundredths()))
}

func (m Measure) appendJSON(b []byte) []byte {
	if !m.Known() {
		return append(b, "null"...)
	}
	return appendHundredths(b, m.Hundredths())
}

func appendHundredths(b []byte, n int) []byte {
	b = strconv.AppendInt(b, int64(n/100), 10)
	switch frac := n % 100; {
	case frac == 0:
		return b
	case frac%10 == 0:
		return append(b, '.', byte('0'+frac/10))
	default:
		return append(b, '.', byte('0'+frac/10), byte('0'+frac%10))
	}
}

// A Bound limits a measure from one side. The zero Bound does not; any other keeps
// only what has the measure. Callers give any number, measures have two decimals,
// so bounds that keep the same measures are the same Bound.
type Bound int16 // hundredths plus two

// AtLeast is the bound that keeps measures not below x.
func AtLeast(x float64) Bound { return Bound(smallestAtLeast(x) + 2) } //nolint:gosec // 2 to 1003

// AtMost is the bound that keeps measures not above x.
func AtMost(x float64) Bound { return Bound(largestAtMost(x) + 2) } //nolint:gosec // 1 to 1002

// String is the number closest to what the caller gave that means the same; "" for
// no bound.
func (b Bound) String() string {
	switch b {
	case 0:
		return ""
	case 1:
		return "-0.01" // below every measure
	}
	return string(appendHundredths(nil, int(b)-2))
}

// measure is the bound as a measure: below all known ones it is absent.
func (b Bound) measure() Measure { return Measure(b - 1) } //nolint:gosec // b is not 0 where this is asked

// smallestAtLeast is the smallest number of hundredths that is not below x when
// both are read as floating-point numbers, as a caller's parameter is.
func smallestAtLeast(x float64) int {
	if x <= 0 {
		return 0
	}
	if x > maxHundredths/100 {
		return maxHundredths + 1
	}
	n := int(math.Ceil(x * 100))
	for n > 0 && float64(n-1)/100 >= x {
		n--
	}
	for float64(n)/100 < x {
		n++
	}
	return n
}

// largestAtMost is the largest number of hundredths that is not above x; -1 when
// there is none.
func largestAtMost(x float64) int {
	if x < 0 {
		return -1
	}
	n := smallestAtLeast(x)
	if n > maxHundredths || float64(n)/100 > x {
		n--
	}
	return n
}

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
