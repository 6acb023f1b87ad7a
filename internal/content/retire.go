package content

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// A Retirement says why a tool goes, and when.
type Retirement struct {
	Reason catalog.Reason
	Date   catalog.Date
	Note   string // Markdown; may be left for the editor to write
}

// Retired is what became of the files when a tool was retired.
type Retired struct {
	Draft             // the file in cimetiere/
	From      string  // the file that was in tools/
	Compared  []Fault // the comparisons that name the tool: drafts are warnings
	Unchecked []Fault // comparisons that cannot be read: they may name it too
}

// Retire moves a tool to the cemetery: tools/<slug>.md becomes cimetiere/<slug>.md, which
// keeps the name, the domain, the packages and the category. The review is not kept, in neither language, for a note tells something
// else. Comparisons are not touched, but told.
func Retire(dir, slug string, r Retirement) (Retired, error) {
	l, err := openToWrite(dir)
	if err != nil {
		return Retired{}, err
	}
	defer l.close()
	if catalog.ValidSlug(slug) && !l.has(toolFolder, slug) && l.has(retiredFolder, slug) {
		return Retired{}, fmt.Errorf("%s is retired already: see %s", slug, itemPath(retiredFolder, slug))
	}
	if err := errors.Join(l.living(slug), l.free(retiredFolder, slug)); err != nil {
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
	english := toolFolder + "/" + slug + englishExtension // of the review, which goes
	if err := l.root.Remove(english); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Retired{}, fmt.Errorf("removing %s: %w", english, cause(err))
	}
	return out, nil
}

// retiredText is the text of cimetiere/<slug>.md.
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

// compared lists the comparisons that name a tool, each where it does. It reads the front
// matters alone: a comparison with another fault is to be looked at all the same.
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
