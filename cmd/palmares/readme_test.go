package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/palmares-hq/palmares/internal/pgtest"
)

const root = "../.."

// The engines of compose.yaml, on its ports, which README.md names.
var composePort = regexp.MustCompile(`ports: \["(127\.0\.0\.1:(\d+)):\d+"\]`)

// steps are the commands of README.md after the given words.
func steps(t *testing.T, after string) string {
	t.Helper()
	_, rest, found := strings.Cut(readAll(t, root+"/README.md"), after)
	_, block, fenced := strings.Cut(rest, "```sh\n")
	block, _, closed := strings.Cut(block, "```")
	if !found || !fenced || !closed {
		t.Fatalf("README.md has no commands after %q", after)
	}
	return block
}

// developed is a database that a newcomer's commands make; it goes with the test.
func developed(t *testing.T) (name string) {
	t.Helper()
	for _, port := range composePort.FindAllStringSubmatch(readAll(t, root+"/compose.yaml"), -1) {
		conn, err := net.DialTimeout("tcp", port[1], 5*time.Second)
		if err != nil {
			pgtest.Missing(t, "no engine of compose.yaml at %s: start it with docker compose up -d", port[1])
		}
		conn.Close()
	}
	name = fmt.Sprintf("palmares_dev_%d", rand.Uint64())
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		conn, err := pgx.Connect(ctx, "postgres://postgres@127.0.0.1:5432/postgres")
		if err == nil {
			defer conn.Close(ctx)
			_, err = conn.Exec(ctx, `DROP DATABASE IF EXISTS "`+name+`" WITH (FORCE)`)
		}
		if err != nil {
			t.Errorf("the database %s is left behind: %v", name, err)
		}
	})
	return name
}

// shell runs commands as a newcomer does, in the root of the repository, with nothing of
// ours in the environment but what is given.
func shell(t *testing.T, script string, settings ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command("bash", "-euo", "pipefail", "-c", script), exited: make(chan struct{})}
	p.stderr.grown = sync.NewCond(&p.stderr.mu)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = root, &p.stderr, &p.stderr
	p.cmd.Env = append(slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "PALMARES_") }), settings...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.exited)
		p.stderr.end()
	}()
	t.Cleanup(func() {
		syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // and what it started
		<-p.exited
		if t.Failed() {
			t.Logf("it printed, at last:\n%s", p.stderr.from(max(0, p.stderr.mark()-10_000)))
		}
	})
	return p
}

// What README.md has a newcomer type works, on the ports of compose.yaml.
func TestReadme(t *testing.T) {
	t.Parallel()
	t.Run("step by step", stepByStep) // one after the other: both build into build/
	t.Run("make dev", makeDev)
}

func stepByStep(t *testing.T) {
	name := developed(t)
	public, admin := freeAddress(t), freeAddress(t) // others test on this machine, too
	own := func(commands string) string {
		return strings.NewReplacer("palmares_dev", name, "127.0.0.1:8080", public).Replace(commands)
	}
	serving := steps(t, "Step by\nstep it is:")
	for _, port := range composePort.FindAllStringSubmatch(readAll(t, root+"/compose.yaml"), -1) {
		if !strings.Contains(serving, port[1]) {
			t.Errorf("README.md does not name %s, where compose.yaml has an engine", port[1])
		}
	}
	p := shell(t, own(serving), "PALMARES_LISTEN="+public, "PALMARES_ADMIN_LISTEN="+admin)
	p.await(0, "edition 1 published", 5*time.Minute) // it builds the program
	eventually(t, "http://"+admin+"/readyz", time.Minute, ok)

	variables := strings.Join(regexp.MustCompile(`(?m)^export PALMARES_(DATABASE|REDIS)_URL=.*$`).FindAllString(serving, -1), "\n")
	key := shell(t, own(variables+"\n"+steps(t, "make an account and a key:")))
	key.wait(time.Minute)
	key.await(0, `"chunks"`, time.Second)
}

// makeDev prints addresses and keys that work, new keys each time.
func makeDev(t *testing.T) {
	name := developed(t)
	keys := map[string]bool{}
	for range 2 {
		public, admin := freeAddress(t), freeAddress(t)
		p := shell(t, "make --no-print-directory dev", "PALMARES_LISTEN="+public, "PALMARES_ADMIN_LISTEN="+admin,
			"PALMARES_SNAPSHOT_FILE="+t.TempDir()+"/copy",
			"DEV_DATABASE_URL=postgres://postgres@127.0.0.1:5432/"+name+"?sslmode=disable")
		printed := p.await(0, "pro key: plm_", 5*time.Minute)
		if !strings.Contains(printed, "admin on http://"+admin+"/readyz") {
			t.Errorf("it does not tell its admin address, %s:\n%s", admin, printed)
		}
		eventually(t, "http://"+admin+"/readyz", time.Minute, ok)
		for _, key := range regexp.MustCompile(`(?m)^  (developer|pro) key: (\S+)$`).FindAllStringSubmatch(p.stderr.from(0), -1) {
			tier := map[string]string{"developer": "free", "pro": "pro"}[key[1]]
			a, err := fetch("http://"+public+"/api/embeddings/tournevis", http.Header{"Authorization": {"Bearer " + key[2]}})
			if err != nil || !ok(a) || a.header.Get("X-Ratelimit-Tier") != tier || keys[key[2]] {
				t.Errorf("the %s key: %d %.200s %v", key[1], a.status, a.body, err)
			}
			keys[key[2]] = true
		}
		if err := syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		<-p.exited
	}
	if len(keys) != 4 {
		t.Errorf("%d keys in two runs, want 4", len(keys))
	}
}
