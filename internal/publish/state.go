package publish

import (
	"path"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
)

// A state is one version of a file: its fields, or for a file without fields its digest. Both are empty when
// the file does not exist or is a draft comparison.
type state struct {
	fields content.File
	digest string
}

// whole is the field name that stands for a whole file.
const whole = ""

func (s state) there() bool {
	f := s.fields
	return s.digest != "" || f.Tool != nil || f.Comparison != nil || f.Retired != nil || f.Service != nil || f.Categories != nil
}

// differs returns the names of the fields in which two states of one file differ.
func (s state) differs(other state) []string {
	a, b := s.fields, other.fields
	switch {
	case s.there() != other.there() || s.digest != other.digest:
		return []string{whole}
	case a.Tool != nil:
		return a.Tool.FileFields(b.Tool)
	case a.Comparison != nil:
		return a.Comparison.FileFields(b.Comparison)
	case a.Retired != nil:
		return a.Retired.FileFields(b.Retired)
	case a.Service != nil:
		return a.Service.FileFields(*b.Service)
	default:
		return catalog.CategoryFields(a.Categories, b.Categories)
	}
}

// same reports whether two states of one file have the same value of a field.
func (s state) same(other state, field string) bool {
	differing := s.differs(other)
	return !slices.Contains(differing, field) && !slices.Contains(differing, whole)
}

// hasFields reports whether the states of a file are compared by field.
func hasFields(file string) bool {
	switch folder, name := path.Split(file); folder {
	case "":
		return true
	case toolsFolder, comparisonsFolder, retiredFolder:
		return !strings.HasSuffix(name, catalog.EnglishPage)
	default:
		return false
	}
}

// stateOf decodes one version of a file. It reports whether the file has no errors; a missing file counts as
// valid.
func stateOf(file string, data []byte, there bool) (state, bool) {
	if !there {
		return state{}, true
	}
	if !hasFields(file) {
		return state{digest: digestOf(file, data)}, true
	}
	fields, sound := content.DecodeFile(file, data)
	return state{fields: fields}, sound
}

// stateIn returns the state of a file in contents; digest is its digest if it has no fields.
func stateIn(c *catalog.Contents, file, digest string) state {
	if !hasFields(file) {
		return state{digest: digest}
	}
	folder, name := path.Split(file)
	slug := strings.TrimSuffix(name, catalog.FrenchPage)
	var s state
	switch folder {
	case toolsFolder:
		s.fields.Tool = find(c.Tools, slug, func(t *catalog.Tool) string { return t.Slug })
	case comparisonsFolder:
		s.fields.Comparison = find(c.Comparisons, slug, func(x *catalog.Comparison) string { return x.Slug })
		if s.fields.Comparison != nil && s.fields.Comparison.Draft {
			s.fields.Comparison = nil
		}
	case retiredFolder:
		s.fields.Retired = find(c.Retired, slug, func(r *catalog.Retired) string { return r.Slug })
	default:
		if file == catalogFile {
			s.fields.Service = &c.Service
		} else {
			s.fields.Categories = c.Categories
		}
	}
	return s
}

// find returns the item with the slug in a sorted slice; nil if there is none.
func find[T any](items []*T, slug string, of func(*T) string) *T {
	i, found := slices.BinarySearchFunc(items, slug, func(item *T, slug string) int { return strings.Compare(of(item), slug) })
	if !found {
		return nil
	}
	return items[i]
}

// digestOf returns the digest that editions record of a file.
func digestOf(file string, data []byte) string {
	if name, ok := strings.CutPrefix(file, pagesFolder); ok && file != incidentsFile {
		return catalog.NewOperatorFile(name, string(data)).Hash
	}
	return content.Digest(data)
}
