package webhook

import (
	"math"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func TestNext_ToTheSecond(t *testing.T) {
	t.Parallel()
	tests := []struct {
		attempts            int
		least, middle, most time.Duration
	}{
		{1, 4 * time.Second, 5 * time.Second, 6 * time.Second},
		{2, 4 * time.Minute, 5 * time.Minute, 6 * time.Minute},
		{3, 24 * time.Minute, 30 * time.Minute, 36 * time.Minute},
		{4, 96 * time.Minute, 120 * time.Minute, 144 * time.Minute},
		{5, 4 * time.Hour, 5 * time.Hour, 6 * time.Hour},
		{6, 8 * time.Hour, 10 * time.Hour, 12 * time.Hour},
		{7, 672 * time.Minute, 14 * time.Hour, 1008 * time.Minute},
		{8, 16 * time.Hour, 20 * time.Hour, 24 * time.Hour},
		{9, 1152 * time.Minute, 24 * time.Hour, 1728 * time.Minute},
	}
	var together time.Duration
	for _, tt := range tests {
		for jitter, want := range map[float64]time.Duration{-1: tt.least, 0: tt.middle, 1: tt.most, -7: tt.least, 7: tt.most} {
			if got, again := Next(tt.attempts, noon, 0, jitter); !again || !got.Equal(noon.Add(want)) {
				t.Errorf("after %d attempts, jitter %v: %v %v, want %v", tt.attempts, jitter, got.Sub(noon), again, want)
			}
		}
		together += tt.middle
	}
	if want := 75*time.Hour + 35*time.Minute + 5*time.Second; together != want || len(tests) != Attempts-1 {
		t.Errorf("%v together, want %v", together, want)
	}
	for _, attempts := range []int{10, 11, 1000} {
		if got, again := Next(attempts, noon, time.Hour, 0); again || !got.IsZero() {
			t.Errorf("after %d attempts there is another: %v", attempts, got)
		}
	}
	if got, again := Next(0, noon, 0, 1); !again || !got.Equal(noon) {
		t.Errorf("the first attempt waits: %v", got)
	}
}

func TestNext_RetryAfter(t *testing.T) {
	t.Parallel()
	tests := []struct {
		attempts   int
		retryAfter time.Duration
		jitter     float64
		want       time.Duration
	}{
		{1, time.Minute, 0, time.Minute},     // later than the schedule
		{1, time.Minute, 1, time.Minute},     // exactly what was asked for
		{1, time.Second, 0, 5 * time.Second}, // earlier
		{2, 5*time.Minute + 1, 0, 5*time.Minute + 1},
		{1, 25 * time.Hour, 0, 24 * time.Hour}, // no more than a day
		{1, math.MaxInt64, 0, 24 * time.Hour},
		{9, 48 * time.Hour, 1, 1728 * time.Minute}, // the schedule is later than a day
		{9, 48 * time.Hour, -1, 24 * time.Hour},
		{3, -time.Hour, 0, 30 * time.Minute},
	}
	for _, tt := range tests {
		if got, again := Next(tt.attempts, noon, tt.retryAfter, tt.jitter); !again || got.Sub(noon) != tt.want {
			t.Errorf("%d %v %v: %v, want %v", tt.attempts, tt.retryAfter, tt.jitter, got.Sub(noon), tt.want)
		}
	}
}

func TestParseRetryAfter(t *testing.T) {
	t.Parallel()
	tests := map[string]time.Duration{
		"":                                  0,
		"0":                                 0,
		"120":                               2 * time.Minute,
		" 120 ":                             2 * time.Minute,
		"99999999999999999999999999":        math.MaxInt32 * time.Second, // the largest that is read
		"-5":                                0,
		"+5":                                0,
		"1.5":                               0,
		"5s":                                0,
		"soon":                              0,
		"0x10":                              0,
		"Wed, 04 Mar 2026 12:00:30 GMT":     30 * time.Second,
		"Wednesday, 04-Mar-26 12:00:30 GMT": 30 * time.Second,
		"Wed Mar  4 12:00:30 2026":          30 * time.Second,
		"Wed, 04 Mar 2026 11:59:59 GMT":     0,
		"Wed, 04 Mar 2026 13:00:00 +0100":   0,
		"2026-03-04T12:00:30Z":              0,
	}
	for value, want := range tests {
		if got := ParseRetryAfter(value, noon); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}
