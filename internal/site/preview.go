package site

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/web"
)

var previewTexts = layout.Texts{
	"preview.faults":   {"Erreurs dans les fichiers", "Errors in the files"},
	"preview.errors":   {"%s erreur|%s erreurs", "%s error|%s errors"},
	"preview.warnings": {"%s avertissement|%s avertissements", "%s warning|%s warnings"},
	"preview.warning":  {"avertissement", "warning"},
	"preview.stale": {
		"Ces pages montrent le dernier état sans erreur.", "These pages show the last error-free state.",
	},
	"preview.more": {
		"et %s autre\u00a0: «\u202fpalmares check\u202f» les donne toutes.|et %s autres\u00a0: «\u202fpalmares check\u202f» les donne toutes.",
		"and %s more: “palmares check” lists them all.|and %s more: “palmares check” lists them all.",
	},
	"preview.nothing": {"Rien à montrer pour l’instant", "Nothing to show yet"},
	"preview.nothing.sentence": {
		"Les fichiers contiennent des erreurs, et aucun état sans erreur n’a encore été lu. Corrigez-les, " +
			"enregistrez\u00a0: cette page se recharge d’elle-même.",
		"The files contain errors, and no error-free state has been read yet. Fix them and save: " +
			"this page reloads by itself.",
	},
	"preview.keys": {"Les clés de cet aperçu", "This preview’s keys"},
	"preview.keys.sentence": {
		"Il n’a pas de comptes. Ces deux clés fonctionnent jusqu’à ce qu’il s’arrête\u00a0:",
		"It has no accounts. These two keys work until it stops:",
	},
}

// EventsPath is where the pages of a preview hear that files were read.
const EventsPath = "/preview/events"

// PreviewKeys are the API keys of a preview, which end with it.
type PreviewKeys struct{ Developer, Pro string }

// A shownKey is a key of a preview on a page.
type shownKey struct{ Plan, Key string }

// maxFaults is how many faults a page shows: it is for looking at pages, check is for lists.
const maxFaults = 8

// A Preview is what editors see of their files beyond what readers will: faults, drafts, and pages
// that load themselves again when a file was saved. Public nodes have none.
type Preview struct {
	keys  PreviewKeys
	run   string // tells the states of this run from those of another
	files atomic.Pointer[files]
	end   chan struct{} // closed by Close

	mu    sync.Mutex
	reads int
}

// files are the content files as they were last read.
type files struct {
	Version  string // differs from that of any other reading
	Errors   int
	Warnings int
	Shown    []content.Fault // errors before warnings
	More     int             // faults that are not shown

	Keys []shownKey // none on pages that do not speak of keys

	keys   PreviewKeys
	drafts []*catalog.Comparison
	next   chan struct{} // closed when the files have been read again
}

// NewPreview makes a preview of files that have not been read yet.
func NewPreview(keys PreviewKeys) *Preview {
	p := &Preview{keys: keys, run: rand.Text(), end: make(chan struct{})}
	p.files.Store(&files{Version: p.run, keys: keys, next: make(chan struct{})})
	return p
}

// Show tells pages what came of reading the files, and has those that are open load themselves
// again. The drafts are those of the state that is served.
func (p *Preview) Show(faults []content.Fault, drafts []*catalog.Comparison) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reads++
	f := &files{
		Version: p.run + "-" + strconv.Itoa(p.reads), keys: p.keys, drafts: drafts, next: make(chan struct{}),
	}
	var errs, warnings []content.Fault
	for _, fault := range faults {
		if fault.Warning {
			warnings = append(warnings, fault)
		} else {
			errs = append(errs, fault)
		}
	}
	f.Errors, f.Warnings = len(errs), len(warnings)
	f.Shown = slices.Concat(errs, warnings)
	f.Shown = f.Shown[:min(len(f.Shown), maxFaults)]
	f.More = len(faults) - len(f.Shown)
	close(p.files.Swap(f).next)
}

// Close ends the streams of events, which would keep a server from ending.
func (p *Preview) Close() { close(p.end) }

// draftsOf gives the drafts of the files as they were last read; nil where there is no preview.
func (p *Preview) draftsOf() func() []*catalog.Comparison {
	if p == nil {
		return nil
	}
	return func() []*catalog.Comparison { return p.files.Load().drafts }
}

// sampleKey is the key that samples set; "" where there is no preview.
func (p *Preview) sampleKey() string {
	if p == nil {
		return ""
	}
	return p.keys.Developer
}

// withKeys is what a page that speaks of keys shows.
func (f *files) withKeys(text layout.Writer) *files {
	shown := *f
	if f.keys != (PreviewKeys{}) {
		shown.Keys = []shownKey{{text.Must("plans.developer"), f.keys.Developer}, {text.Must("plans.pro"), f.keys.Pro}}
	}
	return &shown
}

// current is nil where there is no preview.
func (p *Preview) current() *files {
	if p == nil {
		return nil
	}
	return p.files.Load()
}

// Events answers with a stream of server-sent events: the version of the files, now and whenever
// they have been read again. A page that shows another version is out of date, however it missed
// the events between: it was being loaded, it was hidden, or the preview was started anew.
func (p *Preview) Events(w http.ResponseWriter, r *http.Request) error {
	r.Pattern = EventsPath
	if r.Method != http.MethodGet {
		return layout.NotAllowed(r, "GET")
	}
	control := http.NewResponseController(w)
	if err := errors.Join(
		control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Time{}),
	); err != nil {
		return fmt.Errorf("keeping the stream open: %w", err)
	}
	web.SetFields(w, layout.NoSniff, layout.CacheNever, web.NewField("Content-Type", "text/event-stream"))
	fmt.Fprint(w, "retry: 500\n") // milliseconds until a page looks for a preview that has ended
	for {
		f := p.current()
		fmt.Fprintf(w, "data: %s\n\n", f.Version)
		if control.Flush() != nil {
			return nil //nolint:nilerr // the page has gone
		}
		select {
		case <-f.next:
		case <-p.end:
			return nil
		case <-r.Context().Done():
			return nil
		}
	}
}
