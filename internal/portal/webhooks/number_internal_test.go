package webhooks

import "testing"

// Numbers are read as the pages of both languages write them. What groups them must group thousands:
// 1,5 is not 15.
func TestParseSeq(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"1": 1, "1042": 1042, "1,042": 1042, "1 042": 1042, "1\u00a0042": 1042, "1\u202f042": 1042, "12,345,678": 12_345_678, "123,456": 123_456,

		"": 0, "0": 0, "-1": 0, "+1": 0, "x": 0, "1,5": 0, "1,04": 0, "1,0422": 0, "1042,": 0, ",042": 0, "1,,042": 0, "1.042": 0, "1e3": 0,
		"1, 042": 0, "1234,567": 0, "1,2,3": 0, "99999999999999999999": 0,
	} {
		if got, ok := parseSeq(text); got != want || ok != (want > 0) {
			t.Errorf("%q is %d, %v; want %d", text, got, ok, want)
		}
	}
}
