package content

import (
	"path"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A File is one decoded content file. One of its values is set; none for a draft comparison, which is not
// published.
type File struct {
	Tool       *catalog.Tool
	Comparison *catalog.Comparison
	Retired    *catalog.Retired
	Service    *catalog.Service
	Categories []catalog.Category
}

// DecodeFile decodes one file, current or old, by its path in the content directory: an item's French file,
// catalog.yaml or categories.yaml. It compares the file with no other file and no clock. It reports whether the
// file has no errors.
func DecodeFile(name string, data []byte) (File, bool) {
	d := newDecoder().open(name, data)
	var f File
	switch name {
	case catalogFile:
		service := d.service()
		f.Service = &service
	case categoriesFile:
		f.Categories = d.categories()
	default:
		folder, file := path.Split(name)
		it := d.decode(entry{
			folder: path.Clean(folder), name: file, slug: strings.TrimSuffix(file, itemExtension),
		}, Digest(data))
		f.Tool, f.Retired = it.tool, it.retired
		if it.comparison != nil && !it.comparison.Draft {
			f.Comparison = it.comparison
		}
	}
	return f, !d.failed
}
