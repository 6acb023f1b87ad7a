package content

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A key is one entry that a mapping may hold.
type key struct {
	name     string
	example  string // a line to write
	optional bool
	list     bool
	bare     bool // a number, true or false: without quotes
	group    bool // keys and values of its own
}

func keyNames(keys []key) []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	return names
}

// misplaced maps keys that editors write by analogy to what to do about them.
var misplaced = map[string]string{
	"slug":             "the file's name is the slug: remove this line",
	"updated_at":       "the date is set at publication: remove this line",
	"canonical_url":    "the URL is made from the patterns in catalog.yaml: remove this line",
	"avis_url":         "the URL is made from the patterns in catalog.yaml: remove this line",
	"alternatives_url": "the URL is made from the patterns in catalog.yaml: remove this line",
	"winner_note":      "write the note below the front matter, after the second ---",
	"note":             "write the note below the front matter, after the second ---",
	"price_history":    "the history is kept by the publications: remove this line",
}

// An object is a mapping whose keys have been checked. Its readers report what is wrong with a value. They
// return the zero value for a faulty value and for an absent key.
type object struct {
	*document
	fields []field
	keys   []key
}

// object checks the keys of n against those allowed. Missing keys are reported at pos.
func (d *document) object(n node, pos position, what string, keys []key) object {
	if n.kind == nothing {
		n = node{kind: mapping, pos: pos}
	}
	if n.kind != mapping {
		d.fault(n.pos, "%s must be keys and values, not %s: write one \"key: value\" a line, beginning with \"%s\"", what, n.is(), keys[0].example)
		return object{document: d}
	}
	o := object{document: d, fields: make([]field, 0, len(n.fields)), keys: keys}
	meant := make([]string, 0, 4) // keys that an unknown key was probably meant to be
	for _, f := range n.fields {
		d.checkSpaces(&f)
		d.checkQuotes(f)
		if !slices.ContainsFunc(keys, func(k key) bool { return k.name == f.key }) {
			meant = append(meant, d.unknownKey(f, keys))
			continue
		}
		if first, ok := o.get(f.key); ok {
			d.fault(f.pos, "duplicate key %q: it is already on line %d; keep one", f.key, first.pos.line)
			continue
		}
		o.fields = append(o.fields, f)
	}
	for _, k := range keys {
		if _, ok := o.get(k.name); !ok && !k.optional && !slices.Contains(meant, k.name) {
			d.fault(pos, "missing key %q: add a line such as \"%s\"", k.name, k.example)
		}
	}
	return o
}

func (d *document) unknownKey(f field, keys []key) (meant string) {
	names := keyNames(keys)
	allowed := strings.Join(names, ", ")
	if name := strings.Trim(f.key, hardSpaces); name != f.key && slices.Contains(names, name) {
		d.fault(f.pos, "a no-break space stands beside the key %s: remove it, and type a plain space after the colon", name)
		return name
	}
	if hint, ok := misplaced[f.key]; ok {
		d.fault(f.pos, "unknown key %q: %s", f.key, hint)
		return ""
	}
	d.fault(f.pos, "unknown key %q: %s Allowed: %s", f.key, didYouMean(f.key, names, "remove it."), allowed)
	return closest(f.key, names)
}

func (o object) get(name string) (field, bool) {
	for _, f := range o.fields {
		if f.key == name {
			return f, true
		}
	}
	return field{}, false
}

// example returns a sample line for a key, which must be one of the object's keys.
func (o object) example(name string) string {
	i := slices.IndexFunc(o.keys, func(k key) bool { return k.name == name })
	return o.keys[i].example
}

// text reads one line of prose, of at most limit characters. It warns of a comment after the value, which may
// be meant as part of the text.
func (o object) text(name string, limit int) string {
	if f, ok := o.get(name); ok && f.value.rest.text != "" {
		o.warn(f.value.rest.pos, "%s ends before %q, which YAML takes as a comment: put the whole value between quotes, or the comment on a line of its own",
			name, cutValue(f.value.rest.text))
	}
	return o.line(name, limit)
}

// line reads a line of at most limit characters.
func (o object) line(name string, limit int) string {
	f, ok := o.get(name)
	if !ok {
		return ""
	}
	s, ok := o.scalarText(f)
	if !ok {
		return ""
	}
	switch n := utf8.RuneCountInString(s); {
	case s == "":
		o.fault(f.value.pos, "%s is empty: write it, as text", name)
	case strings.TrimSpace(s) != s:
		o.fault(f.value.pos, "%s begins or ends with white space: remove it", name)
	case strings.ContainsAny(s, "\n\t"):
		o.fault(f.value.pos, "%s holds a line break or a tab: write it on one line", name)
	case n > limit:
		o.fault(f.value.pos, "%s is %d characters long: at most %d are allowed; shorten it", name, n, limit)
	case !visible(s):
		o.fault(f.value.pos, "%s has no visible character: write it, as text", name)
	default:
		r, hidden := hiddenIn(s)
		if i, c := forbiddenIn([]byte(s)); i >= 0 {
			r, hidden = c, true
		}
		if hidden {
			o.fault(f.value.pos, "%s holds the %s %U: remove it", name, characterKind(r), r)
			return ""
		}
		return s
	}
	return ""
}

