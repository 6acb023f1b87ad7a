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
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// alone is the subject without the way to its count.
func (s Subject) alone() Subject {
	s.count = nil
	return s
}

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
	if got, want := accountKey("acc_1", noon), "palmares:quota:20260314:account:acc_1"; got != want {
		t.Errorf("key %q, want %q", got, want)
	}
	paris := time.FixedZone("UTC+2", 2*60*60)
	if got, want := accountKey("acc_1", time.Date(2026, 7, 1, 1, 59, 59, 0, paris)), "palmares:quota:20260630:account:acc_1"; got != want {
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

// clockedMeter is a meter whose clock says what now points at.
func clockedMeter(now *atomic.Int64) *Meter {
	return New(Options{
		Secret: []byte("s"), Logger: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return time.Unix(0, now.Load()).UTC() },
	})
}

// TestRememberedSubjectsAreOfTheDay moves the clock over midnights, in both directions:
// a subject that is remembered is the one that would be made.
func TestRememberedSubjectsAreOfTheDay(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	m := clockedMeter(&now)
	addr := netip.MustParseAddr("192.0.2.1")
	look := func(at time.Time) (account, address Subject) {
		t.Helper()
		now.Store(at.UnixNano())
		for range 2 { // made and remembered
			account, address = m.Account("a").alone(), m.Address(addr).alone()
			if want := accountSubject("a", at); account != want {
				t.Fatalf("at %v: account %v, want %v", at, account, want)
			}
			if want := addressSubject([]byte("s"), addr, at); address != want {
				t.Fatalf("at %v: address %v, want %v", at, address, want)
			}
		}
		return account, address
	}
	midnight := time.Date(2026, 3, 15, 0, 0, 0, 0, time.UTC)
	for range 3 {
		account, address := look(midnight.Add(-1))
		nextAccount, nextAddress := look(midnight) // forth, and back with the next round
		if account == nextAccount || address == nextAddress {
			t.Error("the day after has the same subject")
		}
		if len(m.today.known) != 2 {
			t.Errorf("%d subjects are remembered, want 2", len(m.today.known))
		}
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range 2_000 {
		days, near := random.IntN(7)-3, time.Duration(random.IntN(5)-2)
		look(midnight.AddDate(0, 0, days).Add(near))
	}
}

// TestSubjectsAreForgottenWhenThereAreTooMany: more callers in a day than are
// remembered; each has its own subject all the same.
func TestSubjectsAreForgottenWhenThereAreTooMany(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	now.Store(noon.UnixNano())
	m := clockedMeter(&now)
	most := 0
	for i := range 2*mostSubjects + mostSubjects/2 {
		id := strconv.Itoa(i)
		if got := m.Account(id); got.key != "palmares:quota:20260314:account:"+id {
			t.Fatalf("account %s has the counter %s", id, got.key)
		}
		most = max(most, len(m.today.known))
	}
	if most != mostSubjects {
		t.Errorf("%d subjects were remembered at once, want %d", most, mostSubjects)
	}
	if got := m.Account("0").alone(); got != accountSubject("0", noon) {
		t.Errorf("after it was forgotten: %v", got)
	}
}

// TestSubjectsOfManyCallersAtOnce asks from eight goroutines while the day changes
// back and forth: a subject is its caller's, and of one of the two days throughout.
func TestSubjectsOfManyCallersAtOnce(t *testing.T) {
	t.Parallel()
	midnight := time.Date(2026, 3, 15, 0, 0, 0, 0, time.UTC)
	days := [2]time.Time{midnight.Add(-1), midnight}
	var now, moves atomic.Int64
	now.Store(days[0].UnixNano())
	m := clockedMeter(&now)
	var wg sync.WaitGroup
	var seen [2]atomic.Int64
	for w := range 8 {
		wg.Go(func() {
			for i := range 3_000 {
				if i%50 == 0 {
					now.Store(days[moves.Add(1)%2].UnixNano())
				}
				id := strconv.Itoa((w + i) % 40)
				addr := netip.AddrFrom4([4]byte{192, 0, 2, byte((w + i) % 40)})
				for _, x := range []struct {
					got  Subject
					want func(time.Time) Subject
				}{
					{m.Account(id), func(at time.Time) Subject { return accountSubject(id, at) }},
					{m.Address(addr), func(at time.Time) Subject { return addressSubject([]byte("s"), addr, at) }},
				} {
					switch x.got.alone() {
					case x.want(days[0]):
						seen[0].Add(1)
					case x.want(days[1]):
						seen[1].Add(1)
					default:
						t.Errorf("subject %v of %s is of neither day", x.got, id)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	if seen[0].Load() == 0 || seen[1].Load() == 0 {
		t.Errorf("%d subjects of the first day, %d of the second", seen[0].Load(), seen[1].Load())
	}
}
