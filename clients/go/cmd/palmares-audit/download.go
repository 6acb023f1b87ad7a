package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// maxDownload is the largest download, in bytes as they are sent.
const maxDownload = 64 << 20

// A source is where the catalogue comes from: a service, and a folder that keeps the last download.
type source struct {
	base, key string // key is "" for none
	folder    string // "" keeps nothing
	offline   bool
	wait      time.Duration // the first pause between attempts
}

// newSource checks the address of a service.
func newSource(base, key, folder string, offline bool) (source, error) {
	u, err := url.Parse(base)
	switch {
	case base == "":
		return source{}, errors.New("which service? Say --url=https://… or set PALMARES_API_URL")
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return source{}, errors.New("the address of the service is no plain http or https URL")
	}
	if folder == "" {
		if user, err := os.UserCacheDir(); err == nil {
			folder = filepath.Join(user, "palmares-audit")
		}
	}
	return source{strings.TrimRight(base, "/"), key, folder, offline, 500 * time.Millisecond}, nil
}

// A head is the first line of a file in the cache. The bytes of the download follow it.
type head struct {
	URL    string `json:"url"`
	ETag   string `json:"etag"`
	Day    day    `json:"day"`
	Cursor string `json:"cursor"`
	SHA256 string `json:"sha256"`
}

// load returns the catalogue of today: from the cache if the service says that it has not changed, or with a note if the
// service cannot be asked.
func (s source) load(ctx context.Context) (c catalogue, note string, err error) {
	last, rows, faulty := s.kept()
	held := catalogue{last.Day, last.Cursor, rows}
	switch {
	case s.offline && faulty != nil:
		return catalogue{}, "", fmt.Errorf("there is no catalogue to use offline: %w; run once without --offline", faulty)
	case s.offline:
		return held, "", nil
	}
	for attempt := 0; ; attempt++ {
		c, wait, err := s.ask(ctx, last, held)
		if err == nil {
			return c, "", nil
		}
		if wait < 0 || attempt == 2 || ctx.Err() != nil {
			if wait == final || faulty != nil {
				return catalogue{}, "", err
			}
			return held, fmt.Sprintf("%v; this is the catalogue of %s, which was kept", err, held.day.words()), nil
		}
		if wait == 0 {
			wait = s.wait<<attempt + rand.N(s.wait)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// What ask says of another attempt: there is none, and in the first case the cache is no answer either.
const (
	final time.Duration = -1
	later time.Duration = -2
)

// ask downloads the file of identifiers, unless that which is held is still right. After an error, wait says how long to
// wait before another attempt, 0 for as long as the caller likes.
func (s source) ask(ctx context.Context, last head, held catalogue) (c catalogue, wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+"/api/v1/export/identifiers.jsonl", http.NoBody)
	if err != nil {
		return c, final, err
	}
	r.Header.Set("Accept-Encoding", "gzip") // what is sent otherwise is charged
	r.Header.Set("User-Agent", "palmares-audit/"+version)
	if s.key != "" {
		r.Header.Set("Authorization", "Bearer "+s.key)
	}
	if last.ETag != "" {
		r.Header.Set("If-None-Match", last.ETag)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return c, 0, fmt.Errorf("the service does not answer: %w", err)
	}
	defer answer.Body.Close()
	now := head{s.base, answer.Header.Get("ETag"), day(answer.Header.Get("X-Service-Updated-At")), answer.Header.Get("X-Changes-Cursor"), last.SHA256}
	switch answer.StatusCode {
	case http.StatusNotModified:
		if now.Day != "" && now.Day != last.Day || now.Cursor != "" && now.Cursor != last.Cursor {
			now.ETag = last.ETag
			s.keep(now, held.rows)
			held.day, held.cursor = now.Day, now.Cursor
		}
		return held, 0, nil
	case http.StatusOK:
	default:
		return c, pause(answer), s.refused(answer)
	}
	rows, err := io.ReadAll(io.LimitReader(answer.Body, maxDownload+1))
	c = catalogue{now.Day, now.Cursor, rows}
	switch {
	case err != nil:
		return c, 0, fmt.Errorf("the download was cut short: %w", err)
	case len(rows) > maxDownload:
		return c, final, fmt.Errorf("the download is larger than %d MB", maxDownload>>20)
	case !c.day.valid():
		return c, final, errors.New("the service does not say of which day its catalogue is: is it Palmarès?")
	}
	if _, err := c.look(nil); err != nil { // whole, and what it should be, before it is kept
		return c, final, fmt.Errorf("the download cannot be read: %w", err)
	}
	s.keep(now, rows)
	return c, 0, nil
}

// pause returns when to ask again after an error: as the service says, if that is within a minute.
func pause(answer *http.Response) time.Duration {
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		seconds, err := strconv.Atoi(answer.Header.Get("Retry-After"))
		switch {
		case err != nil || seconds <= 0:
			return 0
		case seconds > 60:
			return later
		}
		return time.Duration(seconds) * time.Second
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusGatewayTimeout:
		return later
	}
	return final
}

// refused returns the error of an answer that is no file.
func (s source) refused(answer *http.Response) error {
	var body struct {
		Error string `json:"error"`
	}
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	_ = json.Unmarshal(text, &body) // an answer that is not ours has no error
	said := ""
	if body.Error != "" {
		said = ": " + printable(body.Error)
	}
	if s.key != "" {
		said = strings.ReplaceAll(said, s.key, "(the key)")
	}
	if id := printable(answer.Header.Get("X-Request-Id")); id != "" {
		said += " (request " + id + ")"
	}
	return fmt.Errorf("the service answers %d%s", answer.StatusCode, said)
}

// path returns the file of the cache for this service.
func (s source) path() string {
	sum := sha256.Sum256([]byte(s.base))
	return filepath.Join(s.folder, hex.EncodeToString(sum[:8])+".identifiers")
}

// kept returns what the cache has, or why it has nothing. What was changed by anybody counts as nothing.
func (s source) kept() (head, []byte, error) {
	if s.folder == "" {
		return head{}, nil, errors.New("there is no folder for a cache")
	}
	b, err := os.ReadFile(s.path())
	if err != nil {
		return head{}, nil, fmt.Errorf("the cache has none of %s", s.base)
	}
	var h head
	first, rows, _ := strings.Cut(string(b), "\n")
	sum := sha256.Sum256([]byte(rows))
	if err := json.Unmarshal([]byte(first), &h); err != nil || h.SHA256 != hex.EncodeToString(sum[:]) || h.URL != s.base || !h.Day.valid() {
		return head{}, nil, errors.New("what the cache has is damaged")
	}
	return h, []byte(rows), nil
}

// keep writes the cache. A cache that cannot be written costs a download the next time, and nothing else.
func (s source) keep(h head, rows []byte) {
	if s.folder == "" || os.MkdirAll(s.folder, 0o700) != nil {
		return
	}
	sum := sha256.Sum256(rows)
	h.SHA256 = hex.EncodeToString(sum[:])
	first, err := json.Marshal(h)
	if err != nil {
		return
	}
	_ = write(s.path(), append(append(first, '\n'), rows...))
}

// write replaces a file at once, so that no other process reads half of it.
func write(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".palmares-audit-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}
