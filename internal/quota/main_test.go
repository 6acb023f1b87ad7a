package quota

import (
	"context"
	"crypto/rand"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/rueidis"
	"go.uber.org/goleak"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestMain(m *testing.M) {
	// rueidis refreshes its view of a cluster for up to 5 s after the client is closed.
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/redis/rueidis.(*call).DelayDo.func1"),
		goleak.IgnoreAnyFunction("github.com/redis/rueidis.(*clusterClient)._refresh.func2"))
}

// patient is long enough for any machine: for tests of what is exact while Redis answers in time.
const patient = 10 * time.Minute

// A node is a meter with a connection to Redis of its own, like that of an API node.
type node struct {
	*Meter
	redis *Redis
	log   *testkit.Log
	pings atomic.Int64 // that Redis answered

	shared, local atomic.Int64 // charges counted by Redis, and by the node alone
}

// startNode starts a node whose charges wait that long for Redis. It does not wait for Redis itself.
func startNode(tb testing.TB, url string, wait time.Duration) *node {
	tb.Helper()
	r, err := NewRedis(url)
	testkit.Must(tb, err)
	if wait > MaxWait { // the connection waits as long as the charges
		r.SetWait(wait)
	}
	n := &node{redis: r, log: &testkit.Log{}}
	n.Meter = New(Options{
		Counter: pingCounter{r, &n.pings}, Secret: []byte(rand.Text()), Logger: n.log.Logger(), Wait: wait,
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
	go func() { defer close(done); n.Run(ctx) }()
	tb.Cleanup(func() { cancel(); <-done; r.Close() })
	return n
}

// startNodes starts nodes and waits until they count together.
func startNodes(tb testing.TB, url string, count int, wait time.Duration) []*node {
	tb.Helper()
	nodes := make([]*node, count)
	for i := range nodes {
		nodes[i] = startNode(tb, url, wait)
	}
	waitShared(tb, nodes...)
	return nodes
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

// waitShared waits until all nodes count together. They should within 2 s of the end of a fault.
func waitShared(tb testing.TB, nodes ...*node) {
	tb.Helper()
	started := time.Now()
	testkit.EventuallyTrue(tb, "all nodes count together", func() bool {
		return !slices.ContainsFunc(nodes, func(n *node) bool { return n.pings.Load() < 2 || n.Shared() != nil })
	})
	holdTo(tb, "counting together", time.Since(started), 2*time.Second)
}

// waitLocal waits until all nodes count alone.
func waitLocal(tb testing.TB, nodes ...*node) {
	tb.Helper()
	testkit.EventuallyTrue(tb, "all nodes count alone", func() bool {
		return !slices.ContainsFunc(nodes, func(n *node) bool { return n.Shared() == nil })
	})
}

// holdTo holds a duration to a bound, in the long form only: on a busy machine times say nothing.
func holdTo(tb testing.TB, what string, took, limit time.Duration) {
	tb.Helper()
	if took > limit && testkit.Long() {
		tb.Errorf("%s: %v, at most %v wanted", what, took, limit)
	}
}

// charges makes that many charges with 64 goroutines, spread over the nodes, and returns the
// decisions that allowed a request.
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
	return slices.Concat(allowed...)
}

// sum adds up one of the counters of all nodes.
func sum(nodes []*node, counter func(*node) *atomic.Int64) (total int) {
	for _, n := range nodes {
		total += int(counter(n).Load())
	}
	return total
}

func byRedis(n *node) *atomic.Int64 { return &n.shared }
func alone(n *node) *atomic.Int64   { return &n.local }

var level = regexp.MustCompile(`"level":"(\w+)"`)

// levels returns the levels of the lines of a log in order, such as "WARN INFO".
func levels(log string) string {
	var all []string
	for _, m := range level.FindAllStringSubmatch(log, -1) {
		all = append(all, m[1])
	}
	return strings.Join(all, " ")
}

// A testClient is the test's own client of a Redis.
type testClient struct {
	testing.TB
	rueidis.Client
}

func newClient(tb testing.TB, url string) testClient {
	tb.Helper()
	o, err := rueidis.ParseURL(url)
	testkit.Must(tb, err)
	o.DisableCache = true
	c, err := rueidis.NewClient(o)
	testkit.Must(tb, err)
	tb.Cleanup(c.Close)
	return testClient{tb, c}
}

func (c testClient) do(command ...string) rueidis.RedisResult {
	c.Helper()
	r := c.Do(context.Background(), c.B().Arbitrary(command[0]).Args(command[1:]...).Build())
	if err := r.Error(); err != nil && !rueidis.IsRedisNil(err) {
		c.Fatalf("%v: %v", command, err)
	}
	return r
}

// integer returns an integer reply, 0 for a key that does not exist.
func (c testClient) integer(command ...string) int64 {
	c.Helper()
	n, err := c.do(command...).AsInt64()
	if err != nil && !rueidis.IsRedisNil(err) {
		c.Fatalf("%v: %v", command, err)
	}
	return n
}

func (c testClient) text(command ...string) string {
	c.Helper()
	s, err := c.do(command...).ToString()
	if err != nil {
		c.Fatalf("%v: %v", command, err)
	}
	return s
}
