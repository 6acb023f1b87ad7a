package palmares_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/palmares-hq/palmares/"

// layers is the architecture: our packages from the bottom to the top, and which of our packages
// each of them imports. Nobody imports upwards. Tests are free to import what they need.
var layers = []struct {
	name    string
	imports map[string][]string
}{
	{"values", map[string][]string{
		"docs/guides":        {},
		"internal/account":   {"internal/limit", "internal/secrets", "internal/text"},
		"internal/address":   {"internal/locale"},
		"internal/catalog":   {"internal/search", "internal/text", "internal/throttle"},
		"internal/gomodule":  {},
		"internal/guard":     {},
		"internal/handshake": {},
		"internal/engine":    {},
		"internal/limit":     {"internal/engine"},
		"internal/locale":    {"internal/catalog"},
		"internal/lru":       {},
		"internal/search":    {},
		"internal/secrets":   {},
		"internal/theme":     {},
		"internal/text":      {},
		"internal/throttle":  {},
	}},
	{"rules", map[string][]string{
		"internal/availability": {},
		"internal/billing":      {"internal/account", "internal/catalog", "internal/locale"},
		"internal/changes":      {"internal/catalog", "internal/engine", "internal/webhook"},
		"internal/digest":       {"internal/account", "internal/catalog", "internal/secrets"},
		"internal/content":      {"internal/address", "internal/catalog", "internal/locale", "internal/search", "internal/theme"},
		"internal/export":       {"internal/catalog", "internal/throttle"},
		"internal/figures":      {"internal/catalog", "internal/throttle"},
		"internal/generate":     {"internal/catalog"},
		"internal/live":         {"internal/account", "internal/catalog", "internal/throttle"},
		"internal/publish":      {"internal/catalog", "internal/content", "internal/text"},
		"internal/quota":        {"internal/account", "internal/engine", "internal/handshake", "internal/limit", "internal/secrets"},
		"internal/purge":        {},
		"internal/report":       {"internal/account", "internal/limit", "internal/secrets", "internal/text"},
		"internal/webhook":      {"internal/account", "internal/catalog", "internal/guard", "internal/limit", "internal/secrets", "internal/text"},
	}},
	{"edges", map[string][]string{
		"internal/api": {
			"internal/account", "internal/address", "internal/catalog", "internal/changes", "internal/engine",
			"internal/export", "internal/limit", "internal/locale", "internal/lru", "internal/params", "internal/purge", "internal/quota",
			"internal/throttle", "internal/web", "internal/web/negotiate",
		},
		"internal/chart":    {},
		"internal/checkout": {"internal/catalog", "internal/text"},
		"internal/config":   {},
		"internal/jobs":     {},
		"internal/layout": {
			"internal/address", "internal/catalog", "internal/locale", "internal/logging", "internal/throttle",
			"internal/web",
		},
		"internal/logging":      {"internal/text"},
		"internal/mail":         {"internal/catalog", "internal/digest", "internal/locale", "internal/theme", "internal/webhook"},
		"internal/mail/mailbox": {},
		"internal/mcp": {
			"internal/address", "internal/catalog", "internal/changes", "internal/content", "internal/limit", "internal/locale",
			"internal/params", "internal/purge", "internal/search", "internal/text", "internal/web", "internal/webhook",
		},
		"internal/metrics": {},
		"internal/params": {
			"internal/catalog", "internal/changes", "internal/locale", "internal/search", "internal/web", "internal/webhook",
		},
		"internal/portal": {
			"internal/account", "internal/address", "internal/digest", "internal/layout", "internal/limit", "internal/portal/keys",
			"internal/portal/list", "internal/portal/page", "internal/portal/plan", "internal/portal/settings", "internal/portal/signin", "internal/portal/webhooks",
			"internal/secrets", "internal/webhook",
		},
		"internal/portal/keys": {
			"internal/account", "internal/address", "internal/chart", "internal/layout", "internal/portal/page",
			"internal/quota", "internal/web",
		},
		"internal/portal/list": {
			"internal/account", "internal/address", "internal/catalog", "internal/digest", "internal/layout", "internal/locale",
			"internal/params", "internal/portal/page",
		},
		"internal/portal/page": {
			"internal/account", "internal/address", "internal/catalog", "internal/layout", "internal/limit", "internal/locale",
			"internal/secrets", "internal/web",
		},
		"internal/portal/plan": {
			"internal/account", "internal/address", "internal/billing", "internal/catalog", "internal/layout",
			"internal/limit", "internal/portal/page", "internal/web", "internal/webhook",
		},
		"internal/portal/settings": {
			"internal/account", "internal/address", "internal/layout", "internal/locale", "internal/portal/page",
		},
		"internal/portal/signin": {
			"internal/account", "internal/address", "internal/layout", "internal/limit", "internal/locale", "internal/portal/page",
			"internal/quota", "internal/web",
		},
		"internal/portal/webhooks": {
			"internal/account", "internal/address", "internal/catalog", "internal/guard", "internal/chart", "internal/layout",
			"internal/portal/page", "internal/webhook",
		},
		"internal/postgres": {
			"internal/account", "internal/availability", "internal/billing", "internal/catalog", "internal/changes",
			"internal/digest", "internal/engine", "internal/handshake", "internal/limit", "internal/purge", "internal/report", "internal/webhook",
		},
		"internal/site": {
			"internal/address", "internal/catalog", "internal/content", "internal/export",
			"internal/figures", "internal/layout", "internal/limit", "internal/locale", "internal/logging", "internal/lru", "internal/params",
			"internal/purge", "internal/report", "internal/site/about", "internal/site/docs", "internal/site/machine",
			"internal/site/pages", "internal/site/picture", "internal/site/view", "internal/throttle", "internal/web",
		},
		"internal/site/about": {
			"internal/address", "internal/availability", "internal/catalog", "internal/layout", "internal/locale",
			"internal/site/markdown", "internal/site/view", "internal/web",
		},
		"internal/site/docs": {
			"docs/guides", "internal/account", "internal/address", "internal/catalog", "internal/export", "internal/layout",
			"internal/locale", "internal/site/guide", "internal/site/jsonld", "internal/site/reference", "internal/site/view",
			"internal/web",
		},
		"internal/site/guide": {"internal/layout", "internal/locale", "internal/site/markdown"},
		"internal/site/jsonld": {
			"internal/address", "internal/catalog", "internal/export", "internal/locale", "internal/site/view",
		},
		"internal/site/machine": {
			"internal/address", "internal/catalog", "internal/export", "internal/figures", "internal/layout", "internal/locale",
			"internal/params", "internal/site/docs", "internal/site/pages", "internal/site/picture", "internal/site/view",
			"internal/theme", "internal/web",
		},
		"internal/site/markdown": {"internal/content"},
		"internal/site/pages": {
			"internal/account", "internal/address", "internal/catalog", "internal/chart", "internal/figures", "internal/layout",
			"internal/locale", "internal/logging", "internal/params", "internal/search", "internal/report", "internal/site/jsonld",
			"internal/site/markdown", "internal/site/view", "internal/web",
		},
		"internal/site/picture":   {"internal/lru", "internal/theme"},
		"internal/site/reference": {"internal/locale"},
		"internal/site/view": {
			"internal/account", "internal/address", "internal/catalog", "internal/figures", "internal/layout",
			"internal/locale", "internal/throttle",
		},
		"internal/stripe":            {"internal/account", "internal/billing"},
		"internal/stripe/events":     {"internal/billing", "internal/limit", "internal/web"},
		"internal/stripe/stripefake": {},
		"internal/systemd":           {},
		"internal/verify":            {"internal/catalog", "internal/guard"},
		"internal/web":               {"internal/limit", "internal/logging", "internal/web/negotiate", "internal/web/wire"},
		"internal/web/negotiate":     {},
		"internal/web/server":        {"internal/logging", "internal/web", "internal/web/wire"},
		"internal/web/tracing":       {"internal/logging"},
		"internal/web/wire":          {},
	}},
	{"wiring", map[string][]string{
		"internal/workers": {
			"internal/account", "internal/address", "internal/billing", "internal/catalog", "internal/digest", "internal/jobs", "internal/locale",
			"internal/mail", "internal/metrics", "internal/postgres", "internal/report", "internal/stripe/events", "internal/webhook",
		},
		"internal/services": {
			"internal/account", "internal/address", "internal/billing", "internal/catalog",
			"internal/config", "internal/digest", "internal/locale", "internal/postgres", "internal/quota", "internal/report", "internal/secrets",
			"internal/stripe", "internal/stripe/events", "internal/webhook", "internal/workers",
		},
		"internal/surface": {
			"internal/account", "internal/api", "internal/billing", "internal/catalog", "internal/config", "internal/mcp", "internal/portal",
			"internal/quota", "internal/report", "internal/site", "internal/site/about", "internal/site/docs", "internal/site/reference", "internal/web",
			"internal/web/tracing", "internal/webhook",
		},
		"internal/pull": {
			"internal/catalog", "internal/checkout", "internal/config", "internal/logging", "internal/metrics", "internal/postgres", "internal/publish",
			"internal/surface", "internal/systemd", "internal/web/server",
		},
		"internal/preview": {
			"internal/account", "internal/api", "internal/catalog", "internal/changes", "internal/config", "internal/content", "internal/export",
			"internal/live", "internal/logging", "internal/mcp", "internal/publish", "internal/quota", "internal/site", "internal/site/about", "internal/surface",
			"internal/throttle", "internal/web", "internal/web/server",
		},
		"internal/node": {
			"internal/account", "internal/address", "internal/api", "internal/availability", "internal/billing",
			"internal/catalog", "internal/changes", "internal/config", "internal/export",
			"internal/jobs", "internal/limit", "internal/live", "internal/logging", "internal/mail", "internal/mcp",
			"internal/metrics", "internal/portal", "internal/postgres", "internal/purge", "internal/quota",
			"internal/report", "internal/services", "internal/site", "internal/site/about", "internal/stripe/events",
			"internal/surface", "internal/systemd", "internal/throttle", "internal/web", "internal/web/server", "internal/web/tracing",
			"internal/webhook", "internal/workers",
		},
		"cmd/palmares": {
			"internal/account", "internal/address", "internal/billing", "internal/catalog", "internal/checkout",
			"internal/config", "internal/content", "internal/export", "internal/generate", "internal/locale", "internal/node",
			"internal/postgres", "internal/preview", "internal/publish", "internal/pull", "internal/quota", "internal/report", "internal/services", "internal/site",
			"internal/text", "internal/verify", "internal/webhook",
		},
		"bench": {
			"internal/account", "internal/catalog", "internal/generate", "internal/postgres", "internal/search", "internal/secrets",
			"internal/webhook",
		},
		"bench/peers/pgx":      {},
		"scripts/mcp/goclient": {},
		"scripts/release":      {"internal/gomodule"},
		"scripts/cases":        {},
		"scripts/mailbox":      {"internal/mail/mailbox"},
		"scripts/stripefake":   {"internal/stripe/stripefake"},
	}},
	{"tests", map[string][]string{ // only tests, and these, import them
		"internal/catalogtest": {"internal/catalog", "internal/content", "internal/search"},
		"internal/gittest":     {"internal/testkit"},
		"internal/historytest": {},
		"internal/layouttest":  {"internal/layout", "internal/locale"},
		"internal/pgtest":      {"internal/account", "internal/postgres", "internal/testkit"},
		"internal/redistest":   {"internal/testkit"},
		"internal/sampletest":  {"internal/gomodule", "internal/site/guide", "internal/testkit"},
		"internal/sitetest": {
			"internal/account", "internal/address", "internal/api", "internal/catalog", "internal/catalogtest", "internal/locale", "internal/mcp", "internal/site",
			"internal/site/docs", "internal/site/reference", "internal/testkit",
		},
		"internal/stripetest": {
			"internal/account", "internal/billing", "internal/postgres", "internal/stripe", "internal/stripe/stripefake", "internal/testkit",
		},
		"internal/testkit": {"internal/mail/mailbox", "internal/secrets"},
	}},
}

