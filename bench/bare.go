package main

import (
	"context"
	"flag"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/redis/rueidis"
)

// bareCommand is the server that others are measured against: net/http that writes prepared bytes and does nothing
// else, or nothing but one INCR in Redis first.
func bareCommand(flags *flag.FlagSet) func(context.Context) {
	listen := flags.String("listen", "127.0.0.1:8081", "where to listen")
	dir := flags.String("dir", "", "the bodies: each file is named by its request URI, escaped")
	redis := flags.String("redis", "", "URL of a Redis in which each request is counted first; none by default")
	return func(ctx context.Context) {
		handler := bareHandler(*dir)
		if *redis != "" {
			handler = counted(connect(*redis), handler)
		}
		context.AfterFunc(ctx, func() { os.Exit(0) })
		check(http.ListenAndServe(*listen, handler)) //nolint:gosec // with timeouts it would be more than bare
	}
}

// bareHandler serves the bodies in dir.
func bareHandler(dir string) http.HandlerFunc {
	type prepared struct {
		body   []byte
		length string
	}
	answers := make(map[string]prepared)
	for _, e := range must(os.ReadDir(dir)) {
		body := must(os.ReadFile(filepath.Join(dir, e.Name())))
		answers[must(url.PathUnescape(e.Name()))] = prepared{body, strconv.Itoa(len(body))}
	}
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
func connect(redis string) rueidis.Client {
	o := must(rueidis.ParseURL(redis))
	o.AlwaysPipelining = true
	o.PipelineMultiplex = -1 // one connection
	o.MaxFlushDelay = 100 * time.Microsecond
	o.DisableCache = true
	return must(rueidis.NewClient(o))
}
