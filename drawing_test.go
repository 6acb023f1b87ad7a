package palmares_test

import (
	"flag"
	"fmt"
	"html"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/architecture.svg anew")

// drawn says what each package does, in the words of the drawing. The parts of a package (site/pages) are named in its box.
var drawn = map[string]string{
	"cmd/palmares":      "one file per command: parse, call, print",
	"internal/node":     "roles: surfaces, tasks, jobs and readiness",
	"internal/preview":  "the same surfaces without any engine",
	"internal/surface":  "what node and preview mount on one mux",
	"internal/services": "makes the services, for nodes and commands",
	"internal/pull":     "publishes what a repository elsewhere has",
	"internal/workers":  "mails, payments, deliveries",

	"internal/api":      "the JSON interface, openapi.yaml",
	"internal/mcp":      "agents ask: eight tools on the same keys",
	"internal/site":     "public pages, feeds and files, per edition",
	"internal/portal":   "account pages and sessions",
	"internal/layout":   "the frame, styles and scripts of all pages",
	"internal/chart":    "drawings, made on the server",
	"internal/params":   "query parameters, for API and pages alike",
	"internal/web":      "errors with two faces, serving, observing",
	"internal/postgres": "all SQL; migrations",
	"internal/stripe":   "the payment provider, and its stand-in",
	"internal/mail":     "what is mailed, and SMTP",
	"internal/jobs":     "one River client",
	"internal/checkout": "which commit files come from; git objects",
	"internal/verify":   "asks the sources of facts, politely",
	"internal/config":   "settings, and what is wrong with them",
	"internal/logging":  "a log that nothing waits for",
	"internal/metrics":  "gauges that are read from engines",
	"internal/systemd":  "tells systemd what a program waits for",

	"internal/content":      "files to values, each fault with its line",
	"internal/publish":      "compares, guards, commits one edition",
	"internal/live":         "follows editions and keys, swaps snapshots",
	"internal/changes":      "pages of the log after a cursor",
	"internal/export":       "downloads, made once per edition",
	"internal/quota":        "exact daily counters, shared or alone",
	"internal/webhook":      "endpoints, deliveries, signatures",
	"internal/billing":      "which plan follows from a subscription",
	"internal/report":       "errors that readers report",
	"internal/digest":       "what happened to the tools of a list",
	"internal/purge":        "what a shared cache must drop",
	"internal/figures":      "what a catalog comes to: prices, journal",
	"internal/availability": "the share of answers that did not fail",
	"internal/generate":     "synthetic catalogs of any size",

	"internal/catalog":   "items, Diff, the log, Snapshot, queries",
	"internal/search":    "the index that a snapshot holds",
	"internal/account":   "accounts, plans, keys: who may do what",
	"internal/address":   "where each page is, in either language",
	"internal/locale":    "values written in a language",
	"internal/secrets":   "derives keys, seals and opens",
	"internal/theme":     "the operator's colours",
	"internal/limit":     "how many at a time, and how often",
	"internal/lru":       "a cache bounded in bytes",
	"internal/text":      "which characters are shown",
	"internal/throttle":  "long work that rests",
	"internal/engine":    "marks work that must not wait",
	"internal/gomodule":  "a Go module as go get takes it",
	"internal/guard":     "which addresses may be reached",
	"internal/handshake": "words for TLS that failed",
	"docs/guides":        "texts for users of the API",
}

// outside is what stands around the layers: on which side, and the package that meets it.
var outside = []struct{ name, what, left, right string }{
	{"Operators", "shell, /readyz, /metrics", "cmd/palmares", ""},
	{"API callers", "through any CDN", "internal/api", ""},
	{"Agents", "by MCP", "internal/mcp", ""},
	{"Readers", "people and crawlers", "internal/site", ""},
	{"Account owners", "by a link in a mail", "internal/portal", ""},
	{"Editors", "Markdown in git", "internal/content", ""},
	{"PostgreSQL", "editions, keys, the log, jobs", "", "internal/postgres"},
	{"Stripe", "where Pro is sold", "", "internal/stripe"},
	{"SMTP", "a mail server", "", "internal/mail"},
	{"A repository", "git, elsewhere", "", "internal/checkout"},
	{"Redis", "counters of all nodes", "", "internal/quota"},
	{"Receivers", "of Pro accounts, https", "", "internal/webhook"},
	{"A shared cache", "Varnish, Fastly, Cloudflare", "", "internal/purge"},
}

// order is where packages stand in the drawing: those that meet callers at the left, those that meet engines at the right.
func order(packages []string) (rows [][]string) {
	side := make(map[string]string)
	for _, o := range outside {
		side[o.left], side[o.right] = "left", "right"
	}
	var left, right, others []string
	for _, name := range packages {
		switch side[name] {
		case "left":
			left = append(left, name)
		case "right":
			right = append(right, name)
		default:
			others = append(others, name)
		}
	}
	const columns = 4
	for len(left)+len(right)+len(others) > 0 {
		row := make([]string, columns)
		take := func(at int, from *[]string) {
			if row[at] == "" && len(*from) > 0 {
				row[at], *from = (*from)[0], (*from)[1:]
			}
		}
		take(0, &left)
		take(columns-1, &right)
		for at := range row {
			take(at, &others)
		}
		rows = append(rows, row)
	}
	return rows
}

// parts names the packages below one, as its box shows them.
func parts(imports map[string][]string, name string) string {
	var below []string
	for dir := range imports {
		if part, ok := strings.CutPrefix(dir, name+"/"); ok {
			below = append(below, part)
		}
	}
	slices.Sort(below)
	return strings.Join(below, ", ")
}

// wrap breaks a text into lines of a box.
func wrap(text string) (lines []string) {
	const width = 29
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}

// drawing is docs/architecture.svg: every package in its layer, from the wiring down to the values.
func drawing(t *testing.T) string {
	t.Helper()
	const (
		left, boxWidth, gap = 200, 210, 12
		bandWidth           = 4*boxWidth + 5*gap
		right               = left + bandWidth + 30
	)
	var b strings.Builder
	text := func(class string, x, y int, s string) {
		fmt.Fprintf(&b, "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n", class, x, y, html.EscapeString(s))
	}
	y := 10
	for i := len(layers) - 2; i >= 0; i-- { // the last ones are for tests
		layer := layers[i]
		var packages []string
		for name := range layer.imports {
			parent, _, part := strings.Cut(strings.TrimPrefix(name, "internal/"), "/")
			if _, ok := layer.imports["internal/"+parent]; part && ok || strings.HasPrefix(name, "bench") || strings.HasPrefix(name, "scripts/") {
				continue
			}
			if drawn[name] == "" {
				t.Errorf("the drawing does not say what %s does: add it to drawn", name)
			}
			packages = append(packages, name)
		}
		slices.SortFunc(packages, func(a, b string) int {
			return strings.Compare(strings.TrimPrefix(a, "internal/"), strings.TrimPrefix(b, "internal/"))
		})
		band := y
		var boxes strings.Builder
		b, boxes = boxes, b
		y += 30
		for _, row := range order(packages) {
			height := 0
			for _, name := range row {
				if name != "" {
					height = max(height, 36+16*len(wrap(drawn[name]))+16*len(wrapParts(layer.imports, name)))
				}
			}
			for at, name := range row {
				if name == "" {
					continue
				}
				x := left + gap + at*(boxWidth+gap)
				fmt.Fprintf(&b, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"/>\n", layer.name, x, y, boxWidth, height)
				text("b", x+10, y+21, strings.TrimPrefix(name, "internal/"))
				line := y + 39
				for _, s := range append(wrap(drawn[name]), wrapParts(layer.imports, name)...) {
					text("s", x+10, line, s)
					line += 16
				}
				for _, o := range outside {
					switch name {
					case o.left:
						fmt.Fprintf(&b, "<rect class=\"out\" x=\"10\" y=\"%d\" width=\"160\" height=\"44\" rx=\"3\"/>\n<path class=\"a\" d=\"M170 %d H%d\"/>\n", y, y+22, x)
						text("b", 20, y+19, o.name)
						text("s", 20, y+36, o.what)
					case o.right:
						fmt.Fprintf(&b, "<rect class=\"out\" x=\"%d\" y=\"%d\" width=\"190\" height=\"44\" rx=\"3\"/>\n<path class=\"a\" d=\"M%d %d H%d\"/>\n", right, y, x+boxWidth, y+22, right)
						text("b", right+10, y+19, o.name)
						text("s", right+10, y+36, o.what)
					}
				}
			}
			y += height + gap
		}
		b, boxes = boxes, b
		fmt.Fprintf(&b, "<rect class=\"band\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", left, band, bandWidth, y-band)
		text("b", left+gap, band+21, layer.name)
		b.WriteString(boxes.String())
		y += 14
	}
	var programs []string
	for name := range layers[len(layers)-2].imports {
		if strings.HasPrefix(name, "bench") || strings.HasPrefix(name, "scripts/") {
			programs = append(programs, name)
		}
	}
	slices.Sort(programs)
	tests := slices.Sorted(maps.Keys(layers[len(layers)-1].imports))
	for i := range tests {
		tests[i] = strings.TrimPrefix(tests[i], "internal/")
	}
	for _, s := range []string{
		"An edition: content → publish → postgres, in one transaction; every node: postgres → live → a new Snapshot.",
		"A request: web → api → Snapshot; quota charges it. Neither PostgreSQL nor Redis has to be up.",
		"Programs beside it: " + strings.Join(programs, ", ") + ".",
		"Only tests import " + strings.Join(tests, ", ") + ".",
	} {
		text("s", left+gap, y+8, s)
		y += 20
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" role="img" aria-labelledby="t">
<title id="t">The packages of Palmarès in four layers, with their neighbours</title>
<style>
rect { stroke-width: 1.3 }
.band { fill: #f6f6f2; stroke: #d9d8d0 }
.wiring { fill: #fff7c2; stroke: #14161b }
.edges { fill: #e8f1fb; stroke: #24507d }
.rules { fill: #e9f5ee; stroke: #0b6b4a }
.values { fill: #fde7da; stroke: #6e3215 }
.out { fill: #fff; stroke: #50545c }
.a { stroke: #475569; stroke-width: 1.4 }
.b { font-size: 14px; font-weight: 600; fill: #14161b }
.s { font-size: 12px; fill: #475569 }
</style>
<rect x="0" y="0" width="%[1]d" height="%[2]d" fill="#fff"/>
%[3]s</svg>
`, right+200, y+10, b.String())
}

// wrapParts is parts in the lines of a box.
func wrapParts(imports map[string][]string, name string) []string {
	if below := parts(imports, name); below != "" {
		return wrap("with " + below)
	}
	return nil
}

// The drawing of ARCHITECTURE.md is made from the layers: every package is in it.
func TestDrawing(t *testing.T) {
	t.Parallel()
	const path = "docs/architecture.svg"
	want := drawing(t)
	known := make(map[string]bool)
	for _, layer := range layers {
		for name := range layer.imports {
			known[name] = true
		}
	}
	for name := range drawn {
		if !known[name] {
			t.Errorf("drawn says what %s does, which is not there", name)
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if read(t, path) != want {
		t.Errorf("%s shows other packages than repo_test.go: go test -run Drawing . -update", path)
	}
}