// sharedEdges are those that other edges may import. The rest never know each other: the JSON
// interface, for one, sees neither PostgreSQL nor Redis.
var sharedEdges = []string{
	"internal/chart", "internal/layout", "internal/logging", "internal/params", "internal/portal/page",
	"internal/web", "internal/web/negotiate", "internal/web/server", "internal/web/tracing",
	"internal/web/wire",
}

func TestNobodyImportsUpwards(t *testing.T) {
	t.Parallel()
	height := make(map[string]int)
	for i, layer := range layers {
		for dir := range layer.imports {
			height[dir] = i
		}
	}
	for i, layer := range layers {
		for dir, imports := range layer.imports {
			for _, path := range imports {
				to, known := height[path]
				switch {
				case !known:
					t.Errorf("%s imports %s, which is in no layer", dir, path)
				case to > i:
					t.Errorf("%s (%s) imports %s (%s): that is upwards", dir, layer.name, path, layers[to].name)
				case strings.HasPrefix(path, dir+"/"): // a part of itself
				case strings.HasPrefix(dir, "internal/site/") && strings.HasPrefix(path, "internal/site/"): // parts of one site
				case layer.name == "edges" && to == i && !slices.Contains(sharedEdges, path):
					t.Errorf("%s imports %s: edges do not know each other", dir, path)
				}
			}
		}
	}
}

