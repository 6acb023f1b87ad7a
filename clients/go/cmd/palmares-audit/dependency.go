package main

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
)

// A dependency is something that a project uses, as one of its files says.
type dependency struct {
	kind string // of its package URL
	// ids are what it may be in the catalogue, in this order: a package URL, "domain:…" or "name:…". What no registry has,
	// has none.
	ids     []string
	name    string // as the file says it
	version string // "" if the file says none
	file    string
	line    int    // 0 if it must be looked for
	find    string // a regular expression that finds the line
	direct  bool   // somebody wrote it into a manifest
}

// A project is what the files say.
type project struct {
	dependencies []dependency
	notes        []string          // what was not read, for people
	texts        map[string]string // the files that were read, to find lines in
}

func (p *project) add(d dependency) { p.dependencies = append(p.dependencies, d) }

// distinct returns each dependency once: the first that is direct, or else the first.
func (p *project) distinct() []dependency {
	var list []dependency
	at := make(map[string]int)
	for _, d := range p.dependencies {
		key := "?" + packageURL(d.kind, d.name)
		if len(d.ids) > 0 {
			key = keyOf(d.ids[0])
		}
		i, known := at[key]
		switch {
		case !known:
			at[key] = len(list)
			list = append(list, d)
		case d.direct && !list[i].direct:
			if d.version == "" {
				d.version = list[i].version
			}
			list[i] = d
		case list[i].version == "":
			list[i].version = d.version
		}
	}
	return list
}

// lineOf returns the line of a dependency in its file, 1 if it is not found.
func (p *project) lineOf(d dependency) int {
	if d.line > 0 {
		return d.line
	}
	text := p.texts[d.file]
	if find, err := regexp.Compile(d.find); err == nil && d.find != "" {
		if at := find.FindStringIndex(text); at != nil {
			return 1 + strings.Count(text[:at[0]], "\n")
		}
	}
	return 1
}

// lowered are the types of package URLs whose names have no case.
var lowered = map[string]bool{
	"bitbucket": true, "composer": true, "deb": true, "github": true, "golang": true, "hex": true,
	"npm": true, "oci": true, "pub": true, "pypi": true,
}

// packageURL returns the package URL of a name in a registry, without a version.
func packageURL(kind, name string) string {
	if lowered[kind] {
		name = strings.ToLower(name)
	}
	if kind == "pypi" {
		name = pythonName.ReplaceAllString(name, "-")
	}
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(part), "@", "%40")
	}
	return "pkg:" + kind + "/" + strings.Join(parts, "/")
}

// pythonName matches what is the same as a hyphen in names of Python packages (PEP 503).
var pythonName = regexp.MustCompile(`[-_.]+`)

// splitPackage returns the canonical form of a package URL and its version; "" if it is none.
func splitPackage(text string) (id, version string) {
	if len(text) < 4 || !strings.EqualFold(text[:4], "pkg:") {
		return "", ""
	}
	if end := strings.IndexAny(text, "?#"); end >= 0 {
		text = text[:end]
	}
	kind, name, found := strings.Cut(strings.TrimLeft(text[4:], "/"), "/")
	if at := strings.LastIndexByte(name, '@'); at > 0 && at > strings.LastIndexByte(name, '/') {
		name, version = name[:at], unescaped(name[at+1:])
	}
	name = unescaped(strings.Trim(name, "/"))
	if !found || kind == "" || name == "" {
		return "", ""
	}
	return packageURL(strings.ToLower(kind), name), version
}

func unescaped(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

// keyOf returns what two ids have in common exactly if they name the same: the catalogue may spell a package URL in
// another of its forms than splitPackage.
func keyOf(id string) string {
	if form, _ := splitPackage(id); form != "" {
		return form
	}
	return strings.ToLower(id)
}

// domains returns the ids of a host, with and without www.
func domains(host string) []string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if bare, found := strings.CutPrefix(host, "www."); found {
		return []string{"domain:" + host, "domain:" + bare}
	}
	return []string{"domain:" + host}
}

// printable removes from texts of others what could move a terminal's cursor, turn a line around or hide in it.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			return ' '
		case r == unicode.ReplacementChar, !unicode.IsGraphic(r), unicode.In(r, unicode.Zl, unicode.Zp):
			return -1
		}
		return r
	}, s)
}
