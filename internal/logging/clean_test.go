package logging

import (
	"encoding/json"
	"net/netip"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestClean(t *testing.T) {
	t.Parallel()
	const key = "plm_CIkcE7lptpp24UC0aKyEsO88gcqGpW1jL9BX"
	for _, tt := range []struct {
		text  string
		limit int
		want  string
	}{
		{"/api/v1/tools", 100, "/api/v1/tools"},
		{"é" + strings.Repeat("x", 10), 5, "éxxxx"},
		{"a\r\nlevel=INFO\x1b[31m\u2028\u202e\x85\xff", 100, "a��level=INFO�[31m����"},
		{"/a/" + key + "/b", 100, "/a/plm_***/b"},
		{key + key, 100, "plm_***"},
		{"plm%5Fabc, plm%5fdef", 100, "plm_***, plm_***"},
		{"plm_%41bc", 100, "plm_***"},
		{"plm_ plmx plm", 100, "plm_ plmx plm"},
		{strings.Repeat("x", 10) + key, 14, strings.Repeat("x", 10) + "plm_"},
	} {
		got := Clean(tt.text, tt.limit)
		testkit.Equal(t, tt.text, got, tt.want)
		var decoded string
		if err := json.Unmarshal(AppendJSON(nil, tt.text, tt.limit), &decoded); err != nil || decoded != got {
			t.Errorf("%q in JSON is %q, %v", tt.text, decoded, err)
		}
	}
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"203.0.113.77":              "203.0.113.0/24",
		"::ffff:203.0.113.77":       "203.0.113.0/24",
		"2001:db8:1:2:3:4:5:6":      "2001:db8:1::/48",
		"fe80::1234%eth0":           "fe80::/48",
		"::1":                       "::/48",
		"ffff:ffff:ffff:ffff::ffff": "ffff:ffff:ffff::/48",
	} {
		testkit.Equal(t, addr, Network(netip.MustParseAddr(addr)), want)
	}
	testkit.Equal(t, "no address", Network(netip.Addr{}), "")
}
