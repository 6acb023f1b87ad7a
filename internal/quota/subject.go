package quota

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// A Subject is whose requests are counted together on one day.
type Subject struct {
	key     string    // of the counter
	expires time.Time // when the counter may go
	reset   time.Time // when the next day begins

	count *atomic.Pointer[count] // where its count was last found; nil is fine
}

// Reset is when the subject's quota begins anew.
func (s Subject) Reset() time.Time { return s.reset }

// How long counters outlive their day. Those of accounts are the usage history.
const (
	keepAddress = time.Hour
	keepAccount = 35 * 24 * time.Hour
)

func day(now time.Time) (name string, reset time.Time) {
	now = now.UTC()
	reset = time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, time.UTC)
	return now.Format("20060102"), reset
}

// accountKey is the counter's key of an account on the day of t.
func accountKey(account string, t time.Time) string {
	name, _ := day(t)
	return "palmares:quota:" + name + ":account:" + account
}

func accountSubject(account string, now time.Time) Subject {
	_, reset := day(now)
	return Subject{key: accountKey(account, now), expires: reset.Add(keepAccount), reset: reset}
}

// addressSubject counts an IPv4 address by itself and an IPv6 address with its /64,
// which is what one customer of a provider has.
func addressSubject(secret []byte, addr netip.Addr, now time.Time) Subject {
	addr = addr.Unmap().WithZone("")
	bits := 64
	if addr.Is4() {
		bits = 32
	}
	name, reset := day(now)
	mac := hmac.New(sha256.New, secret)
	if network, err := addr.Prefix(bits); err == nil && addr.IsValid() { // no address at all is a subject too
		b := network.Addr().As16()
		mac.Write(b[:])
	}
	mac.Write([]byte(name))
	id := base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:12])
	return Subject{key: "palmares:quota:" + name + ":address:" + id, expires: reset.Add(keepAddress), reset: reset}
}

// who is a caller, on whatever day.
type who struct {
	account string
	address netip.Addr
}

// subjects remembers those of one day, so that the HMAC of an address, or the key of
// an account, is made once and not for every request.
type subjects struct {
	mu    sync.RWMutex
	reset time.Time // the end of the day
	known map[who]Subject
}

// mostSubjects bounds what is remembered. When it is full all is forgotten: making a
// subject anew costs a microsecond.
const mostSubjects = 100_000

func (d *subjects) get(w who, now time.Time, fresh func(time.Time) Subject) Subject {
	d.mu.RLock()
	s, ok := d.known[w]
	ok = ok && now.Before(d.reset) && !now.Before(d.reset.Add(-24*time.Hour))
	d.mu.RUnlock()
	if ok {
		return s
	}
	s = fresh(now)
	s.count = new(atomic.Pointer[count])
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.reset.Equal(s.reset) || len(d.known) >= mostSubjects {
		d.known, d.reset = make(map[who]Subject), s.reset
	}
	d.known[w] = s
	return s
}
