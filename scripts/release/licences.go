package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// standardLibrary is the name in the notices for packages without a module.
const standardLibrary = "Go's standard library"

// grant matches the names of files with a licence under which others may use something. The other collected
// files, such as notices, only add to one.
var grant = regexp.MustCompile(`(?i)^(licen[cs]e|copying)`)

// linkedLicences returns the licence texts of everything that the binaries of programs contain except our own code, by
// module and file.
func linkedLicences(ctx context.Context, platform string, programs ...program) (map[string]map[string]string, error) {
	root, err := goFor(ctx, platform, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	var packages []linkedPackage
	for _, p := range programs {
		linked, err := p.linkedPackages(ctx, platform)
		if err != nil {
			return nil, err
		}
		packages = append(packages, linked...)
	}
	licences := make(map[string]map[string]string)
	for _, p := range packages {
		name, top := standardLibrary, strings.TrimSpace(string(root))
		if m := p.Module; m != nil {
			name, top = m.Path+" "+m.Version, m.Dir
		}
		if licences[name] == nil {
			licences[name] = make(map[string]string)
		}
		if err := collect(licences[name], p.Dir, top); err != nil {
			return nil, err
		}
	}
	return licences, nil
}

// identify returns the SPDX identifiers of the licences in these files. It returns an error for a licence file
// that it does not recognise, and if there is none.
func identify(files map[string]string) ([]licence, error) {
	found := make(map[string]bool)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if !grant.MatchString(path.Base(file)) {
			continue
		}
		known := false
		for _, m := range licensecheck.Scan([]byte(files[file])).Match {
			if !m.IsURL { // a link to a licence is part of the text of another
				found[m.ID], known = true, true
			}
		}
		if !known {
			return nil, fmt.Errorf("%s is a licence that nobody knows", file)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no licence among %q", slices.Sorted(maps.Keys(files)))
	}
	var licences []licence
	for _, id := range slices.Sorted(maps.Keys(found)) {
		licences = append(licences, licence{licenceID{id}})
	}
	return licences, nil
}

// identifyAll identifies the licences of all modules.
func identifyAll(texts map[string]map[string]string) (map[string][]licence, error) {
	licences := make(map[string][]licence)
	for name, files := range texts {
		var err error
		if licences[name], err = identify(files); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return licences, nil
}

// fonts returns the font files embedded in the binary, each with the licence of its family.
func fonts(ctx context.Context, platform string, p program) ([]component, error) {
	top, err := moduleDir(ctx, platform)
	if err != nil {
		return nil, err
	}
	texts, err := fontLicences(ctx, platform)
	if err != nil {
		return nil, err
	}
	embedded, err := p.run(ctx, platform, "list", "-deps", "-f", `{{$dir := .Dir}}{{range .EmbedFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}`, p.path)
	if err != nil {
		return nil, err
	}
	var components []component
	for file := range strings.FieldsSeq(string(embedded)) {
		switch filepath.Ext(file) {
		case ".woff2", ".woff", ".ttf", ".otf":
		default:
			continue
		}
		family, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), "-")
		its := maps.Clone(texts)
		maps.DeleteFunc(its, func(name, _ string) bool { return !strings.HasPrefix(name, "OFL-"+family) })
		if len(its) != 1 {
			return nil, fmt.Errorf("%s: %d licences are named like it", file, len(its))
		}
		var licences []licence
		for _, text := range its {
			if licences, err = identify(map[string]string{"LICENSE": text}); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		name, err := filepath.Rel(top, file)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(data)
		components = append(components, component{
			Ref: "file:" + filepath.ToSlash(name), Type: "file", Name: filepath.ToSlash(name), Scope: "required",
			Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}}, Licences: licences,
		})
	}
	return components, nil
}
