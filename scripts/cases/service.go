package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// A service is a node with its database, its catalogue and its keys.
type service struct {
	binary, dir string
	env         []string
	url         string
	keys        map[string]string // by their names in cases
	node        *exec.Cmd
	log         *os.File
	drop        func()

	mu    sync.Mutex
	state string // of the catalogue: first or second
}

// serve starts a node. Its files are in dir.
func serve(ctx context.Context, binary, dir string) (*service, error) {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return nil, err
	}
	s := &service{binary: binary, dir: dir, keys: map[string]string{}, drop: func() {}}
	if err := s.set(ctx); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// set makes the database, the catalogue and the keys, and starts the node.
func (s *service) set(ctx context.Context) error {
	database, err := s.createDatabase(ctx)
	if err != nil {
		return err
	}
	addresses, err := freeAddresses(ctx, 2)
	if err != nil {
		return err
	}
	s.url = "http://" + addresses[0]
	s.env = append(os.Environ(), "PALMARES_DATABASE_URL="+database, "PALMARES_SECRET="+random(),
		"PALMARES_REDIS_URL="+cmp.Or(os.Getenv("PALMARES_TEST_REDIS_URL"), "redis://127.0.0.1:6379"),
		"PALMARES_LISTEN="+addresses[0], "PALMARES_ADMIN_LISTEN="+addresses[1], "PALMARES_BASE_URL="+s.url,
		"PALMARES_TRUSTED_PROXIES=127.0.0.1/32", "PALMARES_DRAIN_DELAY=0s")
	if _, err := s.command(ctx, "migrate"); err != nil {
		return err
	}
	for _, state := range []string{"first", "second"} {
		if err := writeCatalog(filepath.Join(s.dir, state), state == "second"); err != nil {
			return err
		}
	}
	if _, err := s.command(ctx, "publish", filepath.Join(s.dir, "first")); err != nil {
		return err
	}
	s.state = "first"
	if err := s.makeKeys(ctx); err != nil {
		return err
	}
	return s.start(ctx, "http://"+addresses[1]+"/readyz")
}

// start starts the node, and returns once it is ready.
func (s *service) start(ctx context.Context, probe string) (err error) {
	if s.log, err = os.Create(filepath.Join(s.dir, "log")); err != nil {
		return err
	}
	s.node = exec.CommandContext(context.WithoutCancel(ctx), s.binary, "serve", "--roles=api") //nolint:gosec // our own program
	s.node.Env, s.node.Stdout, s.node.Stderr = s.env, s.log, s.log
	if err := s.node.Start(); err != nil {
		return err
	}
	for range 600 {
		if r, err := get(ctx, probe); err == nil {
			_ = r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return nil
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	said, err := os.ReadFile(s.log.Name())
	return errors.Join(fmt.Errorf("the node is not ready:\n%s", said), err)
}

func (s *service) close() {
	if s.node != nil && s.node.Process != nil {
		_ = s.node.Process.Signal(syscall.SIGTERM)
		_ = s.node.Wait()
	}
	if s.log != nil {
		_ = s.log.Close()
	}
	s.drop()
}

// command runs the program and returns what it printed.
func (s *service) command(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, s.binary, args...) //nolint:gosec // our own program
	cmd.Env = s.env
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("palmares %s: %w: %s", strings.Join(args, " "), err, said.String())
	}
	return strings.TrimSpace(string(out)), nil
}

func (s *service) makeKeys(ctx context.Context) error {
	for _, a := range []struct {
		email, plan string
		keys        []string
	}{
		{"ada@example.org", "developer", []string{"developer", "other", "revoked"}},
		{"bob@example.org", "pro", []string{"pro"}},
	} {
		if _, err := s.command(ctx, "account", "create", a.email, "--plan", a.plan); err != nil {
			return err
		}
		for _, name := range a.keys {
			key, err := s.command(ctx, "key", "create", a.email, "--name", name)
			if err != nil {
				return err
			}
			s.keys[name] = key
		}
	}
	list, err := s.command(ctx, "key", "list", "ada@example.org")
	if err != nil {
		return err
	}
	for line := range strings.Lines(list) {
		if strings.Contains(line, "revoked") {
			if _, err := s.command(ctx, "key", "revoke", strings.Fields(line)[0]); err != nil {
				return err
			}
		}
	}
	s.keys["unknown"] = "plm_" + strings.Repeat("a", 36) // its checksum is wrong, which nobody is told
	return nil
}

// publish publishes a state of the catalogue, and returns once the node serves it.
func (s *service) publish(ctx context.Context, state string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == state {
		return nil
	}
	before, err := s.cursor(ctx)
	if err != nil {
		return err
	}
	if _, err := s.command(ctx, "publish", filepath.Join(s.dir, state), "--allow-removal", "--allow-stale"); err != nil {
		return err
	}
	s.state = state
	for range 600 {
		now, err := s.cursor(ctx)
		if err != nil {
			return err
		}
		if now != before {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return errors.New("the node does not follow")
}

func (s *service) cursor(ctx context.Context) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/api/v1/categories", http.NoBody)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+s.keys["pro"])
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	_, _ = io.Copy(io.Discard, r.Body)
	return r.Header.Get("X-Changes-Cursor"), r.Body.Close()
}

// createDatabase creates a database, which close drops, and returns its URL.
func (s *service) createDatabase(ctx context.Context) (string, error) {
	base := cmp.Or(os.Getenv("PALMARES_TEST_DATABASE_URL"), "postgres://postgres@127.0.0.1:5432/postgres?sslmode=disable")
	u, err := url.Parse(base)
	if err != nil {
		return "", errors.New("PALMARES_TEST_DATABASE_URL is no URL")
	}
	name := "palmares_cases_" + random()[:12]
	if err := execute(ctx, base, "CREATE DATABASE "+name); err != nil {
		return "", err
	}
	s.drop = func() {
		_ = execute(context.WithoutCancel(ctx), base, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
	}
	u.Path = "/" + name
	return u.String(), nil
}

func execute(ctx context.Context, database, statement string) error {
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return errors.Join(err, conn.Close(ctx))
}

// freeAddresses returns addresses of this machine that were free a moment ago.
func freeAddresses(ctx context.Context, n int) ([]string, error) {
	found := make([]string, n)
	for i := range found {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = l.Close() }()
		found[i] = l.Addr().String()
	}
	return found, nil
}

func get(ctx context.Context, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	return http.DefaultClient.Do(req)
}

func random() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}
