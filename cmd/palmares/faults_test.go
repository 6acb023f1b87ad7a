package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Whatever a fault names, it is one command of GitHub's, and what it says comes back as it was.
func TestAnnotations_AreOneCommandEach(t *testing.T) {
	t.Parallel()
	hostile := content.Fault{
		File: "tools/a%0A,col=9::b\r\n::error file=x::y.md", Line: 3, Column: 5,
		Message: "100 %\r\n::set-output name=x::y, z: %0A",
	}
	warning := hostile
	warning.Warning = true
	var out strings.Builder
	annotations(&out, "./cat//log/", []content.Fault{hostile, warning})
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	for i, kind := range []string{"::error ", "::warning "} {
		rest, found := strings.CutPrefix(lines[i], kind)
		properties, data, also := strings.Cut(rest, "::")
		if !found || !also {
			t.Fatalf("%q is no %s", lines[i], kind)
		}
		if got := decoded(data); got != hostile.Message {
			t.Errorf("the message is %q, not %q", got, hostile.Message)
		}
		values := strings.Split(properties, ",")
		if len(values) != 3 || values[1] != "line=3" || values[2] != "col=5" {
			t.Fatalf("the properties are %q", values)
		}
		if got, want := decoded(strings.TrimPrefix(values[0], "file=")), "cat/log/"+hostile.File; got != want {
			t.Errorf("the file is %q, not %q", got, want)
		}
	}
}

// decoded is what GitHub's runner reads.
func decoded(s string) string {
	return strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(s)
}

// GitLab knows a fault again where lines were added above it, and tells two of the same words apart.
func TestCodeQualities_KnowFaultsAgain(t *testing.T) {
	t.Parallel()
	first := content.Fault{File: "tools/a.md", Line: 3, Column: 1, Message: "missing"}
	second, warned, elsewhere := first, first, first
	second.Line, warned.Warning, elsewhere.File = 9, true, "tools/b.md"
	report := codeQualities("catalog", []content.Fault{first, second, warned, elsewhere})
	seen := make(map[string]bool)
	for _, q := range report {
		seen[q.Fingerprint] = true
	}
	if len(seen) != len(report) {
		t.Errorf("%d fingerprints of %d faults", len(seen), len(report))
	}
	moved := first
	moved.Line = 30
	if got := codeQualities("./catalog/", []content.Fault{moved})[0]; got.Fingerprint != report[0].Fingerprint || got.Location.Lines.Begin != 30 {
		t.Errorf("a fault that moved is another one: %+v, %+v", got, report[0])
	}
}

// Many warnings that ask for the same are one line and a count; a few, and what asks for something else, stay.
func TestFewer(t *testing.T) {
	t.Parallel()
	var list []content.Fault
	add := func(file, message string) {
		list = append(list, content.Fault{File: file, Line: 1, Column: 1, Message: message, Warning: true})
	}
	for i := range 190 {
		add(fmt.Sprintf("tools/%03d.md", i), fmt.Sprintf("price changes, of 2026-01-%02d: move checked", i%28+1))
		if i < 3 {
			add("categories.yaml", fmt.Sprintf("label %d: translate it", i))
		}
	}
	testkit.Equal(t, "what is printed", strings.Join(faultLines("c/", mergeSimilar(list)), "\n"), strings.Join([]string{
		"c/tools/000.md:1:1: warning: price changes, of 2026-01-01: move checked (and 189 more like it; --all prints them)",
		"c/categories.yaml:1:1: warning: label 0: translate it",
		"c/categories.yaml:1:1: warning: label 1: translate it",
		"c/categories.yaml:1:1: warning: label 2: translate it",
	}, "\n"))
	testkit.Equal(t, "all that there are", len(list), 193)
}
