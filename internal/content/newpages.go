package content

import (
	"embed"
	"errors"
	"fmt"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

//go:embed templates
var pageTemplates embed.FS

// NewPages writes a template for each page that the operator has not written yet: in French, and with english
// set in English too. It never overwrites a file. It fails if every page exists.
func NewPages(dir string, english bool) ([]Draft, error) {
	l, err := openToWrite(dir)
	if err != nil {
		return nil, err
	}
	defer l.close()
	languages := []string{catalog.FrenchPage}
	if english {
		languages = append(languages, catalog.EnglishPage)
	}
	var drafts []Draft
	for _, page := range catalog.OperatorPages() {
		for _, language := range languages {
			slug := strings.TrimSuffix(page+language, itemExtension)
			if l.has(pagesFolder, slug) {
				continue
			}
			text, err := pageTemplates.ReadFile("templates/" + page + language)
			if err != nil {
				return nil, fmt.Errorf("reading the template: %w", err)
			}
			if err := l.create(pagesFolder, slug, string(text)); err != nil {
				return nil, err
			}
			d := l.open(itemPath(pagesFolder, slug), text)
			d.operatorFile(page + language)
			drafts = append(drafts, Draft{File: d.file, Left: d.faults})
		}
	}
	if len(drafts) == 0 {
		return nil, errors.New("every page is there already: nothing was written")
	}
	return drafts, nil
}
