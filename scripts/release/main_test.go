package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

func TestBill(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256([]byte("a binary"))
	h1 := "h1:" + base64.StdEncoding.EncodeToString(sum[:])
	info := &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Path: "example.org/us"}, Deps: []*debug.Module{
		{Path: "example.org/a", Version: "v1.2.3+incompatible", Sum: h1},
		{Path: "example.org/b", Version: "v1.0.0", Replace: &debug.Module{Path: "example.org/fork", Version: "v1.0.1", Sum: h1}},
	}}
	free := []licence{{licenceID{"MIT"}}}
	licences := map[string][]licence{standardLibrary: free, "example.org/a v1.2.3+incompatible": free, "example.org/b v1.0.0": free}
	text, err := bill(info, "v9.0.0", sum, licences, nil)
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	var refs []string
	for _, c := range d.Components {
		refs = append(refs, c.PURL)
	}
	testkit.Equal(t, "what it depends on", refs, []string{
		"pkg:golang/stdlib@1.26.8", "pkg:golang/example.org/a@v1.2.3%2Bincompatible", "pkg:golang/example.org/fork@v1.0.1",
	})
	testkit.Equal(t, "the dependencies", d.Dependencies, []dependency{{"pkg:golang/example.org/us@v9.0.0", refs}})
	testkit.Equal(t, "the binary's hash", d.Metadata.Component.Hashes, []hash{{"SHA-256", "a31362f60e9c65899145b6d69e92ceb0ae73fdc3a44f91dd654c9301548c4f5f"}})
	testkit.Equal(t, "the kind", []string{d.Format, d.Spec, d.Metadata.Component.Type}, []string{"CycloneDX", "1.6", "application"})
	again, err := bill(info, "v9.0.0", sum, licences, nil)
	testkit.Equal(t, "again", string(again), string(text))
	testkit.Equal(t, "and its error", err, nil)

	if _, err := bill(info, "v9.0.0", sum, licences, []component{{Name: "a.ttf"}}); err == nil {
		t.Error("a file without a licence is listed")
	}
	info.Deps[0].Sum = ""
	if _, err := bill(info, "v9.0.0", sum, licences, nil); err == nil {
		t.Error("a module without a checksum is listed")
	}
}

func TestIdentify(t *testing.T) {
	t.Parallel()
	apache := testkit.ReadFile(t, "../../LICENSE")
	got, err := identify(map[string]string{"LICENSE": apache, "NOTICE": "Made by somebody."})
	testkit.Must(t, err)
	testkit.Equal(t, "the licences", got, []licence{{licenceID{"Apache-2.0"}}})
	for _, files := range []map[string]string{{"NOTICE": apache}, {"LICENSE": "Ask me."}, {"LICENSE": apache, "a/COPYING": "Ask me."}, nil} {
		if got, err := identify(files); err == nil {
			t.Errorf("%v is found in %d files that do not all say it", got, len(files))
		}
	}
}

// Every module that is linked has a licence that SPDX knows, and every font file of the repository is one component.
func TestBill_Licences(t *testing.T) {
	t.Parallel()
	texts, err := linkedLicences(t.Context(), "linux/amd64", service)
	testkit.Must(t, err)
	licences, err := identifyAll(texts)
	testkit.Must(t, err)
	if len(licences) < 20 || len(licences) != len(texts) {
		t.Errorf("%d licences of %d modules", len(licences), len(texts))
	}
	components, err := fonts(t.Context(), "linux/amd64", service)
	testkit.Must(t, err)
	var got, want []string
	for _, c := range components {
		got = append(got, c.Name)
		testkit.Equal(t, c.Name, c.Licences, []licence{{licenceID{"OFL-1.1"}}})
	}
	for _, ending := range []string{"static/fonts/*.woff2", "picture/fonts/*.ttf"} {
		for _, dir := range []string{"layout/", "site/"} {
			files, err := filepath.Glob("../../internal/" + dir + ending)
			testkit.Must(t, err)
			for _, file := range files {
				want = append(want, strings.TrimPrefix(filepath.ToSlash(file), "../../"))
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	testkit.Equal(t, "the fonts", got, want)
	testkit.Equal(t, "how many", len(got), 7)
}

// A binary that needs a loader does not run in an image that has none.
func TestCheckStatic(t *testing.T) {
	t.Parallel()
	dynamic, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	if err := checkStatic(dynamic); err == nil || !strings.Contains(err.Error(), "not statically linked") {
		t.Errorf("%s passes for static: %v", dynamic, err)
	}
}

func TestCollect(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	deep := filepath.Join(top, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"LICENSE", "a/LICENCE.txt", "a/b/COPYING", "a/b/license.go", "a/b/main.go", "NOTICE"} {
		if err := os.WriteFile(filepath.Join(top, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]string{}
	if err := collect(got, deep, top); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, name := range []string{"LICENSE", "NOTICE", "a/LICENCE.txt", "a/b/COPYING"} {
		want[name] = name
	}
	testkit.Equal(t, "the licences", got, want)
	if err := collect(got, top, deep); err == nil {
		t.Error("a package outside of its module is no error")
	}
}

// Everything that is linked has a licence, and is not ours.
func TestNotices(t *testing.T) {
	t.Parallel()
	packages, err := service.linkedPackages(t.Context(), "linux/amd64")
	if err != nil {
		t.Fatal(err)
	}
	var modules []string
	for _, p := range packages {
		if p.Module != nil {
			modules = append(modules, p.Module.Path)
		}
	}
	slices.Sort(modules)
	modules = append(modules, "github.com/BurntSushi/toml", "golang.org/x/mod") // of palmares-audit
	slices.Sort(modules)
	text, err := notices(t.Context(), []string{"linux/amd64"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(slices.Compact(modules), "Go's standard library") {
		if !strings.Contains(string(text), "\n"+name) {
			t.Errorf("nothing about %s", name)
		}
	}
	if strings.Contains(string(text), "\ngithub.com/palmares-hq/") || len(modules) < 20 {
		t.Errorf("our own licence is among those of others, or %d modules are too few", len(modules))
	}
}

// The audit is built from its own module, for both processors, in at most 12 MB, and its bill names what it links.
func TestAudit(t *testing.T) {
	t.Parallel()
	o := options{dir: t.TempDir(), version: "v9.8.7", commit: "0123456789abcdef"}
	for _, platform := range []string{"linux/amd64", "linux/arm64"} {
		testkit.Must(t, audit.buildFor(t.Context(), o, platform))
		path := filepath.Join(o.dir, "palmares-audit_"+strings.ReplaceAll(platform, "/", "_"))
		info, err := os.Stat(path)
		testkit.Must(t, err)
		if info.Size() > 12<<20 {
			t.Errorf("%s has %d bytes", path, info.Size())
		}
		var d document
		testkit.Must(t, json.Unmarshal([]byte(testkit.ReadFile(t, path+".cdx.json")), &d))
		var names []string
		for _, c := range d.Components {
			names = append(names, c.Name)
		}
		testkit.Equal(t, "what is linked", names, []string{"stdlib", "github.com/BurntSushi/toml", "golang.org/x/mod"})
		testkit.Equal(t, "what it is", d.Metadata.Component.PURL, "pkg:golang/github.com/palmares-hq/palmares/clients/go@v9.8.7")
	}
}