// scalarText reads a text value, which may be empty.
func (o object) scalarText(f field) (string, bool) {
	switch v := f.value; {
	case v.kind == quoted, v.kind == plain && plainType(v.text) == "text":
		return v.text, true
	case v.kind == plain:
		o.fault(v.pos, "%s must be text, not %s: write \"%s\" between quotes", f.key, v.is(), v.text)
	case v.kind == nothing:
		o.fault(v.pos, "%s has no value: write it, as text, such as %q", f.key, o.example(f.key))
	default:
		advice := "write it on one line"
		if raw := o.valueOn(f.key, v.pos.line); raw != "" && v.kind != mapping {
			advice = fmt.Sprintf("write %s: %s", f.key, quoteText(raw))
		}
		o.fault(v.pos, "%s must be text, not %s: %s", f.key, v.is(), advice)
	}
	return "", false
}

// enum reads a value that must be one of the allowed words.
func enum[T ~string](o object, name string, allowed []T) T {
	f, ok := o.get(name)
	if !ok {
		return ""
	}
	words := make([]string, len(allowed))
	for i, a := range allowed {
		if words[i] = string(a); words[i] == f.value.text && f.value.kind <= quoted {
			return a
		}
	}
	list := strings.Join(words, ", ")
	switch f.value.kind {
	case plain, quoted:
		o.fault(f.value.pos, "%s %q is not allowed: %s Allowed: %s", name, f.value.text, didYouMean(f.value.text, words, "write another."), list)
	case nothing:
		o.fault(f.value.pos, "%s has no value: write one of %s", name, list)
	default:
		o.fault(f.value.pos, "%s must be one word, not %s: write one of %s", name, f.value.is(), list)
	}
	return ""
}

// plainScalar reads a value that must be written without quotes.
func (o object) plainScalar(f field, want, example string) (string, bool) {
	switch v := f.value; v.kind {
	case plain:
		return v.text, true
	case quoted:
		o.fault(v.pos, "%s must be %s, not text between quotes: write %s", f.key, want, orExample(v.text, example))
	case nothing:
		advice := ""
		if slices.ContainsFunc(o.keys, func(k key) bool { return k.name == f.key && k.optional }) {
			advice = ", or remove the line"
		}
		o.fault(v.pos, "%s has no value: write %s such as %s%s", f.key, want, example, advice)
	default:
		o.fault(v.pos, "%s must be %s, not %s: write %s", f.key, want, v.is(), example)
	}
	return "", false
}

// orExample returns the text that was written if it would be right without its quotes, otherwise the example.
func orExample(text, example string) string {
	if plainType(text) == plainType(example) {
		return text + " without quotes"
	}
	return "for example " + example
}

// integer reads a whole number from low to high.
func (o object) integer(name string, low, high int) int {
	f, ok := o.get(name)
	if !ok {
		return 0
	}
	s, ok := o.plainScalar(f, "a whole number", strconv.Itoa(low))
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(s)
	if err != nil || strconv.Itoa(n) != s || n < low || n > high {
		o.fault(f.value.pos, "%s %s is not allowed: write a whole number from %d to %d", name, s, low, high)
		return 0
	}
	return n
}

// boolean reads true or false.
func (o object) boolean(name string) bool {
	f, ok := o.get(name)
	if !ok {
		return false
	}
	s, ok := o.plainScalar(f, "true or false", "true")
	if ok && s != "true" && s != "false" {
		o.fault(f.value.pos, "%s %q is not allowed: write true or false", name, s)
	}
	return s == "true"
}

// slug reads a slug. The cross-checks find out whether the item exists.
func (o object) slug(name string) string {
	s := o.line(name, 4*catalog.MaxSlug)
	if s != "" && !catalog.ValidSlug(s) {
		f, _ := o.get(name)
		o.fault(f.value.pos, "%s %q is not a slug: write lower-case words joined by hyphens, %d characters at most%s",
			name, s, catalog.MaxSlug, slugExample(s))
		return ""
	}
	return s
}

// slugExample proposes a slug in the place of s.
func slugExample(s string) string {
	if a := anchor(s); catalog.ValidSlug(a) {
		return `, such as "` + a + `"`
	}
	return ""
}
