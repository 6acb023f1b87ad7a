package quota

import (
	"context"
	"crypto/rand"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/redistest"
)

// TestEveryCounterExpires looks at the expiry after each charge.
func TestEveryCounterExpires(t *testing.T) {
	t.Parallel()
	url := redistest.URL(t)
	n := startPatientNode(t, url, 10*time.Second)
	waitShared(t, []*node{n}, 10*time.Second)
	c := dial(t, url)
	expiry := func(key string) int64 {
		at, err := do(t, c, "EXPIRETIME", key).AsInt64()
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	midnight := time.Now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	now := midnight.Add(-time.Minute) // and not this very moment, so that the day cannot end meanwhile
	for range 100 {
		account := accountSubject(rand.Text(), now)
		address := addressSubject([]byte(rand.Text()), netip.MustParseAddr("192.0.2.1"), now)
		for range 3 {
			n.Charge(account, 100)
			n.Charge(address, 100)
			if got, want := expiry(account.key), midnight.Add(35*24*time.Hour).Unix(); got != want {
				t.Fatalf("an account's counter expires at %d, want %d", got, want)
			}
			if got, want := expiry(address.key), midnight.Add(time.Hour).Unix(); got != want {
				t.Fatalf("an address's counter expires at %d, want %d", got, want)
			}
		}
	}
}

// TestAddNeverMakesAKeyForEver tries what would leave a key without an expiry.
func TestAddNeverMakesAKeyForEver(t *testing.T) {
	t.Parallel()
	url := redistest.URL(t)
	n := startPatientNode(t, url, 10*time.Second)
	waitShared(t, []*node{n}, 10*time.Second)
	c := dial(t, url)
	for name, expires := range map[string]time.Time{
		"an hour ago":  time.Now().Add(-time.Hour), // a node whose clock is late
		"now":          time.Now(),
		"1970":         time.Unix(0, 0),
		"before 1970":  time.Unix(-10, 0),
		"no time":      {},
		"in two hours": time.Now().Add(2 * time.Hour),
	} {
		key := "palmares:quota:test:" + rand.Text()
		for want := 1; want <= 3; want++ {
			got, err := n.redis.Add(t.Context(), key, expires, true)
			if err != nil || got != want {
				t.Errorf("%s: count %d, %v, want %d", name, got, err, want)
			}
			if ttl, err := do(t, c, "TTL", key).AsInt64(); err != nil || ttl <= 0 {
				t.Errorf("%s: after charge %d the key has a TTL of %d (%v)", name, want, ttl, err)
			}
		}
	}
	// Redis died between SET and INCR: what stands is a 0 with its expiry.
	key, expires := "palmares:quota:test:"+rand.Text(), time.Now().Add(2*time.Hour)
	do(t, c, "SET", key, "0", "EX", "7200", "NX")
	if got, err := n.redis.Add(t.Context(), key, expires, true); err != nil || got != 1 {
		t.Errorf("count %d, %v, want 1", got, err)
	}
	if ttl, err := do(t, c, "TTL", key).AsInt64(); err != nil || ttl <= 0 {
		t.Errorf("TTL %d, %v", ttl, err)
	}
}

// TestLostCounterExpiresAgain: Redis loses a counter that this node has counted in
// before. The charge that makes it anew gives it its expiry.
func TestLostCounterExpiresAgain(t *testing.T) {
	t.Parallel()
	url := redistest.URL(t)
	n := startPatientNode(t, url, 10*time.Second)
	waitShared(t, []*node{n}, 10*time.Second)
	c := dial(t, url)
	for name, expires := range map[string]time.Time{
		"in two hours": time.Now().Add(2 * time.Hour),
		"an hour ago":  time.Now().Add(-time.Hour), // must not make the counter vanish
	} {
		key := "palmares:quota:test:" + rand.Text()
		for round := range 3 {
			for want := 1; want <= 3; want++ {
				got, err := n.redis.Add(t.Context(), key, expires, round == 0 && want == 1)
				if err != nil || got != want {
					t.Errorf("%s, lost %d times: count %d, %v, want %d", name, round, got, err, want)
				}
				at, err := do(t, c, "EXPIRETIME", key).AsInt64()
				if soon := time.Now().Add(keepAddress - time.Minute).Unix(); err != nil || at < soon {
					t.Errorf("%s, lost %d times: after charge %d the key expires at %d (%v)", name, round, want, at, err)
				}
				if expires.After(time.Now()) && at != expires.Unix() {
					t.Errorf("%s, lost %d times: the key expires at %d, want %d", name, round, at, expires.Unix())
				}
			}
			do(t, c, "DEL", key)
		}
	}
	// The same by way of a charge, which tells that the node knows the counter.
	subject := n.Account(rand.Text())
	for range 3 {
		n.Charge(subject, 100)
		do(t, c, "DEL", subject.key)
		n.Charge(subject, 100)
		if at, err := do(t, c, "EXPIRETIME", subject.key).AsInt64(); err != nil || at != subject.expires.Unix() {
			t.Errorf("the counter expires at %d (%v), want %d", at, err, subject.expires.Unix())
		}
	}
}

func TestCount(t *testing.T) {
	t.Parallel()
	for _, url := range []string{redistest.URL(t), redistest.NewServer(t).URL()} {
		n := startPatientNode(t, url, 10*time.Second)
		waitShared(t, []*node{n}, 10*time.Second)
		used, unused := n.Account(rand.Text()), n.Account(rand.Text())
		for range 3 {
			n.Charge(used, 100)
		}
		for subject, want := range map[Subject]int{used: 3, unused: 0} {
			if got, err := n.redis.Count(t.Context(), subject.key); err != nil || got != want {
				t.Errorf("count %d, %v, want %d", got, err, want)
			}
			if left, known := n.Left(subject, 100); left != 100-want || !known {
				t.Errorf("%d are left, known %t, want %d", left, known, 100-want)
			}
		}
	}
}

func TestWrongURLs(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"", "://", "http://user:hunter2@localhost", "redis://user:hunter2@host:6379/not-a-number",
		"redis://user:hunter2@ho st:6379", "redis://user:hunter2%zz@host:6379", "redis://:hunter2@host:6379?dial_timeout=x",
	} {
		r, err := NewRedis(url)
		if err == nil {
			t.Errorf("%q is taken for a URL: %v", url, r)
			continue
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: the error shows the password: %v", url, err)
		}
		if !strings.Contains(err.Error(), "PALMARES_REDIS_URL") {
			t.Errorf("%q: the error does not say what to change: %v", url, err)
		}
	}
}

