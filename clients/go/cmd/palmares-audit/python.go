package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
)

// requirement matches a requirement (PEP 508): a name, extras, and what follows.
var requirement = regexp.MustCompile(`^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(.*)$`)

// python returns the dependency that a requirement names. One that names where it is from is not of the registry.
func python(text, file string) (dependency, bool) {
	m := requirement.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil || m[2] != "" && !strings.ContainsRune("=<>!~;@(", rune(m[2][0])) {
		return dependency{}, false
	}
	d := dependency{kind: "pypi", name: m[1], file: file, direct: true, find: pythonLine(m[1])}
	if !strings.HasPrefix(m[2], "@") {
		d.ids = []string{packageURL("pypi", m[1])}
	}
	if version, found := strings.CutPrefix(m[2], "=="); found {
		d.version = strings.TrimLeft(version, "= ") // == and ===
		if end := strings.IndexAny(d.version, ";, \t"); end >= 0 {
			d.version = d.version[:end]
		}
	}
	return d, true
}

func pythonLine(name string) string {
	return `(?im)(^|["'\s])` + regexp.QuoteMeta(name) + `($|[\s"'=<>!~;@\[(,])`
}

// requirements reads requirements.txt, and the files that it names by -r.
func (p *project) requirements(file, text string) error {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line, first := lines[i], i+1
		for strings.HasSuffix(strings.TrimRight(line, "\r"), `\`) && i+1 < len(lines) {
			i++
			line = strings.TrimSuffix(strings.TrimRight(line, "\r"), `\`) + " " + lines[i]
		}
		if at := comment.FindStringIndex(line); at != nil {
			line = line[:at[0]]
		}
		line = strings.TrimSpace(line)
		if m := include.FindStringSubmatch(line); m != nil {
			other := filepath.Join(filepath.Dir(file), m[1])
			if _, known := p.texts[other]; known {
				continue
			}
			text, err := p.text(other)
			if err == nil {
				err = p.requirements(other, text)
			}
			if err != nil {
				return fmt.Errorf("%s, which line %d names: %w", other, first, err)
			}
			continue
		}
		line, _, _ = strings.Cut(line, " --")
		if d, ok := python(line, file); ok && !strings.HasPrefix(line, "-") {
			d.line = first
			p.add(d)
		}
	}
	return nil
}

var (
	comment = regexp.MustCompile(`(^|\s)#`)
	include = regexp.MustCompile(`^(?:-r\s*|--requirement[\s=]+)(\S+)$`)
)

// pyproject reads pyproject.toml and the lock beside it.
func (p *project) pyproject(file, text string) error {
	var m struct {
		Project struct {
			Dependencies []string            `toml:"dependencies"`
			Optional     map[string][]string `toml:"optional-dependencies"`
		} `toml:"project"`
		Groups map[string][]any `toml:"dependency-groups"`
		Tool   struct {
			UV struct {
				Dev     []string       `toml:"dev-dependencies"`
				Sources map[string]any `toml:"sources"`
			} `toml:"uv"`
			Poetry struct {
				poetryGroup
				Dev    map[string]any         `toml:"dev-dependencies"`
				Groups map[string]poetryGroup `toml:"group"`
			} `toml:"poetry"`
		} `toml:"tool"`
	}
	if _, err := toml.Decode(text, &m); err != nil {
		return fmt.Errorf("it is no pyproject.toml: %w", err)
	}
	lists := [][]string{m.Project.Dependencies, m.Tool.UV.Dev}
	for _, name := range sorted(m.Project.Optional) {
		lists = append(lists, m.Project.Optional[name])
	}
	for _, name := range sorted(m.Groups) {
		for _, entry := range m.Groups[name] {
			if text, ok := entry.(string); ok { // not the name of another group
				lists = append(lists, []string{text})
			}
		}
	}
	elsewhere := make(map[string]bool)
	for name := range m.Tool.UV.Sources {
		elsewhere[packageURL("pypi", name)] = true
	}
	direct := make(map[string]bool)
	add := func(d dependency) {
		id := packageURL("pypi", d.name)
		if direct[id] = true; elsewhere[id] {
			d.ids = nil
		}
		p.add(d)
	}
	for _, list := range lists {
		for _, text := range list {
			if d, ok := python(text, file); ok {
				add(d)
			}
		}
	}
	groups := []map[string]any{m.Tool.Poetry.Dependencies, m.Tool.Poetry.Dev}
	for _, name := range sorted(m.Tool.Poetry.Groups) {
		groups = append(groups, m.Tool.Poetry.Groups[name].Dependencies)
	}
	for _, group := range groups {
		for _, name := range sorted(group) {
			if strings.EqualFold(name, "python") {
				continue
			}
			d := dependency{kind: "pypi", name: name, file: file, direct: true, find: pythonLine(name)}
			if source, _ := group[name].(map[string]any); registered(source) {
				d.ids = []string{packageURL("pypi", name)}
			}
			add(d)
		}
	}
	return p.beside(file, direct, []string{"uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock"}, p.pythonLock)
}

// registered reports whether what has this source is from a registry.
func registered(source map[string]any) bool {
	return source["git"] == nil && source["path"] == nil && source["url"] == nil
}

type poetryGroup struct {
	Dependencies map[string]any `toml:"dependencies"`
}

// pythonLock reads uv.lock and poetry.lock. direct has the package URLs of what the manifest names. Without it all
// is transitive but what the lock of uv itself says the project needs.
func (p *project) pythonLock(file, text string, direct map[string]bool) error {
	type named struct {
		Name string `toml:"name"`
	}
	var lock struct {
		Packages []struct {
			named
			Version      string             `toml:"version"`
			Source       map[string]any     `toml:"source"`
			Dependencies any                `toml:"dependencies"`
			Dev          map[string][]named `toml:"dev-dependencies"`
		} `toml:"package"`
	}
	if _, err := toml.Decode(text, &lock); err != nil {
		return fmt.Errorf("it is no lock of uv or Poetry: %w", err)
	}
	needed := make(map[string]bool)
	for name := range direct {
		needed[name] = true
	}
	ours := func(source map[string]any) bool {
		return source["virtual"] != nil || source["editable"] != nil || source["workspace"] != nil ||
			source["type"] == "directory"
	}
	for _, l := range lock.Packages {
		if list, is := l.Dependencies.([]map[string]any); is && direct == nil && ours(l.Source) {
			for _, entry := range list {
				if name, is := entry["name"].(string); is {
					needed[packageURL("pypi", name)] = true
				}
			}
		}
		for _, group := range l.Dev {
			for _, entry := range group {
				needed[packageURL("pypi", entry.Name)] = needed[packageURL("pypi", entry.Name)] || direct == nil
			}
		}
	}
	for _, l := range lock.Packages {
		if l.Name == "" || ours(l.Source) {
			continue
		}
		id := packageURL("pypi", l.Name)
		d := dependency{
			kind: "pypi", name: l.Name, version: l.Version, file: file, direct: needed[id],
			find: `(?m)^name = "` + regexp.QuoteMeta(l.Name) + `"`,
		}
		if kind, _ := l.Source["type"].(string); registered(l.Source) && (kind == "" || kind == "legacy") {
			d.ids = []string{id}
		}
		p.add(d)
	}
	return nil
}
