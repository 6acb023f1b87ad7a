package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A Measure is a number from 0 to 10 with at most two decimals, held exactly so that averages and
// filters cannot drift. The zero Measure is absent.
type Measure struct {
	Known      bool
	Hundredths int16 // 910 is 9.1; 0 when absent
}

// maxHundredths is 10, the top of every scale.
const maxHundredths = 1000

// Hundredths returns a Measure of n hundredths: Hundredths(910) is 9.1.
func Hundredths(n int) Measure {
	if n < 0 || n > maxHundredths {
		panic("catalog: measure out of scale: " + strconv.Itoa(n))
	}
	return Measure{Known: true, Hundredths: int16(n)}
}

// The errors of ParseMeasure.
var (
	ErrNotNumber = errors.New("not a number")
	ErrDecimals  = errors.New("more than two decimals")
	ErrScale     = errors.New("not between 0 and 10")
)

// ParseMeasure reads a plain decimal number such as 8, 8.5 or 8.25.
func ParseMeasure(s string) (Measure, error) {
	whole, frac, dotted := strings.Cut(s, ".")
	if !digits(strings.TrimPrefix(whole, "-")) || dotted && !digits(frac) {
		return Measure{}, ErrNotNumber
	}
	if strings.HasPrefix(whole, "-") {
		return Measure{}, ErrScale
	}
	frac = strings.TrimRight(frac, "0")
	if len(frac) > 2 {
		return Measure{}, ErrDecimals
	}
	n, err := strconv.Atoi(whole + (frac + "00")[:2])
	if err != nil || n > maxHundredths {
		return Measure{}, ErrScale
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

// compare orders measures from the lowest to the highest. An absent one is below all others.
func (m Measure) compare(other Measure) int {
	switch {
	case m.Known == other.Known:
		return cmp.Compare(m.Hundredths, other.Hundredths)
	case m.Known:
		return 1
	default:
		return -1
	}
}

// Rounded returns the measure as readers see it, rounded to one decimal, halves up. Ranks, filters
// and comparisons use both decimals.
func (m Measure) Rounded() Measure {
	m.Hundredths = (m.Hundredths + 5) / 10 * 10
	return m
}

// String returns the shortest decimal form, or "" when absent.
func (m Measure) String() string {
	if !m.Known {
		return ""
	}
	return string(appendHundredths(nil, int(m.Hundredths)))
}

func (m Measure) appendJSON(b []byte) []byte {
	if !m.Known {
		return append(b, "null"...)
	}
	return appendHundredths(b, int(m.Hundredths))
}

// UnmarshalJSON reads a number, or null for an absent measure.
func (m *Measure) UnmarshalJSON(text []byte) (err error) {
	if *m = (Measure{}); string(text) != "null" {
		*m, err = ParseMeasure(string(text))
	}
	return err
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

// A Bound limits a measure from one side. The zero Bound sets no limit; any other also excludes
// absent measures. A caller's number is moved to the nearest hundredth with the same effect, so
// that equal Bounds keep the same measures.
type Bound struct {
	Set        bool
	Hundredths int16 // -1 is below every measure, 1001 above
}

// AtLeast returns the bound that keeps measures of x and above.
func AtLeast(x float64) Bound { return Bound{Set: true, Hundredths: smallestAtLeast(x)} }

// AtMost returns the bound that keeps measures of x and below.
func AtMost(x float64) Bound { return Bound{Set: true, Hundredths: largestAtMost(x)} }

// String returns the bound as a number, or "" for no bound.
func (b Bound) String() string {
	switch {
	case !b.Set:
		return ""
	case b.Hundredths < 0:
		return "-0.01"
	}
	return string(appendHundredths(nil, int(b.Hundredths)))
}

// least reports whether the bound, as a minimum, keeps m.
func (b Bound) least(m Measure) bool { return !b.Set || m.Known && m.Hundredths >= b.Hundredths }

// most reports whether the bound, as a maximum, keeps m.
func (b Bound) most(m Measure) bool { return !b.Set || m.Known && m.Hundredths <= b.Hundredths }

// smallestAtLeast returns the smallest number of hundredths not below x; 1001 if there is none. It
// compares floating-point numbers, because a caller's parameter is one.
func smallestAtLeast(x float64) int16 {
	if x <= 0 {
		return 0
	}
	if x > maxHundredths/100 {
		return maxHundredths + 1
	}
	n := int16(math.Ceil(x * 100))
	for n > 0 && float64(n-1)/100 >= x {
		n--
	}
	for float64(n)/100 < x {
		n++
	}
	return n
}

// largestAtMost returns the largest number of hundredths not above x; -1 if there is none.
func largestAtMost(x float64) int16 {
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

// DateOf returns the day of t in UTC.
func DateOf(t time.Time) Date { return Date(t.UTC().Format(time.DateOnly)) }

// ParseDate parses a day written YYYY-MM-DD. The day must exist.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return "", fmt.Errorf("%q is not a day written YYYY-MM-DD", s)
	}
	return DateOf(t), nil
}

// Time returns midnight UTC of the day. It panics if d is not a date.
func (d Date) Time() time.Time {
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		panic("catalog: not a date: " + strconv.Quote(string(d)))
	}
	return t
}
