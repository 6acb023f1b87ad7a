package quota

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/rueidis"
	"go.uber.org/goleak"
)

// The long form gives each fault 10 s instead of 1.5; PALMARES_LONG=1 does the same.
var long = flag.Bool("long", os.Getenv("PALMARES_LONG") == "1", "run the long form of the tests")

func TestMain(m *testing.M) {
	// A toxiproxy whose toxics change while a connection breaks leaves a link behind;
	// rueidis's looks at a cluster sleep for up to 5 s after the client's end.
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/redis/rueidis.(*call).DelayDo.func1"),
		goleak.IgnoreAnyFunction("github.com/redis/rueidis.(*clusterClient)._refresh.func2"),
		goleak.IgnoreAnyFunction("github.com/Shopify/toxiproxy/v2/toxics.(*ToxicStub).Run"),
		goleak.IgnoreAnyFunction("github.com/Shopify/toxiproxy/v2.(*ToxicLink).read"),
		goleak.IgnoreAnyFunction("github.com/Shopify/toxiproxy/v2.(*ToxicLink).write"))
}

// A node is a meter with its own connection to Redis, as each API node has one.
type node struct {
	*Meter
	redis *Redis
	logs  *logBook
	pings atomic.Int64 // that Redis answered

	shared, local atomic.Int64 // charges answered by Redis, and by the node alone
}

// startNode starts a node and ends it with the test. It does not wait for Redis.
func startNode(tb testing.TB, url string) *node {
	tb.Helper()
	return startPatientNode(tb, url, DefaultWait)
}

// startPatientNode starts a node whose charges wait that long for Redis.
func startPatientNode(tb testing.TB, url string, wait time.Duration) *node {
	tb.Helper()
	r, err := NewRedis(url)
	if err != nil {
		tb.Fatal(err)
	}
	n := &node{redis: r, logs: &logBook{}}
	n.Meter = New(Options{
		Counter: pingCounter{r, &n.pings}, Secret: []byte(rand.Text()), Logger: n.logs.logger(), Wait: wait,
		Observe: func(shared bool, _ time.Duration) {
			if shared {
				n.shared.Add(1)
			} else {
				n.local.Add(1)
			}
		},
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		n.Run(ctx)
	}()
	tb.Cleanup(func() {
		cancel()
		<-done
		r.Close()
	})
	return n
}

// A pingCounter counts the pings that Redis answered.
type pingCounter struct {
	*Redis
	answered *atomic.Int64
}

func (c pingCounter) Ping(ctx context.Context) error {
	err := c.Redis.Ping(ctx)
	if err == nil {
		c.answered.Add(1)
	}
	return err
}

// startNodes starts nodes and waits until they count together.
func startNodes(tb testing.TB, url string, count int) []*node {
	tb.Helper()
	nodes := make([]*node, count)
	for i := range nodes {
		nodes[i] = startNode(tb, url)
	}
	waitShared(tb, nodes, 10*time.Second)
	return nodes
}

// waitShared waits until all nodes count together and tells how long that took.
func waitShared(tb testing.TB, nodes []*node, most time.Duration) time.Duration {
	tb.Helper()
	started := time.Now()
	for _, n := range nodes {
		for n.pings.Load() < 2 || n.Shared() != nil { // a probe is two pings
			if time.Since(started) > most {
				tb.Fatalf("a node does not count with the others after %v: %v\n%s", most, n.Shared(), n.logs)
			}
			time.Sleep(time.Millisecond)
		}
	}
	return time.Since(started)
}

// waitLocal waits until all nodes count alone.
func waitLocal(tb testing.TB, nodes ...*node) {
	tb.Helper()
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(time.Millisecond) {
		alone := 0
		for _, n := range nodes {
			if n.Shared() != nil {
				alone++
			}
		}
		if alone == len(nodes) {
			return
		}
		if time.Now().After(deadline) {
			tb.Fatal("a node does not notice that Redis is gone")
		}
	}
}

// charges makes that many charges with 64 goroutines, spread over the nodes, and
// gives the decisions that let a request through.
func charges(nodes []*node, total, limit int, subject func(*node, int) Subject) []Decision {
	const workers = 64
	var next atomic.Int64
	allowed := make([][]Decision, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			n := nodes[w%len(nodes)]
			for i := int(next.Add(1)); i <= total; i = int(next.Add(1)) {
				if d := n.Charge(subject(n, i), limit); d.Allowed {
					allowed[w] = append(allowed[w], d)
				}
			}
		})
	}
	wg.Wait()
	var all []Decision
	for _, a := range allowed {
		all = append(all, a...)
	}
	return all
}

// dial gives the test its own client of a Redis.
func dial(tb testing.TB, url string) rueidis.Client {
	tb.Helper()
	o, err := rueidis.ParseURL(url)
	if err != nil {
		tb.Fatal(err)
	}
	o.DisableCache = true
	c, err := rueidis.NewClient(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.Close)
	return c
}

func do(tb testing.TB, c rueidis.Client, command ...string) rueidis.RedisResult {
	tb.Helper()
	r := c.Do(context.Background(), c.B().Arbitrary(command[0]).Args(command[1:]...).Build())
	if err := r.Error(); err != nil && !rueidis.IsRedisNil(err) {
		tb.Fatalf("%v: %v", command, err)
	}
	return r
}

// counted reads a counter, 0 when it is not there.
func counted(tb testing.TB, c rueidis.Client, key string) int {
	tb.Helper()
	n, err := c.Do(context.Background(), c.B().Get().Key(key).Build()).AsInt64()
	if err != nil && !rueidis.IsRedisNil(err) {
		tb.Fatal(err)
	}
	return int(n)
}

// A logBook keeps what is logged.
type logBook struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *logBook) logger() *slog.Logger { return slog.New(slog.NewTextHandler(b, nil)) }

func (b *logBook) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *logBook) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text.Reset()
}

func (b *logBook) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// levels gives the levels of the lines in order, such as "WARN INFO".
func (b *logBook) levels() string {
	var levels []string
	for line := range strings.Lines(b.String()) {
		var when, level string
		if _, err := fmt.Sscanf(line, "%s level=%s", &when, &level); err != nil {
			level = "?"
		}
		levels = append(levels, level)
	}
	return strings.Join(levels, " ")
}
