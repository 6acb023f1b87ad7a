package main

import "testing"

func TestVerifyAgent(t *testing.T) {
	t.Parallel()
	for want, c := range map[string][2]string{
		"Palmares-verify/1.2.3 (+https://palmares.example)":            {"1.2.3", "https://palmares.example"},
		"Palmares-verify/devel (+https://palmares.example)":            {"(devel)", "https://palmares.example"},
		"Palmares-verify (+https://palmares.example/%C3%A9t%C3%A9%29)": {"", "https://palmares.example/été)"},
	} {
		if got := verifyAgent(c[0], c[1]); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