// TestPasswordIsNeverShown: neither by the counter's name nor in the log.
func TestPasswordIsNeverShown(t *testing.T) {
	t.Parallel()
	s := redistest.NewServer(t) // asks for no password, so a wrong one is refused
	n := startNode(t, "redis://somebody:hunter2@"+s.Addr())
	waitLocal(t, n)
	if got, want := n.redis.String(), "Redis at "+s.Addr(); got != want {
		t.Errorf("String %q, want %q", got, want)
	}
	if text := n.logs.String(); strings.Contains(text, "hunter2") || n.logs.levels() != "WARN" {
		t.Errorf("log: %s", text)
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	r, err := NewRedis(redistest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.Close()
	r.Close()
	if err := r.Ping(t.Context()); err == nil {
		t.Error("a closed counter answers a ping")
	}
	if _, err := r.Add(t.Context(), "palmares:quota:test:closed", time.Now().Add(time.Hour), true); err == nil {
		t.Error("a closed counter counts")
	}
	if _, err := r.Count(t.Context(), "palmares:quota:test:closed"); err == nil {
		t.Error("a closed counter reads")
	}

	unused, err := NewRedis("redis://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	unused.Close()
	if err := unused.Ping(t.Context()); err == nil {
		t.Error("a counter closed before it connected answers")
	}
}

// TestCloseUnderCharges: charges go on, on the node alone.
func TestCloseUnderCharges(t *testing.T) {
	t.Parallel()
	nodes := startNodes(t, redistest.NewServer(t).URL(), 1)
	closing := time.AfterFunc(20*time.Millisecond, nodes[0].redis.Close)
	defer closing.Stop()
	subject := func(n *node, _ int) Subject { return n.Account("a") }
	if got := len(charges(nodes, 20_000, 20_000, subject)); got > 20_000 || got == 0 {
		t.Errorf("%d of 20,000 let through", got)
	}
	waitLocal(t, nodes...)
}

func TestRedisDownAtTheStart(t *testing.T) {
	t.Parallel()
	s := redistest.NewServer(t)
	s.Kill()
	n := startPatientNode(t, s.URL(), time.Second)
	for i := range 10 {
		if d := n.Charge(n.Account("a"), 5); d.Allowed != (i < 5) {
			t.Errorf("charge %d: %+v", i, d)
		}
	}
	waitLocal(t, n)
	s.Start()
	took := waitBack(t, []*node{n})
	t.Logf("counting together %v after Redis came up", took)
	n.Charge(n.Account("b"), 5)
	if got := n.shared.Load(); got != 1 {
		t.Errorf("%d charges counted by Redis, want 1", got)
	}
	if got := n.logs.levels(); got != "WARN INFO" {
		t.Errorf("levels %q\n%s", got, n.logs)
	}
}

// TestChargesBeforeRun: a node that is charged before Run has connected finds Redis
// all the same.
func TestChargesBeforeRun(t *testing.T) {
	t.Parallel()
	for early := range 5 {
		r, err := NewRedis(redistest.URL(t))
		if err != nil {
			t.Fatal(err)
		}
		var asked bool
		logs := &logBook{}
		m := New(Options{
			Counter: r, Logger: logs.logger(), Wait: 10 * time.Second,
			Observe: func(shared bool, _ time.Duration) { asked = shared },
		})
		for range early {
			m.Charge(m.Account(rand.Text()), 5)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			m.Run(ctx)
		}()
		for end := time.Now().Add(2 * time.Second); !asked && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if m.Shared() == nil && r.client.Load() != nil {
				m.Charge(m.Account(rand.Text()), 5)
			}
		}
		if !asked {
			t.Errorf("after %d early charges Redis is never asked", early)
		}
		cancel()
		<-done
		r.Close()
	}
}

// TestExhaustedAsksNobody looks at what Redis itself says it was asked.
func TestExhaustedAsksNobody(t *testing.T) {
	t.Parallel()
	s := redistest.NewServer(t)
	n := startPatientNode(t, s.URL(), 10*time.Second)
	waitShared(t, []*node{n}, 10*time.Second)
	c := dial(t, s.URL())
	const limit = 3
	subject := n.Account("a")
	for i := range limit {
		if n.Exhausted(subject, limit) {
			t.Errorf("used up after %d charges", i)
		}
		n.Charge(subject, limit)
	}
	asked := func() string {
		stats, err := do(t, c, "INFO", "commandstats").ToString()
		if err != nil {
			t.Fatal(err)
		}
		return stats
	}
	if !strings.Contains(asked(), "cmdstat_incr:calls=3,") {
		t.Fatalf("want 3 INCR:\n%s", asked())
	}
	do(t, c, "CONFIG", "RESETSTAT")
	for range 10_000 {
		if !n.Exhausted(subject, limit) {
			t.Fatal("not used up")
		}
		if d := n.Charge(subject, limit); d.Allowed || d.Remaining != 0 {
			t.Fatalf("%+v", d)
		}
		n.Exhausted(n.Account("unknown"), limit)
	}
	for line := range strings.Lines(asked()) {
		command, _, _ := strings.Cut(line, ":")
		switch command {
		case "cmdstat_info", "cmdstat_config|resetstat", "cmdstat_ping": // the test's, and rueidis's look at an idle connection
		default:
			if strings.HasPrefix(command, "cmdstat_") {
				t.Errorf("Redis was asked: %q", line)
			}
		}
	}
}
