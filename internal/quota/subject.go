package quota

import (
	"encoding/base64"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/palmares-hq/palmares/internal/limit"
	"github.com/palmares-hq/palmares/internal/secrets"
)

// A Subject is an account or a network whose requests are counted together: on one UTC day, or in one hour.
type Subject struct {
	key     string    // of the counter
	expires time.Time // when the counter may be deleted
	reset   time.Time // when the next day or hour begins

	count *atomic.Pointer[count] // its last known count in the table; may be nil
}

// Reset returns when the subject's quota starts over.
func (s Subject) Reset() time.Time { return s.reset }

// KeepAddress and KeepUsage are how long counters outlive their day. Those of accounts are the
// usage history.
const (
	KeepAddress = time.Hour
	KeepUsage   = 35 * 24 * time.Hour
)

func day(now time.Time) (name string, reset time.Time) {
	now = now.UTC()
	reset = time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, time.UTC)
	return now.Format("20060102"), reset
}

// accountKey returns the key of an account's counter on the day of t.
func accountKey(account string, t time.Time) string {
	name, _ := day(t)
	return "palmares:quota:" + name + ":account:" + account
}

func accountSubject(account string, now time.Time) Subject {
	_, reset := day(now)
	return Subject{key: accountKey(account, now), expires: reset.Add(KeepUsage), reset: reset}
}

// addressSubject returns the subject of an address, which is counted with all of its network.
func addressSubject(secret []byte, addr netip.Addr, now time.Time) Subject {
	name, reset := day(now)
	text := name
	if network := networkOf(addr); network.IsValid() { // the zero Addr counts too
		b := network.Addr().As16()
		text = string(b[:]) + name
	}
	id := base64.RawURLEncoding.EncodeToString(secrets.Key(secret).MAC(text)[:12])
	key := "palmares:quota:" + name + ":address:" + id
	return Subject{key: key, expires: reset.Add(KeepAddress), reset: reset}
}

// siteSubject returns the subject of the site of an address within the period of a limit. Periods begin at whole hours
// of UTC if the limit is of an hour.
func siteSubject(secret []byte, l limit.Limit, site netip.Prefix, now time.Time) Subject {
	began := now.UTC().Truncate(l.Within)
	period := began.Format("20060102T1504")
	id := secrets.Key(secret).MAC("palmares site\x00" + l.Name + "\x00" + period + "\x00" + site.String())
	reset := began.Add(l.Within)
	return Subject{
		key:     "palmares:quota:" + period + ":site:" + base64.RawURLEncoding.EncodeToString(id[:12]),
		expires: reset.Add(KeepAddress), reset: reset,
	}
}

// NetworkOf returns the network that an address is counted with: an IPv4 address itself, or the /64
// of an IPv6 address, the prefix that a provider assigns to one customer. Hourly limits take it as
// a subject.
func NetworkOf(addr netip.Addr) string { return networkOf(addr).String() }

func networkOf(addr netip.Addr) netip.Prefix {
	addr = addr.Unmap().WithZone("")
	bits := 64
	if addr.Is4() {
		bits = 32
	}
	network, err := addr.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return network
}

// A caller is an account, an address or, for a limit, a site, at any time.
type caller struct {
	account string
	address netip.Addr
	limit   string
	site    netip.Prefix
}

// A subjectCache holds the subjects of one day or hour, so that the HMAC of an address and the key of an
// account are not computed for every request.
type subjectCache struct {
	span     time.Duration // a day or an hour
	mu       sync.RWMutex
	reset    time.Time // the end of it
	subjects map[caller]Subject
}

// maxSubjects bounds the cache. When it is full it is emptied: recreating a subject takes a
// microsecond.
const maxSubjects = 100_000

func (c *subjectCache) get(who caller, now time.Time, create func(time.Time) Subject) Subject {
	c.mu.RLock()
	s, ok := c.subjects[who]
	ok = ok && now.Before(c.reset) && !now.Before(c.reset.Add(-c.span))
	c.mu.RUnlock()
	if ok {
		return s
	}
	s = create(now)
	s.count = new(atomic.Pointer[count])
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.reset.Equal(s.reset) || len(c.subjects) >= maxSubjects {
		c.subjects, c.reset = make(map[caller]Subject), s.reset
	}
	c.subjects[who] = s
	return s
}
