package content

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/theme"
)

// ForSchema parses a content file as an editor's YAML parser would and gives the
// value that its schema judges; false where there is no such value.
func ForSchema(path string, data []byte) (any, bool) {
	d := newDecoder().open(path, data)
	if !d.clean() {
		return nil, false
	}
	yaml, line := string(d.data), 1
	if strings.HasSuffix(path, ".md") {
		var ok bool
		if yaml, _, ok = d.splitFrontMatter(); !ok {
			return nil, false
		}
		line = 2
	}
	root, ok := d.parseYAML(yaml, line)
	if !ok {
		return nil, false
	}
	return root.asJSON()
}

func (n node) asJSON() (any, bool) {
	switch n.kind {
	case nothing:
		return nil, true
	case quoted:
		return n.text, true
	case plain:
		return scalarAsJSON(n.text)
	case sequence:
		list := make([]any, 0, len(n.items))
		for _, item := range n.items {
			v, ok := item.asJSON()
			if !ok {
				return nil, false
			}
			list = append(list, v)
		}
		return list, true
	case mapping:
		object := map[string]any{}
		for _, f := range n.fields {
			v, ok := f.value.asJSON()
			if !ok {
				return nil, false
			}
			object[f.key] = v
		}
		return object, true
	case unreadable:
		return nil, false
	}
	return nil, false
}

func scalarAsJSON(text string) (any, bool) {
	switch plainType(text) {
	case "true or false":
		return strings.EqualFold(text, "true"), true
	case "a number":
		if strings.HasPrefix(text, "0x") {
			n, err := strconv.ParseInt(text, 0, 64)
			return float64(n), err == nil
		}
		f, err := strconv.ParseFloat(strings.ReplaceAll(text, ".nan", "nan"), 64)
		if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, false
		}
		return f, true
	}
	return text, true
}

// ThemeTokens are the custom properties that a theme may set.
func ThemeTokens() []string {
	return slices.Sorted(slices.Values(slices.Concat(themeColours, themeFonts)))
}

// ThemeBlocks are the blocks that a theme may have.
func ThemeBlocks() []string {
	return []string{theme.LightBlock, theme.ChosenBlock, theme.SystemMedia, theme.SystemBlock}
}

// OperatorFile reports whether a file of the operator is let through.
func OperatorFile(name string, data []byte) bool {
	return newDecoder().open(name, data).operatorFile(name) != nil
}

// A Key is a key of a front matter.
type Key struct {
	Name, Example string
	Optional      bool
}

// The folders of items.
const (
	ToolFolder       = toolFolder
	ComparisonFolder = comparisonFolder
	RetiredFolder    = retiredFolder
)

// KeysOf are the keys of the items of a folder.
func KeysOf(folder string) (keys []Key) {
	of := map[string][]key{toolFolder: toolKeys, comparisonFolder: comparisonKeys, retiredFolder: retiredKeys}
	for _, k := range of[folder] {
		keys = append(keys, Key{k.name, k.example, k.optional})
	}
	return keys
}

// FormatVersion is that of the digests.
const FormatVersion = formatVersion

// DecodeItem decodes the file of an item, and the one in English beside it if it is not nil: a
// *catalog.Tool, a *catalog.Comparison or a *catalog.Retired.
func DecodeItem(folder, slug string, data, english []byte) (any, []Fault) {
	e := entry{folder: folder, name: slug + itemExtension, slug: slug}
	d := newDecoder().open(e.path(), data)
	it, faults := d.decode(e, Digest(data)), d.faults
	if english != nil {
		d := newDecoder().open(folder+"/"+slug+englishExtension, english)
		d.english(e, it, Digest(english))
		faults = append(faults, d.faults...)
	}
	switch {
	case it.tool != nil:
		return it.tool, faults
	case it.comparison != nil:
		return it.comparison, faults
	case it.retired != nil:
		return it.retired, faults
	}
	return nil, faults
}
