package web

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

func TestParseProxies(t *testing.T) {
	t.Parallel()
	got, err := ParseProxies([]string{" 10.1.2.3/8", "192.0.2.1", "", "2001:db8::/32", "::1", "::ffff:172.16.0.0/108"})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, prefix := range got {
		texts = append(texts, prefix.String())
	}
	if s := strings.Join(texts, " "); s != "10.0.0.0/8 192.0.2.1/32 2001:db8::/32 ::1/128 172.16.0.0/12" {
		t.Errorf("got %s", s)
	}
	for _, bad := range []string{"10.0.0.0/33", "example.com", "10.0.0/8", "0.0.0.0/0", "::/0", "::ffff:0:0/90", "::ffff:0:0/96", "fe80::1%eth0/64"} {
		if got, err := ParseProxies([]string{bad}); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%s: got %v, %v", bad, got, err)
		}
	}
}

func TestClientAddr(t *testing.T) {
	t.Parallel()
	proxies, err := ParseProxies([]string{"10.0.0.0/8", "2001:db8:aaaa::/48"})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name      string
		peer      string
		forwarded []string
		want      string
	}{
		{"no proxy", "203.0.113.9:1234", nil, "203.0.113.9"},
		{"an untrusted peer's header counts for nothing", "203.0.113.9:1234", []string{"1.1.1.1"}, "203.0.113.9"},
		{"IPv6", "[2001:db8::9]:1234", nil, "2001:db8::9"},
		{"a zone is dropped", "[fe80::1%eth0]:1234", nil, "fe80::1"},
		{"a mapped peer", "[::ffff:203.0.113.9]:1234", nil, "203.0.113.9"},
		{"a peer without a port", "203.0.113.9", nil, "203.0.113.9"},
		{"a Unix socket", "@", []string{"1.1.1.1"}, "invalid IP"},
		{"no peer", "", []string{"1.1.1.1"}, "invalid IP"},

		{"trusted without a header", "10.0.0.1:1", nil, "10.0.0.1"},
		{"trusted", "10.0.0.1:1", []string{"203.0.113.9"}, "203.0.113.9"},
		{"a mapped proxy", "[::ffff:10.0.0.1]:1", []string{"203.0.113.9"}, "203.0.113.9"},
		{"an IPv6 proxy", "[2001:db8:aaaa::1]:1", []string{"203.0.113.9"}, "203.0.113.9"},
		{"two proxies", "10.0.0.1:1", []string{"203.0.113.9, 10.0.0.2"}, "203.0.113.9"},
		{"the client's own entry is not read", "10.0.0.1:1", []string{"1.1.1.1, 203.0.113.9, 10.0.0.2"}, "203.0.113.9"},
		{"the client claims to be a proxy", "10.0.0.1:1", []string{"1.1.1.1, 10.9.9.9, 203.0.113.9"}, "203.0.113.9"},
		{"lines are joined in order", "10.0.0.1:1", []string{"1.1.1.1", "203.0.113.9", "10.0.0.2"}, "203.0.113.9"},
		{"nothing but proxies", "10.0.0.1:1", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		{"a mapped entry", "10.0.0.1:1", []string{"::ffff:203.0.113.9"}, "203.0.113.9"},
		{"a mapped trusted entry", "10.0.0.1:1", []string{"203.0.113.9, ::ffff:10.0.0.2"}, "203.0.113.9"},
		{"an entry's zone", "10.0.0.1:1", []string{"fe80::1%eth0"}, "fe80::1"},
		{"a zone does not hide a proxy", "10.0.0.1:1", []string{"203.0.113.9, 2001:db8:aaaa::2%x"}, "203.0.113.9"},
		{"an IPv4 port", "10.0.0.1:1", []string{"1.2.3.4:567"}, "1.2.3.4"},
		{"an IPv6 port", "10.0.0.1:1", []string{"[::1]:5"}, "::1"},
		{"brackets without a port", "10.0.0.1:1", []string{"[2001:db8::9]"}, "2001:db8::9"},
		{"spaces and tabs", "10.0.0.1:1", []string{"1.1.1.1 ,\t 203.0.113.9 \t"}, "203.0.113.9"},

		{"garbage", "10.0.0.1:1", []string{"unknown"}, "10.0.0.1"},
		{"garbage left of a proxy", "10.0.0.1:1", []string{"203.0.113.9, unknown, 10.0.0.2"}, "10.0.0.2"},
		{"garbage left of the client", "10.0.0.1:1", []string{"<script>, 203.0.113.9"}, "203.0.113.9"},
		{"an empty line", "10.0.0.1:1", []string{""}, "10.0.0.1"},
		{"an empty entry", "10.0.0.1:1", []string{"203.0.113.9,, 10.0.0.2"}, "10.0.0.2"},
		{"a trailing comma", "10.0.0.1:1", []string{"203.0.113.9,"}, "10.0.0.1"},
		{"half a bracket", "10.0.0.1:1", []string{"[::1"}, "10.0.0.1"},
		{"one bracket", "10.0.0.1:1", []string{"["}, "10.0.0.1"},
		{"empty brackets", "10.0.0.1:1", []string{"[]"}, "10.0.0.1"},
		{"IPv4 in brackets", "10.0.0.1:1", []string{"[1.2.3.4]"}, "10.0.0.1"},
		{"a bad port", "10.0.0.1:1", []string{"1.2.3.4:99999"}, "10.0.0.1"},
		{"leading zeros", "10.0.0.1:1", []string{"010.0.0.2"}, "10.0.0.1"},
		{"a number", "10.0.0.1:1", []string{"3232235777"}, "10.0.0.1"},
		{"quotes", "10.0.0.1:1", []string{`"1.2.3.4"`}, "10.0.0.1"},
		{"a line break", "10.0.0.1:1", []string{"1.2.3.4\n"}, "10.0.0.1"},
		{"a long entry", "10.0.0.1:1", []string{strings.Repeat("1", 10_000)}, "10.0.0.1"},

		{"10,000 entries from the client", "10.0.0.1:1", []string{strings.Repeat("1.1.1.1,", 10_000) + "203.0.113.9"}, "203.0.113.9"},
		{"10,000 proxies", "10.0.0.1:1", []string{"203.0.113.9" + strings.Repeat(",10.0.0.2", 10_000)}, "10.0.0.2"},
		{"10,000 lines", "10.0.0.1:1", strings.Split("203.0.113.9"+strings.Repeat(",10.0.0.2", 10_000), ","), "10.0.0.2"},
		{"10,000 commas", "10.0.0.1:1", []string{strings.Repeat(",", 10_000)}, "10.0.0.1"},
		{"as many proxies as are read", "10.0.0.1:1", []string{"203.0.113.9" + strings.Repeat(",10.0.0.2", maxForwarded-1)}, "203.0.113.9"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := &http.Request{RemoteAddr: tt.peer, Header: http.Header{"X-Forwarded-For": tt.forwarded}}
			if got := proxies.ClientAddr(r).String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func FuzzClientAddr(f *testing.F) {
	f.Add("10.0.0.1:1", "1.2.3.4, [::1]:5")
	f.Add("10.0.0.1:1", "[,]")
	proxies := Proxies{netip.MustParsePrefix("10.0.0.0/8")}
	f.Fuzz(func(t *testing.T, peer, forwarded string) {
		addr := proxies.ClientAddr(&http.Request{RemoteAddr: peer, Header: http.Header{"X-Forwarded-For": {forwarded}}})
		if addr.Is4In6() || addr.Zone() != "" {
			t.Errorf("%v is not in its one form", addr)
		}
	})
}

func TestWideProxies(t *testing.T) {
	t.Parallel()
	p, err := ParseProxies([]string{"10.0.0.0/8", "64.0.0.0/7", "fd00::/16", "fc00::/7", "::ffff:0.0.0.0/100", "::1", "192.0.2.1"})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(p.Wide()); got != "[64.0.0.0/7 fc00::/7 0.0.0.0/4]" {
		t.Errorf("wide networks: %s", got)
	}
}
