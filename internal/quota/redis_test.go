package quota

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/redistest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// connected returns a counter that is connected to a Redis, and the test's own client of it.
func connected(t *testing.T, url string) (*Redis, testClient) {
	t.Helper()
	r, err := NewRedis(url)
	testkit.Must(t, err)
	t.Cleanup(r.Close)
	testkit.Must(t, r.Ping(t.Context()))
	return r, newClient(t, url)
}

// Whatever happens to a counter, its key always has an expiry, and never one that has passed.
func TestRedis_EveryCounterExpires(t *testing.T) {
	t.Parallel()
	r, c := connected(t, redistest.URL(t))
	for name, expires := range map[string]time.Time{
		"in two hours":  time.Now().Add(2 * time.Hour),
		"an hour ago":   time.Now().Add(-time.Hour), // the node's clock is slow
		"now":           time.Now(),
		"before 1970":   time.Unix(-10, 0),
		"the zero time": {},
	} {
		key := "palmares:quota:test:" + rand.Text()
		add := func(when string, first bool, want int) {
			t.Helper()
			if got, err := r.Add(t.Context(), key, expires, first); err != nil || got != want {
				t.Errorf("%s, %s: count %d, %v, want %d", name, when, got, err, want)
			}
			at := c.integer("EXPIRETIME", key)
			if earliest := time.Now().Add(KeepAddress - time.Minute); at < earliest.Unix() {
				t.Errorf("%s, %s: the key expires at %d", name, when, at)
			}
			if expires.After(time.Now()) && at != expires.Unix() {
				t.Errorf("%s, %s: the key expires at %d, want %d", name, when, at, expires.Unix())
			}
		}
		add("new", true, 1)
		add("again", false, 2)
		add("as if it were new", true, 3)
		c.do("DEL", key)
		add("after Redis lost it", false, 1)
		add("and again", false, 2)
		c.do("DEL", key)
		c.do("SET", key, "0", "EX", "7200", "NX") // Redis died between SET and INCR
		if got, err := r.Add(t.Context(), key, expires, true); err != nil || got != 1 || c.integer("TTL", key) <= 0 {
			t.Errorf("%s, after a crash: count %d, %v, TTL %d", name, got, err, c.integer("TTL", key))
		}
	}
}

// A charge passes the subject's expiry on, and again when Redis has lost a counter it knows.
func TestCharge_DatesTheCounter(t *testing.T) {
	t.Parallel()
	url := redistest.URL(t)
	n, c := startNodes(t, url, 1, patient)[0], newClient(t, url)
	for range 3 {
		subject := n.Account(rand.Text())
		for range 3 {
			n.Charge(subject, 100)
			testkit.Equal(t, "expiry", c.integer("EXPIRETIME", subject.key), subject.expires.Unix())
			c.do("DEL", subject.key)
		}
	}
}

func TestRemaining(t *testing.T) {
	t.Parallel()
	n := startNodes(t, redistest.URL(t), 1, patient)[0]
	used, unused := n.Account(rand.Text()), n.Account(rand.Text())
	for range 3 {
		n.Charge(used, 100)
	}
	for subject, want := range map[Subject]int{used: 3, unused: 0} {
		if got, err := n.redis.Count(t.Context(), subject.key); err != nil || got != want {
			t.Errorf("count %d, %v, want %d", got, err, want)
		}
		if remaining, known := n.Remaining(subject, 100); remaining != 100-want || !known {
			t.Errorf("%d remain, known %t, want %d", remaining, known, 100-want)
		}
	}
}

func TestNewRedis_RejectsWrongURLs(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"", "://", "http://user:hunter2@localhost", "redis://user:hunter2@host:6379/not-a-number",
		"redis://user:hunter2@ho st:6379", "redis://user:hunter2%zz@host:6379",
		"redis://:hunter2@host:6379?dial_timeout=x",
	} {
		_, err := NewRedis(url)
		if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "PALMARES_REDIS_URL") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

func TestRedis_NeverShowsThePassword(t *testing.T) {
	t.Parallel()
	s := redistest.NewServer(t) // asks for no password, so any is wrong
	n := startNode(t, "redis://somebody:hunter2@"+s.Addr(), DefaultWait)
	waitLocal(t, n)
	testkit.Equal(t, "String", n.redis.String(), "Redis at "+s.Addr())
	if text := n.log.String(); strings.Contains(text, "hunter2") || levels(text) != "WARN" {
		t.Errorf("log: %s", text)
	}
}

func TestRedis_Close(t *testing.T) {
	t.Parallel()
	used, _ := connected(t, redistest.URL(t))
	unused, err := NewRedis("redis://127.0.0.1:1")
	testkit.Must(t, err)
	for name, r := range map[string]*Redis{"used": used, "unused": unused} {
		r.Close()
		r.Close()
		_, add := r.Add(t.Context(), "palmares:quota:test:closed", time.Now().Add(time.Hour), true)
		_, count := r.Count(t.Context(), "palmares:quota:test:closed")
		if ping := r.Ping(t.Context()); ping == nil || add == nil || count == nil {
			t.Errorf("%s: closed, and answers: %v, %v, %v", name, ping, add, count)
		}
	}
}

