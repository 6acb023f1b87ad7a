package quota

import (
	"encoding/hex"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/testkit"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// bare returns the subject without the pointer to its count.
func (s Subject) bare() Subject {
	s.count = nil
	return s
}

func TestAddressSubject_IsTheNetwork(t *testing.T) {
	t.Parallel()
	key := func(addr string) string {
		var a netip.Addr
		if addr != "" {
			a = netip.MustParseAddr(addr)
		}
		return addressSubject([]byte("a secret"), a, noon).key
	}
	for _, same := range [][2]string{
		{"192.0.2.1", "::ffff:192.0.2.1"},
		{"192.0.2.1", "::ffff:c000:201"},
		{"2001:db8:1:2::", "2001:db8:1:2::1"},
		{"2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff"},
		{"fe80::1", "fe80::1%eth0"},
		{"fe80::1%eth0", "fe80::2%eth1"},
	} {
		if key(same[0]) != key(same[1]) {
			t.Errorf("%q and %q are counted apart", same[0], same[1])
		}
	}
	seen := map[string]string{}
	for _, addr := range []string{
		"192.0.2.1", "192.0.2.2", "192.0.3.1", "2001:db8:1:2::1", "2001:db8:1:3::1", "2001:db8:2:2::1",
		"", "::", "0.0.0.0", "255.255.255.255",
		// The day follows the address in the HMAC: neither may be mistaken for the other.
		"2001:db8::", "3230:3236:3033:3134::",
	} {
		if other, ok := seen[key(addr)]; ok {
			t.Errorf("%q and %q are counted together", addr, other)
		}
		seen[key(addr)] = addr
	}
}

func TestAddressSubject_IsUnreadable(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^palmares:quota:20260314:address:([A-Za-z0-9_-]{16})$`)
	for _, text := range []string{"192.0.2.1", "::ffff:192.0.2.1", "2001:db8:1:2::1", "fe80::1%eth0"} {
		addr := netip.MustParseAddr(text)
		key := addressSubject([]byte("a secret"), addr, noon).key
		match := form.FindStringSubmatch(key)
		if match == nil {
			t.Fatalf("%s: key %q", text, key)
		}
		for _, readable := range []string{text, addr.Unmap().String(), hex.EncodeToString(addr.Unmap().AsSlice())} {
			if strings.Contains(match[1], readable) {
				t.Errorf("%s: key %q holds %q", text, key, readable)
			}
		}
		if addressSubject([]byte("another secret"), addr, noon).key == key {
			t.Errorf("%s: the key does not depend on the secret", text)
		}
		if strings.HasSuffix(addressSubject([]byte("a secret"), addr, noon.AddDate(0, 0, 1)).key, match[1]) {
			t.Errorf("%s: tomorrow's counter can be matched with today's", text)
		}
	}
}

func TestSubjects_EndAtMidnightUTC(t *testing.T) {
	t.Parallel()
	for now, want := range map[string][2]string{ // the account's key and the reset
		"2026-03-14T00:00:00Z":           {"20260314", "2026-03-15T00:00:00Z"},
		"2026-03-14T23:59:59.999999999Z": {"20260314", "2026-03-15T00:00:00Z"},
		"2026-12-31T12:00:00Z":           {"20261231", "2027-01-01T00:00:00Z"},
		"2028-02-28T12:00:00Z":           {"20280228", "2028-02-29T00:00:00Z"},
		"2026-03-29T01:30:00+02:00":      {"20260328", "2026-03-29T00:00:00Z"}, // summer time begins in Paris
	} {
		at, err := time.Parse(time.RFC3339Nano, now)
		testkit.Must(t, err)
		account, address := accountSubject("a", at), addressSubject(nil, netip.MustParseAddr("192.0.2.1"), at)
		testkit.Equal(t, "the account's key at "+now, account.key, "palmares:quota:"+want[0]+":account:a")
		testkit.Equal(t, "the account's reset at "+now, account.Reset().Format(time.RFC3339), want[1])
		testkit.Equal(t, "the address's reset at "+now, address.Reset().Format(time.RFC3339), want[1])
		testkit.Equal(t, "how long an address is kept", address.expires.Sub(address.reset), time.Hour)
		testkit.Equal(t, "how long an account is kept", account.expires.Sub(account.reset), 35*24*time.Hour)
	}
}

// clockedMeter returns a meter whose clock shows the Unix nanoseconds of now.
func clockedMeter(now *atomic.Int64) *Meter {
	return New(Options{
		Secret: []byte("s"), Logger: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return time.Unix(0, now.Load()).UTC() },
	})
}

// Whatever the clock does, forwards or backwards over midnights, a cached subject is the one that
// would be created.
func TestSubjectCache_IsOfTheDay(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	m := clockedMeter(&now)
	addr := netip.MustParseAddr("192.0.2.1")
	midnight := time.Date(2026, 3, 15, 0, 0, 0, 0, time.UTC)
	random := rand.New(rand.NewPCG(1, 1))
	for i := range 2_000 {
		at := midnight.Add(time.Duration(i%2 - 1)) // just before and at midnight
		if i >= 6 {
			at = midnight.AddDate(0, 0, random.IntN(7)-3).Add(time.Duration(random.IntN(5) - 2))
		}
		now.Store(at.UnixNano())
		for range 2 { // created, then cached
			testkit.Equal(t, "account", m.Account("a").bare(), accountSubject("a", at))
			testkit.Equal(t, "address", m.Address(addr).bare(), addressSubject([]byte("s"), addr, at))
		}
		testkit.Equal(t, "cached subjects", len(m.subjects.subjects), 2)
	}
}

// More callers in a day than the cache holds still have a subject each.
func TestSubjectCache_IsBounded(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	now.Store(noon.UnixNano())
	m := clockedMeter(&now)
	largest := 0
	for i := range 2*maxSubjects + maxSubjects/2 {
		id := strconv.Itoa(i)
		if got := m.Account(id); got.key != "palmares:quota:20260314:account:"+id {
			t.Fatalf("account %s has the counter %s", id, got.key)
		}
		largest = max(largest, len(m.subjects.subjects))
	}
	testkit.Equal(t, "most subjects at once", largest, maxSubjects)
	testkit.Equal(t, "a subject that was evicted", m.Account("0").bare(), accountSubject("0", noon))
}

// While the day changes back and forth, every subject is its caller's and of one of the two days.
func TestSubjectCache_IsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	midnight := time.Date(2026, 3, 15, 0, 0, 0, 0, time.UTC)
	days := [2]time.Time{midnight.Add(-1), midnight}
	var now, moves atomic.Int64
	now.Store(days[0].UnixNano())
	m := clockedMeter(&now)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 3_000 {
				if i%50 == 0 {
					now.Store(days[moves.Add(1)%2].UnixNano())
				}
				id := strconv.Itoa((w + i) % 40)
				addr := netip.AddrFrom4([4]byte{192, 0, 2, byte((w + i) % 40)})
				got := m.Account(id).bare()
				if got != accountSubject(id, days[0]) && got != accountSubject(id, days[1]) {
					t.Errorf("subject %v of %s is of neither day", got, id)
				}
				got, secret := m.Address(addr).bare(), []byte("s")
				if got != addressSubject(secret, addr, days[0]) && got != addressSubject(secret, addr, days[1]) {
					t.Errorf("subject %v of %s is of neither day", got, addr)
				}
			}
		})
	}
	wg.Wait()
}

// Counters of networks and hourly limits go on under the keys that the program of 16 November 2026 gave
// them: an update starts no quota over.
func TestVectors(t *testing.T) {
	t.Parallel()
	secret := []byte("never-shown-0123456789abcdef0123456789")
	at := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	for address, want := range map[string]string{
		"192.0.2.7": "1dMgUXz-CFRdShRH", "2001:db8:1:2:3::4": "LRbEcqR6tYxFLl-k",
	} {
		testkit.Equal(t, address, addressSubject(secret, netip.MustParseAddr(address), at).key, "palmares:quota:20261116:address:"+want)
	}
	testkit.Equal(t, "no address", addressSubject(secret, netip.Addr{}, at).key, "palmares:quota:20261116:address:wauy4Oyv8stGHum0")
	testkit.Equal(t, "hourly limit", (&Hourly{o: HourlyOptions{Secret: secret}}).key(hourly("mail", 1), "ada@example.org"),
		"palmares:hourly:zGq9pAFAP6f7jMI-OcbBDg")
}
