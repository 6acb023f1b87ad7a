// Command base is the server that the benchmark measures against: a bare net/http server that writes prepared
// bytes and does nothing else, or nothing but one INCR in Redis first.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/redis/rueidis"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8081", "where to listen")
	dir := flag.String("dir", "", "the answers: each file is named by its request URI, escaped")
	redis := flag.String("redis", "", "URL of a Redis in which each request is counted first; none by default")
	flag.Parse()
	if err := run(*listen, *dir, *redis); err != nil {
		fmt.Fprintln(os.Stderr, "base:", err)
		os.Exit(1)
	}
}

func run(listen, dir, redis string) error {
	answers, err := load(dir)
	if err != nil {
		return err
	}
	handler := bare(answers)
	if redis != "" {
		client, err := connect(redis)
		if err != nil {
			return err
		}
		defer client.Close()
		handler = counted(client, handler)
	}
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "tcp", listen)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	fmt.Println("ready")
	return http.Serve(l, handler) //nolint:gosec // with timeouts it would be more than bare
}

// An answer is a response body, ready to be written.
type answer struct {
	body   []byte
	length string
}

// load reads the answers in dir, keyed by request URI.
func load(dir string) (map[string]answer, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("-dir: %w", err)
	}
	answers := make(map[string]answer)
	for _, e := range entries {
		uri, err := url.PathUnescape(e.Name())
		if err != nil {
			return nil, fmt.Errorf("%s is not an escaped request URI: %w", e.Name(), err)
		}
		body, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("reading an answer: %w", err)
		}
		answers[uri] = answer{body, strconv.Itoa(len(body))}
	}
	return answers, nil
}

func bare(answers map[string]answer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		a, ok := answers[r.RequestURI]
		if !ok {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "application/json; charset=utf-8")
		h.Set("Content-Length", a.length)
		w.Write(a.body) //nolint:errcheck,gosec // the client has gone
	}
}

// counted increments the caller's counter in Redis before next: the least that an exact quota can cost.
func counted(c rueidis.Client, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		caller := r.Header.Get("Authorization")
		if caller == "" {
			caller = r.Header.Get("X-Forwarded-For")
		}
		if err := c.Do(context.Background(), c.B().Incr().Key("base:"+caller).Build()).Error(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		next(w, r)
	}
}

// connect returns a Redis client with the options that Palmarès uses, so that the client makes no difference.
func connect(redis string) (rueidis.Client, error) {
	o, err := rueidis.ParseURL(redis)
	if err != nil {
		return nil, fmt.Errorf("-redis: %w", err)
	}
	o.AlwaysPipelining = true
	o.PipelineMultiplex = -1 // one connection
	o.MaxFlushDelay = 100 * time.Microsecond
	o.DisableCache = true
	c, err := rueidis.NewClient(o)
	if err != nil {
		return nil, fmt.Errorf("connecting to Redis: %w", err)
	}
	return c, nil
}
