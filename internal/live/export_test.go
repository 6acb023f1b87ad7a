package live

import (
	"bytes"
	"io"
	"log/slog"
	"time"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/catalog"
)

// What the tests, which stand outside of the package, see of its inside.
const (
	Magic    = magic
	Leftover = leftover
	MinFetch = minFetch
	MaxFetch = maxFetch
	MinPause = minPause
	MaxPause = maxPause

	RetryEvery = retryEvery
	SweepAfter = sweepAfter
)

// How a copy is written and read.
var (
	Encode = encode
	Decode = decode
)

// A Copier is a copier that can be held up.
type Copier struct{ c *copier }

// NewCopier is newCopier.
func NewCopier(path string, logger *slog.Logger) Copier { return Copier{newCopier(path, logger)} }

// Save is save.
func (c Copier) Save(s *catalog.Snapshot) { c.c.save(s) }

// Edition is edition.
func (c Copier) Edition() int64 { return c.c.edition.Load() }

// Close is close.
func (c Copier) Close() { c.c.close() }

// Hold makes the copier look as if a copy were under way until release is called.
func (c Copier) Hold() (release func()) {
	c.c.mu.Lock()
	defer c.c.mu.Unlock()
	c.c.busy = true
	return func() { go c.c.write() }
}

// A KeyTable is a keyTable.
type KeyTable struct{ t *keyTable }

// NewKeyTable is newKeyTable.
func NewKeyTable() KeyTable { return KeyTable{newKeyTable()} }

// Add is add.
func (t KeyTable) Add(k account.LiveKey) { t.t.add(k) }

// Remove removes the key with that hash.
func (t KeyTable) Remove(hash account.Hash) {
	if e := t.t.find(&hash); e != nil {
		t.t.remove(e)
	}
}

// Replace is replace.
func (t KeyTable) Replace(owner [16]byte, by KeyTable) { t.t.replace(owner, by.t) }

// Find is find.
func (t KeyTable) Find(hash account.Hash) (account.LiveKey, bool) {
	e := t.t.find(&hash)
	if e == nil {
		return account.LiveKey{}, false
	}
	return e.key(), true
}

// Of are the keys of an account.
func (t KeyTable) Of(owner [16]byte) (keys []account.LiveKey) {
	t.t.of(owner, func(e *keyEntry) { keys = append(keys, e.key()) })
	return keys
}

// Sizes tell how many keys are held, and in how many entries.
func (t KeyTable) Sizes() (live, made int) { return t.t.live, int(t.t.made) }

// Held is the table of the keys.
func (k *Keys) Held() KeyTable { return KeyTable{k.table} }

// EncodeKeys writes the disk copy of the keys.
func (k *Keys) EncodeKeys(w io.Writer) (account.Change, error) {
	return k.encode(w, time.Now(), func(time.Duration) {})
}

// DecodeKeys reads it.
func DecodeKeys(b []byte) (KeyTable, account.Change, error) {
	t, at, _, err := decodeKeys(bytes.NewReader(b), int64(len(b)))
	return KeyTable{t}, at, err
}
