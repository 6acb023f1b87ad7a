package content

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Options configure Load. The zero Options decode every file.
type Options struct {
	// Known is the published contents. A file whose digest is the Source of the known item of that slug is not
	// decoded again: the result holds the known pointer, and the file's warnings are not repeated. The known
	// items may lack their review texts.
	Known *catalog.Contents

	// Progress, when set, is called from time to time, by one goroutine at a time, with the number of entries
	// done and the total.
	Progress func(done, total int)

	// Read, when set, is called with every file that is read, its path and its bytes, by several
	// goroutines at once. It must not keep the bytes.
	Read func(path string, data []byte)

	// At, when set, loads the files as they were on that day. The earliest possible day is the first of
	// History.
	At catalog.Date

	// Now is the clock, time.Now when nil.
	Now func() time.Time
}

// aheadOfUTC is how far an editor's local time may be ahead of UTC: a date is in the future only if it is so
// everywhere.
const aheadOfUTC = 14 * time.Hour

// A loader is one run of Load.
type loader struct {
	*decoder
	root     *os.Root
	now      time.Time
	at       catalog.Date // the day to load; "" for today
	folders  map[string]*os.Root
	known    known
	past     map[string]entry // older versions that replace today's files, by today's path; nil for none
	progress func(done, total int)
	onRead   func(path string, data []byte) // nil or Options.Read

	faults  []Fault
	links   []link // of the files that were decoded
	decoded atomic.Int64
	done    atomic.Int64
	mu      sync.Mutex // guards faults, links and the calls of progress while workers run
}

func openLoader(dir string, o Options) (*loader, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open content directory: %w", err)
	}
	l := &loader{
		decoder:  newDecoder(),
		root:     root,
		folders:  map[string]*os.Root{},
		known:    index(o.Known),
		progress: o.Progress,
		onRead:   o.Read,
	}
	now := time.Now
	if o.Now != nil {
		now = o.Now
	}
	l.now = now().UTC()
	l.latest = catalog.DateOf(l.now.Add(aheadOfUTC))
	l.at = o.At
	return l, nil
}

func (l *loader) close() {
	for _, f := range l.folders {
		_ = f.Close()
	}
	_ = l.root.Close()
}

func (l *loader) warn(file, format string, args ...any) {
	l.faults = append(l.faults, Fault{File: file, Line: 1, Column: 1, Message: fmt.Sprintf(format, args...), Warning: true})
}

func (l *loader) fault(file, format string, args ...any) {
	l.faults = append(l.faults, Fault{File: file, Line: 1, Column: 1, Message: fmt.Sprintf(format, args...)})
}

// report adds a document's faults and links to the loader's. It is safe for concurrent use.
func (l *loader) report(d *document) {
	if len(d.faults)+len(d.links) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faults = append(l.faults, d.faults...)
	l.links = append(l.links, d.links...)
}
