package content

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Options say how to load. The zero Options read everything anew.
type Options struct {
	// Known is what is already published. A file whose digest is the Source of the
	// known item of that slug is not decoded again: the known pointer is taken as it
	// is, and the warnings of such a file are not repeated. Review texts may lack.
	Known *catalog.Contents

	// Progress is called now and then, by one goroutine at a time.
	Progress func(done, total int)

	// Read, when set, is called with every file that is read, its path and its bytes, by several
	// goroutines at once. It must not keep the bytes.
	Read func(path string, data []byte)

	// At, when set, asks for the files as they were on that day, which is one of History's or later.
	At catalog.Date

	// Now is the clock, time.Now when nil.
	Now func() time.Time
}

// aheadOfUTC is by how much the day of an editor may be ahead of ours.
const aheadOfUTC = 14 * time.Hour

// A loader is one run of Load.
type loader struct {
	*decoder
	root     *os.Root
	now      time.Time
	at       catalog.Date // the day whose files are wanted; "" for those of today
	folders  map[string]*os.Root
	known    known
	past     map[string]entry // instead of the files of today, by their path today; nil for none
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

// report takes over what was found in a file.
func (l *loader) report(d *document) {
	if len(d.faults)+len(d.links) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faults = append(l.faults, d.faults...)
	l.links = append(l.links, d.links...)
}
