package content

import (
	"bytes"
	"reflect"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/locale"
)

// A renaming replaces an item's slug in the text of files: comments, order, quotes and line ends stay as they
// are. The positions that the parsers report are not exact, so it tries every occurrence of the slug. The right
// ones are those after which the file decodes to the new slug and is otherwise unchanged.
type renaming struct {
	*decoder
	folder   string // the item's folder; toolFolder for a retired tool as well
	from, to string
	prefixes []string // the beginnings of its pages' addresses, up to the slug
}

func (l *loader) renaming(folder, from, to string, site catalog.Site) renaming {
	r := renaming{decoder: l.decoder, folder: folder, from: from, to: to}
	patterns := []string{site.Tool, site.Review, site.Alternatives}
	if folder == comparisonFolder {
		patterns = []string{site.Comparison}
	}
	for _, page := range address.All() {
		if itemPages[page.Name] == folder {
			patterns = append(patterns, page.In(locale.French), page.In(locale.English))
		}
	}
	for _, p := range patterns {
		before, _, found := strings.Cut(p, catalog.SlugPlaceholder)
		if found && !slices.Contains(r.prefixes, before) {
			r.prefixes = append(r.prefixes, before)
		}
	}
	return r
}

// references are the keys whose value is the slug of a tool, by the folder of the file.
var references = map[string][]string{
	toolFolder: {"successor"}, retiredFolder: {"successor"}, comparisonFolder: {"tool_a", "tool_b", "winner"},
}

// replaceSlug returns the file with the old slug replaced in its keys and links, and the number of replacements.
func (r renaming) replaceSlug(e entry, data []byte) (mended []byte, n int) {
	if !bytes.Contains(data, []byte(r.from)) {
		return data, 0
	}
	if keys := references[e.folder]; r.folder == toolFolder && !e.translates && keys != nil {
		data, n = r.tryAll(data, []string{r.from}, func(before, after []byte) bool {
			was, is := r.front(e, before), r.front(e, after)
			changed := different(was, is)
			return changed != "" && slices.Contains(keys, changed) && is.value(changed).text == r.to
		})
	}
	slugs := make([]string, len(r.prefixes))
	for i, before := range r.prefixes {
		slugs[i] = before + r.from
	}
	data, links := r.tryAll(data, slugs, func(before, after []byte) bool {
		was, is := r.destinations(e, before), r.destinations(e, after)
		if slices.Equal(was, is) || len(was) != len(is) {
			return false
		}
		for i := range was {
			if was[i] != is[i] && r.moved(was[i]) != is[i] {
				return false
			}
		}
		return true
	})
	return data, n + links
}

// tryAll replaces the old slug wherever one of the texts, all of which end with it, occurs and right accepts
// the outcome. It returns the new data and the number of replacements.
func (r renaming) tryAll(data []byte, texts []string, right func(before, after []byte) bool) ([]byte, int) {
	n := 0
	for _, text := range texts {
		for at := 0; ; {
			i := bytes.Index(data[at:], []byte(text))
			if i < 0 {
				break
			}
			begin, end := at+i+len(text)-len(r.from), at+i+len(text)
			at = end
			alone := text == r.from // the bare slug, not an address that ends with it
			if alone && begin > 0 && slugCharacter(data[begin-1]) || end < len(data) && slugCharacter(data[end]) {
				continue // a part of another slug
			}
			if changed := slices.Concat(data[:begin], []byte(r.to), data[end:]); right(data, changed) {
				data, at = changed, begin+len(r.to)
				n++
			}
		}
	}
	return data, n
}

func slugCharacter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-'
}

// moved returns a link's address after the renaming.
func (r renaming) moved(address string) string {
	for _, before := range r.prefixes {
		rest, found := strings.CutPrefix(address, before+r.from)
		if found && (rest == "" || strings.ContainsRune("#?./", rune(rest[0]))) {
			return before + r.to + rest
		}
	}
	return address
}

// destinations returns the addresses of all links in a file's text, in order.
func (r renaming) destinations(e entry, data []byte) (all []string) {
	d := r.open(e.path(), bytes.Clone(data))
	if !d.clean() {
		return nil
	}
	source := d.data
	if !e.translates && e.folder != pagesFolder {
		_, body, ok := d.splitFrontMatter()
		if !ok {
			return nil
		}
		source = source[body:]
	}
	_ = ast.Walk(r.markdown.Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			all = append(all, Unescape(n.Destination))
		case *ast.AutoLink:
			all = append(all, string(n.URL(source)))
		}
		return ast.WalkContinue, nil
	})
	return all
}

// front returns the front matter of a file without positions; the zero node when it cannot be read.
func (r renaming) front(e entry, data []byte) node {
	d := r.open(e.path(), bytes.Clone(data))
	if !d.clean() {
		return node{}
	}
	yaml, _, ok := d.splitFrontMatter()
	if !ok {
		return node{}
	}
	root, _ := d.parseFrontMatter(yaml)
	return root.bare()
}

