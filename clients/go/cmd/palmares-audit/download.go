package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	palmares "github.com/palmares-hq/palmares/clients/go"
)

// identifiers is the file that is downloaded.
const identifiers = "identifiers.jsonl"

// The headers that say of which edition it is.
const (
	dayHeader    = "X-Service-Updated-At"
	cursorHeader = "X-Changes-Cursor"
)

// A source is where the catalogue comes from: a service, and a folder that keeps the last download.
type source struct {
	client  *palmares.Client
	cache   cache
	offline bool
}

// A cache keeps one response, the same for every key: the file is public.
type cache struct {
	files palmares.Store
	name  string
}

// Load implements palmares.Store.
func (c cache) Load(string) (*palmares.Entry, error) { return c.files.Load(c.name) }

// Save implements palmares.Store.
func (c cache) Save(_ string, e *palmares.Entry) error { return c.files.Save(c.name, e) }

// newSource checks the address of a service.
func newSource(base, key, folder string, offline bool) (source, error) {
	if base == "" {
		return source{}, errors.New("which service? Say --url=https://… or set PALMARES_API_URL")
	}
	sum := sha256.Sum256([]byte(base))
	s := source{offline: offline, cache: cache{palmares.Memory(1), hex.EncodeToString(sum[:])}}
	if folder == "" {
		if user, err := os.UserCacheDir(); err == nil {
			folder = filepath.Join(user, "palmares-audit")
		}
	}
	if folder != "" {
		s.cache.files = palmares.Directory(folder)
	}
	var err error
	s.client, err = palmares.New(base, palmares.Options{Key: key, Store: s.cache, Retries: 2})
	return s, err
}

// kept returns what the cache has. What was damaged is not there.
func (s source) kept() (c catalogue, found bool) {
	e, err := s.cache.Load("")
	if err != nil || e == nil || !day(e.Header[dayHeader]).valid() {
		return catalogue{}, false
	}
	return catalogue{day(e.Header[dayHeader]), e.Header[cursorHeader], e.Body}, true
}

// load returns the catalogue of today: from the cache if the service says that it has not changed, or with a note if the
// service cannot be asked.
func (s source) load(ctx context.Context) (c catalogue, note string, err error) {
	held, found := s.kept()
	switch {
	case s.offline && !found:
		return catalogue{}, "", errors.New("the cache has no whole catalogue: run once without --offline")
	case s.offline:
		return held, "", nil
	}
	d, err := s.client.DownloadFile(ctx, identifiers)
	if err == nil {
		defer d.Close()
		c = catalogue{day: day(d.Response.UpdatedAt), cursor: d.Response.Cursor}
		c.rows, err = io.ReadAll(d)
	}
	switch {
	case err != nil && found && passing(err):
		return held, fmt.Sprintf("%v; this is the catalogue of %s, which was kept", err, held.day.words()), nil
	case err != nil:
		return catalogue{}, "", err
	case !c.day.valid():
		return catalogue{}, "", errors.New("the service does not say of which day its catalogue is: is it Palmarès?")
	}
	if d.Response.FromStore && c.day != held.day { // another edition with the same identifiers
		if e, err := s.cache.Load(""); err == nil && e != nil {
			e.Header[dayHeader], e.Header[cursorHeader] = string(c.day), c.cursor
			_ = s.cache.Save("", e) // a cache that cannot be written costs a download
		}
	}
	return c, "", nil
}

// passing reports whether an error is of the moment. A key that is wrong, or a service that is another, is for somebody to
// mend, and no cache hides it.
func passing(err error) bool {
	var refused *palmares.Error
	var network *palmares.NetworkError
	if errors.As(err, &refused) {
		return refused.Status >= http.StatusInternalServerError || refused.Status == http.StatusTooManyRequests
	}
	return errors.As(err, &network)
}

// write replaces a file at once, so that no other process reads half of it.
func write(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".palmares-audit-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
