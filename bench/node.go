package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// What a request asks for.
const (
	one      = iota // one tool
	toolPage        // the page about it, which is cached
	list            // the first page of all
)

// A server is something to send requests to.
type server struct {
	name    string
	url     string
	process *process
	paths   [3]string // its own paths, by what is asked for; "" if the same as ours
	ours    bool      // a build of Palmarès
}

// A node is palmares serve with a database and a catalog of its own.
type node struct {
	server

	database    string
	content     string
	admin       string        // URL
	pro         string        // a Pro key
	publication time.Duration // how long the first publication took
	program     string
	alone       bool // counts quotas without Redis
}

// startNode generates a catalog, publishes it and serves it as production does: with Redis, a log in a file, a
// disk copy and tracing.
func (s *stand) startNode(ctx context.Context, tools int) *node {
	progress("generating and publishing %d tools", tools)
	n := &node{content: filepath.Join(s.dir, fmt.Sprintf("content-%d", tools)), program: s.palmares}
	n.database = s.makeDatabase(ctx)
	s.run(ctx, n, "generate", n.content, "--tools", strconv.Itoa(tools))
	s.run(ctx, n, "migrate")
	n.publication = s.publish(ctx, n)
	n.pro = makeKeys(ctx, n.database, account.Pro, 1)[0]
	s.serve(ctx, n)
	return n
}

// startBeside serves a node's catalog with another build.
func (s *stand) startBeside(ctx context.Context, n *node, program string) *node {
	beside := &node{database: n.database, pro: n.pro, program: must(filepath.Abs(program))}
	s.serve(ctx, beside)
	return beside
}

func (s *stand) serve(ctx context.Context, n *node) {
	dir := must(os.MkdirTemp(s.dir, "node-"))
	public, admin := freeAddress(ctx), freeAddress(ctx)
	n.url, n.admin, n.ours = "http://"+public, "http://"+admin, true
	redis := s.redisURL
	if n.alone {
		redis = ""
	}
	n.process = start(dir, environment(
		"PALMARES_DATABASE_URL="+n.database, "PALMARES_REDIS_URL="+redis,
		"PALMARES_SECRET=measuring-only-measuring-only-measuring",
		"PALMARES_LISTEN="+public, "PALMARES_ADMIN_LISTEN="+admin, "PALMARES_TRUSTED_PROXIES=127.0.0.0/8",
		"PALMARES_SNAPSHOT_FILE="+filepath.Join(dir, "snapshot"), "PALMARES_LOG_FORMAT=json", "PALMARES_DRAIN_DELAY=0s",
		"OTEL_EXPORTER_OTLP_ENDPOINT="+s.collector,
	), n.program, "serve")
	s.onClose(n.process.stop)
	n.process.await(ctx, time.Minute, func(ctx context.Context) error {
		_, err := get(ctx, n.admin+"/readyz", nil, http.StatusOK)
		return err
	})
}

// run runs a command of the program under test on the node's database.
func (s *stand) run(ctx context.Context, n *node, args ...string) {
	command(ctx, environment("PALMARES_DATABASE_URL="+n.database), s.palmares, args...)
}

// publish publishes the node's content and returns how long that took.
func (s *stand) publish(ctx context.Context, n *node) time.Duration {
	began := time.Now()
	s.run(ctx, n, "publish", n.content)
	return time.Since(began)
}

// environment returns our environment without the settings of Palmarès and of tracing, plus the given settings.
func environment(settings ...string) []string {
	return append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "PALMARES_") || strings.HasPrefix(v, "OTEL_")
	}), settings...)
}

func (n *node) proHeader() http.Header { return http.Header{"Authorization": {"Bearer " + n.pro}} }

// toolPaths returns the paths of one tool, which is the first of the list, of the page about it, and of the list
// itself.
func (n *node) toolPaths(ctx context.Context) [3]string {
	const tools = "/api/v1/tools"
	slug := first(`"slug":"([^"]+)"`, string(must(get(ctx, n.url+tools, n.proHeader(), http.StatusOK)).body))
	return [3]string{one: tools + "/" + slug, toolPage: "/outils/" + slug, list: tools}
}

var metric = regexp.MustCompile(`(?m)^([a-z].*) (\S+)$`)

// metrics returns the node's metrics, keyed by name and labels.
func (n *node) metrics(ctx context.Context) (map[string]float64, error) {
	a, err := get(ctx, n.admin+"/metrics", nil, http.StatusOK)
	values := make(map[string]float64)
	for _, m := range metric.FindAllStringSubmatch(string(a.body), -1) {
		value, syntax := strconv.ParseFloat(m[2], 64)
		values[m[1]], err = value, errors.Join(err, syntax)
	}
	return values, err
}

// liveHeap returns the size of the node's heap after a garbage collection, in MB.
func (n *node) liveHeap(ctx context.Context) float64 {
	must(get(ctx, n.admin+"/debug/pprof/heap?gc=1", nil, http.StatusOK))
	return must(n.metrics(ctx))["go_memstats_heap_alloc_bytes"] / (1 << 20)
}

// An answer is a complete response as it was sent, not decompressed.
type answer struct {
	header http.Header
	body   []byte
}

// get sends a GET request and returns the response, which is compressed only if header asks for it. Another status
// than the wanted one is an error.
func get(ctx context.Context, address string, header http.Header, want int) (a answer, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return a, err
	}
	req.Header = http.Header{"Accept-Encoding": {"identity"}}
	maps.Copy(req.Header, header)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return a, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != want {
		err = fmt.Errorf("%s answers %d: %.200s", address, resp.StatusCode, body)
	}
	return answer{resp.Header, body}, err
}

// exhaust uses up the quota of the caller in header.
func exhaust(ctx context.Context, address string, header http.Header) {
	var err error
	for range 1000 {
		if _, err = get(ctx, address, header, http.StatusTooManyRequests); err == nil {
			return
		}
	}
	check(fmt.Errorf("the quota does not end: %w", err))
}
