package catalog_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	. "github.com/palmares-hq/palmares/internal/catalog"
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
			t.Errorf("ParseMeasure(%q) = %v, %v; want %v, %v", tt.in, got, err, tt.want, tt.err)
		}
	}
}

func TestMeasure_EveryValueSurvivesItsText(t *testing.T) {
	t.Parallel()
	for n := range 1001 {
		m := Hundredths(n)
		want := strconv.FormatFloat(float64(n)/100, 'f', -1, 64)
		if !m.Known || int(m.Hundredths) != n || m.String() != want {
			t.Errorf("Hundredths(%d) = %+v, written %q, want %q", n, m, m.String(), want)
		}
		if back, err := ParseMeasure(want); back != m || err != nil {
			t.Errorf("ParseMeasure(%q) = %v, %v; want %v", want, back, err, m)
		}
	}
	var absent Measure
	if absent.Known || absent.String() != "" {
		t.Errorf("the zero measure is %q, known %t", absent, absent.Known)
	}
}

func TestHundredths_OutOfScalePanics(t *testing.T) {
	t.Parallel()
	for _, n := range []int{-1, 1001, math.MaxInt, math.MinInt} {
		wantPanic(t, "Hundredths("+strconv.Itoa(n)+")", func() { Hundredths(n) })
	}
}

func wantPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s does not panic", what)
		}
	}()
	f()
}

// A bound keeps exactly the measures that a caller comparing floating-point numbers would keep.
func TestBounds_AgreeWithFloatComparison(t *testing.T) {
	t.Parallel()
	bounds := []float64{
		0, math.Copysign(0, -1), 1.1, 8.1, 8.2, 9.95, 0.07, 0.29, 0.57, 1.005, 4.35, 10, 10.001, 10.01,
		11, 1e6, 1e300, math.MaxFloat64, math.SmallestNonzeroFloat64, 1e-300, 1e-9, 0.001, 0.0099999,
		0.004999, -1e-300, -0.001, -1, -1e300, -math.MaxFloat64, 9.999999999, 9.99, math.Inf(1), math.Inf(-1),
	}
	for n := range 1001 { // around every value
		x := float64(n) / 100
		bounds = append(bounds, x, math.Nextafter(x, -1), math.Nextafter(x, 11), float64(n)*0.01)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		bounds = append(bounds, random.Float64()*12-1, math.Exp(random.NormFloat64()*20))
	}
	for _, x := range bounds {
		least, most := int16(1001), int16(-1)
		for n := range int16(1001) {
			if float64(n)/100 >= x {
				least = min(least, n)
			}
			if float64(n)/100 <= x {
				most = n
			}
		}
		if got := AtLeast(x); !got.Set || got.Hundredths != least {
			t.Errorf("AtLeast(%g) = %+v, want %d", x, got, least)
		}
		if got := AtMost(x); !got.Set || got.Hundredths != most {
			t.Errorf("AtMost(%g) = %+v, want %d", x, got, most)
		}
	}
}

func TestBound_String(t *testing.T) {
	t.Parallel()
	for want, b := range map[string]Bound{
		"": {}, "8.25": AtLeast(8.25), "0": AtLeast(-3), "10.01": AtLeast(11), "-0.01": AtMost(-3), "10": AtMost(1e9),
	} {
		if b.String() != want {
			t.Errorf("%+v is %q, want %q", b, b.String(), want)
		}
	}
}
