package site

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/site/about"
	"github.com/palmares-hq/palmares/internal/site/docs"
	"github.com/palmares-hq/palmares/internal/site/machine"
	"github.com/palmares-hq/palmares/internal/site/pages"
	"github.com/palmares-hq/palmares/internal/site/view"
)

//go:embed templates
var templateFiles embed.FS

// newRenderer parses the templates of all packages of the site.
func newRenderer() (*layout.Renderer, error) {
	files := trees{templateFiles, about.Templates, docs.Templates, pages.Templates}
	found, err := files.Glob("templates/*.html")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range found {
		names = append(names, strings.TrimSuffix(path.Base(file), ".html"))
	}
	return layout.NewRenderer(layout.Options{
		Templates: files, Pages: names, Texts: allTexts(), Functions: pages.Functions,
	})
}

// allTexts are the sentences of the site, beside those of the layout.
func allTexts() layout.Texts {
	return layout.Join(refusedTexts, formTexts, rendersTexts, previewTexts, view.Texts(), about.Texts(), docs.Texts(), machine.Texts(), pages.Texts())
}

// trees are several trees of files as one: each package of the site has its templates beside it.
type trees []fs.FS

// Open implements fs.FS.
func (t trees) Open(name string) (fs.File, error) {
	for _, tree := range t {
		if f, err := tree.Open(name); err == nil {
			return f, nil
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// Glob implements fs.GlobFS.
func (t trees) Glob(pattern string) ([]string, error) {
	var names []string
	for _, tree := range t {
		found, err := fs.Glob(tree, pattern)
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	return names, nil
}
