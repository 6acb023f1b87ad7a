package content

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A Retirement is why and when a tool is retired.
type Retirement struct {
	Reason catalog.Reason
	Date   catalog.Date
	Note   string // Markdown; may be empty, for the editor to write
}

// Retired is the outcome of Retire.
type Retired struct {
	Draft             // the file in cimetiere/
	From      string  // the file that was in tools/
	Compared  []Fault // where comparisons name the tool; a warning for a draft, an error otherwise
	Unchecked []Fault // comparisons that cannot be read: they may name it too
}

// Retire moves a tool to the cemetery: tools/<slug>.md becomes cimetiere/<slug>.md, which keeps the name, the
// domain, the packages, the category, the successor and the former slugs. The review is dropped in both
// languages, because the note in its place says something else. Comparisons are not changed; Retire returns
// those that name the tool.
func Retire(dir, slug string, r Retirement) (Retired, error) {
	l, err := openToWrite(dir)
	if err != nil {
		return Retired{}, err
	}
	defer l.close()
	if catalog.ValidSlug(slug) && !l.has(toolFolder, slug) && l.has(retiredFolder, slug) {
		return Retired{}, fmt.Errorf("%s is retired already: see %s", slug, itemPath(retiredFolder, slug))
	}
	if err := errors.Join(l.requireLiving(slug), l.requireFree(retiredFolder, slug)); err != nil {
		return Retired{}, err
	}
	text, err := l.retiredText(slug, r)
	if err != nil {
		return Retired{}, err
	}
	left := l.faultsOf(retiredFolder, slug, text)
	if i := slices.IndexFunc(left, func(f Fault) bool { return !f.Warning }); r.Note != "" && i >= 0 {
		return Retired{}, fmt.Errorf("the note cannot stay so: %s", left[i].Message)
	}
	out := Retired{Draft: Draft{File: itemPath(retiredFolder, slug), Left: left}, From: itemPath(toolFolder, slug)}
	out.Compared, out.Unchecked = l.compared(slug)
	if err := l.create(retiredFolder, slug, text); err != nil {
		return Retired{}, err
	}
	if err := l.root.Remove(out.From); err != nil {
		_ = l.root.Remove(out.File) // a slug cannot be in both
		return Retired{}, fmt.Errorf("removing %s: %w", out.From, cause(err))
	}
	english := toolFolder + "/" + slug + englishExtension // it translates the review, which is dropped
	if err := l.root.Remove(english); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Retired{}, fmt.Errorf("removing %s: %w", english, cause(err))
	}
	return out, nil
}

// retiredText returns the text of cimetiere/<slug>.md.
func (l *loader) retiredText(slug string, r Retirement) (string, error) {
	e := itemEntry(toolFolder, slug)
	data, complaint := l.read(e, nil)
	if complaint != "" {
		return "", asError([]Fault{{File: e.path(), Line: 1, Column: 1, Message: complaint}})
	}
	d := l.open(e.path(), data)
	values := map[string]string{"reason": string(r.Reason), "retired_at": string(r.Date)}
	if o, _, ok := d.item(toolKeys); ok {
		values["name"], values["category"], values["successor"] = o.text("name", nameLimit), o.slug("category"), o.slug("successor")
		values["domain"], values["packages"] = o.domain("domain"), strings.Join(o.packages(), "\n")
		values["formerly"] = strings.Join(o.formerly(slug), "\n")
	}
	if values["name"] == "" || values["category"] == "" {
		return "", asError(d.faults)
	}
	text := frontMatter(retiredKeys, values, nil)
	if r.Note != "" {
		text += "\n" + r.Note + "\n"
	}
	return text, nil
}

// compared returns a fault at each place where a comparison names the tool, and the faults of comparisons it
// cannot read. It reads only the front matter, so that a comparison with other faults is found too.
func (l *loader) compared(slug string) (found, unread []Fault) {
	for _, e := range l.list(comparisonFolder) {
		data, complaint := l.read(e, nil)
		if complaint != "" {
			unread = append(unread, Fault{File: e.path(), Line: 1, Column: 1, Message: complaint})
			continue
		}
		d := l.open(e.path(), data)
		o, _, _ := d.item(comparisonKeys)
		if o.fields == nil {
			unread = append(unread, d.faults...)
			continue
		}
		state, _ := o.get("status")
		for _, side := range []string{"tool_a", "tool_b"} {
			f, _ := o.get(side)
			if f.value.text != slug {
				continue
			}
			fault := Fault{File: e.path(), Line: f.value.pos.line, Column: f.value.pos.column, Message: retiredTool(slug)}
			if state.value.text == string(draft) {
				fault.Warning = true
				fault.Message = fmt.Sprintf("tool %q is retired: this draft cannot be published; name another tool, or remove the file", slug)
			}
			found = append(found, fault)
		}
	}
	return found, unread
}
