package catalog_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	. "github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func named(slug, name, domain string, packages ...string) *Tool {
	return build.Tool(slug, build.Named(name), build.Packaged(packages...), func(t *Tool) { t.Domain = domain })
}

func gone(slug, name, domain string, packages ...string) *Retired {
	return build.Retired(slug, func(r *Retired) { r.Name, r.Domain, r.Packages = name, domain, packages })
}

func wantIdentified(t *testing.T, s *Snapshot, text, want string) {
	t.Helper()
	by, slugs := s.Identify(text)
	if (by == "") != (len(slugs) == 0) {
		t.Errorf("%q is known by %q as %q", text, by, slugs)
	}
	if got := strings.TrimSpace(by + " " + strings.Join(slugs, " ")); got != want {
		t.Errorf("%q is %q, want %q", text, got, want)
	}
}

func TestIdentify(t *testing.T) {
	t.Parallel()
	s := build.Snapshot(
		named("lumen", "Lumen", "lumen.example", "pkg:npm/%40lumen/cli", "pkg:pypi/lumen-cli", "pkg:golang/lumen.example/cli"),
		named("oeuvre", "L’Œuvre  d'Été !", "xn--uvre-f4a.example"),
		named("lumen-image", "Lumen Image", "lumen.example"),
		named("croise", "vieux.example", "www.croise.example"), // a name like another's domain
		named("c", "C", "c.example"), named("c-sharp", "C#", "c-sharp.example"), named("cpp", "C++", "cpp.example"),
		named("bang", "!?", "bang.example"),
		named("lumen-2", "LUMEN", "lumen2.example"),
		gone("vieux", "Vieux Lumen", "vieux.example", "pkg:npm/vieux"),
		gone("ancien", "lumen", "lumen.example"),
		gone("sans", "Sans domaine", ""),
	)
	for text, want := range map[string]string{
		// slugs
		"lumen": "slug lumen", " lumen\n": "slug lumen", "vieux": "slug vieux", "lumen-image": "slug lumen-image", "c": "slug c",
		// packages
		"pkg:npm/%40lumen/cli":                         "package lumen",
		"pkg:npm/@lumen/cli@1.2.3-beta.1+build":        "package lumen",
		"PKG:NPM/@Lumen/CLI":                           "package lumen",
		"pkg:pypi/Lumen_CLI@2.0?arch=x86;y#sub/path":   "package lumen",
		"pkg:golang/lumen.example/cli@v1.0.0#cmd/x":    "package lumen",
		"pkg:npm/vieux@0.1":                            "package vieux",
		"pkg:npm/lumen":                                "",
		"pkg:npm":                                      "",
		"pkg:lumen":                                    "",
		"pkg:npm/vieux?" + strings.Repeat("a=b&", 400): "package vieux",
		// domains
		"Lumen.Example":                          "domain lumen lumen-image ancien",
		"lumen.example.":                         "domain lumen lumen-image ancien",
		"www.lumen.example":                      "domain lumen lumen-image ancien",
		"https://www.LUMEN.example:8443/a?b#c":   "domain lumen lumen-image ancien",
		"lumen.example:443/tarifs":               "domain lumen lumen-image ancien",
		"//lumen.example/":                       "domain lumen lumen-image ancien",
		"ftp://lumen.example":                    "domain lumen lumen-image ancien",
		"https://œuvre.example/":                 "domain oeuvre",
		"ŒUVRE。example":                          "domain oeuvre",
		"XN--UVRE-F4A.EXAMPLE":                   "domain oeuvre",
		"vieux.example":                          "domain vieux", // before the name of another
		"www.croise.example":                     "domain croise",
		"croise.example":                         "",
		"app.lumen.example":                      "",
		"www.www.lumen.example":                  "",
		"quelqu.un@lumen.example":                "",
		"https://moi:secret@lumen.example/":      "",
		"example":                                "",
		"https://":                               "",
		"http://[::1]/":                          "",
		"https://lumen.example\\@autre.example/": "",
		// names
		"LUMEN":                       "name lumen lumen-2 ancien",
		"« Lumen »":                   "name lumen lumen-2 ancien",
		"\u200fLumen\ufeff.":          "name lumen lumen-2 ancien",
		"lumen  IMAGE":                "name lumen-image",
		"l'oeuvre d’ete":              "name oeuvre",
		"L’ŒUVRE D’E\u0301TE\u0301 !": "name oeuvre",
		"oeuvre d'été":                "",
		"Vieux\u00a0Lumen":            "name vieux",
		"sans domaine":                "name sans",
		"C#":                          "name c-sharp",
		"c++":                         "name cpp",
		"(C)":                         "name c",
		"!?":                          "name bang",
		"Lum":                         "",
		"Lumens":                      "",
		// what is none of them
		"": "", " ": "", ".": "", "-": "", "\x00": "", "Lumen\x00x": "", "\xff\xfe": "", "Lum\xffen": "", "Lu\u202emen": "", "www.": "", "%zz": "", "://": "",
		"💩": "", strings.Repeat("lumen ", 1000): "", strings.Repeat("\ufdfa", 600): "", strings.Repeat(".", 1999): "", "xn--": "", "xn--a.example": "",
		"pkg:npm/%E2%80%AE": "", "pkg:npm/\x00": "", "pkg:" + strings.Repeat("/", 1900): "", "pkg:a/" + strings.Repeat("%41", 600): "",
	} {
		wantIdentified(t, s, text, want)
	}
	wantIdentified(t, Empty(), "lumen", "")
	wantIdentified(t, Empty(), "Lumen", "")
}

