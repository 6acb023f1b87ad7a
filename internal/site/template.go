package site

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
)

//go:embed templates
var templateFiles embed.FS

// A renderer makes HTML. It has the parsed templates of each language by name: the functions
// that write are those of the language.
type renderer struct {
	router    router
	static    static
	templates [2]map[string]*template.Template
}

// parse parses the template of every kind of page, and those of errors and of nothing.
func (d *renderer) parse(all texts) error {
	names := []string{"error", "nothing"}
	for name, k := range d.router.kinds {
		if k.view != nil {
			names = append(names, name)
		}
	}
	for _, l := range locale.Languages() {
		layout, err := template.New("layout.html").Funcs(d.functions(writer{l, all})).
			ParseFS(templateFiles, "templates/layout.html", "templates/parts/*.html")
		if err != nil {
			return err
		}
		d.templates[l] = make(map[string]*template.Template)
		for _, name := range names {
			page, err := layout.Clone()
			if err == nil {
				page, err = page.ParseFS(templateFiles, "templates/"+name+".html")
			}
			if err != nil {
				return err
			}
			d.templates[l][name] = page
		}
	}
	return nil
}

// functions are what templates call.
func (d *renderer) functions(w writer) template.FuncMap {
	return template.FuncMap{
		"t": w.text, "h": w.html, "n": w.count, "fr": w.french,
		"int":      w.Integer,
		"int64":    func(n int64) string { return w.Integer(int(n)) },
		"measure":  w.Measure,
		"price":    w.price,
		"euros":    w.Euros,
		"percent":  w.Percent,
		"ordinal":  w.Ordinal,
		"date":     func(d catalog.Date) string { return w.Date(d.Time()) },
		"daymonth": func(d catalog.Date) string { return w.DayMonth(d.Time()) },
		"brief":    brief,
		"scale":    scale,
		"fulldate": func(t time.Time) string { return w.FullDate(t.UTC()) },
		"edition":  func(e catalog.Edition) string { return w.Integer(int(e.Number)) },
		"pricing":  func(p catalog.Pricing) (string, error) { return w.text("pricing." + string(p)) },
		"icp":      func(p catalog.ICP) (string, error) { return w.text("icp." + string(p)) },
		"reason":   func(r catalog.Reason) (string, error) { return w.text("reason." + string(r)) },
		"other":    func(l locale.Language) bool { return l != w.Language },
		"path": func(kind string, slug ...string) (string, error) {
			k := d.router.kinds[kind]
			if k == nil {
				return "", fmt.Errorf("there is no kind of page named %q", kind)
			}
			return k.path(w.Language, strings.Join(slug, "")), nil
		},
		"static": func(name string) (string, error) {
			f := d.static[name]
			if f == nil {
				return "", fmt.Errorf("there is no static file named %q", name)
			}
			return f.path, nil
		},
	}
}

// render makes the HTML of a document.
func (d *renderer) render(r *request, name string, doc *document) ([]byte, error) {
	var b bytes.Buffer
	if err := d.templates[r.Language][name].Execute(&b, r.frame(doc)); err != nil {
		return nil, fmt.Errorf("rendering the page %s: %w", name, err)
	}
	return b.Bytes(), nil
}
