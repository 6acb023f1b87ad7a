package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
)

// A node is palmares serve with a database and a catalog of its own.
type node struct {
	server
	database    string
	content     string
	admin       string
	pro         string        // a Pro key
	publication time.Duration // how long the first publication took
	program     string        // another build; "" is the one under test
	alone       bool          // counts quotas without Redis
}

// startNode generates a catalog, publishes it and serves it as production does: with
// Redis, a log in a file, a disk copy and tracing.
func (s *stand) startNode(ctx context.Context, tools int) (*node, error) {
	dir := filepath.Join(s.dir, fmt.Sprintf("node-%d", tools))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making a directory: %w", err)
	}
	n := &node{content: filepath.Join(dir, "content")}
	var drop func()
	var err error
	if n.database, drop, err = makeDatabase(ctx); err != nil {
		return nil, err
	}
	s.onClose(drop)
	fmt.Printf("generating and publishing %d tools\n", tools)
	if err := s.palmares(ctx, n, "generate", n.content, "--tools", strconv.Itoa(tools)); err != nil {
		return nil, err
	}
	if err := s.palmares(ctx, n, "migrate"); err != nil {
		return nil, err
	}
	if n.publication, err = s.publish(ctx, n); err != nil {
		return nil, err
	}
	keys, err := makeKeys(ctx, n.database, account.Pro, 1)
	if err != nil {
		return nil, err
	}
	n.pro = keys[0]
	return n, s.serve(ctx, n, dir)
}

func (s *stand) serve(ctx context.Context, n *node, dir string) error {
	public, err := freeAddress(ctx)
	if err != nil {
		return err
	}
	admin, err := freeAddress(ctx)
	if err != nil {
		return err
	}
	n.name, n.url, n.admin = palmares, "http://"+public, "http://"+admin
	redis := "PALMARES_REDIS_URL=" + s.redis
	if n.alone {
		redis = "PALMARES_REDIS_URL="
	}
	program := s.binary("palmares")
	if n.program != "" {
		program = n.program
	}
	n.process, err = start(dir, "palmares", s.environment(
		"PALMARES_DATABASE_URL="+n.database, redis,
		"PALMARES_SECRET=measuring-only-measuring-only-measuring",
		"PALMARES_LISTEN="+public, "PALMARES_ADMIN_LISTEN="+admin, "PALMARES_TRUSTED_PROXIES=127.0.0.0/8",
		"PALMARES_SNAPSHOT_FILE="+filepath.Join(dir, "snapshot"), "PALMARES_LOG_FORMAT=json", "PALMARES_DRAIN_DELAY=0s",
		"OTEL_EXPORTER_OTLP_ENDPOINT="+s.collector,
	), program, "serve")
	if err != nil {
		return err
	}
	s.onClose(n.process.stop)
	return n.process.await(ctx, time.Minute, func(ctx context.Context) error {
		_, err := fetch(ctx, n.admin+"/readyz", nil)
		return err
	})
}

// palmares runs a command of the program under test on the node's database.
func (s *stand) palmares(ctx context.Context, n *node, args ...string) error {
	return command(ctx, s.dir, s.environment("PALMARES_DATABASE_URL="+n.database), s.binary("palmares"), args...)
}

// publish publishes the node's content and returns how long that took.
func (s *stand) publish(ctx context.Context, n *node) (time.Duration, error) {
	began := time.Now()
	err := s.palmares(ctx, n, "publish", n.content)
	return time.Since(began), err
}

// environment returns our environment without the settings of Palmarès and of tracing, plus the given settings.
func (s *stand) environment(settings ...string) []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "PALMARES_") && !strings.HasPrefix(v, "OTEL_") {
			env = append(env, v)
		}
	}
	return append(env, settings...)
}

// metrics returns the node's metrics, keyed by name and labels.
func (n *node) metrics(ctx context.Context) (map[string]float64, error) {
	text, err := fetch(ctx, n.admin+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	values := make(map[string]float64)
	lines := bufio.NewScanner(strings.NewReader(string(text)))
	for lines.Scan() {
		at := strings.LastIndexByte(lines.Text(), ' ')
		if at < 0 || strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		name, value := lines.Text()[:at], lines.Text()[at+1:]
		if values[name], err = strconv.ParseFloat(value, 64); err != nil {
			return nil, fmt.Errorf("the metric %s: %w", name, err)
		}
	}
	return values, lines.Err()
}

// fetch gets an uncompressed body; anything but 200 is an error.
func fetch(ctx context.Context, address string, header http.Header) ([]byte, error) {
	a, err := get(ctx, address, header)
	if err == nil && a.status != http.StatusOK {
		err = fmt.Errorf("%s: status %d: %.200s", address, a.status, a.body)
	}
	return a.body, err
}

// An answer is a complete response as it was sent, not decompressed.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// get sends a GET request and returns the response, which is compressed only if header asks for it.
func get(ctx context.Context, address string, header http.Header) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return answer{}, err
	}
	req.Header = header.Clone()
	if req.Header == nil {
		req.Header = make(http.Header)
	}
	if req.Header.Get("Accept-Encoding") == "" {
		req.Header.Set("Accept-Encoding", "identity")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	body, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, body}, errors.Join(err, resp.Body.Close())
}