// A category is known by its slug before others by their label, in either language, unless two have that label.
func TestIdentifyCategory(t *testing.T) {
	t.Parallel()
	category := func(slug, label, english string) Category {
		return Category{Slug: slug, Label: label, English: Translation{Text: english}}
	}
	c := build.Contents()
	c.Categories = []Category{
		category("video", "Vidéo", ""), category("image", "Image", "Pictures"), category("voix", "Video", "Voice"),
		category("montage", "Image animée", "Voice"), category("muet", "Sans voix", "Sans voix"),
	}
	s := build.First(c, build.Edition(1))
	for text, want := range map[string]string{
		"video": "video", " image ": "image", "Image": "image", "« IMAGE »": "image", "pictures": "image", "image  Animee": "montage",
		"sans VOIX": "muet", "Vidéo": "", "Voice": "", "": "", "!": "", "imag": "", "image,video": "",
	} {
		if slug, found := s.IdentifyCategory(text); slug != want || found != (want != "") {
			t.Errorf("%q is %q, %t, want %q", text, slug, found, want)
		}
	}
}

// Each edition knows what its own items are called.
func TestIdentify_ThroughEditions(t *testing.T) {
	t.Parallel()
	first := build.Contents(named("a", "Alpha", "alpha.example", "pkg:npm/moved", "pkg:npm/a"), named("b", "Beta", "beta.example"), named("c", "Gamma", "gamma.example", "pkg:npm/c"))
	before := Empty().Apply(build.Whole(first, build.Edition(1)))
	wantIdentified(t, before, "pkg:npm/moved", "package a")
	after := before.Apply(Delta{
		From: 1, Edition: build.Edition(2), Service: build.Service(), Categories: build.Categories(),
		Tools:     []*Tool{named("a", "Aleph", "alpha.example", "pkg:npm/a"), named("b", "Beta", "beta.example", "pkg:npm/moved")},
		GoneTools: []string{"c"}, Retired: []*Retired{gone("c", "Gamma", "gamma.example", "pkg:npm/c")},
	})
	for text, want := range map[string][2]string{
		"pkg:npm/moved": {"package a", "package b"},
		"Alpha":         {"name a", ""},
		"Aleph":         {"", "name a"},
		"pkg:npm/c":     {"package c", "package c"},
		"gamma.example": {"domain c", "domain c"},
		"c":             {"slug c", "slug c"},
	} {
		wantIdentified(t, before, text, want[0])
		wantIdentified(t, after, text, want[1])
	}
	last := after.Apply(Delta{From: 2, Edition: build.Edition(3), Service: build.Service(), Categories: build.Categories(), GoneTools: []string{"a"}, GoneRetired: []string{"c"}})
	for _, text := range []string{"a", "c", "Aleph", "alpha.example", "pkg:npm/a", "pkg:npm/c", "gamma.example"} {
		wantIdentified(t, last, text, "")
	}
	wantIdentified(t, last, "Beta", "name b")
}

