package quota

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"
)

// Redis is the counter that all nodes share: one Redis or Valkey, or a cluster.
type Redis struct {
	option rueidis.ClientOption
	client atomic.Pointer[rueidis.Client]

	mu     sync.Mutex // for connecting
	closed bool
}

// NewRedis reads a URL such as redis://host:6379/0, or, for a cluster,
// redis://host1:6379?addr=host2:6379&addr=host3:6379. It does not connect: a Redis
// that is down is no reason for a node not to start.
func NewRedis(url string) (*Redis, error) {
	o, err := rueidis.ParseURL(url)
	if err != nil {
		// The message repeats the URL, and the URL may hold a password.
		return nil, errors.New("PALMARES_REDIS_URL cannot be read: it is of the form redis://user:password@host:6379/0")
	}
	// Charges from all requests share one pipeline; what costs is system calls and
	// hand-offs, and a short pause before each write gathers more into one.
	o.AlwaysPipelining = true
	o.PipelineMultiplex = -1 // 2⁻¹ rounds to one connection
	o.MaxFlushDelay = 100 * time.Microsecond
	o.RingScaleEachConn = ringScale
	o.DisableCache = true
	o.DisableRetry = true // a charge is never sent twice
	o.Dialer.Timeout = 250 * time.Millisecond
	o.Dialer.KeepAlive = time.Second
	o.ConnWriteTimeout = MaxWait // then the connection counts as dead
	o.ClientName = "palmares"
	if o.DialCtxFn == nil { // a Unix socket has its own
		o.DialCtxFn = dialTCP
	}
	o.DialCtxFn = impatient(o.DialCtxFn)
	return &Redis{option: o}, nil
}

var errNotConnected = errors.New("not connected to Redis")

// Add implements Counter.
func (r *Redis) Add(ctx context.Context, key string, expires time.Time, first bool) (int, error) {
	c := r.client.Load()
	if c == nil {
		return 0, errNotConnected
	}
	incr := (*c).B().Incr().Key(key).Build()
	if !first {
		n, err := (*c).Do(ctx, incr).AsInt64()
		if err != nil {
			return 0, fmt.Errorf("counting: %w", err)
		}
		if n == 1 { // Redis has lost the counter that was there, and its expiry with it
			at := soonest(expires)
			if err := (*c).Do(ctx, (*c).B().Expireat().Key(key).Timestamp(at.Unix()).Build()).Error(); err != nil {
				return 0, fmt.Errorf("dating the counter: %w", err)
			}
		}
		return int(n), nil
	}
	// SET first: a key never stands without its expiry, whatever happens after.
	// EXPIREAT last: should it be one that was lost and made anew, it has none.
	at := soonest(expires).Unix()
	results := (*c).DoMulti(ctx,
		(*c).B().Set().Key(key).Value("0").Nx().ExatTimestamp(at).Build(), incr,
		(*c).B().Expireat().Key(key).Timestamp(at).Nx().Build())
	if err := results[0].Error(); err != nil && !rueidis.IsRedisNil(err) {
		return 0, fmt.Errorf("making the counter: %w", err)
	}
	n, err := results[1].AsInt64()
	if err != nil {
		return 0, fmt.Errorf("counting: %w", err)
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

// soonest puts off an expiry that is too near. Redis takes one in the past for "no
// such key", and INCR would then make one that stays for ever. By the wall clock,
// because Redis compares with its own.
func soonest(expires time.Time) time.Time {
	if least := time.Now().Add(keepAddress); expires.Before(least) {
		return least
	}
	return expires
}

// pingKey is written by Ping and gone after a minute.
const pingKey = "palmares:quota:ping"

// Ping implements Counter; it also makes the first connection. It writes, because a
// Redis that is full, or a replica, or cannot save, answers PING and counts nothing.
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
	var c rueidis.Client = &boundedClient{Client: client}
	r.client.Store(&c)
	return c, nil
}

// Close ends the connections.
func (r *Redis) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if c := r.client.Load(); c != nil {
		(*c).Close()
	}
}

// String names the servers, without what is secret in their URL.
func (r *Redis) String() string { return "Redis at " + strings.Join(r.option.InitAddress, ", ") }
