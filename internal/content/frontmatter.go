package content

import (
	"bytes"
	"strings"
)

const fence = "---"

// splitFrontMatter returns the YAML between the two fences and the offset of the body.
func (d *document) splitFrontMatter() (yaml string, body int, ok bool) {
	first, rest := cutLine(d.data)
	if string(bytes.TrimRight(first, " \t")) != fence {
		d.fault(fileStart, `no front matter: begin the file with a line "---", then the keys, then another line "---"`)
		return "", 0, false
	}
	start := len(d.data) - len(rest)
	for len(rest) > 0 {
		line, next := cutLine(rest)
		if string(bytes.TrimRight(line, " \t")) == fence {
			return string(d.data[start : len(d.data)-len(rest)]), len(d.data) - len(next), true
		}
		rest = next
	}
	d.fault(fileStart, `the front matter is not closed: write a line "---" after the last key`)
	return "", 0, false
}

// parseFrontMatter returns the root of the front matter. When every line is a simple "key: value", as in nearly
// all files, it scans them by hand, at a twentieth of the cost of the YAML parser. TestScanAgrees and FuzzScan
// hold the two to the same result.
func (d *document) parseFrontMatter(yaml string) (node, bool) {
	const firstLine = 2 // after the fence
	if len(yaml) > maxFrontMatter {
		d.fault(position{firstLine, 1}, "the front matter is %d bytes long: at most %d are allowed; shorten it", len(yaml), maxFrontMatter)
		return node{}, false
	}
	if root, ok := scanFlat(yaml, firstLine); ok {
		return root, true
	}
	return d.parseYAML(yaml, firstLine)
}

// scanFlat reads a mapping of one-line scalars: comments on their own lines, plain
// scalars without special characters, quoted scalars without escapes. It declines,
// by false, everything else, errors included.
func scanFlat(yaml string, line int) (node, bool) {
	root := node{kind: mapping, pos: position{line, 1}, fields: make([]field, 0, 16)}
	for ; yaml != ""; line++ {
		var text string
		text, yaml, _ = strings.Cut(yaml, "\n")
		text = strings.TrimRight(text, " ")
		if text == "" || text[0] == '#' {
			continue
		}
		colon := strings.IndexByte(text, ':')
		if colon < 1 || colon+2 >= len(text) || text[colon+1] != ' ' || !simpleKey(text[:colon]) {
			return node{}, false
		}
		value := strings.TrimLeft(text[colon+1:], " ")
		n, ok := scanScalar(value)
		if !ok {
			return node{}, false
		}
		n.pos = position{line, len(text) - len(value) + 1}
		if len(root.fields) == 0 {
			root.pos = position{line, 1}
		}
		root.fields = append(root.fields, field{key: text[:colon], pos: position{line, 1}, value: n})
	}
	return root, len(root.fields) > 0
}

func simpleKey(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && c != '_' {
			return false
		}
	}
	return true
}
