package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
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

// A caller is who sends the requests, and so which part of the quota code they exercise.
type caller int

const (
	anonymous caller = iota // each request from another address
	developer               // each request with another key
	pro                     // one key, not counted
	exhausted               // one address that is out of quota
)

// A class is a kind of request, and what its rate is compared with.
type class struct {
	Name        string
	Short       bool // measured in CI too
	Goal        float64
	Subject     string // the server that is measured: Palmarès in all classes but one
	Base        string
	what        int
	caller      caller
	gzip        bool // Accept-Encoding: gzip
	conditional bool // If-None-Match
}

// counted reports whether the requests use up quotas.
func (c class) counted() bool { return c.caller == anonymous || c.caller == developer }

// A field is one catalog, and all the servers that serve it for the comparison.
type field struct {
	*stand

	node    *node
	paths   [3]string // by what is asked for
	bodies  [3][]byte
	answers string   // a directory with the bodies, each named by its path
	etag    string   // the ETag of the list
	bearers []string // Authorization of each Developer account
	older   string   // the path of the older build's program
	beside  *node    // the older build
	started map[string]*server
}

// newField serves a catalog and stores the bodies that all other servers have to send.
func (s *stand) newField(ctx context.Context, developers int, older string) *field {
	f := &field{
		stand: s, node: s.startNode(ctx, 5000), older: older,
		answers: must(os.MkdirTemp(s.dir, "answers-")), started: make(map[string]*server),
	}
	f.paths = f.node.toolPaths(ctx)
	for i, path := range f.paths {
		a := must(get(ctx, f.node.url+path, f.node.proHeader(), http.StatusOK))
		f.bodies[i], f.etag = a.body, a.header.Get("ETag") // the list comes last
		check(os.WriteFile(f.stored(path), a.body, 0o644))
		progress("%s: %d bytes", path, len(a.body))
	}
	for _, key := range makeKeys(ctx, f.node.database, account.Developer, developers) {
		f.bearers = append(f.bearers, "Bearer "+key)
	}
	return f
}

// stored returns the file with the body of a path.
func (f *field) stored(path string) string { return filepath.Join(f.answers, url.PathEscape(path)) }

// server returns a server, which it starts first if need be.
func (f *field) server(ctx context.Context, name string) *server {
	if f.started[name] == nil {
		s := f.start(ctx, name)
		s.name = name
		f.started[name] = s
	}
	return f.started[name]
}

func (f *field) start(ctx context.Context, name string) *server {
	address := freeAddress(ctx)
	bareArgs := []string{"bare", "-listen", address, "-dir", f.answers}
	switch name {
	case palmares:
		return &f.node.server
	case layerOff:
		program := f.goBuild(ctx, "palmares-nowire", ".", "./cmd/palmares", "-tags", "nowire")
		return &f.startBeside(ctx, f.node, program).server
	case older:
		f.beside = f.startBeside(ctx, f.node, f.older)
		return &f.beside.server
	case bare:
		return f.startPlain(ctx, address, must(os.Executable()), bareArgs...)
	case bareIncr:
		return f.startPlain(ctx, address, must(os.Executable()), append(bareArgs, "-redis", f.redisURL)...)
	case nginx:
		return f.startNginx(ctx, address)
	case goPgx:
		program := f.goBuild(ctx, "pgx", ".", "./bench/peers/pgx")
		return f.startPlain(ctx, address, program, "-listen", address, "-database", f.node.database)
	default:
		return f.startPocketBase(ctx, address)
	}
}

// startPlain runs a program that is ready when it listens.
func (f *field) startPlain(ctx context.Context, address, program string, args ...string) *server {
	p := start(f.dir, os.Environ(), program, args...)
	f.onClose(p.stop)
	p.await(ctx, 30*time.Second, listening(address))
	return &server{url: "http://" + address, process: p}
}

//go:embed nginx.conf
var nginxConf string