// The table of ARCHITECTURE.md names the packages of each layer, no less and no more.
func TestArchitecture_NamesEveryPackage(t *testing.T) {
	t.Parallel()
	text := read(t, "ARCHITECTURE.md")
	for _, layer := range layers {
		row := regexp.MustCompile(`(?m)^\| ` + layer.name + ` \| (.*?) \|`).FindStringSubmatch(text)
		if row == nil {
			t.Errorf("ARCHITECTURE.md has no row for the layer %s", layer.name)
			continue
		}
		var named []string
		for _, m := range regexp.MustCompile("`([a-z/]+)`").FindAllStringSubmatch(row[1], -1) {
			named = append(named, m[1])
		}
		for dir := range layer.imports {
			if name := strings.TrimPrefix(dir, "internal/"); !slices.Contains(named, name) {
				t.Errorf("ARCHITECTURE.md does not name %s among the %s", name, layer.name)
			}
		}
		for _, name := range named {
			_, internal := layer.imports["internal/"+name]
			if _, found := layer.imports[name]; !found && !internal {
				t.Errorf("ARCHITECTURE.md names %s among the %s, where it is not", name, layer.name)
			}
		}
	}
}

// realClocks are the files of rules and of postgres that read the real clock, and why.
var realClocks = map[string]string{
	"internal/export/cache.go":    "how long making a file takes",
	"internal/live/keyrefresh.go": "how long ago the database was asked",
	"internal/live/keyscopy.go":   "how long a copy takes, and how long ago the last one was written",
	"internal/live/keysfollow.go": "how long reading all keys takes",
	"internal/quota/breaker.go":   "how long ago the log said why",
	"internal/quota/meter.go":     "how long a charge takes",
	"internal/quota/redis.go":     "Redis expires keys by it",
	"internal/webhook/worker.go":  "how long ago the secret was checked",
}

