package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A Server is a test's own PostgreSQL server, on a port of its own.
type Server struct {
	tb   testing.TB
	bin  string
	data string
	port int
	cmd  *exec.Cmd
	tls  []string // arguments to start it with TLS; nil without TLS
}

// NewServer starts a server with a migrated database and stops it when the test ends.
func NewServer(tb testing.TB) *Server {
	tb.Helper()
	dirs, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(dirs) == 0 {
		SkipOrFail(tb, "no PostgreSQL server in /usr/lib/postgresql: install one, for instance with apt-get install postgresql")
	}
	s := &Server{tb: tb, bin: slices.Max(dirs), port: testkit.FreePort(tb)}
	// Not tb.TempDir: the server's user must be able to reach it.
	dir, err := os.MkdirTemp(dataDir(), "palmares-pg-") //nolint:usetesting // as said
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	s.data = filepath.Join(dir, "data")
	if id := serverUser(tb); id != nil {
		if err := os.Chown(dir, int(id.Uid), int(id.Gid)); err != nil {
			tb.Fatal(err)
		}
	}
	if err := s.copyCluster(); err != nil {
		tb.Fatalf("copying a cluster: %v", err)
	}
	s.Start()
	tb.Cleanup(s.Kill)
	if err := randomizeIDs(s.URL()); err != nil {
		tb.Fatalf("telling a copy of a cluster apart: %v", err)
	}
	return s
}

// dataDir returns where servers keep their files: in memory where there is room, because the copying of databases is
// most of what tests write to a disk, and else below /tmp.
var dataDir = sync.OnceValue(func() string {
	const memory = "/dev/shm"
	var fs syscall.Statfs_t
	if syscall.Statfs(memory, &fs) != nil || fs.Bavail*uint64(fs.Bsize) < 4<<30 {
		return "/tmp"
	}
	dir, err := os.MkdirTemp(memory, "palmares-pg-")
	if err != nil {
		return "/tmp"
	}
	os.Remove(dir)
	return memory
})

// URL returns the URL of the server's database.
func (s *Server) URL() string {
	mode := "disable"
	if s.tls != nil {
		mode = "require"
	}
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=%s", s.port, mode)
}

// WantTLS restarts the server with a certificate. It then refuses connections without TLS.
func (s *Server) WantTLS(certificate, key string) {
	s.tb.Helper()
	s.Kill()
	s.tls = []string{"-c", "ssl=on"}
	for setting, from := range map[string]string{"ssl_cert_file": certificate, "ssl_key_file": key} {
		s.tls = append(s.tls, "-c", setting+"="+s.write(setting, testkit.ReadFile(s.tb, from)))
	}
	s.write("data/pg_hba.conf", "hostssl all all 127.0.0.1/32 trust\n")
	s.Start()
}

// write writes a file that the server can read, and returns its path.
func (s *Server) write(name, text string) string {
	s.tb.Helper()
	path := filepath.Join(filepath.Dir(s.data), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.tb.Fatal(err)
	}
	if id := serverUser(s.tb); id != nil {
		if err := os.Chown(path, int(id.Uid), int(id.Gid)); err != nil {
			s.tb.Fatal(err)
		}
	}
	return path
}

// Data returns the directory of the server's files. The socket is in its parent directory.
func (s *Server) Data() string { return s.data }

// Port returns the port of 127.0.0.1 that the server listens on.
func (s *Server) Port() int { return s.port }

// As makes a command run as the server's user, and returns it.
func (s *Server) As(cmd *exec.Cmd) *exec.Cmd {
	s.tb.Helper()
	if id := serverUser(s.tb); id != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: id}
	}
	return cmd
}

// Open opens the server's database.
func (s *Server) Open() *postgres.DB { return open(s.tb, s.URL()) }

// Start starts the server and waits until it answers.
func (s *Server) Start() { s.tb.Helper(); s.start() }

// StartWithClockOff is Start with a clock that is wrong: ahead by a duration, or behind if that is negative.
func (s *Server) StartWithClockOff(by time.Duration) {
	s.tb.Helper()
	found, err := filepath.Glob("/usr/lib/*/faketime/libfaketime.so.1")
	if err != nil || len(found) == 0 {
		SkipOrFail(s.tb, "no libfaketime: apt-get install faketime")
	}
	s.start("LD_PRELOAD="+found[0], fmt.Sprintf("FAKETIME=%+ds", int(by.Seconds())), "DONT_FAKE_MONOTONIC=1")
}

func (s *Server) start(settings ...string) {
	s.tb.Helper()
	var log testkit.Log
	s.cmd = s.command("postgres", append([]string{
		"-D", s.data, "-p", strconv.Itoa(s.port), "-k", filepath.Dir(s.data),
		"-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "max_connections=200",
	}, s.tls...)...)
	s.cmd.Stderr, s.cmd.Env = &log, append(os.Environ(), settings...)
	if err := s.cmd.Start(); err != nil {
		s.tb.Fatal(err)
	}
	testkit.Eventually(s.tb, func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		conn, err := pgx.Connect(ctx, s.URL())
		if strings.Contains(log.String(), "database system is shut down") {
			s.tb.Fatalf("the test's PostgreSQL does not start:\n%s", log.String())
		}
		if err != nil {
			return fmt.Errorf("the test's PostgreSQL does not answer: %w\n%s", err, log.String())
		}
		return conn.Close(ctx)
	})
}

// Stop ends the server at once, as if its machine had gone away.
func (s *Server) Stop() { s.end(syscall.SIGQUIT) } // immediate shutdown

// Kill is Stop for a server that may have stopped already.
func (s *Server) Kill() {
	if s.cmd != nil && s.cmd.ProcessState == nil {
		s.Stop()
	}
}

func (s *Server) end(sig os.Signal) {
	s.tb.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		s.tb.Fatal(err)
	}
	s.cmd.Wait()
}

// Freeze suspends the backend with that process id until thaw is called.
func (s *Server) Freeze(pid int) (thaw func()) {
	s.tb.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		s.tb.Fatal(err)
	}
	return func() { syscall.Kill(pid, syscall.SIGCONT) }
}

func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = filepath.Dir(s.data)
	return s.As(cmd)
}

// serverUser returns the user to run the server as if the test runs as root, as
// which PostgreSQL refuses to run; nil means the test's own user.
func serverUser(tb testing.TB) *syscall.Credential {
	if os.Geteuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		SkipOrFail(tb, "PostgreSQL does not run as root and there is no user postgres: %v", err)
	}
	uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	if err := errors.Join(err1, err2); err != nil {
		tb.Fatal(err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// FreezeAll suspends the whole server until thaw is called or the test ends. The kernel still accepts
// connections, but nothing answers on them.
func (s *Server) FreezeAll() (thaw func()) {
	s.tb.Helper()
	signal := func(sig syscall.Signal) {
		for _, pid := range append(s.children(), s.cmd.Process.Pid) {
			syscall.Kill(pid, sig)
		}
	}
	syscall.Kill(s.cmd.Process.Pid, syscall.SIGSTOP) // first, so that it starts no more children
	signal(syscall.SIGSTOP)
	thaw = func() { signal(syscall.SIGCONT) }
	s.tb.Cleanup(thaw)
	return thaw
}

// children returns the ids of the processes that the server's first one has started.
func (s *Server) children() (pids []int) {
	s.tb.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", s.cmd.Process.Pid))
	if err != nil {
		s.tb.Fatal(err)
	}
	for field := range bytes.FieldsSeq(text) {
		pid, err := strconv.Atoi(string(field))
		if err != nil {
			s.tb.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}
