package main

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"

	"golang.org/x/mod/modfile"
)

// goMod reads go.mod. What is replaced by another module counts as that one, and what is replaced by a folder not at all.
func (p *project) goMod(file, text string) error {
	f, err := modfile.Parse(file, []byte(text), nil)
	if err != nil {
		if f, err = modfile.ParseLax(file, []byte(text), nil); err != nil { // a later version of Go may have other lines
			return err
		}
	}
	replaced := make(map[string]*modfile.Replace)
	for _, r := range f.Replace {
		replaced[r.Old.Path+"@"+r.Old.Version] = r
	}
	for _, r := range f.Require {
		d := dependency{
			kind: "golang", name: r.Mod.Path, version: r.Mod.Version, file: file, line: r.Syntax.Start.Line, direct: !r.Indirect,
		}
		by := replaced[r.Mod.Path+"@"+r.Mod.Version]
		if by == nil {
			by = replaced[r.Mod.Path+"@"]
		}
		if by != nil {
			if modfile.IsDirectoryPath(by.New.Path) {
				continue
			}
			d.name, d.version = by.New.Path, by.New.Version
		}
		d.ids = []string{packageURL("golang", d.name)}
		p.add(d)
	}
	return nil
}

// mcp reads .mcp.json: servers that run a package by npx or uvx, and those at a URL.
func (p *project) mcp(file, text string) error {
	var m struct {
		Servers map[string]struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
			URL     string   `json:"url"`
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return fmt.Errorf("it is no .mcp.json: %w", err)
	}
	for _, name := range sorted(m.Servers) {
		s := m.Servers[name]
		d := dependency{kind: "mcp", name: name, file: file, direct: true, find: keyLine(name)}
		command, args := program(s.Command), s.Args
		for command == "cmd" && len(args) > 1 && strings.EqualFold(args[0], "/c") { // as Windows wants it
			command, args = program(args[1]), args[2:]
		}
		switch command {
		case "npx":
			if spec := ran(args, "-p", "--package"); spec != "" {
				d.name, d.version = spec, ""
				if at := strings.LastIndexByte(spec, '@'); at > 0 {
					d.name, d.version = spec[:at], exact.FindString(spec[at+1:])
				}
				if !elsewhere(d.name) {
					d.ids = []string{packageURL("npm", d.name)}
				}
			}
		case "uvx":
			spec := ran(args, "--from", "")
			if named, ok := python(strings.Replace(spec, "@", "==", 1), file); ok && !strings.Contains(spec, "://") {
				d.name, d.version, d.ids = named.name, exact.FindString(named.version), named.ids
			}
		default:
			d.ids = urlDomains(s.URL)
		}
		p.add(d)
	}
	return nil
}

// program returns the name of a program without its folder and its ending.
func program(command string) string {
	name := path.Base(strings.ReplaceAll(command, `\`, "/"))
	return strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(name), ".exe"), ".cmd")
}

// elsewhere reports whether npx takes a name for a folder, a URL, or a repository of somebody.
func elsewhere(name string) bool {
	return strings.HasPrefix(name, ".") || strings.Contains(name, ":") || !strings.HasPrefix(name, "@") && strings.Contains(name, "/")
}

// valued are the options of npx and uvx whose value is the next argument.
var valued = map[string]bool{
	"-c": true, "--call": true, "-w": true, "--workspace": true, "--registry": true, "--cache": true, "--prefix": true,
	"--with": true, "--python": true, "--index": true, "--index-url": true, "--default-index": true, "--extra-index-url": true,
}

// ran returns the package that npx or uvx runs: the value of an option, short or long, or else the first argument that is
// none.
func ran(args []string, options ...string) string {
	for i := 0; i < len(args); i++ {
		name, value, has := strings.Cut(args[i], "=")
		for _, option := range options {
			switch {
			case option == "" || name != option:
			case has:
				return value
			case i+1 < len(args):
				return args[i+1]
			}
		}
		switch {
		case valued[name] && !has, name == "-p": // -p is the Python of uvx
			i++
		case !strings.HasPrefix(name, "-"):
			return args[i]
		}
	}
	return ""
}

// A component is one of a CycloneDX document, with those that it holds.
type component struct {
	Ref        string      `json:"bom-ref"`
	Group      string      `json:"group"`
	Name       string      `json:"name"`
	Version    string      `json:"version"`
	PURL       string      `json:"purl"`
	Components []component `json:"components"`
}

// cycloneDX reads a CycloneDX document in JSON. What its graph says that the project itself depends on is direct, or all
// of it where it has no graph.
func (p *project) cycloneDX(file, text string) error {
	var bom struct {
		Format   string `json:"bomFormat"`
		Metadata struct {
			Component component `json:"component"`
		} `json:"metadata"`
		Components   []component `json:"components"`
		Dependencies []struct {
			Ref string   `json:"ref"`
			On  []string `json:"dependsOn"`
		} `json:"dependencies"`
	}
	if err := json.Unmarshal([]byte(text), &bom); err != nil {
		return fmt.Errorf("it is no CycloneDX: %w", err)
	}
	if bom.Format != "CycloneDX" {
		return fmt.Errorf("its bomFormat is %q, not CycloneDX", bom.Format)
	}
	direct, graph := make(map[string]bool), false
	for _, d := range bom.Dependencies {
		if d.Ref == bom.Metadata.Component.Ref && d.Ref != "" {
			graph = true
			for _, ref := range d.On {
				direct[ref] = true
			}
		}
	}
	var add func(list []component)
	add = func(list []component) {
		for _, c := range list {
			d := dependency{name: c.Name, version: c.Version, file: file, direct: !graph || direct[c.Ref]}
			if c.Group != "" {
				d.name = c.Group + "/" + c.Name
			}
			if id, version := splitPackage(c.PURL); id != "" {
				d.ids, d.find = []string{id}, regexp.QuoteMeta(c.PURL)
				if d.version == "" {
					d.version = version
				}
			}
			p.add(d)
			add(c.Components)
		}
	}
	add(bom.Components)
	return nil
}
