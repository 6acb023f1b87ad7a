package palmares

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"
)

// A Store keeps responses. A client asks for what is stored with its tag: the service answers 304, which is free, while
// nothing has changed. Keys are of 64 letters and digits; they tell neither the address nor the API key. A Store is called
// by several goroutines at a time.
type Store interface {
	// Load returns nil and no error for what is not there, or no longer whole.
	Load(key string) (*Entry, error)
	Save(key string, e *Entry) error
}

// An Entry is a stored response.
type Entry struct {
	ETag   string
	Header map[string]string // what a Response is made of
	Body   []byte
}

func entryOf(tag string, h http.Header, body []byte) *Entry {
	e := &Entry{ETag: tag, Header: map[string]string{}, Body: body}
	for _, name := range []string{"X-Changes-Cursor", "X-Service-Updated-At", "X-Attribution"} {
		if v := h.Get(name); v != "" {
			e.Header[name] = v
		}
	}
	return e
}

// over returns the headers of a 304 with those of the stored response that it leaves out.
func (e *Entry) over(h http.Header) http.Header {
	for name, v := range e.Header {
		if h.Get(name) == "" {
			h.Set(name, v)
		}
	}
	return h
}

// storeKey returns the key of a response: of its address and of who asked. What one API key was given is not for another.
func (c *Client) storeKey(address string) string {
	who := sha256.Sum256([]byte(c.key))
	sum := sha256.Sum256(append(who[:], address...))
	return hex.EncodeToString(sum[:])
}

func (c *Client) load(address string) *Entry {
	if c.store == nil {
		return nil
	}
	e, err := c.store.Load(c.storeKey(address))
	if err != nil || e == nil || e.ETag == "" {
		return nil
	}
	return e
}

// Memory returns a store that lives as long as the process and holds at most so many responses (1,000 if it is 0).
func Memory(responses int) Store {
	return &memory{most: orElse(responses, 1000), entries: map[string]*Entry{}}
}

type memory struct {
	mu      sync.Mutex
	most    int
	entries map[string]*Entry
}

func (m *memory) Load(key string) (*Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.entries[key], nil
}

func (m *memory) Save(key string, e *Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for other := range m.entries {
		if len(m.entries) < m.most {
			break
		}
		delete(m.entries, other)
	}
	m.entries[key] = e
	return nil
}

// Directory returns a store of files in dir, which is made if it is not there. The files are readable by their owner alone,
// several processes may share them, and one that is damaged counts as absent.
func Directory(dir string) Store { return directory(dir) }

type directory string

// head is the first line of a file. The body follows it.
type head struct {
	ETag   string            `json:"etag"`
	Header map[string]string `json:"header"`
	SHA256 string            `json:"sha256"` // of the body
}

func (d directory) Load(key string) (*Entry, error) {
	text, err := os.ReadFile(filepath.Join(string(d), key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // as the interface says
	}
	if err != nil {
		return nil, err
	}
	line, body, _ := bytes.Cut(text, []byte("\n"))
	var h head
	if json.Unmarshal(line, &h) != nil || h.SHA256 != digest(body) {
		return nil, nil //nolint:nilnil // likewise
	}
	return &Entry{ETag: h.ETag, Header: h.Header, Body: body}, nil
}

func (d directory) Save(key string, e *Entry) error {
	line, err := json.Marshal(head{ETag: e.ETag, Header: e.Header, SHA256: digest(e.Body)})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(string(d), ".new-*") // of mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(append(append(line, '\n'), e.Body...))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(string(d), key))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

func digest(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
