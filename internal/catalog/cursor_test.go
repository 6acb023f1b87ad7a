package catalog

import "testing"

func TestCursor(t *testing.T) {
	t.Parallel()
	const id = "9f2c41d0-7a3b-4615-8e2f-0123456789ab"
	for want, c := range map[string]Cursor{
		"0": {}, "7": {Seq: 7}, "1042-9f2c41d07a3b4615": NewCursor(1042, id), "9223372036854775807": {Seq: 1<<63 - 1},
	} {
		if c.String() != want {
			t.Errorf("%+v is written %s, want %s", c, c, want)
		}
		if got, ok := ParseCursor(want); !ok || got != c {
			t.Errorf("%s is read as %+v, %v", want, got, ok)
		}
	}
	if c := NewCursor(0, id); c != (Cursor{}) {
		t.Errorf("the beginning is %s", c)
	}
	for _, text := range []string{
		"", "-", "-1", "+1", "01", " 1", "1 ", "1-", "x", "demain", "0-9f2c41d07a3b4615", "1-9f2c41d07a3b461", "1-9f2c41d07a3b46150",
		"1-9F2C41D07A3B4615", "1-9f2c41d07a3b461g", "1-9f2c41d0-7a3b461", "9223372036854775808", "1e3", "1.0",
	} {
		if c, ok := ParseCursor(text); ok {
			t.Errorf("%q is read as %s", text, c)
		}
	}
}
