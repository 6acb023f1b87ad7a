package purge

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// The kinds of Cache.
const (
	Varnish    = "varnish"
	Fastly     = "fastly"
	Cloudflare = "cloudflare"
)

// Caches returns all kinds of Cache.
func Caches() []string { return []string{Varnish, Fastly, Cloudflare} }

// Limits of the tags in one request. Those of Fastly and Cloudflare are documented numbers; Varnish accepts a
// header of 8 KB at most.
const (
	varnishBytes   = 4 << 10
	fastlyTags     = 256
	cloudflareTags = 100
)

// patience is the timeout of a request to a cache.
const patience = 10 * time.Second

// maxAnswer is how many bytes of an answer are read.
const maxAnswer = 64 << 10

// A Cache is a shared cache that is purged over HTTP. It follows no redirects, so that the token goes nowhere
// else.
type Cache struct {
	kind   string
	url    string
	token  string
	client *http.Client
}

// NewCache returns a Cache, or an error that names the wrong setting. It sends no request.
func NewCache(kind, address, token string) (*Cache, error) {
	if !slices.Contains(Caches(), kind) {
		return nil, fmt.Errorf("PALMARES_PURGE_CACHE is %q: it is %s", kind, strings.Join(Caches(), ", "))
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Fragment != "":
		return nil, errors.New("PALMARES_PURGE_URL cannot be read: it is where the cache is asked to drop something, such as http://127.0.0.1:6081/") // it may hold a secret
	case u.User != nil || u.RawQuery != "":
		return nil, errors.New("PALMARES_PURGE_URL has a password or a query: write it without, and what is secret into PALMARES_PURGE_TOKEN")
	case kind != Varnish && token == "":
		return nil, fmt.Errorf("PALMARES_PURGE_TOKEN is not set: %s drops nothing without one", kind)
	case kind == Fastly && !strings.HasSuffix(u.Path, "/purge"):
		return nil, fmt.Errorf("PALMARES_PURGE_URL is %q: that of Fastly is https://api.fastly.com/service/ID/purge", address)
	case kind == Cloudflare && !strings.HasSuffix(u.Path, "/purge_cache"):
		return nil, fmt.Errorf("PALMARES_PURGE_URL is %q: that of Cloudflare is https://api.cloudflare.com/client/v4/zones/ID/purge_cache", address)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxConnsPerHost = 1
	return &Cache{kind: kind, url: address, token: token, client: &http.Client{
		Transport: transport, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// ID returns the name of the cache in the database: a digest, so that the address is not stored.
func (c *Cache) ID() string {
	sum := sha256.Sum256([]byte(c.kind + " " + c.url))
	return hex.EncodeToString(sum[:16])
}

// Close closes idle connections.
func (c *Cache) Close() { c.client.CloseIdleConnections() }

// Drop asks the cache to drop what a change says. After an error it may have dropped a part.
func (c *Cache) Drop(ctx context.Context, change Change) error {
	if change.Everything {
		return c.dropAll(ctx)
	}
	for tags := range c.batches(change.Tags) {
		if err := c.drop(ctx, tags); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cache) batches(tags []string) func(func([]string) bool) {
	switch c.kind {
	case Fastly:
		return slices.Chunk(tags, fastlyTags)
	case Cloudflare:
		return slices.Chunk(tags, cloudflareTags)
	}
	return func(yield func([]string) bool) {
		first, size := 0, 0
		for i, tag := range tags {
			if size += len(tag) + 1; size > varnishBytes {
				if !yield(tags[first:i]) {
					return
				}
				first, size = i, len(tag)+1
			}
		}
		if first < len(tags) {
			yield(tags[first:])
		}
	}
}

func (c *Cache) drop(ctx context.Context, tags []string) error {
	switch c.kind {
	case Fastly:
		return c.ask(ctx, http.MethodPost, c.url, map[string][]string{"surrogate_keys": tags}, nil)
	case Cloudflare:
		return c.ask(ctx, http.MethodPost, c.url, map[string][]string{"tags": tags}, nil)
	}
	return c.ask(ctx, "PURGE", c.url, nil, http.Header{"Surrogate-Key": {strings.Join(tags, " ")}})
}

func (c *Cache) dropAll(ctx context.Context) error {
	switch c.kind {
	case Fastly:
		return c.ask(ctx, http.MethodPost, c.url+"_all", nil, nil)
	case Cloudflare:
		return c.ask(ctx, http.MethodPost, c.url, map[string]bool{"purge_everything": true}, nil)
	}
	return c.ask(ctx, "PURGE", c.url, nil, nil)
}

// ask sends a request, with body as JSON unless it is nil. Its errors contain neither the token nor the cache's
// answer.
func (c *Cache) ask(ctx context.Context, method, address string, body any, header http.Header) error {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return fmt.Errorf("writing what to drop: %w", err)
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("the cache cannot be asked: %w", err)
	}
	maps.Copy(r.Header, header)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("User-Agent", "Palmares")
	switch {
	case c.token == "":
	case c.kind == Fastly:
		r.Header.Set("Fastly-Key", c.token)
	default:
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	answer, err := c.client.Do(r)
	if outcome := new(url.Error); errors.As(err, &outcome) {
		err = outcome.Err // without the method and the address
	}
	if err != nil {
		return fmt.Errorf("the cache cannot be asked: %w", err)
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("reading what the cache answers: %w", err)
	}
	return c.checkResponse(answer.StatusCode, said)
}

// checkResponse returns an error unless the answer means that the cache did what it was asked.
func (c *Cache) checkResponse(status int, said []byte) error {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fmt.Errorf("the cache answers %d: it does not take PALMARES_PURGE_TOKEN, or this machine may not ask it", status)
	case status == http.StatusMethodNotAllowed && c.kind == Varnish:
		return fmt.Errorf("the cache answers %d: name this machine in the ACL operators of its VCL", status)
	case status >= 300 && status < 400:
		return fmt.Errorf("the cache answers %d, a redirect: PALMARES_PURGE_URL names where it leads to", status)
	case status < 200 || status >= 300:
		return fmt.Errorf("the cache answers %d", status)
	}
	if c.kind != Cloudflare {
		return nil
	}
	var outcome struct {
		Success bool `json:"success"`
	}
	if err := json.Unmarshal(said, &outcome); err != nil || !outcome.Success {
		return fmt.Errorf("the cache answers %d, and not that it succeeded", status)
	}
	return nil
}