// What depends on the hour or the day takes the time from its caller.
func TestTimeIsInjected(t *testing.T) {
	t.Parallel()
	unused := maps.Clone(realClocks)
	eachPackage(t, func(dir string, files map[string]string) {
		if _, rule := layers[1].imports[dir]; !rule && dir != "internal/postgres" && dir != "internal/account" {
			return
		}
		for name, text := range files {
			path := dir + "/" + name
			if strings.HasSuffix(name, "_test.go") || !strings.Contains(text, "time.Now()") {
				continue
			}
			if realClocks[path] == "" {
				t.Errorf("%s reads the real clock", path)
			}
			delete(unused, path)
		}
	})
	for path := range unused {
		t.Errorf("%s reads no clock any more", path)
	}
}

// badNames say nothing about what a package or a file holds.
var badNames = []string{"util", "utils", "common", "helper", "helpers", "models", "types", "impl", "manager", "misc"}

// What the layers say is what the code does, no less and no more.
func TestImports(t *testing.T) {
	t.Parallel()
	said := make(map[string][]string)
	for _, layer := range layers {
		maps.Copy(said, layer.imports)
	}
	seen := make(map[string]bool)
	eachPackage(t, func(dir string, files map[string]string) {
		seen[dir] = true
		allowed, known := said[dir]
		if !known {
			t.Errorf("%s is in no layer: put it into one, with a thought", dir)
			return
		}
		used := make(map[string]bool)
		for name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, spec := range f.Imports {
				path, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module)
				if ours && !slices.Contains(allowed, path) {
					t.Errorf("%s/%s imports %s, which its layer does not say", dir, name, path)
				}
				used[path] = true
			}
		}
		for _, path := range allowed {
			if !used[path] {
				t.Errorf("%s may import %s and does not: take the permission away", dir, path)
			}
		}
	})
	for dir := range said {
		if !seen[dir] {
			t.Errorf("the layers name %s, which does not exist", dir)
		}
	}
}

