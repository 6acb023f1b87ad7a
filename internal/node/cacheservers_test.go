package node

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/pgtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func startVarnish(t *testing.T, file, origin string) *cache {
	t.Helper()
	dir, listen := t.TempDir(), testkit.FreeAddress(t)
	vcl := filepath.Join(dir, "test.vcl")
	_, port, _ := strings.Cut(strings.TrimPrefix(origin, "http://"), ":")
	configure(t, file, vcl, `.port = "8080"`, `.port = "`+port+`"`)
	launch(t, listen, "/usr/sbin/varnishd", "varnish varnish-modules", "-F", "-j", "none", "-n", filepath.Join(dir, "work"), "-a", listen, "-f", vcl, "-s", "malloc,32m",
		"-p", "thread_pool_min=10", "-p", "thread_pool_max=50", "-p", "vsl_space=8m")
	c := &cache{
		url: "http://" + listen,
		// A hit names the request that filled the cache beside its own.
		hit: func(h http.Header) bool { return strings.Contains(h.Get("X-Varnish"), " ") && h.Get("Age") != "" },
	}
	c.purge = func() {
		for _, try := range []struct {
			from, through string
			want          int
		}{{"127.79.0.9", "", 405}, {"127.0.0.1", "127.79.0.9", 405}, {"127.0.0.1", "", 200}} {
			req, err := http.NewRequestWithContext(context.WithValue(t.Context(), sourceAddress{}, try.from), "PURGE", c.url, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			if try.through != "" {
				req.Header.Set("X-Forwarded-For", try.through)
			}
			resp, err := remote.Do(req)
			if err != nil || resp.Body.Close() != nil || resp.StatusCode != try.want {
				t.Fatalf("PURGE from %s, through %q: %v %v, want %d", try.from, try.through, resp, err, try.want)
			}
		}
	}
	return c
}

func startNginx(t *testing.T, file, origin string) *cache {
	t.Helper()
	dir, listen := t.TempDir(), testkit.FreeAddress(t)
	stored := filepath.Join(dir, "cache")
	configure(t, file, filepath.Join(dir, "site.conf"), "listen 80;", "listen "+listen+";",
		"127.0.0.1:8080", strings.TrimPrefix(origin, "http://"), "/var/cache/nginx/palmares", stored)
	configure(t, "testdata/nginx/nginx.conf", filepath.Join(dir, "nginx.conf"), "DIR", dir)
	args := []string{"-p", dir, "-c", filepath.Join(dir, "nginx.conf")}
	if os.Geteuid() == 0 {
		args = append(args, "-g", "user root;") // the directory is the test's
	}
	launch(t, listen, "/usr/sbin/nginx", "nginx-light", args...)
	return &cache{
		url: "http://" + listen,
		hit: func(h http.Header) bool { return h.Get("X-Cache") == "HIT" },
		purge: func() {
			files, err := filepath.Glob(stored + "/*")
			for _, f := range files {
				err = errors.Join(err, os.RemoveAll(f))
			}
			if err != nil {
				t.Fatal(err)
			}
		},
	}
}

// configure copies a configuration with other values in it. Each must be there.
func configure(t *testing.T, from, to string, oldnew ...string) {
	t.Helper()
	text, err := os.ReadFile(from)
	must(t, err)
	for i := 0; i < len(oldnew); i += 2 {
		if !bytes.Contains(text, []byte(oldnew[i])) {
			t.Fatalf("%s does not hold %q", from, oldnew[i])
		}
		text = bytes.ReplaceAll(text, []byte(oldnew[i]), []byte(oldnew[i+1]))
	}
	if err := os.WriteFile(to, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// launch runs a server and waits until it accepts connections.
func launch(t *testing.T, listen, program, debian string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		pgtest.SkipOrFail(t, "no %s: install one, for instance with apt-get install %s", program, debian)
	}
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+t.TempDir()) // where Caddy saves its configuration
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() {
		cmd.Wait()
		close(exited)
	}()
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-exited:
		case <-time.After(10 * time.Second):
			cmd.Process.Kill()
			<-exited
		}
		if t.Failed() {
			t.Logf("%s printed:\n%s", program, printed.String())
		}
	})
	testkit.Eventually(t, func() error {
		select {
		case <-exited:
			t.Fatalf("%s ended:\n%s", program, printed.String())
		default:
		}
		conn, err := net.Dial("tcp", listen)
		if err != nil {
			return fmt.Errorf("%s does not listen: %w", program, err)
		}
		return conn.Close()
	})
}
