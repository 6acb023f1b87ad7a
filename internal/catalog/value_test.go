package catalog

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestParseMeasure(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in   string
		want Measure
		err  error
	}{
		{in: "0", want: Hundredths(0)},
		{in: "0.0", want: Hundredths(0)},
		{in: "0.01", want: Hundredths(1)},
		{in: "8", want: Hundredths(800)},
		{in: "8.5", want: Hundredths(850)},
		{in: "8.25", want: Hundredths(825)},
		{in: "8.05", want: Hundredths(805)},
		{in: "8.50000", want: Hundredths(850)},
		{in: "10", want: Hundredths(1000)},
		{in: "10.00", want: Hundredths(1000)},
		{in: "007", want: Hundredths(700)},
		{in: "10.01", err: ErrScale},
		{in: "11", err: ErrScale},
		{in: "-1", err: ErrScale},
		{in: "-0.5", err: ErrScale},
		{in: "99999999999999999999999999", err: ErrScale},
		{in: "8.123", err: ErrDecimals},
		{in: "0.001", err: ErrDecimals},
		{in: "", err: ErrNotNumber},
		{in: "-", err: ErrNotNumber},
		{in: "--1", err: ErrNotNumber},
		{in: "+8", err: ErrNotNumber},
		{in: "8.", err: ErrNotNumber},
		{in: ".5", err: ErrNotNumber},
		{in: "8,5", err: ErrNotNumber},
		{in: "8.5.1", err: ErrNotNumber},
		{in: "1e1", err: ErrNotNumber},
		{in: "0x8", err: ErrNotNumber},
		{in: " 8", err: ErrNotNumber},
		{in: "8 ", err: ErrNotNumber},
		{in: "8_0", err: ErrNotNumber},
		{in: "NaN", err: ErrNotNumber},
		{in: "Inf", err: ErrNotNumber},
		{in: "٨", err: ErrNotNumber},
	}
	for _, tt := range tests {
		got, err := ParseMeasure(tt.in)
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("ParseMeasure(%q) = %d, %v; want %d, %v", tt.in, got, err, tt.want, tt.err)
		}
	}
}

func TestMeasure_EveryValueSurvivesTextAndJSON(t *testing.T) {
	t.Parallel()
	for n := range maxHundredths + 1 {
		m := Hundredths(n)
		if !m.Known() || m.Hundredths() != n {
			t.Fatalf("Hundredths(%d) = %d, known %t", n, m.Hundredths(), m.Known())
		}
		want := strconv.FormatFloat(float64(n)/100, 'f', -1, 64)
		if m.String() != want {
			t.Errorf("String of %d hundredths = %q, want %q", n, m.String(), want)
		}
		if back, err := ParseMeasure(m.String()); back != m || err != nil {
			t.Errorf("ParseMeasure(%q) = %d, %v; want %d", m.String(), back, err, m)
		}
		var x float64
		if err := json.Unmarshal(m.appendJSON(nil), &x); err != nil || math.Round(x*100) != float64(n) {
			t.Errorf("JSON of %d hundredths is %s (%v)", n, m.appendJSON(nil), err)
		}
	}
}

func TestMeasure_ZeroValueIsAbsent(t *testing.T) {
	t.Parallel()
	var m Measure
	if m.Known() || m.String() != "" || string(m.appendJSON([]byte("x"))) != "xnull" {
		t.Errorf("absent: known %t, String %q, JSON %s", m.Known(), m.String(), m.appendJSON(nil))
	}
}

func TestHundredths_OutOfScalePanics(t *testing.T) {
	t.Parallel()
	for _, n := range []int{-1, 1001, math.MaxInt, math.MinInt} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Hundredths(%d) did not panic", n)
				}
			}()
			Hundredths(n)
		}()
	}
}

