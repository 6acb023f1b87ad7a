package quota

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"
	"golang.org/x/sync/singleflight"
)

// Redis is the counter that all nodes share: a single Redis or Valkey server, or a cluster.
type Redis struct {
	option rueidis.ClientOption
	client atomic.Pointer[rueidis.Client]

	mu         sync.Mutex // for connecting
	closed     bool
	connecting singleflight.Group
}

// NewRedis parses a URL such as redis://host:6379/0 or, for a cluster,
// redis://host1:6379?addr=host2:6379&addr=host3:6379. It does not connect: nodes start while Redis
// is down.
func NewRedis(url string) (*Redis, error) { return NewRedisTrusting(url, "") }

// NewRedisTrusting is NewRedis for rediss:// URLs, which mean TLS, with a file of the authorities to
// trust in place of the machine's; "" trusts the machine's.
func NewRedisTrusting(url, caFile string) (*Redis, error) {
	o, err := rueidis.ParseURL(url)
	if err != nil || strings.Contains(url, "#") { // a # ends the URL: part of a password would be looked up, and logged
		// rueidis's message repeats the URL, which may hold a password.
		return nil, errors.New("PALMARES_REDIS_URL cannot be read: " +
			"it is of the form redis://user:password@host:6379/0; a password has %2F, %3F and %23 for / ? and #")
	}
	if err := trust(&o, caFile); err != nil {
		return nil, err
	}
	// All charges share one pipeline. System calls and goroutine switches are the cost, so a short
	// delay before each write batches more commands into one.
	o.AlwaysPipelining = true
	o.PipelineMultiplex = -1 // 2⁻¹ rounds up to one connection
	o.MaxFlushDelay = 100 * time.Microsecond
	o.RingScaleEachConn = ringScale(runtime.GOMAXPROCS(0))
	o.DisableCache = true
	o.DisableRetry = true // a charge is never sent twice
	o.Dialer.Timeout = 250 * time.Millisecond
	o.Dialer.KeepAlive = time.Second
	o.ConnWriteTimeout = MaxWait // then rueidis closes the connection
	o.ClientName = "palmares"
	if o.DialCtxFn == nil { // set for a Unix socket
		o.DialCtxFn = dialTCP
	}
	o.DialCtxFn = closeIfSilent(o.DialCtxFn)
	return &Redis{option: o}, nil
}

// SetWait sets how long connections wait for a reply, for callers that wait longer than MaxWait. It must be called
// before the first use.
func (r *Redis) SetWait(wait time.Duration) {
	r.option.ConnWriteTimeout, r.option.Dialer.Timeout = wait, wait
}

// Add implements Counter.
func (r *Redis) Add(ctx context.Context, key string, expires time.Time, first bool) (int, error) {
	c := r.client.Load()
	if c == nil {
		return 0, errNotConnected
	}
	if first {
		return addFirst(ctx, *c, key, minExpiry(expires))
	}
	n, err := (*c).Do(ctx, (*c).B().Incr().Key(key).Build()).AsInt64()
	if err != nil {
		return 0, fmt.Errorf("counting: %w", err)
	}
	if n == 1 { // Redis has lost the counter and its expiry
		at := minExpiry(expires).Unix()
		expire := (*c).B().Expireat().Key(key).Timestamp(at).Build()
		if err := (*c).Do(ctx, expire).Error(); err != nil {
			return 0, fmt.Errorf("dating the counter: %w", err)
		}
	}
	return int(n), nil
}

// firstScript increments a counter, and sets its expiry if it has none, both or neither.
const firstScript = `local n = redis.call('INCR', KEYS[1])
redis.call('EXPIREAT', KEYS[1], ARGV[1], 'NX')
return n`

// addFirst increments a counter that may not exist yet.
func addFirst(ctx context.Context, c rueidis.Client, key string, expires time.Time) (int, error) {
	at := strconv.FormatInt(expires.Unix(), 10)
	n, err := c.Do(ctx, c.B().Eval().Script(firstScript).Numkeys(1).Key(key).Arg(at).Build()).AsInt64()
	if err != nil {
		return 0, fmt.Errorf("making the counter: %w", err)
	}
	return int(n), nil
}

// Count implements Counter.
func (r *Redis) Count(ctx context.Context, key string) (int, error) {
	c := r.client.Load()
	if c == nil {
		return 0, errNotConnected
	}
	n, err := (*c).Do(ctx, (*c).B().Get().Key(key).Build()).AsInt64()
	if err != nil && !rueidis.IsRedisNil(err) {
		return 0, fmt.Errorf("reading a counter: %w", err)
	}
	return int(n), nil
}

// minExpiry postpones an expiry that is less than an hour away. Redis deletes a key whose expiry
// has passed, and INCR would then create one that never expires. It reads the wall clock because
// Redis does.
func minExpiry(expires time.Time) time.Time {
	if earliest := time.Now().Add(KeepAddress); expires.Before(earliest) {
		return earliest
	}
	return expires
}

// pingKey is written by Ping and expires after a minute.
const pingKey = "palmares:quota:ping"

// Ping implements Counter; it also makes the first connection. It writes, because a Redis that is
// full, read-only or unable to save still answers PING.
func (r *Redis) Ping(ctx context.Context) error {
	c, err := r.connect()
	if err != nil {
		return err
	}
	if err := c.Do(ctx, c.B().Set().Key(pingKey).Value("").ExSeconds(60).Build()).Error(); err != nil {
		return fmt.Errorf("pinging: %w", err)
	}
	return nil
}

func (r *Redis) connect() (rueidis.Client, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.client.Load(); c != nil {
		return *c, nil
	}
	if r.closed {
		return nil, errNotConnected
	}
	client, err := rueidis.NewClient(r.option)
	if err != nil {
		return nil, fmt.Errorf("connecting to Redis: %w", err)
	}
	var c rueidis.Client = &boundedClient{Client: client, inFlight: inFlight{most: mostInFlight(r.option.RingScaleEachConn)}}
	r.client.Store(&c)
	return c, nil
}

// connected returns the client, and connects first if need be. It waits no longer than ctx, and
// one attempt at a time serves all callers.
func (r *Redis) connected(ctx context.Context) (rueidis.Client, error) {
	if c := r.client.Load(); c != nil {
		return *c, nil
	}
	connected := r.connecting.DoChan("", func() (any, error) {
		_, err := r.connect()
		return nil, err
	})
	select {
	case result := <-connected:
		if result.Err != nil {
			return nil, result.Err
		}
		return *r.client.Load(), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close closes the connections.
func (r *Redis) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if c := r.client.Load(); c != nil {
		(*c).Close()
	}
}

// String names the servers, without the credentials in their URL.
func (r *Redis) String() string { return "Redis at " + strings.Join(r.option.InitAddress, ", ") }
