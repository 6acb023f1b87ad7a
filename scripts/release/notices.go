package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A linkedPackage is a package that the binary contains. Module is nil for the standard library.
type linkedPackage struct {
	Dir    string        `json:"Dir"`
	Module *linkedModule `json:"Module"`
}

type linkedModule struct {
	Path    string `json:"Path"`
	Version string `json:"Version"`
	Dir     string `json:"Dir"`
	Main    bool   `json:"Main"`
}

var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([._-].*)?$`)

// notices returns the licences of all parts of the binaries: those in the directory of each linked package and
// in its parents, up to that of the module.
func notices(ctx context.Context, platforms []string) ([]byte, error) {
	licences := make(map[string]map[string]string) // by module and by file
	for _, platform := range platforms {
		linked, err := linkedLicences(ctx, platform, service, audit)
		if err != nil {
			return nil, err
		}
		for name, files := range linked {
			if licences[name] == nil {
				licences[name] = make(map[string]string)
			}
			maps.Copy(licences[name], files)
		}
	}
	var err error
	if licences["Fonts of the site"], err = fontLicences(ctx, platforms[0]); err != nil {
		return nil, err
	}
	var text strings.Builder
	text.WriteString("Palmarès contains the following software, under the licences given with each.\n")
	for _, name := range slices.Sorted(maps.Keys(licences)) {
		if len(licences[name]) == 0 {
			return nil, fmt.Errorf("%s has no licence", name)
		}
		for _, file := range slices.Sorted(maps.Keys(licences[name])) {
			fmt.Fprintf(&text, "\n%s\n%s, %s\n\n%s\n", strings.Repeat("=", 80), name, file, strings.TrimSpace(licences[name][file]))
		}
	}
	return []byte(text.String()), nil
}

// fontLicences returns the licences of the fonts that the binary contains, by file name.
func fontLicences(ctx context.Context, platform string) (map[string]string, error) {
	top, err := moduleDir(ctx, platform)
	if err != nil {
		return nil, err
	}
	fonts := filepath.Join(top, "internal/site/picture/fonts")
	files, err := filepath.Glob(filepath.Join(fonts, "OFL-*.txt"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("the fonts have no licence")
	}
	licences := make(map[string]string)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		licences[filepath.Base(file)] = string(text)
	}
	return licences, nil
}

// moduleDir returns the root directory of this repository.
func moduleDir(ctx context.Context, platform string) (string, error) {
	dir, err := goFor(ctx, platform, "list", "-m", "-f", "{{.Dir}}")
	return strings.TrimSpace(string(dir)), err
}

// linkedPackages returns the packages that the binary contains, except our own.
func (p program) linkedPackages(ctx context.Context, platform string) ([]linkedPackage, error) {
	out, err := p.run(ctx, platform, "list", "-deps", "-json=Dir,Module", p.path)
	if err != nil {
		return nil, err
	}
	var packages []linkedPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var linked linkedPackage
		if err := d.Decode(&linked); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		if linked.Module == nil || !linked.Module.Main {
			packages = append(packages, linked)
		}
	}
}

// collect reads the licences from dir up to top into a map by their path below top.
func collect(licences map[string]string, dir, top string) error {
	for {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.IsDir() || !licenceName.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			path := filepath.Join(dir, e.Name())
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			short, err := filepath.Rel(top, path)
			if err != nil {
				return err
			}
			licences[filepath.ToSlash(short)] = string(text)
		}
		if dir == top {
			return nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return fmt.Errorf("%s is not below %s", dir, top)
		}
		dir = parent
	}
}