// bare returns a copy of the node without positions.
func (n node) bare() node {
	out := node{kind: n.kind, text: n.text, rest: comment{text: n.rest.text}}
	for _, item := range n.items {
		out.items = append(out.items, item.bare())
	}
	for _, f := range n.fields {
		out.fields = append(out.fields, field{key: f.key, value: f.value.bare()})
	}
	return out
}

// value returns the value of a key of a mapping.
func (n node) value(key string) node {
	for _, f := range n.fields {
		if f.key == key {
			return f.value
		}
	}
	return node{}
}

// different returns the only key whose value differs between two mappings with the same keys; "" when there is
// none or more than one.
func different(a, b node) (key string) {
	if len(a.fields) != len(b.fields) {
		return ""
	}
	for i, f := range a.fields {
		if g := b.fields[i]; f.key != g.key {
			return ""
		} else if !reflect.DeepEqual(f.value, g.value) {
			if key != "" {
				return ""
			}
			key = f.key
		}
	}
	return key
}

// addFormerSlug returns the item's file with the old slug added to its former slugs. When the item takes back one of
// its former slugs, that one is removed from the list, unless it is the first. It returns nil when no edit
// gives the right list.
func (r renaming) addFormerSlug(e entry, data []byte) []byte {
	was := r.front(e, data)
	list := slugsOf(was.value(formerlyKey.name))
	names := r.names(list)
	want := slices.Sorted(slices.Values(names))
	right := func(data []byte) bool {
		is := r.front(e, data)
		got := slugsOf(is.value(formerlyKey.name))
		slices.Sort(got)
		rest := func(n node) []field {
			return slices.DeleteFunc(slices.Clone(n.fields), func(f field) bool { return f.key == formerlyKey.name })
		}
		return slices.Equal(got, want) && reflect.DeepEqual(rest(was), rest(is))
	}
	for _, changed := range r.lists(data, list, names) {
		if right(changed) {
			return changed
		}
	}
	return nil
}

// names returns the former slugs after the renaming, given those before it.
func (r renaming) names(list []string) []string {
	names := slices.Clone(list)
	if i := slices.Index(names, r.to); i > 0 {
		names = slices.Delete(names, i, i+1)
	}
	if !slices.Contains(names, r.from) { // it was the first, and taken back
		names = append(names, r.from)
	}
	return names
}

func slugsOf(n node) []string {
	slugs := make([]string, len(n.items))
	for i, item := range n.items {
		slugs[i] = item.text
	}
	return slugs
}

// lists returns candidates for the file with the new list of former slugs, smallest change first. list is the
// current one, names the wanted one.
func (r renaming) lists(data []byte, list, names []string) (tries [][]byte) {
	tries = append(tries, data)
	lines := bytes.SplitAfter(data, []byte("\n"))
	end := "\n"
	if bytes.HasSuffix(lines[0], []byte("\r\n")) {
		end = "\r\n"
	}
	with := func(from, to int, text string) {
		tries = append(tries, slices.Concat(bytes.Join(lines[:from], nil), []byte(text), bytes.Join(lines[to:], nil)))
	}
	first, last, fenceLine := -1, -1, 0
	for i, line := range lines[1:] {
		trimmed := string(bytes.TrimRight(line, " \t\r\n"))
		if trimmed == fence {
			fenceLine = i + 1
			break
		}
		switch {
		case strings.HasPrefix(trimmed, formerlyKey.name+":"):
			first, last = i+1, i+2
		case first >= 0 && last == i+1 && (strings.HasPrefix(trimmed, " ") || strings.HasPrefix(trimmed, "-") || strings.HasPrefix(trimmed, "]") || trimmed == ""):
			last = i + 2 // it belongs to the key
		case trimmed == "# "+formerlyKey.example:
			with(i+1, i+2, formerlyKey.name+": ["+r.from+"]"+end) // the comment that a new file has for the key
		}
	}
	if first < 0 {
		with(fenceLine, fenceLine, formerlyKey.name+": ["+r.from+"]"+end)
		return tries
	}
	region := string(bytes.Join(lines[first:last], nil))
	for at := 0; slices.Index(list, r.to) > 0; { // replace the slug that is taken back
		i := strings.Index(region[at:], r.to)
		if i < 0 {
			break
		}
		at += i + 1
		with(first, last, region[:at-1]+r.from+region[at-1+len(r.to):])
	}
	for at := len(region); at > 0; { // append to a list between brackets
		if at = strings.LastIndex(region[:at], "]"); at >= 0 {
			items := strings.TrimRight(region[:at], " \t\r\n")
			with(first, last, strings.TrimSuffix(items, ",")+", "+r.from+region[len(items):])
		}
	}
	for i := last - 1; i > first; i-- { // append to a list with one entry a line
		if dash := bytes.IndexByte(lines[i], '-'); dash >= 0 && len(bytes.TrimSpace(lines[i][:dash])) == 0 {
			with(i+1, i+1, string(lines[i][:dash])+"- "+r.from+end)
			break
		}
	}
	with(first, last, formerlyKey.name+": ["+strings.Join(names, ", ")+"]"+end)
	return tries
}
