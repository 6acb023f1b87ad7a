package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

func TestReady(t *testing.T) {
	t.Parallel()
	var down atomic.Bool
	admin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/livez":
			w.Write([]byte("ok\n"))
			return
		case "/readyz":
		default:
			t.Errorf("it asks for %s", r.URL.Path)
		}
		if down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		w.Write([]byte("so it is\n"))
	}))
	defer admin.Close()
	address := strings.TrimPrefix(admin.URL, "http://")
	_, port, _ := strings.Cut(address, ":")
	ask := func(address string, flags ...string) (exit int, out, errs string) {
		cmd := command(t, []string{"PALMARES_ADMIN_LISTEN=" + address}, append([]string{"ready"}, flags...)...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		cmd.Run()
		return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
	}
	for _, address := range []string{address, ":" + port} {
		if exit, out, errs := ask(address); exit != 0 || out != "so it is\n" || errs != "" {
			t.Errorf("a node that is ready at %s: exit %d, %q, %q", address, exit, out, errs)
		}
	}
	down.Store(true)
	if exit, out, errs := ask(address); exit != 1 || out != "" || errs != "palmares: so it is\n" {
		t.Errorf("a node that is not: exit %d, %q, %q", exit, out, errs)
	}
	// Nobody should restart it for that.
	if exit, out, errs := ask(address, "--live"); exit != 0 || out != "ok\n" || errs != "" {
		t.Errorf("a node that is alive and not ready: exit %d, %q, %q", exit, out, errs)
	}
	admin.Close()
	for _, flags := range [][]string{nil, {"--live"}} {
		if exit, _, errs := ask(address, flags...); exit != 1 || !strings.Contains(errs, "no node answers") {
			t.Errorf("no node, %v: exit %d, %q", flags, exit, errs)
		}
	}
}
