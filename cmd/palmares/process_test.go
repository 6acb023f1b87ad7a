package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// binaryDir is where the binary under test is built; TestMain's run removes it.
var binaryDir string

type withBinaryDir struct{ testscript.TestingM }

func (m withBinaryDir) Run() int {
	dir, err := os.MkdirTemp("", "palmares-binary-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binaryDir = dir
	return m.TestingM.Run()
}

// binary is the program as it is shipped, built when a test first needs it.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(binaryDir, "palmares")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building the program: %w\n%s", err, out)
	}
	return path, nil
})

func command(t *testing.T, environ []string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	// Nothing of the tester's own environment reaches the program.
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, environ...)
	return cmd
}

// palmares runs a command to its end, which must be a good one.
func palmares(t *testing.T, environ []string, args ...string) (stdout, stderr string) {
	t.Helper()
	cmd := command(t, environ, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("palmares %s: %v\n%s%s", strings.Join(args, " "), err, out.String(), errs.String())
	}
	return out.String(), errs.String()
}

// patience is how long to wait for what must come within that time. A busy machine gets
// a minute: only the long form holds promises about time.
func patience(most time.Duration) time.Duration {
	if long() {
		return most
	}
	return max(most, time.Minute)
}

// long tells the form of the tests that make soak runs.
func long() bool { return os.Getenv("PALMARES_LONG") == "1" }

// A process is a running palmares.
type process struct {
	t       *testing.T
	cmd     *exec.Cmd
	stderr  transcript
	started time.Time
	exited  chan struct{} // closed once err is there
	err     error
}

// start runs palmares in the background and kills it with the test.
func start(t *testing.T, environ []string, args ...string) *process {
	t.Helper()
	return startCommand(t, command(t, environ, args...))
}

// startCommand is start with a command of one's own.
func startCommand(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{t: t, cmd: cmd, exited: make(chan struct{})}
	p.stderr.grown = sync.NewCond(&p.stderr.mu)
	p.cmd.Stderr = &p.stderr
	p.started = time.Now()
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.exited)
		p.stderr.end()
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill() // it has gone already, as a rule
		<-p.exited
		if t.Failed() {
			t.Logf("palmares %s printed, at last:\n%s", strings.Join(cmd.Args[1:], " "), p.stderr.from(max(0, p.stderr.mark()-10_000)))
		}
	})
	return p
}

func (p *process) signal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// wait is for a process that should end, with status 0, within the time.
func (p *process) wait(most time.Duration) {
	p.t.Helper()
	select {
	case <-p.exited:
	case <-time.After(most):
		p.t.Fatalf("still running after %v", most)
	}
	if p.err != nil {
		p.t.Fatalf("it ended badly: %v", p.err)
	}
}

func (p *process) stop() {
	p.t.Helper()
	p.signal(syscall.SIGTERM)
	p.wait(20 * time.Second)
}

// await returns once the process has printed the text after the mark, and gives
// what it printed since.
func (p *process) await(mark int, text string, most time.Duration) string {
	p.t.Helper()
	printed, ok := p.stderr.await(mark, text, patience(most))
	if !ok {
		p.t.Fatalf("it did not print %q within %v, but:\n%s", text, most, printed)
	}
	return printed
}

// A transcript is what a process has printed so far.
type transcript struct {
	mu    sync.Mutex
	grown *sync.Cond
	text  []byte
	ended bool
}

func (s *transcript) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, b...)
	s.grown.Broadcast()
	return len(b), nil
}

func (s *transcript) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.grown.Broadcast()
}

// mark is the place after all that was printed.
func (s *transcript) mark() int { return len(s.from(0)) }

func (s *transcript) from(mark int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.text[mark:])
}

func (s *transcript) await(mark int, text string, most time.Duration) (printed string, ok bool) {
	late := false
	timer := time.AfterFunc(most, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		late = true
		s.grown.Broadcast()
	})
	defer timer.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if bytes.Contains(s.text[mark:], []byte(text)) {
			return string(s.text[mark:]), true
		}
		if late || s.ended {
			return string(s.text[mark:]), false
		}
		s.grown.Wait()
	}
}

// An answer is an HTTP response, read to its end.
type answer struct {
	status int
	header http.Header
	body   string
}

// client keeps no connections, so that each request meets the server afresh.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 30 * time.Second}

func fetch(url string, header http.Header) (answer, error) {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, http.NoBody)
	if err != nil {
		return answer{}, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	resp, err := client.Do(req)
	if err != nil {
		return answer{}, err
	}
	body, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(body)}, errors.Join(err, resp.Body.Close())
}

func get(t *testing.T, url string) answer {
	t.Helper()
	a, err := fetch(url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// eventually fetches until the answer is as wanted, and tells how long that took.
func eventually(t *testing.T, url string, most time.Duration, wanted func(answer) bool) (answer, time.Duration) {
	t.Helper()
	began := time.Now()
	for {
		a, err := fetch(url, nil)
		took := time.Since(began)
		if err == nil && wanted(a) {
			return a, took
		}
		if took > patience(most) {
			t.Fatalf("%s is not as it should be after %v: %d %.300s %v", url, most, a.status, a.body, err)
		}
		time.Sleep(25 * time.Millisecond) // slow enough to stay within the anonymous quota
	}
}

// says wants status 200 and a body with the text.
func says(text string) func(answer) bool {
	return func(a answer) bool { return a.status == http.StatusOK && strings.Contains(a.body, text) }
}

func ok(a answer) bool { return a.status == http.StatusOK }
