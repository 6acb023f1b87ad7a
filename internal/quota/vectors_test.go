package quota

import (
	"net/netip"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/testkit"
)

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
	testkit.Equal(t, "hourly limit", (&Hourly{o: HourlyOptions{Secret: secret}}).key("mail", "ada@example.org"),
		"palmares:hourly:zGq9pAFAP6f7jMI-OcbBDg")
}
