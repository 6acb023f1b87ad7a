package site

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/report"
	"github.com/palmares-hq/palmares/internal/site/about"
	"github.com/palmares-hq/palmares/internal/site/docs"
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

// EventsPath is the path from which the pages of a preview receive events when files change.
const EventsPath = "/preview/events"

// PreviewKeys are the API keys of a preview. They are valid until it stops.
type PreviewKeys struct{ Developer, Pro string }

// A shownKey is an API key of a preview as a page shows it, under the name of its plan.
type shownKey struct{ Plan, Key string }

// maxFaults is the most faults that a page shows; palmares check lists all.
const maxFaults = 8

// A Preview shows editors what readers do not see: faults, drafts, and pages that reload when a file was saved.
// Public nodes have none.
type Preview struct {
	keys  PreviewKeys
	run   string // a prefix that tells the versions of this run from those of others
	files atomic.Pointer[files]
	end   chan struct{} // closed by Close

	mu    sync.Mutex
	reads int
}

// files is the state of the content files when they were last read.
type files struct {
	Version  string // unique to this reading of the files
	Errors   int
	Warnings int
	Shown    []content.Fault // errors before warnings
	More     int             // faults that are not shown

	Keys []shownKey // none on pages that do not show keys

	keys   PreviewKeys
	drafts []*catalog.Comparison
	next   chan struct{} // closed when the files have been read again
}

// NewPreview returns a preview of files that have not been read yet.
func NewPreview(keys PreviewKeys) *Preview {
	p := &Preview{keys: keys, run: rand.Text(), end: make(chan struct{})}
	p.files.Store(&files{Version: p.run, keys: keys, next: make(chan struct{})})
	return p
}

// Show sets the faults of the last reading of the files and the drafts of the state that is served, and makes open
// pages reload.
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

// Close ends the event streams, which would keep a server from shutting down. It must be called once only.
func (p *Preview) Close() { close(p.end) }

// draftsOf returns a function that returns the current drafts; nil if there is no preview.
func (p *Preview) draftsOf() func() []*catalog.Comparison {
	if p == nil {
		return nil
	}
	return func() []*catalog.Comparison { return p.files.Load().drafts }
}

// sampleKey returns the key to put into code samples; "" if there is no preview.
func (p *Preview) sampleKey() string {
	if p == nil {
		return ""
	}
	return p.keys.Developer
}

// withKeys returns a copy of f with the API keys, for a page that shows them.
func (f *files) withKeys(text layout.Writer) *files {
	shown := *f
	if f.keys != (PreviewKeys{}) {
		shown.Keys = []shownKey{{text.Must("plans.developer"), f.keys.Developer}, {text.Must("plans.pro"), f.keys.Pro}}
	}
	return &shown
}

// current returns the current files; nil if there is no preview.
func (p *Preview) current() *files {
	if p == nil {
		return nil
	}
	return p.files.Load()
}

// Events streams server-sent events with the version of the files: one at once, and one whenever the files have been
// read again. A page made from another version is out of date, so it reloads even if it missed events because it was
// loading or hidden, or because the preview restarted.
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
	fmt.Fprint(w, "retry: 500\n") // milliseconds until a page reconnects
	for {
		f := p.current()
		fmt.Fprintf(w, "data: %s\n\n", f.Version)
		if control.Flush() != nil {
			return nil //nolint:nilerr // the page was closed
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

// A Catalog returns the snapshot that is being served.
type Catalog interface {
	Current() *catalog.Snapshot
}

// Reports stores what readers report to be wrong on pages.
type Reports interface {
	Send(ctx context.Context, from netip.Addr, d report.Draft) error
}

// Options configure a Site. Catalog, API and MCP are required.
type Options struct {
	Catalog Catalog
	API     docs.API             // the contract of the API, and how to call it
	MCP     docs.MCP             // the server for agents
	BaseURL string               // the site's own address, without a slash at its end; "" is the catalog's
	Files   *export.Cache        // the files for download; nil if there are none
	Contact string               // the e-mail address for reporting errors; "" for none
	Now     func() time.Time     // time.Now when nil
	Cache   int                  // bytes of cached pages and pictures, 64 MiB when 0
	Preview *Preview             // what editors see of their files; nil for readers
	Privacy about.PrivacyFacts   // the facts of the page about privacy
	Status  about.StatusSources  // the figures of the page about the status
	Reports Reports              // stores the errors that readers report; nil if they cannot
	Sent    func(outcome string) // counts the outcome of a form, one of Outcomes; nil counts nothing
	// Tags adds the tags by which a shared cache purges pages.
	Tags bool
	// Accounts is set if there are account pages.
	Accounts bool
	// Closed is set if nobody can sign up: the operator creates accounts.
	Closed bool
	// Checkout is set if Pro is sold on the account pages. Without it, the operator sets plans.
	Checkout bool
	// VAT names the VAT rules for sales: "standard", "small_seller" or "franchise".
	VAT string
	// Subdomains is set if every host below that of BaseURL serves https, too, so that the HSTS header may include
	// them.
	Subdomains bool
}
