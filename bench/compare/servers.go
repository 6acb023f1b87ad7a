package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The servers that are compared.
const (
	palmares   = "Palmarès"
	layerOff   = "layer off"
	bare       = "bare net/http"
	bareIncr   = "bare + INCR"
	nginx      = "nginx static"
	goPgx      = "Go + pgx"
	pocketBase = "PocketBase"
	older      = "an older build"
)

// A server is something to send requests to.
type server struct {
	name    string
	url     string
	process *process
	workers []int     // child processes that do its work
	paths   [3]string // its own paths, by what is asked for; "" if the same as ours
	keyless bool      // no API key is sent to it
}

func (s *server) pids() []int { return append([]int{s.process.cmd.Process.Pid}, s.workers...) }

// A field is one catalog, and all the servers that serve it for the comparison.
type field struct {
	*stand
	node    *node
	paths   [3]string // by what is asked for
	older   string    // the path of the older build's program
	answers string    // a directory with the expected bodies
	etag    string    // the ETag of the list
	keys    []string  // Developer keys
	servers map[string]*server
	missing map[string]error // why a server did not start
}

// server returns a server, which it starts first if need be. A server that failed to start is not tried again.
func (f *field) server(ctx context.Context, name string) (*server, error) {
	if s, ok := f.servers[name]; ok {
		return s, nil
	}
	if err, ok := f.missing[name]; ok {
		return nil, err
	}
	fmt.Println("starting", name)
	s, err := f.startServer(ctx, name)
	if err != nil {
		f.missing[name] = fmt.Errorf("%s did not start: %w", name, err)
		return nil, f.missing[name]
	}
	s.name = name
	f.servers[name] = s
	return s, nil
}

func (f *field) startServer(ctx context.Context, name string) (*server, error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	switch name {
	case bare:
		return f.startPlain(ctx, name, address, f.binary("base"), "-listen", address, "-dir", f.answers)
	case bareIncr:
		return f.startPlain(ctx, name, address, f.binary("base"), "-listen", address, "-dir", f.answers, "-redis", f.redis)
	case layerOff:
		return f.startLayerOff(ctx)
	case older:
		return f.startOlder(ctx)
	case nginx:
		return f.startNginx(ctx, address)
	case goPgx:
		if err := f.goBuild(ctx, "pgx", ".", "./bench/peers/pgx"); err != nil {
			return nil, err
		}
		return f.startPlain(ctx, name, address, f.binary("pgx"), "-listen", address, "-database", f.node.database)
	case pocketBase:
		return f.startPocketBase(ctx, address)
	}
	return nil, fmt.Errorf("%s: no such server", name)
}

// startLayerOff serves the same catalog with a build that leaves out package wire.
func (f *field) startLayerOff(ctx context.Context) (*server, error) {
	if err := f.goBuild(ctx, "palmares-nowire", ".", "./cmd/palmares", "-tags", "nowire"); err != nil {
		return nil, err
	}
	dir := filepath.Join(f.dir, "nowire")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making a directory: %w", err)
	}
	n := &node{database: f.node.database, program: f.binary("palmares-nowire")}
	return &n.server, f.serve(ctx, n, dir)
}

// startOlder serves the same catalog with the older build.
func (f *field) startOlder(ctx context.Context) (*server, error) {
	program, err := filepath.Abs(f.older)
	if err != nil {
		return nil, fmt.Errorf("-older: %w", err)
	}
	dir := filepath.Join(f.dir, "older")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making a directory: %w", err)
	}
	n := &node{database: f.node.database, program: program}
	return &n.server, f.serve(ctx, n, dir)
}

// startPlain runs a program that is ready when it listens.
func (f *field) startPlain(ctx context.Context, name, address, program string, args ...string) (*server, error) {
	p, err := start(f.dir, name, os.Environ(), program, args...)
	if err != nil {
		return nil, err
	}
	f.onClose(p.stop)
	return &server{url: "http://" + address, process: p}, p.await(ctx, 30*time.Second, listening(address))
}

const nginxConf = `
daemon off;
worker_processes 2;
pid %[1]s/nginx.pid;
error_log %[1]s/nginx-error.log;
events { worker_connections 1024; }
http {
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000000;
    open_file_cache max=16;
    default_type "application/json; charset=utf-8";
    client_body_temp_path %[1]s/nginx-body;
    proxy_temp_path %[1]s/nginx-proxy;
    fastcgi_temp_path %[1]s/nginx-fastcgi;
    uwsgi_temp_path %[1]s/nginx-uwsgi;
    scgi_temp_path %[1]s/nginx-scgi;
    server {
        listen %[2]s;
%[3]s    }
}
`

func (f *field) startNginx(ctx context.Context, address string) (*server, error) {
	var locations strings.Builder
	for _, path := range f.paths {
		fmt.Fprintf(&locations, "        location = %s { alias %s; }\n", path, filepath.Join(f.answers, escaped(path)))
	}
	conf := filepath.Join(f.dir, "nginx.conf")
	if err := os.WriteFile(conf, fmt.Appendf(nil, nginxConf, f.dir, address, &locations), 0o644); err != nil {
		return nil, fmt.Errorf("writing nginx.conf: %w", err)
	}
	// An nginx started by root runs its workers as nobody, who must be able to read the bodies.
	if err := os.Chmod(f.dir, 0o755); err != nil { //nolint:gosec // as said
		return nil, fmt.Errorf("opening the directory to nginx: %w", err)
	}
	s, err := f.startPlain(ctx, nginx, address, "nginx", "-p", f.dir, "-c", conf, "-e", filepath.Join(f.dir, "nginx-error.log"))
	if err != nil {
		return nil, err
	}
	s.workers, err = children(s.process.cmd.Process.Pid)
	return s, err
}

// startPocketBase starts PocketBase, which copies the tools from our node and prints its own paths.
func (f *field) startPocketBase(ctx context.Context, address string) (*server, error) {
	if err := f.goBuild(ctx, "pocketbase", "bench/peers/pocketbase", "."); err != nil {
		return nil, err
	}
	p, err := start(f.dir, pocketBase, f.environment("PALMARES_KEY="+f.node.pro), f.binary("pocketbase"),
		"-listen", address, "-data", filepath.Join(f.dir, "pocketbase-data"), "-import", f.node.url)
	if err != nil {
		return nil, err
	}
	f.onClose(p.stop)
	s := &server{url: "http://" + address, process: p, keyless: true}
	return s, p.await(ctx, 3*time.Minute, func(context.Context) error {
		s.paths, err = pocketBasePaths(p.log)
		return err
	})
}

// pocketBasePaths reads the lines "one PATH" and "list PATH" after "ready".
func pocketBasePaths(log string) (paths [3]string, err error) {
	file, err := os.Open(log)
	if err != nil {
		return paths, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	lines := bufio.NewScanner(file)
	ready := false
	for lines.Scan() {
		name, path, _ := strings.Cut(lines.Text(), " ")
		switch {
		case name == "ready":
			ready = true
		case ready && name == "one":
			paths[one] = path
		case ready && name == "list":
			paths[list] = path
		}
	}
	if paths[one] == "" || paths[list] == "" {
		return paths, errors.New("it has not told its paths")
	}
	return paths, lines.Err()
}