func (f *field) startNginx(ctx context.Context, address string) *server {
	var locations strings.Builder
	for _, path := range f.paths {
		fmt.Fprintf(&locations, "        location = %s { alias %s; }\n", path, f.stored(path))
	}
	conf := filepath.Join(f.dir, "nginx.conf")
	check(os.WriteFile(conf, fmt.Appendf(nil, nginxConf, f.dir, address, &locations), 0o644))
	// An nginx started by root runs its workers as nobody, who must be able to read the bodies.
	check(errors.Join(os.Chmod(f.dir, 0o755), os.Chmod(f.answers, 0o755))) //nolint:gosec // as said
	return f.startPlain(ctx, address, "nginx", "-p", f.dir, "-c", conf, "-e", filepath.Join(f.dir, "nginx-error.log"))
}

// startPocketBase starts PocketBase, which copies the tools from our node and prints its own paths.
func (f *field) startPocketBase(ctx context.Context, address string) *server {
	program := f.goBuild(ctx, "pocketbase", "bench/peers/pocketbase", ".")
	p := start(f.dir, environment("PALMARES_KEY="+f.node.pro), program,
		"-listen", address, "-data", filepath.Join(f.dir, "pocketbase-data"), "-import", f.node.url)
	f.onClose(p.stop)
	s := &server{url: "http://" + address, process: p}
	p.await(ctx, 3*time.Minute, func(context.Context) error {
		said := p.output()
		s.paths[one], s.paths[list] = first(`(?m)^one (\S+)$`, said), first(`(?m)^list (\S+)$`, said)
		if s.paths[list] == "unknown" {
			return errors.New("it has not told its paths")
		}
		return nil
	})
	return s
}

// errUncharged means that a slice was not fully charged to the shared quota.
var errUncharged = errors.New("not all requests were charged in Redis")

// slice sends the load of a class to a server and measures it. It fails if a response is not what was expected.
func (f *field) slice(ctx context.Context, c class, s *server, l load) slice {
	l.url = s.url + f.paths[c.what]
	if s.paths[c.what] != "" { // it has paths of its own, and knows no keys
		l.url, l.headers = s.url+s.paths[c.what], l.headers[:1]
	}
	want := http.StatusOK
	switch {
	case s.ours && c.conditional:
		want = http.StatusNotModified
	case s.ours && c.caller == exhausted:
		want = http.StatusTooManyRequests
	}
	f.probe(ctx, c, s, l, want)
	before := f.charges(ctx)
	sent := timed(ctx, f.dir, s.process, l)
	// The node counts by itself, at no cost, what Redis does not answer in time.
	shared := int(f.charges(ctx) - before)
	if c.counted() && s.name == palmares && shared < sent.requests-sent.requests/1000 {
		check(fmt.Errorf("%w: %d of %d", errUncharged, shared, sent.requests))
	}
	sent.check(want >= http.StatusBadRequest)
	f.probe(ctx, c, s, l, want)
	return sent
}

// charges returns how many requests the node has charged in Redis.
func (f *field) charges(ctx context.Context) float64 {
	return must(f.node.metrics(ctx))[`palmares_quota_charges_total{source="shared"}`]
}

// probe sends one of the requests that wrk sends, and checks the response, which wrk does not.
func (f *field) probe(ctx context.Context, c class, s *server, l load, want int) {
	header := make(http.Header)
	for _, h := range l.headers {
		name, value, _ := strings.Cut(h, ": ")
		header.Set(name, value)
	}
	if c.counted() {
		header.Set("Authorization", "Bearer "+f.node.pro) // so that the probe uses up no quota
	}
	if c.caller == exhausted && s.ours {
		exhaust(ctx, l.url, header)
	}
	a := must(get(ctx, l.url, header, want))
	packed := a.header.Get("Content-Encoding") == "gzip"
	if c.gzip && s.ours && !packed {
		check(errors.New("the answer is not compressed"))
	}
	differs := want != http.StatusOK || packed || s.name == older || s.name == goPgx || s.name == pocketBase
	if !differs && !bytes.Equal(a.body, f.bodies[c.what]) {
		check(fmt.Errorf("%s sends other bytes than Palmarès", s.name))
	}
}
