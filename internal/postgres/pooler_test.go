package postgres_test

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/postgres"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A PgBouncer in transaction mode gives one client the statements of another: whatever a node does first, the error says so.
func TestPooler_IsNamed(t *testing.T) {
	t.Parallel()
	const program = "/usr/sbin/pgbouncer"
	if _, err := os.Stat(program); err != nil {
		pgtest.SkipOrFail(t, "no PgBouncer: install one, for instance with apt-get install pgbouncer")
	}
	db := newDB(t)
	db.publish(before())
	server, err := pgconn.ParseConfig(db.url)
	db.must(err)
	dir, port := t.TempDir(), testkit.FreePort(t)
	settings := filepath.Join(dir, "pgbouncer.ini")
	db.must(os.WriteFile(settings, fmt.Appendf(nil, `[databases]
* = host=%s port=%d user=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 1
ignore_startup_parameters = extra_float_digits, synchronous_commit
`, server.Host, server.Port, server.User, port), 0o600))
	args := []string{settings}
	if os.Geteuid() == 0 { // it refuses to be root
		db.must(os.Chmod(settings, 0o644))
		args = []string{"-u", "nobody", settings}
	}
	cmd := exec.Command(program, args...)
	var said testkit.Log
	cmd.Stderr = &said
	db.must(cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	u, err := url.Parse(db.url)
	db.must(err)
	u.Host = fmt.Sprintf("127.0.0.1:%d", port)
	first, err := postgres.Open(t.Context(), u.String(), postgres.Options{})
	db.must(err)
	t.Cleanup(first.Close)
	testkit.Eventually(t, func() error { // it listens, and this client has prepared its statements
		_, err := first.Schema(t.Context())
		if err != nil {
			err = fmt.Errorf("%w, it says %s", err, said.String())
		}
		return err
	})
	_, err = first.Catalog.ServiceName(t.Context())
	db.must(err)
	second, err := postgres.Open(t.Context(), u.String(), postgres.Options{})
	db.must(err)
	t.Cleanup(second.Close)
	for what, ask := range map[string]func() error{
		"the schema":  func() error { _, err := second.Schema(t.Context()); return err },
		"the catalog": func() error { _, err := second.Catalog.ServiceName(t.Context()); return err },
	} {
		if err := ask(); err == nil || !strings.Contains(err.Error(), "behind a pooler in transaction mode") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
