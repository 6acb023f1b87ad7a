package guide

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/palmares-hq/palmares/internal/locale"
)

// A Guide is a text in one language.
type Guide struct {
	Slug        string
	Title       string
	Description string // its first paragraph, with placeholders
	Number      int    // its place in the order, from 0
	lang        locale.Language
	source      string // what follows the title
}

// A Library holds all guides.
type Library struct {
	names  [][2]string
	guides [2][]*Guide
	dirs   [2]string // where the pages of a language are, with a slash at its end
}

var opening = regexp.MustCompile(`^# (.+)\n\n((?:.+\n)+)`)

// Load reads the guides with the given names, which are one per language, and keeps their order. dirs are the paths
// below which their pages are, by language. It fails if a guide does not begin with a title and a paragraph.
func Load(files fs.FS, names [][2]string, dirs [2]string) (*Library, error) {
	lib := &Library{names: names, dirs: dirs}
	for _, l := range locale.Languages() {
		for i, name := range names {
			file := path.Join(l.String(), name[l]+".md")
			text, err := fs.ReadFile(files, file)
			if err != nil {
				return nil, err
			}
			m := opening.FindStringSubmatch(string(text))
			if m == nil {
				return nil, fmt.Errorf("%s does not begin with a title and a paragraph", file)
			}
			lib.guides[l] = append(lib.guides[l], &Guide{
				Slug: name[l], Title: l.Typeset(m[1]), Description: l.Typeset(locale.OneLine(m[2])),
				Number: i, lang: l, source: strings.TrimPrefix(string(text), "# "+m[1]+"\n\n"),
			})
		}
	}
	return lib, nil
}

// All returns the guides in a language, in order.
func (lib *Library) All(l locale.Language) []*Guide { return lib.guides[l] }

// Summary returns the first paragraph of a guide as plain text, filled in.
func (g *Guide) Summary(v Values) (string, error) {
	return v.fill(strings.ReplaceAll(g.Description, "`", ""), asItIs)
}

// Fills reports whether a guide has a placeholder with that name.
func (g *Guide) Fills(name string) bool { return strings.Contains(g.source, "{{"+name+"}}") }

// Find returns a guide by its slug, or nil.
func (lib *Library) Find(l locale.Language, slug string) *Guide {
	for _, g := range lib.guides[l] {
		if g.Slug == slug {
			return g
		}
	}
	return nil
}

// Translate returns the slug of a guide in another language. It returns an unknown slug as it is.
func (lib *Library) Translate(slug string, from, to locale.Language) string {
	if g := lib.Find(from, slug); g != nil {
		return lib.names[g.Number][to]
	}
	return slug
}

// address returns the address on the site for a link in a guide. The link may name an anchor, an https URL, another
// guide by its file name, or a placeholder. Anything else is an error.
func (lib *Library) address(g *Guide, destination string, v Values) (string, error) {
	name, anchor, _ := strings.Cut(destination, "#")
	slug, isGuide := strings.CutSuffix(name, ".md")
	switch {
	case strings.HasPrefix(destination, "#"), strings.HasPrefix(destination, "https://"):
		return destination, nil
	case strings.HasPrefix(destination, "{{"):
		return v.fill(destination, asItIs)
	case isGuide && lib.Find(g.lang, slug) != nil:
		if anchor != "" {
			anchor = "#" + anchor
		}
		return lib.dirs[g.lang] + slug + anchor, nil
	default:
		return "", fmt.Errorf("the guide %s links to %q, which is not there", g.Slug, destination)
	}
}
