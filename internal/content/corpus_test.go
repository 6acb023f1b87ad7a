package content_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/content"
)

// corpusGolden holds what the files of the corpus decode to, after the version of the format.
const corpusGolden = "testdata/corpus.golden"

// A file whose digest is published is not decoded again. So when the rules change what files decode to,
// the version that goes into the digests must change as well: this fails while it has not, with -update
// too.
func TestGolden_WhatFilesDecodeTo(t *testing.T) {
	t.Parallel()
	decoded := map[string]string{} // by the name and the digest of the file
	decode := func(name string, data, english []byte) {
		folder, slug := path.Base(path.Dir(name)), strings.TrimSuffix(path.Base(name), ".md")
		item, faults := content.DecodeItem(folder, slug, data, english)
		if item == nil {
			t.Fatalf("%s: %v", name, faults)
		}
		reflect.ValueOf(item).Elem().FieldByName("Source").SetString("")
		reflect.ValueOf(item).Elem().FieldByName("English").FieldByName("Source").SetString("")
		text, err := json.MarshalIndent(item, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(slices.Concat(data, english))
		decoded[name+" "+hex.EncodeToString(sum[:6])] = string(text) + "\n"
	}
	for _, pattern := range []string{"testdata/corpus/*/*.md", "testdata/base/*/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) < 3 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, ".en.md") {
				continue // with the French
			}
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			english, _ := os.ReadFile(strings.TrimSuffix(file, ".md") + ".en.md") // nil without one
			decode(filepath.ToSlash(strings.TrimPrefix(file, "testdata/")), data, english)
		}
	}
	for _, fixture := range []string{"review", "text-visible", "windows-lines", "yaml-brackets", "yaml-forms"} {
		for _, f := range readArchive(t, filepath.Join("testdata", "valid", fixture+".txtar")).files {
			if name, data := unquoteFile(t, f); path.Ext(name) == ".md" {
				decode(fixture+".txtar/"+name, data, nil)
			}
		}
	}

	golden, err := os.ReadFile(corpusGolden)
	if err != nil && !*update {
		t.Fatal(err)
	}
	version, entries, _ := strings.Cut(string(golden), "\n")
	for _, entry := range strings.Split(entries, "\n== ")[1:] {
		name, before, _ := strings.Cut(entry, " ==\n")
		if now, same := decoded[name]; same && now != before && version+"\n" == content.FormatVersion {
			t.Fatalf("%s does not decode to the same as before:\n%s\nRaise the number in formatVersion, in internal/content/digest.go, "+
				"or files that have not changed are not read again. Then run the test with -update.", name, firstDifference(before, now))
		}
	}
	var all strings.Builder
	all.WriteString(content.FormatVersion)
	for _, name := range slices.Sorted(maps.Keys(decoded)) {
		fmt.Fprintf(&all, "\n== %s ==\n%s", name, decoded[name])
	}
	switch {
	case all.String() == string(golden):
	case *update:
		if err := os.WriteFile(corpusGolden, []byte(all.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not that of these files and %q: run the test with -update", corpusGolden, content.FormatVersion)
	}
}

// firstDifference is the first line in which the texts differ.
func firstDifference(before, now string) string {
	was, is := strings.Split(before, "\n"), strings.Split(now, "\n")
	for i := range min(len(was), len(is)) {
		if was[i] != is[i] {
			return "- " + was[i] + "\n+ " + is[i]
		}
	}
	return "another length"
}
