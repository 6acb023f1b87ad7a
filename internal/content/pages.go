package content

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

const incidentsFile = "incidents.yaml"

// operatorFiles returns the names that a file in pages/ may have.
func operatorFiles() []string {
	var names []string
	for _, page := range catalog.OperatorPages() {
		names = append(names, page+catalog.FrenchPage, page+catalog.EnglishPage)
	}
	return append(names, incidentsFile, catalog.LogoFile, catalog.LogoPicture, catalog.FaviconFile, catalog.ThemeFile)
}

// pages reads the operator's own files and returns how many there are. They are few, so all are decoded every
// time.
func (l *loader) pages(contents *catalog.Contents) int {
	found, err := fs.ReadDir(l.root.FS(), pagesFolder)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			l.fault(pagesFolder, "the folder cannot be read inside the content directory: put the folder itself here, and let it be read (%v)", cause(err))
		}
		return 0
	}
	n := 0
	for _, f := range found {
		if ignored(f.Name()) {
			continue
		}
		e := entry{folder: pagesFolder, name: f.Name(), link: f.Type()&fs.ModeSymlink != 0}
		if !slices.Contains(operatorFiles(), e.name) {
			l.fault(e.path(), "not a file of %s/: %s It holds %s", pagesFolder,
				didYouMean(e.name, operatorFiles(), "move or remove it."), strings.Join(operatorFiles(), ", "))
			continue
		}
		n++
		data, complaint := l.read(e, nil)
		if complaint != "" {
			l.fault(e.path(), "%s", complaint)
			continue
		}
		d := l.open(e.path(), data)
		if e.name == incidentsFile {
			contents.Incidents = d.incidents()
		} else if file := d.operatorFile(e.name); file != nil {
			contents.Files = append(contents.Files, file)
		}
		l.report(d)
	}
	l.checkEnglish(contents)
	return n
}

// operatorFile decodes a file by its name. It returns nil when the file has errors.
func (d *document) operatorFile(name string) *catalog.OperatorFile {
	check, most := d.ownPage, maxPage
	switch {
	case name == catalog.LogoPicture:
		return d.logoPNG(name)
	case name == catalog.ThemeFile:
		check, most = d.theme, maxTheme
	case strings.HasSuffix(name, ".svg"):
		check, most = d.svg, maxSVG
	}
	if d.clean() && d.within(most) {
		check()
	}
	if d.failed {
		return nil
	}
	return catalog.NewOperatorFile(name, string(d.data))
}

// checkEnglish refuses an English page without the French page that it translates.
func (l *loader) checkEnglish(contents *catalog.Contents) {
	for _, page := range catalog.OperatorPages() {
		_, err := l.root.Stat(pagesFolder + "/" + page + catalog.FrenchPage)
		translated := slices.ContainsFunc(contents.Files, func(f *catalog.OperatorFile) bool {
			return f.Name == page+catalog.EnglishPage
		})
		if err != nil && translated {
			l.fault(fmt.Sprintf("%s/%s%s", pagesFolder, page, catalog.EnglishPage),
				"there is no %s%s to translate: write the French page too", page, catalog.FrenchPage)
		}
	}
}