func TestEveryPackageHasOneDoc(t *testing.T) {
	t.Parallel()
	eachPackage(t, func(dir string, files map[string]string) {
		docs := 0
		for name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if f.Doc != nil {
				docs++
			}
		}
		if docs != 1 {
			t.Errorf("%s has %d package docs, want 1", dir, docs)
		}
	})
}

func TestNamesSayWhatTheyHold(t *testing.T) {
	t.Parallel()
	eachPackage(t, func(dir string, files map[string]string) {
		names := []string{filepath.Base(dir)}
		for name := range files {
			names = append(names, strings.TrimSuffix(strings.TrimSuffix(name, ".go"), "_test"))
		}
		for _, n := range names {
			if slices.Contains(badNames, n) {
				t.Errorf("%s: %q says nothing about what it holds", dir, n)
			}
		}
	})
}

// The setting of the garbage collector is one for the whole process: two who set it undo each other.
func TestOneFileSetsTheGarbageCollector(t *testing.T) {
	t.Parallel()
	var who []string
	eachPackage(t, func(dir string, files map[string]string) {
		for name, text := range files {
			if strings.HasPrefix(dir, "internal") && !strings.HasSuffix(name, "_test.go") &&
				(strings.Contains(text, "debug.SetGCPercent") || strings.Contains(text, "debug.SetMemoryLimit")) {
				who = append(who, dir+"/"+name)
			}
		}
	})
	if !slices.Equal(who, []string{"internal/node/memory.go"}) {
		t.Errorf("the garbage collector is set in %v", who)
	}
}

// Purposes, formats and the secret before are one package's business: what another derived or sealed in its
// own way would be lost when the secret changes.
func TestOnePackageEncrypts(t *testing.T) {
	t.Parallel()
	eachPackage(t, func(dir string, files map[string]string) {
		for name, text := range files {
			for _, path := range []string{"crypto/hkdf", "crypto/aes", "crypto/cipher"} {
				if dir != "internal/secrets" && !strings.HasSuffix(name, "_test.go") && strings.Contains(text, `"`+path+`"`) {
					t.Errorf("%s/%s imports %s: internal/secrets derives and encrypts", dir, name, path)
				}
			}
		}
	})
}

// A service that is made elsewhere lacks what services gives it: the secrets, the clock, the sender.
func TestOnePackageMakesTheServices(t *testing.T) {
	t.Parallel()
	made := regexp.MustCompile(`\b(account\.New(Service|SignIns|EmailChanges|DeletionNotices|Notices)|digest\.NewService|webhook\.NewEndpoints)\(`)
	there := 0
	eachPackage(t, func(dir string, files map[string]string) {
		_, kit := layers[len(layers)-1].imports[dir]
		for name, text := range files {
			switch found := made.FindAllString(text, -1); {
			case strings.HasSuffix(name, "_test.go") || kit || strings.HasPrefix(dir, "bench"):
			case dir == "internal/services":
				there += len(found)
			case found != nil:
				t.Errorf("%s/%s calls %s: internal/services makes these", dir, name, found)
			}
		}
	})
	if there < 6 {
		t.Errorf("internal/services makes %d services: the names have changed", there)
	}
}

// largeInterfaces have more than maxMethods of their own, and why.
var largeInterfaces = map[string]string{
	"internal/billing Seller":      "a customer, and the four steps of a checkout",
	"internal/portal/plan Billing": "what a page of a subscription offers",
	"internal/report Store":        "what becomes of a report, from its sending to its end",
}

const maxMethods = 6