func TestRedis_DownAtTheStart(t *testing.T) {
	t.Parallel()
	s := redistest.NewServer(t)
	s.Kill()
	n := startNode(t, s.URL(), time.Second)
	for i := range 10 {
		if d := n.Charge(n.Account("a"), 5); d.Allowed != (i < 5) {
			t.Errorf("charge %d: %+v", i, d)
		}
	}
	waitLocal(t, n)
	s.Start()
	waitShared(t, n)
	n.Charge(n.Account("b"), 5)
	testkit.Equal(t, "charges counted by Redis", n.shared.Load(), int64(1))
	testkit.Equal(t, "log levels", levels(n.log.String()), "WARN INFO")
}

// Charges before Run has connected do not keep the meter from finding Redis.
func TestMeter_ChargesBeforeRun(t *testing.T) {
	t.Parallel()
	for early := range 5 {
		r, err := NewRedis(redistest.URL(t))
		testkit.Must(t, err)
		shared := false
		m := New(Options{
			Counter: r, Logger: slog.New(slog.DiscardHandler), Wait: 10 * time.Second,
			Observe: func(byRedis bool, _ time.Duration) { shared = byRedis },
		})
		for range early {
			m.Charge(m.Account(rand.Text()), 5)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); m.Run(ctx) }()
		testkit.EventuallyTrue(t, "Redis is asked", func() bool {
			if m.Shared() == nil && r.client.Load() != nil {
				m.Charge(m.Account(rand.Text()), 5)
			}
			return shared
		})
		cancel()
		<-done
		r.Close()
	}
}

// Redis's own statistics show that it is not asked about a quota that is known to be used up.
func TestExhausted_AsksNobody(t *testing.T) {
	t.Parallel()
	s := redistest.NewServer(t)
	n, c := startNodes(t, s.URL(), 1, patient)[0], newClient(t, s.URL())
	const limit = 3
	subject := n.Account("a")
	for i := range limit {
		if n.Exhausted(subject, limit) {
			t.Errorf("used up after %d charges", i)
		}
		n.Charge(subject, limit)
	}
	if stats := c.text("INFO", "commandstats"); !strings.Contains(stats, "cmdstat_incr:calls=3,") {
		t.Fatalf("want 3 INCR:\n%s", stats)
	}
	c.do("CONFIG", "RESETSTAT")
	for range 10_000 {
		if d := n.Charge(subject, limit); d != (Decision{}) || !n.Exhausted(subject, limit) {
			t.Fatalf("%+v", d)
		}
		n.Exhausted(n.Account("unknown"), limit)
	}
	for line := range strings.Lines(c.text("INFO", "commandstats")) {
		switch command, _, _ := strings.Cut(line, ":"); command {
		case "cmdstat_info", "cmdstat_config|resetstat", "cmdstat_ping", "cmdstat_set": // the test's, rueidis's keep-alive, and the breaker's probe
		default:
			if strings.HasPrefix(command, "cmdstat_") {
				t.Errorf("Redis was asked: %q", line)
			}
		}
	}
}

// The deadline of the charge that opened a connection passes before Redis has said anything on it.
func TestDial_DeadlineBeforeTheHandshake(t *testing.T) {
	t.Parallel()
	s := redistest.NewServer(t)
	r, err := NewRedis(s.URL())
	testkit.Must(t, err)
	defer r.Close()
	r.option.DialCtxFn = closeIfSilent(func(ctx context.Context, addr string, d *net.Dialer, secure *tls.Config) (net.Conn, error) {
		conn, err := dialTCP(ctx, addr, d, secure)
		if _, ok := ctx.Deadline(); ok {
			<-ctx.Done()
		}
		return conn, err
	})
	testkit.Must(t, r.Ping(t.Context()))
	s.Kill()
	s.Start()
	thaw := s.Freeze()
	defer thaw()
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 25*time.Millisecond)
		started := time.Now()
		if _, err := r.Add(ctx, "palmares:quota:test:late", time.Now().Add(time.Hour), true); err == nil {
			t.Error("a frozen Redis counts")
		}
		cancel()
		holdTo(t, "a charge", time.Since(started), 500*time.Millisecond)
	}
}

// Once Redis has answered, a connection outlives the charge that opened it.
func TestDial_ConnectionsAreKept(t *testing.T) {
	t.Parallel()
	r, c := connected(t, redistest.NewServer(t).URL())
	c.do("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
	opened := func() string {
		_, after, _ := strings.Cut(c.text("INFO", "stats"), "total_connections_received:")
		number, _, _ := strings.Cut(after, "\r\n")
		return number
	}
	settled := ""
	for i := range 20 {
		if i == 6 { // those before found the connection dead and opened the next
			settled = opened()
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		_, err := r.Add(ctx, "palmares:quota:test:kept", time.Now().Add(time.Hour), true)
		cancel()
		if err != nil && i >= 6 {
			t.Errorf("charge %d: %v", i, err)
		}
		time.Sleep(time.Millisecond)
	}
	if now := opened(); now != settled || now == "" {
		t.Errorf("%s connections opened, %s before", now, settled)
	}
}
