package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// maxFile is the largest file that is read, in bytes.
const maxFile = 128 << 20

// usual are the files that are read where none is named.
var usual = []string{"package.json", "requirements.txt", "pyproject.toml", "go.mod", ".mcp.json", "bom.json"}

// unread are the locks that are not read, and the program whose they are.
var unread = map[string]string{
	"yarn.lock": "Yarn", "pnpm-lock.yaml": "pnpm", "bun.lock": "Bun", "bun.lockb": "Bun",
	"Pipfile.lock": "Pipenv", "pdm.lock": "PDM",
}

// readProject reads the files that are named, or else the usual ones of the working directory.
func readProject(files []string) (*project, error) {
	p := &project{texts: make(map[string]string)}
	if len(files) == 0 {
		for _, name := range usual {
			if _, err := os.Stat(name); err == nil {
				files = append(files, name)
			}
		}
	}
	for _, file := range files {
		if err := p.read(file); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return p, nil
}

// read reads one file, by its name or by what is in it.
func (p *project) read(file string) error {
	name := filepath.Base(file)
	if program, is := unread[name]; is {
		p.notes = append(p.notes, fmt.Sprintf("%s was not read: this program does not read the locks of %s", file, program))
		return nil
	}
	text, err := p.text(file)
	switch {
	case err != nil:
		return err
	case name == "pyproject.toml":
		return p.pyproject(file, text)
	case name == "uv.lock" || name == "poetry.lock":
		return p.pythonLock(file, text, nil)
	case name == "go.mod":
		return p.goMod(file, text)
	case strings.HasSuffix(name, ".json"):
		return p.json(file, text)
	case strings.HasPrefix(name, "requirements") && strings.HasSuffix(name, ".txt"):
		return p.requirements(file, text)
	case strings.HasSuffix(name, ".txt") || strings.HasSuffix(name, ".list") || file == "-" || filepath.Ext(name) == "":
		p.list(file, text)
		return nil
	}
	return errors.New("what is this? It reads package.json, package-lock.json, requirements.txt, pyproject.toml, uv.lock, poetry.lock, " +
		"go.mod, .mcp.json, CycloneDX in JSON, and plain lists in .txt")
}

// text returns the text of a file, or of the standard input for "-".
func (p *project) text(file string) (string, error) {
	in := io.ReadCloser(os.Stdin)
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return "", plainly(err)
		}
		defer f.Close()
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return "", plainly(err)
	}
	if len(b) > maxFile {
		return "", fmt.Errorf("it is larger than %d MB", maxFile>>20)
	}
	p.texts[file] = string(bytes.TrimPrefix(b, []byte("\ufeff")))
	return p.texts[file], nil
}

// plainly returns the error of a file without its name, which is said already.
func plainly(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// json reads a JSON file by what is in it.
func (p *project) json(file, text string) error {
	var has map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &has); err != nil {
		return fmt.Errorf("it is no JSON object: %w", err)
	}
	switch name := filepath.Base(file); {
	case has["bomFormat"] != nil:
		return p.cycloneDX(file, text)
	case has["mcpServers"] != nil || name == ".mcp.json":
		return p.mcp(file, text)
	case has["lockfileVersion"] != nil:
		return p.packageLock(file, text, nil)
	case name == "package.json" || has["dependencies"] != nil || has["devDependencies"] != nil || len(has) == 0:
		return p.packageJSON(file, text)
	}
	return errors.New("what is this? It has no bomFormat, mcpServers, lockfileVersion or dependencies")
}

// beside reads the first of the locks of a project that stands beside its manifest, and names those that are not read.
func (p *project) beside(
	manifest string, direct map[string]bool, locks []string, read func(file, text string, direct map[string]bool) error,
) error {
	for _, name := range locks {
		file := filepath.Join(filepath.Dir(manifest), name)
		if _, err := os.Stat(file); err != nil {
			continue
		}
		if unread[name] != "" {
			p.notes = append(p.notes, fmt.Sprintf("%s was not read: what %s needs itself is not checked", file, manifest))
			continue
		}
		text, err := p.text(file)
		if err == nil {
			err = read(file, text, direct)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		return nil
	}
	return nil
}

var hostName = regexp.MustCompile(`(?i)^[a-z0-9-]+(\.[a-z0-9-]+)+\.?$`)

// list reads a plain list: on each line a package URL, a domain, a URL or a name. A # begins a comment.
func (p *project) list(file, text string) {
	for i, line := range strings.Split(text, "\n") {
		if at := strings.Index(line, "#"); at == 0 || at > 0 && strings.ContainsRune(" \t", rune(line[at-1])) {
			line = line[:at]
		}
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		d := dependency{name: line, file: file, line: i + 1, direct: true}
		switch id, version := splitPackage(line); {
		case id != "":
			d.ids, d.version = []string{id}, version
		case strings.Contains(line, "://"):
			d.ids = urlDomains(line)
		default:
			if hostName.MatchString(line) {
				d.ids = domains(line)
			}
			d.ids = append(d.ids, "name:"+strings.ToLower(line)) // names such as Example.io have a point, too
		}
		p.add(d)
	}
}

// urlDomains returns the ids of the host of a URL.
func urlDomains(text string) []string {
	if u, err := url.Parse(text); err == nil && u.Hostname() != "" {
		return domains(u.Hostname())
	}
	return nil
}
