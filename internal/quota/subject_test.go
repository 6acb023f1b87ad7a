package quota

import (
	"encoding/hex"
	"log/slog"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func TestAddressSubjects(t *testing.T) {
	t.Parallel()
	secret := []byte("a secret")
	of := func(addr string) string {
		var a netip.Addr
		if addr != "" {
			a = netip.MustParseAddr(addr)
		}
		return addressSubject(secret, a, noon).key
	}
	for _, same := range [][2]string{
		{"192.0.2.1", "::ffff:192.0.2.1"},
		{"192.0.2.1", "::ffff:c000:201"},
		{"2001:db8:1:2::", "2001:db8:1:2::1"},
		{"2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff"},
		{"fe80::1", "fe80::1%eth0"},
		{"fe80::1%eth0", "fe80::2%eth1"},
		{"", ""},
	} {
		if of(same[0]) != of(same[1]) {
			t.Errorf("%q and %q are counted apart", same[0], same[1])
		}
	}
	apart := []string{
		"192.0.2.1", "192.0.2.2", "192.0.3.1", "2001:db8:1:2::1", "2001:db8:1:3::1", "2001:db8:2:2::1",
		"", "::", "0.0.0.0", "255.255.255.255",
		// What follows an address in the HMAC is the day: neither may stand in for the other.
		"2001:db8::", "3230:3236:3033:3134::",
	}
	seen := map[string]string{}
	for _, addr := range apart {
		if other, ok := seen[of(addr)]; ok {
			t.Errorf("%q and %q are counted together", addr, other)
		}
		seen[of(addr)] = addr
	}
}

func TestAddressKeysAreUnreadable(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^palmares:quota:20260314:address:[A-Za-z0-9_-]{16}$`)
	for _, text := range []string{"192.0.2.1", "::ffff:192.0.2.1", "2001:db8:1:2::1", "fe80::1%eth0"} {
		addr := netip.MustParseAddr(text)
		key := addressSubject([]byte("a secret"), addr, noon).key
		if !form.MatchString(key) {
			t.Errorf("%s: key %q", text, key)
		}
		id := key[strings.LastIndex(key, ":")+1:]
		for _, readable := range []string{text, addr.Unmap().String(), hex.EncodeToString(addr.Unmap().AsSlice())} {
			if strings.Contains(id, readable) {
				t.Errorf("%s: key %q holds %q", text, key, readable)
			}
		}
		if addressSubject([]byte("another secret"), addr, noon).key == key {
			t.Errorf("%s: the key does not depend on the secret", text)
		}
		tomorrow := addressSubject([]byte("a secret"), addr, noon.AddDate(0, 0, 1)).key
		if tomorrow[strings.LastIndex(tomorrow, ":")+1:] == id {
			t.Errorf("%s: tomorrow's counter can be matched with today's", text)
		}
	}
}

func TestAccountKey(t *testing.T) {
	t.Parallel()
	if got, want := AccountKey("acc_1", noon), "palmares:quota:20260314:account:acc_1"; got != want {
		t.Errorf("key %q, want %q", got, want)
	}
	paris := time.FixedZone("UTC+2", 2*60*60)
	if got, want := AccountKey("acc_1", time.Date(2026, 7, 1, 1, 59, 59, 0, paris)), "palmares:quota:20260630:account:acc_1"; got != want {
		t.Errorf("the day is not that of UTC: key %q, want %q", got, want)
	}
}

func TestDaysEndAtMidnightUTC(t *testing.T) {
	t.Parallel()
	for now, reset := range map[string]string{
		"2026-03-14T00:00:00Z":           "2026-03-15T00:00:00Z",
		"2026-03-14T23:59:59.999999999Z": "2026-03-15T00:00:00Z",
		"2026-12-31T12:00:00Z":           "2027-01-01T00:00:00Z",
		"2028-02-28T12:00:00Z":           "2028-02-29T00:00:00Z",
		"2026-03-29T01:30:00+02:00":      "2026-03-29T00:00:00Z", // summer time begins in Paris
	} {
		at, err := time.Parse(time.RFC3339Nano, now)
		if err != nil {
			t.Fatal(err)
		}
		account, address := accountSubject("a", at), addressSubject(nil, netip.MustParseAddr("192.0.2.1"), at)
		for _, s := range []Subject{account, address} {
			if got := s.Reset().Format(time.RFC3339); got != reset {
				t.Errorf("at %s: reset %s, want %s", now, got, reset)
			}
		}
		if got := address.expires.Sub(address.reset); got != time.Hour {
			t.Errorf("address counters outlive their day by %v", got)
		}
		if got := account.expires.Sub(account.reset); got != 35*24*time.Hour {
			t.Errorf("account counters outlive their day by %v", got)
		}
	}
}

// TestMidnight uses a quota up, and has a new one a nanosecond later.
func TestMidnight(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 14, 23, 59, 59, 999_999_999, time.UTC)
	m := New(Options{Secret: []byte("s"), Logger: slog.New(slog.DiscardHandler), Now: func() time.Time { return now }})
	subjects := map[string]func() Subject{
		"account": func() Subject { return m.Account("a") },
		"address": func() Subject { return m.Address(netip.MustParseAddr("192.0.2.1")) },
	}
	const limit = 3
	for name, subject := range subjects {
		for want := limit - 1; want >= 0; want-- {
			if d := m.Charge(subject(), limit); !d.Allowed || d.Remaining != want {
				t.Errorf("%s: %+v, want %d remaining", name, d, want)
			}
		}
		if d := m.Charge(subject(), limit); d.Allowed || d.Remaining != 0 {
			t.Errorf("%s over the limit: %+v", name, d)
		}
		if !m.Exhausted(subject(), limit) {
			t.Errorf("%s is not known to be used up", name)
		}
	}
	now = now.Add(time.Nanosecond)
	for name, subject := range subjects {
		if m.Exhausted(subject(), limit) {
			t.Errorf("%s is used up on the new day", name)
		}
		if d := m.Charge(subject(), limit); !d.Allowed || d.Remaining != limit-1 {
			t.Errorf("%s on the new day: %+v", name, d)
		}
	}
}
