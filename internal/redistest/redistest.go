// Package redistest gives tests a real Redis: the shared one, or servers of their own, single or as
// a cluster, that they may stop and kill. Only tests import it.
package redistest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/palmares-hq/palmares/internal/testkit"
)

const (
	variable   = "PALMARES_TEST_REDIS_URL"
	defaultURL = "redis://127.0.0.1:6379"
)

// URL returns the URL of the shared Redis. Tests do not collide because keys contain secrets and
// account ids, which are random.
func URL(tb testing.TB) string {
	tb.Helper()
	url := os.Getenv(variable)
	if url == "" {
		url = defaultURL
	}
	if err := ping(url); err != nil {
		skip(tb, "no Redis (%s names one, 127.0.0.1:6379 is the default): "+
			"start one with redis-server or docker compose up -d redis (%v)", variable, err)
	}
	return url
}

// skip skips the test for want of a server, or fails it with CI=true.
func skip(tb testing.TB, format string, args ...any) {
	tb.Helper()
	if os.Getenv("CI") == "true" {
		tb.Fatalf(format, args...)
	}
	tb.Skipf(format, args...)
}

func ping(url string) error {
	o, err := rueidis.ParseURL(url)
	if err != nil {
		return err
	}
	o.Dialer.Timeout = time.Second
	o.DisableCache = true
	c, err := rueidis.NewClient(o)
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return c.Do(ctx, c.B().Ping().Build()).Error()
}

// A Server is a test's own Redis, with an append-only file, on a port of its own.
type Server struct {
	tb      testing.TB
	dir     string
	port    int
	args    []string
	process *os.Process
	printed *bytes.Buffer
	ended   chan struct{} // closed once the process has ended
}

// NewServer starts a server and stops it when the test ends.
func NewServer(tb testing.TB, args ...string) *Server {
	tb.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		skip(tb, "no redis-server: install one, for instance with apt-get install redis-server")
	}
	s := &Server{tb: tb, dir: tb.TempDir(), args: args}
	// A member of a cluster also listens on the port 10,000 above its own. A program that does not use testkit.FreePort
	// may have that one, and then the member exits: try another.
	for tries := 1; ; tries++ {
		s.port = testkit.FreePort(tb)
		err := s.start()
		if err == nil {
			break
		}
		if tries == 5 {
			tb.Fatal(err)
		}
	}
	tb.Cleanup(s.Kill)
	return s
}

// Addr returns the server's address.
func (s *Server) Addr() string { return "127.0.0.1:" + strconv.Itoa(s.port) }

// URL returns the server's URL.
func (s *Server) URL() string { return "redis://" + s.Addr() }

// Start starts a server that was killed, and waits until it answers.
func (s *Server) Start() {
	s.tb.Helper()
	if err := s.start(); err != nil {
		s.tb.Fatal(err)
	}
}

// start fails if the process ends before it answers.
func (s *Server) start() error {
	s.tb.Helper()
	cmd := exec.Command("redis-server", append([]string{
		"--port", strconv.Itoa(s.port), "--bind", "127.0.0.1", "--dir", s.dir,
		"--save", "", "--appendonly", "yes", "--appendfsync", "everysec", "--loglevel", "warning",
	}, s.args...)...)
	s.printed, s.ended = new(bytes.Buffer), make(chan struct{})
	cmd.Stdout, cmd.Stderr = s.printed, s.printed
	if err := cmd.Start(); err != nil {
		return err
	}
	s.process = cmd.Process
	ended := s.ended
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	var failed error
	testkit.Eventually(s.tb, func() error {
		select {
		case <-s.ended:
			failed = fmt.Errorf("the test's Redis has ended:\n%s", s.printed)
			return nil
		default:
		}
		if err := ping(s.URL()); err != nil {
			return fmt.Errorf("the test's Redis does not answer: %w", err)
		}
		return nil
	})
	return failed
}

// Kill kills the server with SIGKILL.
func (s *Server) Kill() {
	s.tb.Helper()
	_ = s.process.Kill()
	<-s.ended
}

// Freeze suspends the server until thaw is called.
func (s *Server) Freeze() (thaw func()) {
	s.tb.Helper()
	if err := s.process.Signal(syscall.SIGSTOP); err != nil {
		s.tb.Fatal(err)
	}
	return func() { s.process.Signal(syscall.SIGCONT) }
}

// Cluster starts a cluster of three masters and returns its URL.
func Cluster(tb testing.TB) string {
	tb.Helper()
	var addrs []string
	for range 3 {
		s := NewServer(tb, "--cluster-enabled", "yes", "--cluster-node-timeout", "2000")
		addrs = append(addrs, s.Addr())
	}
	create := exec.Command("redis-cli", append([]string{"--cluster-yes", "--cluster", "create"}, addrs...)...)
	if out, err := create.CombinedOutput(); err != nil {
		tb.Fatalf("making the cluster: %v\n%s", err, out)
	}
	for _, a := range addrs {
		_, port, _ := strings.Cut(a, ":")
		testkit.Eventually(tb, func() error {
			out, err := exec.Command("redis-cli", "-p", port, "cluster", "info").CombinedOutput()
			if !strings.Contains(string(out), "cluster_state:ok") {
				return fmt.Errorf("the cluster does not come up: %w: %s", err, out)
			}
			return nil
		})
	}
	return fmt.Sprintf("redis://%s?addr=%s&addr=%s", addrs[0], addrs[1], addrs[2])
}
