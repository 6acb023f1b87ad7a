package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strings"
)

// A manifest is what package.json, and the root of a lock, say of dependencies.
type manifest struct {
	Dependencies map[string]string `json:"dependencies"`
	Dev          map[string]string `json:"devDependencies"`
	Optional     map[string]string `json:"optionalDependencies"`
	Peer         map[string]string `json:"peerDependencies"`
}

func (m manifest) names() map[string]bool {
	names := make(map[string]bool)
	for _, list := range []map[string]string{m.Dependencies, m.Dev, m.Optional, m.Peer} {
		for name := range list {
			names[name] = true
		}
	}
	return names
}

// packageJSON reads package.json and the lock beside it.
func (p *project) packageJSON(file, text string) error {
	var m manifest
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return fmt.Errorf("it is no package.json: %w", err)
	}
	for _, list := range []map[string]string{m.Dependencies, m.Dev, m.Optional, m.Peer} {
		for _, name := range sorted(list) {
			d := dependency{kind: "npm", name: name, file: file, direct: true, find: keyLine(name)}
			published, version, ours := npmSpec(name, list[name])
			if ours {
				continue
			}
			if d.version = version; published != "" {
				d.ids = []string{packageURL("npm", published)}
			}
			p.add(d)
		}
	}
	locks := []string{"npm-shrinkwrap.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"}
	return p.beside(file, m.names(), locks, p.packageLock)
}

// exact matches a version that is no range.
var exact = regexp.MustCompile(`^\d+(\.\d+)*([-+].*)?$`)

// npmSpec returns the name under which the registry of npm has a dependency, "" if it is from elsewhere, and its version
// if it is exact. ours means that it is a part of the project.
func npmSpec(name, spec string) (published, version string, ours bool) {
	if alias, found := strings.CutPrefix(spec, "npm:"); found {
		if at := strings.LastIndexByte(alias, '@'); at > 0 {
			return alias[:at], exact.FindString(alias[at+1:]), false
		}
		return alias, "", false
	}
	scheme, _, found := strings.Cut(spec, ":")
	switch {
	case found && (scheme == "file" || scheme == "link" || scheme == "workspace" || scheme == "portal"):
		return "", "", true
	case found, strings.Contains(spec, "/"): // a URL, or owner/repository
		return "", "", false
	}
	return name, exact.FindString(spec), false
}

// packageLock reads package-lock.json of version 2 or 3. direct has the names that the manifest has; nil takes those of
// the lock's own root.
func (p *project) packageLock(file, text string, direct map[string]bool) error {
	var lock struct {
		Version  int `json:"lockfileVersion"`
		Packages map[string]struct {
			manifest
			Name     string `json:"name"`
			Version  string `json:"version"`
			Resolved string `json:"resolved"`
			Link     bool   `json:"link"`
		} `json:"packages"`
	}
	if err := json.Unmarshal([]byte(text), &lock); err != nil {
		return fmt.Errorf("it is no package-lock.json: %w", err)
	}
	if lock.Version < 2 {
		p.notes = append(p.notes, fmt.Sprintf("%s was not read: it has lockfileVersion %d; npm 7 and later write 2 or 3", file, lock.Version))
		return nil
	}
	if direct == nil {
		direct = lock.Packages[""].names()
	}
	const folder = "node_modules/"
	for _, at := range sorted(lock.Packages) {
		entry, cut := lock.Packages[at], strings.LastIndex(at, folder)
		if cut < 0 || entry.Link { // the project itself, or a part of it
			continue
		}
		name := at[cut+len(folder):]
		d := dependency{
			kind: "npm", name: name, version: entry.Version, file: file, find: keyLine(at), direct: cut == 0 && direct[name],
		}
		if entry.Name == "" {
			entry.Name = name
		}
		// Registries have their files at such addresses.
		if r := entry.Resolved; r == "" || strings.Contains(r, "/-/") || strings.Contains(r, "/download/@") {
			d.ids = []string{packageURL("npm", entry.Name)}
		}
		p.add(d)
	}
	return nil
}

// keyLine finds the line of a key in a JSON object.
func keyLine(key string) string { return regexp.QuoteMeta(`"`+key+`"`) + `\s*:` }

// sorted returns the keys of a map in order.
func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