// Whatever happened to a catalog, what a text names depends on its contents alone.
func TestIdentify_FollowsFromTheContents(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		w := build.NewWorld(seed, 40)
		s := Empty().Apply(build.Whole(w.Published(), build.Edition(1)))
		w.Forget()
		for n := range int64(20) {
			w.Change(5)
			s = s.Apply(w.Delta(build.Edition(n + 2)))
			fresh := Empty().Apply(build.Whole(w.Published(), build.Edition(n+2)))
			ask := func(texts ...string) {
				for _, text := range texts {
					by, slugs := fresh.Identify(text)
					wantIdentified(t, s, text, strings.TrimSpace(by+" "+strings.Join(slugs, " ")))
				}
			}
			c := w.Contents()
			for _, tool := range c.Tools {
				ask(append(tool.Packages, tool.Slug, tool.Domain, tool.Name)...)
				for _, p := range tool.Packages {
					if _, slugs := s.Identify(p); !strings.Contains(" "+strings.Join(slugs, " ")+" ", " "+tool.Slug+" ") {
						t.Fatalf("%s names %q, and not %s", p, slugs, tool.Slug)
					}
				}
			}
			for _, r := range c.Retired {
				ask(append(r.Packages, r.Slug, r.Domain, r.Name)...)
			}
			for i := range 30 {
				ask(fmt.Sprintf("pkg:npm/paquet-%d", i))
			}
		}
	}
}

// The first to ask may be many at once.
func TestIdentify_ByManyAtOnce(t *testing.T) {
	t.Parallel()
	s := Empty().Apply(build.Whole(build.Generated(500), build.Edition(1)))
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			wantIdentified(t, s, fmt.Sprintf("pkg:npm/outil-%d@1", 4*i), fmt.Sprintf("package outil-%05d", 4*i))
		})
	}
	all.Wait()
}

// Nothing that is pasted makes it panic, and what it finds is there.
func FuzzIdentify(f *testing.F) {
	s := Empty().Apply(build.Whole(build.Generated(100), build.Edition(1)))
	for _, text := range []string{"pkg:npm/outil-4@1?a#b", "https://www.outil-4.example:1/", "Outil 4 é", "outil-00004", "\u202e\x00\xff", "//[::1%25a]:x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		by, slugs := s.Identify(text)
		if (by == "") != (len(slugs) == 0) {
			t.Errorf("%q is known by %q as %q", text, by, slugs)
		}
		for _, slug := range slugs {
			_, living := s.Tool(slug)
			if _, retired := s.Retired(slug); !living && !retired {
				t.Errorf("%q names %s, which is not there", text, slug)
			}
		}
	})
}

// BenchmarkIdentify100k measures what the first to ask pays, what is kept of it, and what all others pay.
func BenchmarkIdentify100k(b *testing.B) {
	whole := build.Whole(build.Generated(100_000), build.Edition(1))
	s := Empty().Apply(whole)
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			next := s.Apply(Delta{From: 1, Edition: build.Edition(2), Service: whole.Service, Categories: whole.Categories})
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			b.StartTimer()
			next.Identify("Nul")
			b.StopTimer()
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.HeapAlloc)-float64(before.HeapAlloc), "kept-bytes")
			runtime.KeepAlive(next)
			b.StartTimer()
		}
	})
	for _, text := range []string{"outil-01000", "pkg:npm/outil-1000@1.2.3", "https://outil-1000.example/", "Outil 1000 é", "Nul"} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				s.Identify(text)
			}
		})
	}
	by, _ := s.Identify("Outil 1000 é")
	testkit.Equal(b, "known by", by, ByName)
}
