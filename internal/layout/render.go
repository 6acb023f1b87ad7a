package layout

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"time"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/throttle"
)

//go:embed templates
var templateFiles embed.FS

// Options configure a Renderer.
type Options struct {
	// Templates has a file templates/NAME.html for each page, which defines the template "main". It may have
	// templates/parts/*.html, which all pages may use.
	Templates fs.FS
	Pages     []string // names of the templates of pages
	Texts     Texts    // beside FrameTexts
	// Functions returns template functions for a language, added to those that every template has. It may be nil.
	Functions func(Writer) template.FuncMap
}

// A Renderer renders pages as HTML. It keeps the templates parsed once per language, because their functions depend on
// the language.
type Renderer struct {
	Static    Static
	texts     Texts
	templates [2]map[string]*template.Template
}

// NewRenderer parses the templates of the caller's pages, and that of errors.
func NewRenderer(o Options) (*Renderer, error) {
	static, err := newStatic()
	if err != nil {
		return nil, err
	}
	d := &Renderer{Static: static, texts: Join(FrameTexts(), o.Texts)}
	parts, err := fs.Glob(o.Templates, "templates/parts/*.html")
	if err != nil {
		return nil, err
	}
	for _, l := range locale.Languages() {
		w := d.Writer(l)
		functions := d.functions(w)
		if o.Functions != nil {
			maps.Copy(functions, o.Functions(w))
		}
		layout, err := template.New("layout.html").Funcs(functions).
			ParseFS(templateFiles, "templates/layout.html", "templates/parts/*.html")
		if err == nil && len(parts) > 0 {
			layout, err = layout.ParseFS(o.Templates, parts...)
		}
		if err != nil {
			return nil, err
		}
		d.templates[l] = make(map[string]*template.Template)
		if err := d.add(l, layout, templateFiles, "error"); err != nil {
			return nil, err
		}
		if err := d.add(l, layout, o.Templates, o.Pages...); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// add parses the templates of pages, each with the layout around it.
func (d *Renderer) add(l locale.Language, layout *template.Template, files fs.FS, names ...string) error {
	for _, name := range names {
		page, err := layout.Clone()
		if err == nil {
			page, err = page.ParseFS(files, "templates/"+name+".html")
		}
		if err != nil {
			return err
		}
		d.templates[l][name] = page
	}
	return nil
}

// functions returns the functions that every template may call.
func (d *Renderer) functions(w Writer) template.FuncMap {
	return template.FuncMap{
		"t": w.Text, "h": w.HTML, "n": w.Count, "fr": w.French, "tr": w.Translated,
		"code":     CodeStop,
		"copied":   Copied,
		"int":      w.Integer,
		"target":   w.Target,
		"int64":    func(n int64) string { return w.Integer(int(n)) },
		"euros":    w.Euros,
		"percent":  w.Percent,
		"ordinal":  w.Ordinal,
		"date":     func(d catalog.Date) string { return w.Date(d.Time()) },
		"daymonth": func(d catalog.Date) string { return w.DayMonth(d.Time()) },
		"fulldate": func(t time.Time) string { return w.FullDate(t.UTC()) },
		"edition":  func(e catalog.Edition) string { return w.Integer(int(e.Number)) },
		"other":    func(l locale.Language) bool { return l != w.Language },
		"path": func(name string, items ...string) (string, error) {
			p, err := address.Named(name)
			return p.At(w.Language, items...), err
		},
		"static": func(name string) (string, error) {
			f := d.Static[name]
			if f == nil {
				return "", fmt.Errorf("there is no static file named %q", name)
			}
			return f.path, nil
		},
	}
}

// Writer returns the writer of the renderer's texts in a language.
func (d *Renderer) Writer(l locale.Language) Writer { return NewWriter(l, d.texts) }

// Render renders the page with the given name, in the language of its frame.
func (d *Renderer) Render(name string, f *Frame) ([]byte, error) {
	return d.RenderThrottled(name, f, nil)
}

// RenderThrottled is like Render, for a page that nobody is waiting for: it lets t pause it often.
func (d *Renderer) RenderThrottled(name string, f *Frame, t *throttle.Throttle) ([]byte, error) {
	page := d.templates[f.Lang][name]
	if page == nil {
		return nil, fmt.Errorf("there is no page named %q", name)
	}
	main := throttledBuffer{throttle: t}
	if err := page.ExecuteTemplate(&main, "main", f.Body); err != nil {
		return nil, fmt.Errorf("rendering the page %s: %w", name, err)
	}
	around := struct {
		*Frame
		Main template.HTML
	}{f, template.HTML(d.Writer(f.Lang).tellFrench(main.Bytes()))} //nolint:gosec // it comes of a template
	b := throttledBuffer{throttle: t}
	if err := page.Execute(&b, around); err != nil {
		return nil, fmt.Errorf("rendering the page %s: %w", name, err)
	}
	return b.Bytes(), nil
}

// A throttledBuffer is a buffer that lets its throttle pause the writer after about every kilobyte. Templates write a
// few bytes at a time.
type throttledBuffer struct {
	bytes.Buffer
	throttle *throttle.Throttle
	paused   int // how much had been written
}

func (b *throttledBuffer) Write(p []byte) (int, error) {
	if b.Len() >= b.paused+1024 {
		b.paused = b.Len()
		b.throttle.Pause()
	}
	return b.Buffer.Write(p)
}
