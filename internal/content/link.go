package content

import (
	"net/url"
	"path"
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/locale"
)

// follow records a link to a page of the site or to a section, to be checked later. A relative link cannot
// work, because the same text is shown on several pages: the site shows its words alone, and follow warns of
// it. A link to a content file is a fault.
func (p *plainText) follow(destination []byte, offset int) {
	if p.doc == nil {
		return
	}
	written := Unescape(destination)
	u, err := url.Parse(written)
	if err != nil || u.Scheme != "" || u.Host != "" {
		return
	}
	pos := p.doc.positionOf(p.start + offset)
	switch {
	case strings.HasPrefix(written, "#"), strings.HasPrefix(written, "/"):
		p.links = append(p.links, link{p.doc.file, pos, written, u.Path, u.Fragment})
	case strings.HasSuffix(u.Path, itemExtension):
		p.doc.fault(pos, "the link %s leads to a file, and readers have pages: %s", cutValue(written), p.doc.pageInstead(u))
	case written == "":
		p.doc.warn(pos, "the link has no address: write one between its parentheses, or remove the link")
	default:
		p.doc.warn(pos, "the link %s is shown as its words alone, because it does not say on which site it is: begin it with / for a page of this one, with https:// for another",
			cutValue(written))
	}
}

// fileFolder returns the last folder in a file's path if it is one of tools, comparatifs, cimetiere and pages;
// otherwise "".
func fileFolder(file string) string {
	switch folder := path.Base(path.Dir(file)); folder {
	case toolFolder, comparisonFolder, retiredFolder, pagesFolder:
		return folder
	}
	return ""
}

// pageInstead says what to write in the place of a link to a content file.
func (d *document) pageInstead(u *url.URL) string {
	name := strings.TrimSuffix(strings.TrimSuffix(path.Base(u.Path), itemExtension), ".en")
	folder := fileFolder(u.Path)
	if folder == "" && path.Dir(u.Path) == "." { // beside this one
		folder = fileFolder(d.file)
	}
	language := d.language()
	to := ""
	switch folder {
	case toolFolder, retiredFolder:
		to = address.Tool.At(language, name)
		if u.Fragment != "" { // which the review has
			to = address.Review.At(language, name) + "#" + u.Fragment
		}
	case comparisonFolder:
		to = address.Comparison.At(language, name)
	case pagesFolder:
		if page, _, found := address.Find("/" + name); found {
			to = page.In(language)
		}
	}
	if to == "" {
		return "write the path of a page, such as " + address.Tool.At(language, "lumen")
	}
	return "write " + to
}

// language returns the language that the text of a file is in.
func (d *document) language() locale.Language {
	if strings.HasSuffix(d.file, englishExtension) {
		return locale.English
	}
	return locale.French
}

// checkAnchors warns of links to sections that the text does not have. It hands links to other pages on to the
// document, to be checked when the whole directory is known. English sections have the anchors of the French
// ones: own are the anchors that their English headings would have had.
//
// A dead link is a warning, not an error: it costs a page nothing but the link, and its target may be in
// another file, so that one old review could keep everybody from publishing.
func (p *plainText) checkAnchors(ids, own []string) {
	for _, l := range p.links {
		if l.path != "" {
			p.doc.links = append(p.doc.links, l)
			continue
		}
		if why := noSection(l.anchor, ids, own); why != "" {
			p.doc.warn(l.pos, "the link %s leads to no section of this text: %s", cutValue(l.written), why)
		}
	}
	p.links = nil
}

// noSection returns what to write instead of an anchor that no section has; "" if one has it. own are the
// anchors that the sections' own headings would give, in the order of ids.
func noSection(anchor string, ids, own []string) string {
	const listed = 6
	shown := make([]string, 0, len(ids))
	for i, id := range ids {
		if anchor == id || anchor == "" {
			return ""
		}
		if i < len(own) && own[i] == anchor {
			return "the sections have the anchors of the French; write #" + id
		}
		shown = append(shown, "#"+id)
	}
	switch {
	case anchor == "":
		return ""
	case len(ids) == 0:
		return "it has none; remove the link"
	case len(ids) > listed:
		shown = append(shown[:listed], "…")
	}
	if near := closest(anchor, ids); near != "" {
		return "did you mean #" + near + "?"
	}
	return "write one of " + strings.Join(shown, ", ")
}
