package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/palmares-hq/palmares/internal/testkit"
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
	besides(2 * runtime.GOMAXPROCS(0))
	return m.TestingM.Run()
}

// besides has as many tests run beside each other, unless whoever tests has said how many: they wait for processes and engines
// half of the time.
func besides(tests int) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", strconv.Itoa(tests)) // it is a number
	}
}

// binary is the program as it is shipped, built when a test first needs it. PALMARES_TEST_BINARY names another build: what a
// test measures can be measured of an older one.
var binary = sync.OnceValues(func() (string, error) {
	if other := os.Getenv("PALMARES_TEST_BINARY"); other != "" {
		return filepath.Abs(other)
	}
	path := filepath.Join(binaryDir, "palmares")
	if err := copyProgram(root+"/build/palmares", path); err != nil {
		return "", err
	}
	return buildProgram(path)
})

// copyProgram copies what make build has made: go build links nothing where that stands already which it would make. It
// copies nothing that is not there, or that somebody is writing.
func copyProgram(from, to string) error {
	before, err := os.Stat(from)
	if err != nil {
		return nil //nolint:nilerr // as said
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	after, err := os.Stat(from)
	if err != nil || !os.SameFile(before, after) || before.Size() != after.Size() || after.Size() != int64(len(text)) {
		return nil //nolint:nilerr // as said
	}
	return os.WriteFile(to, text, 0o755)
}

// buildProgram builds the program as the release is built, whatever the tests are built with.
func buildProgram(path string, flags ...string) (string, error) {
	build := exec.Command("go", append(append([]string{"build", "-trimpath", "-o", path}, flags...), ".")...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the program: %w\n%s", err, out)
	}
	return path, nil
}

func must(t *testing.T, err error) { t.Helper(); testkit.Must(t, err) }

func command(t *testing.T, environ []string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binary()
	must(t, err)
	return commandOf(t, path, environ, args...)
}

// commandOf is a command of a build of the program.
func commandOf(t *testing.T, path string, environ []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(path, args...)
	// Nothing of the tester's own environment reaches the program.
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, environ...)
	return cmd
}

// palmares runs a command to its end, which must be a good one.
func palmares(t *testing.T, environ []string, args ...string) (stdout, stderr string) {
	t.Helper()
	return finish(t, command(t, environ, args...))
}

// finish runs a command to its end, which must be a good one.
func finish(t *testing.T, cmd *exec.Cmd) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(cmd.Args, " "), err, out.String(), errs.String())
	}
	for _, text := range []string{out.String(), errs.String()} {
		for _, fault := range testkit.RawFormats("text/plain", text) {
			t.Errorf("%s prints %s", strings.Join(cmd.Args, " "), fault)
		}
	}
	return out.String(), errs.String()
}

// database is the environment of a command that needs nothing else.
func database(url string) []string { return []string{"PALMARES_DATABASE_URL=" + url} }

// newKey makes an account and a key of it.
func newKey(t *testing.T, db, email, plan string) string {
	t.Helper()
	palmares(t, database(db), "account", "create", email, "--plan", plan)
	key, _ := palmares(t, database(db), "key", "create", email)
	return strings.TrimSpace(key)
}

// A process is a program that runs in the background.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	log    testkit.Log   // what it has printed
	exited chan struct{} // closed once err is there
	err    error
}

// start runs palmares in the background and kills it with the test.
func start(t *testing.T, environ []string, args ...string) *process {
	t.Helper()
	return startCommand(t, command(t, environ, args...))
}

// startCommand runs a command in the background and kills it, and what it started, with the
// test. What it prints is kept, unless it is to go elsewhere.
func startCommand(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{t: t, cmd: cmd, exited: make(chan struct{})}
	if cmd.Stderr == nil {
		cmd.Stdout, cmd.Stderr = &p.log, &p.log
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	must(t, cmd.Start())
	go func() {
		p.err = cmd.Wait()
		close(p.exited)
	}()
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it has gone already, as a rule
		<-p.exited
		if printed := p.log.String(); t.Failed() {
			t.Logf("%s printed, at last:\n%s", strings.Join(cmd.Args, " "), printed[max(0, len(printed)-10_000):])
		}
	})
	return p
}

// wait is for a process that should end with status 0.
func (p *process) wait() {
	p.t.Helper()
	if testkit.Await(p.t, "the end of "+strings.Join(p.cmd.Args, " "), p.exited); p.err != nil {
		p.t.Fatalf("it ended badly: %v", p.err)
	}
}

func (p *process) stop() {
	p.t.Helper()
	must(p.t, p.cmd.Process.Signal(syscall.SIGTERM))
	p.wait()
}

// mark is the end of what it has printed.
func (p *process) mark() int { return len(p.log.String()) }

// await returns once the process has printed the text after the mark, and gives what it printed
// since.
func (p *process) await(mark int, text string) (printed string) {
	p.t.Helper()
	testkit.EventuallyTrue(p.t, "it prints "+text, func() bool {
		ended := false
		select {
		case <-p.exited:
			ended = true
		default:
		}
		if printed = p.log.String()[mark:]; ended && !strings.Contains(printed, text) {
			p.t.Fatalf("it ended without having printed %q, but:\n%s", text, printed)
		}
		return strings.Contains(printed, text)
	})
	return printed
}

// A server is a running palmares serve.
type server struct {
	*process
	public, admin string // base URLs
}

// onFreePorts is the environment of a node. Later settings win over earlier ones.
func onFreePorts(url string, settings ...string) []string {
	return append(append(database(url), "PALMARES_SECRET="+secret, "PALMARES_LISTEN=127.0.0.1:0",
		"PALMARES_ADMIN_LISTEN=127.0.0.1:0", "PALMARES_DRAIN_DELAY=0s"), settings...)
}

// serve starts a node of all roles.
func serve(t *testing.T, url string, settings ...string) *server {
	t.Helper()
	return serving(start(t, onFreePorts(url, settings...), "serve"))
}

// serving is a node that has been started.
func serving(p *process) *server {
	p.t.Helper()
	n := &server{process: p}
	address := func(server string) string {
		marker := fmt.Sprintf(`"msg":"listening","server":%q,"address":"`, server)
		_, rest, _ := strings.Cut(p.await(0, marker), marker)
		address, _, _ := strings.Cut(rest, `"`)
		return "http://" + address
	}
	n.public, n.admin = address("public"), address("admin")
	return n
}

func (n *server) ready() {
	n.t.Helper()
	testkit.EventuallyGet(n.t, n.admin+"/readyz", testkit.Response.OK)
}

func (n *server) metric(name string) float64 { n.t.Helper(); return testkit.Metric(n.t, n.admin, name) }

// counts waits for the node to count quotas with all the others (1), or alone (0).
func (n *server) counts(shared float64) {
	n.t.Helper()
	testkit.EventuallyTrue(n.t, fmt.Sprintf("palmares_quota_shared is %v", shared), func() bool {
		return n.metric("palmares_quota_shared") == shared
	})
}

// wantLines wants the log of a node that has ended to be JSON to the last line.
func (n *server) wantLines() {
	n.t.Helper()
	for line := range strings.Lines(n.log.String()) {
		if !json.Valid([]byte(line)) {
			n.t.Fatalf("a log line is not JSON: %s", line)
		}
	}
}