func TestInterfacesAreSmall(t *testing.T) {
	t.Parallel()
	unused := maps.Clone(largeInterfaces)
	eachPackage(t, func(dir string, files map[string]string) {
		for name, text := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				methods := 0
				if i, ok := spec.Type.(*ast.InterfaceType); ok {
					for _, m := range i.Methods.List {
						methods += len(m.Names) // none of an interface that is embedded
					}
				}
				if who := dir + " " + spec.Name.Name; methods > maxMethods {
					if largeInterfaces[who] == "" {
						t.Errorf("%s has %d methods: split it", who, methods)
					}
					delete(unused, who)
				}
				return true
			})
		}
	})
	for who := range unused {
		t.Errorf("%s is not large any more", who)
	}
}

func TestNoFileIsTooLong(t *testing.T) {
	t.Parallel()
	const most = 500
	eachPackage(t, func(dir string, files map[string]string) {
		for name, text := range files {
			if n := strings.Count(text, "\n"); n > most && !strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s/%s has %d lines: split it", dir, name, n)
			}
		}
	})
}

// notInCI are the targets that CI has no use for, and why.
var notInCI = map[string]string{
	"check":       "it is a part of verify",
	"flaky":       "it repeats the tests",
	"fmt":         "it changes files; fmt-check does not",
	"lighthouse":  "its figures depend on what else the machine does",
	"night":       "the workflow of the night runs it",
	"pages":       "browser runs its short form",
	"screenshots": "it changes files",
	"times":       "it changes files",
	"upgrade":     "the tests run its short form",
	"vet":         "lint runs it",
	"vuln":        "it needs the vulnerability database",
}

// What CI does not run breaks unnoticed.
func TestEveryTargetRunsInCI(t *testing.T) {
	t.Parallel()
	var ci string
	for _, name := range []string{".ci/run", ".ci/targets", ".ci/image", "scripts/verify", "scripts/reproduce"} {
		ci += read(t, name)
	}
	targets := regexp.MustCompile(`(?m)^\.PHONY: (\S+)$`).FindAllStringSubmatch(read(t, "Makefile"), -1)
	for _, target := range targets {
		name := target[1]
		run := regexp.MustCompile(`(?m)(make --no-print-directory|\brun|_answers ["']\S+["']) ` + name + `(\s|;|$)`).MatchString(ci)
		if _, left := notInCI[name]; run == left {
			t.Errorf("make %s: CI runs it: %v; it is in the list of those that CI does not: %v", name, run, left)
		}
	}
	if len(targets) < 10 {
		t.Errorf("only %d targets found", len(targets))
	}
}

// A tag of somebody else's repository can be moved to other code, which would run with the rights of our workflows. A
// digest cannot; the version stands behind it, where Dependabot keeps it.
func TestEveryActionIsADigest(t *testing.T) {
	t.Parallel()
	ours, pinned := regexp.MustCompile(`^\./`), regexp.MustCompile(`^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	line, found := regexp.MustCompile(`(?m)^\s*(?:- )?["']?uses["']?\s*:\s*(.*?)\s*$`), 0
	err := filepath.WalkDir(".github", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		for _, uses := range line.FindAllStringSubmatch(read(t, path), -1) {
			if found++; !ours.MatchString(uses[1]) && !pinned.MatchString(uses[1]) {
				t.Errorf("%s uses %q: name a commit by its digest, and the version in a comment", path, uses[1])
			}
		}
		return nil
	})
	if err != nil || found == 0 {
		t.Errorf("%d actions found: %v", found, err)
	}
}

// eachPackage visits every directory of the module that holds Go files but the root.
func eachPackage(t *testing.T, visit func(dir string, files map[string]string)) {
	t.Helper()
	packages := make(map[string]map[string]string)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); path != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "tools" || name == "node_modules" || name == "build") {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil && path != "." {
				return fs.SkipDir // a module of its own
			}
			return nil
		}
		if dir := filepath.Dir(path); strings.HasSuffix(path, ".go") && dir != "." {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if packages[dir] == nil {
				packages[dir] = make(map[string]string)
			}
			packages[dir][d.Name()] = string(text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) == 0 {
		t.Fatal("no package found")
	}
	for dir, files := range packages {
		visit(dir, files)
	}
}