// A bound keeps exactly the measures that a caller comparing floating-point
// numbers would keep.
func TestBounds_AgreeWithFloatComparison(t *testing.T) {
	t.Parallel()
	bounds := []float64{
		0, math.Copysign(0, -1), 1.1, 8.1, 8.2, 9.95, 0.07, 0.29, 0.57, 1.005, 4.35, 10, 10.001, 10.01, 11, 1e6, 1e300,
		math.MaxFloat64, math.SmallestNonzeroFloat64, 1e-300, 1e-9, 0.001, 0.0099999, 0.004999, -1e-300, -0.001, -1, -1e300,
		-math.MaxFloat64, 9.999999999, 9.99, math.Inf(1), math.Inf(-1),
	}
	for n := range maxHundredths + 1 { // around every value
		x := float64(n) / 100
		bounds = append(bounds, x, math.Nextafter(x, -1), math.Nextafter(x, 11), float64(n)*0.01)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		bounds = append(bounds, random.Float64()*12-1, math.Exp(random.NormFloat64()*20))
	}
	for _, x := range bounds {
		least, most := maxHundredths+1, -1
		for n := range maxHundredths + 1 {
			if float64(n)/100 >= x {
				least = min(least, n)
			}
			if float64(n)/100 <= x {
				most = n
			}
		}
		if got := smallestAtLeast(x); got != least {
			t.Errorf("smallestAtLeast(%g) = %d, want %d", x, got, least)
		}
		if got := largestAtMost(x); got != most {
			t.Errorf("largestAtMost(%g) = %d, want %d", x, got, most)
		}
	}
}

func TestParseDate_OnlyDaysThatExist(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"2026-03-14", "2024-02-29", "0001-01-01", "9999-12-31"} {
		d, err := ParseDate(s)
		if err != nil || string(d) != s {
			t.Errorf("ParseDate(%q) = %q, %v", s, d, err)
		}
		if DateOf(d.Time()) != d {
			t.Errorf("DateOf(%q.Time()) = %q", d, DateOf(d.Time()))
		}
	}
	for _, s := range []string{
		"", "2026-3-14", "2026-03-14T00:00:00Z", "2026-02-30", "2025-02-29", "2026-13-01", "2026-00-10", "2026-01-00",
		"14/03/2026", " 2026-03-14", "2026-03-14 ", "26-03-14", "-2026-03-14", "20260314",
	} {
		if d, err := ParseDate(s); err == nil || !strings.Contains(err.Error(), strconv.Quote(s)) {
			t.Errorf("ParseDate(%q) = %q, %v; want an error that quotes it", s, d, err)
		}
	}
}

func TestDateOf_IsTheDayInUTC(t *testing.T) {
	t.Parallel()
	paris := time.FixedZone("Europe/Paris", 2*60*60)
	if got := DateOf(time.Date(2026, 7, 1, 1, 30, 0, 0, paris)); got != "2026-06-30" {
		t.Errorf("half past one on 1 July in Paris is %s", got)
	}
	e := Edition{PublishedAt: time.Date(2026, 12, 31, 23, 30, 0, 0, time.FixedZone("", -60*60))}
	if got := e.Date(); got != "2027-01-01" {
		t.Errorf("the edition's day is %s", got)
	}
}

func TestDateTime_PanicsOnNoDay(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Date("hier").Time()
}

func TestValidSlug(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"a", "0", "copeau", "echafaude-3", "a-b-c", "3d", strings.Repeat("a", MaxSlug)} {
		if !ValidSlug(s) {
			t.Errorf("%q is refused", s)
		}
	}
	for _, s := range []string{
		"", "-", "-a", "a-", "a--b", "A", "aB", "é", "a_b", "a b", "a.b", "a/b", "../a", "a\n", "a\x00", "ａ", strings.Repeat("a", MaxSlug+1),
	} {
		if ValidSlug(s) {
			t.Errorf("%q is accepted", s)
		}
	}
}

func TestCredit(t *testing.T) {
	t.Parallel()
	if got := testService().Credit(); got != "Source : Palmarès (https://palmares.example)" {
		t.Errorf("credit line %q", got)
	}
}

func TestEnums_AreTheWireValues(t *testing.T) {
	t.Parallel()
	equal(t, "icp", ICPs(), []ICP{"vibe-coder", "agentic-engineer", "mixte"})
	equal(t, "pricing", Pricings(), []Pricing{"gratuit", "freemium", "payant"})
	equal(t, "reason", Reasons(), []Reason{"mort", "acquis", "deprecie", "pivot", "absorbe"})
	equal(t, "sort", ToolOrders(), []ToolOrder{"score_desc", "score_asc", "name_asc", "name_desc"})
}
