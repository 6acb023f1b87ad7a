package live

import (
	"log/slog"

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

// Close is close.
func (c Copier) Close() { c.c.close() }

// Hold makes the copier look as if a copy were under way until release is called.
func (c Copier) Hold() (release func()) {
	c.c.mu.Lock()
	defer c.c.mu.Unlock()
	c.c.busy = true
	return func() { go c.c.write() }
}
