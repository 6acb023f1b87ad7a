package webhook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func event(t catalog.EventType, object, previous string) Event {
	e := Event{LogEntry: catalog.LogEntry{Seq: 7, Edition: 3, At: noon.In(time.FixedZone("", 3600)), Event: catalog.Event{Type: t, Slug: "a"}}}
	if object != "" {
		e.Object = []byte(object)
	}
	if previous != "" {
		e.Previous = []byte(previous)
	}
	return e
}

func correcting(seq int64, e Event) Event {
	e.Correction = seq
	return e
}

func TestPayload_IsPinned(t *testing.T) {
	t.Parallel()
	const head = `,"timestamp":"2026-03-04T12:00:00Z","data":{"seq":7,"edition":3,"slug":"a",`
	huge := `"` + strings.Repeat("x", MaxPayload) + `"`
	for _, tt := range []struct {
		name, want string
		e          Event
	}{
		{"created", `{"type":"tool.created"` + head + `"object":{"b":"<é>\n","a":1}}}`, event(catalog.ToolCreated, `{"b":"<é>\n","a":1}`, "")},
		{"updated", `{"type":"tool.updated"` + head + `"changed":["a"],"object":{"a":1},"previous":{"a":0}}}`, event(catalog.ToolUpdated, `{"a":1}`, `{"a":0}`)},
		{"spaces are not kept", `{"type":"tool.updated"` + head + `"changed":["a"],"object":{"a":1},"previous":{"a":0}}}`, event(catalog.ToolUpdated, "{ \"a\" :1}\n", ` {"a": 0} `)},
		{
			"changed names what differs, sorted", `{"type":"comparatif.updated"` + head +
				`"changed":["gone","in","new","z"],"object":{"z":1,"same":{"x":[1,2]},"in":{"x":1},"new":null},"previous":{"z":"1","same":{"x":[1,2]},"gone":0,"in":{"x":2}}}}`,
			event(catalog.ComparisonUpdated, `{"z":1,"same":{"x":[1,2]},"in":{"x":1},"new":null}`, `{"z":"1","same":{"x": [1, 2]},"gone":0,"in":{"x":2}}`),
		},
		{"an older entry in which nothing does", `{"type":"tool.updated"` + head + `"changed":[],"object":{"a":1},"previous":{"a":1}}}`, event(catalog.ToolUpdated, `{"a":1}`, `{"a":1}`)},
		{"price", `{"type":"price.changed"` + head + `"changed":["a"],"object":{"a":1},"previous":{"a":0}}}`, event(catalog.PriceChanged, `{"a":1}`, `{"a":0}`)},
		{"correction", `{"type":"price.changed"` + head + `"correction":5,"changed":["a"],"object":{"a":1},"previous":{"a":0}}}`, correcting(5, event(catalog.PriceChanged, `{"a":1}`, `{"a":0}`))},
		{"embeddings", `{"type":"embeddings.updated"` + head + `"changed":["a"],"object":{"a":1},"previous":{"a":0}}}`, event(catalog.EmbeddingsUpdated, `{"a":1}`, `{"a":0}`)},
		{"new in the embeddings set", `{"type":"embeddings.updated"` + head + `"object":{"a":1}}}`, event(catalog.EmbeddingsUpdated, `{"a":1}`, "")},
		{"gone from it", `{"type":"embeddings.updated"` + head + `"object":null,"previous":{"a":1}}}`, event(catalog.EmbeddingsUpdated, "", `{"a":1}`)},
		{"retired: not of one kind", `{"type":"tool.retired"` + head + `"object":{"a":1},"previous":{"b":0}}}`, event(catalog.ToolRetired, `{"a":1}`, `{"b":0}`)},
		{"removed", `{"type":"tool.removed"` + head + `"object":null,"previous":{"a":0}}}`, event(catalog.ToolRemoved, "", `{"a":0}`)},
		{"neither", `{"type":"embeddings.updated"` + head + `"object":null}}`, event(catalog.EmbeddingsUpdated, "", "")},
		{"previous too large", `{"type":"tool.updated"` + head + `"changed":["a"],"object":{"a":1},"previous_omitted":true}}`, event(catalog.ToolUpdated, `{"a":1}`, `{"a":`+huge+`}`)},
		{"removed, previous too large", `{"type":"tool.removed"` + head + `"object":null,"previous_omitted":true}}`, event(catalog.ToolRemoved, "", huge)},
		{"object too large", `{"type":"tool.created"` + head + `"object":null,"object_omitted":true}}`, event(catalog.ToolCreated, huge, "")},
		{"both too large", `{"type":"tool.updated"` + head + `"changed":["b"],"object":null,"previous_omitted":true,"object_omitted":true}}`, event(catalog.ToolUpdated, `{"a":`+huge+`,"b":1}`, `{"a":`+huge+`,"b":2}`)},
		{"not JSON", `{"type":"tool.created"` + head + `"object":null,"object_omitted":true}}`, event(catalog.ToolCreated, `{"a":`, "")},
	} {
		for range 3 {
			if got := string(tt.e.Payload()); got != tt.want {
				t.Errorf("%s:\n%s, want\n%s", tt.name, got, tt.want)
			}
		}
	}
	got := string(TestPayload("ep_a", noon, `c"h`))
	if want := `{"type":"webhook.test","timestamp":"2026-03-04T12:00:00Z","data":{"endpoint":"ep_a","challenge":"c\"h"}}`; got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
	got = string(TestPayload("ep_a", noon, ""))
	if want := `{"type":"webhook.test","timestamp":"2026-03-04T12:00:00Z","data":{"endpoint":"ep_a"}}`; got != want {
		t.Errorf("%s, want\n%s", got, want)
	}
}

func TestPayload_FillsTheBoundToTheByte(t *testing.T) {
	t.Parallel()
	text := func(n int) string { return `"` + strings.Repeat("x", n) + `"` }
	empty := len(event(catalog.ToolUpdated, text(0), text(0)).Payload())
	if got := event(catalog.ToolUpdated, text(100), text(MaxPayload-empty-100)).Payload(); len(got) != MaxPayload || bytes.Contains(got, []byte("omitted")) {
		t.Errorf("%d bytes: %.100s", len(got), got)
	}
	if got := event(catalog.ToolUpdated, text(100), text(MaxPayload-empty-99)).Payload(); !bytes.Contains(got, []byte(`,"previous_omitted":true}`)) || len(got) > MaxPayload {
		t.Errorf("%d bytes: %.100s", len(got), got)
	}
}

// A largest is a catalog whose every text is as long as content accepts.
type largest struct {
	url  string                   // the patterns of the site
	note func(mark string) string // of comparisons and retired tools
}

// wide are characters of four bytes, the most that UTF-8 has.
func wide(n int) string { return strings.Repeat("🜂", n) }

// load reads the catalog with a mark in every text. The tool "a" is retired when it
// is not alive.
func (l largest) load(t *testing.T, mark string, alive bool) *catalog.Contents {
	t.Helper()
	dir := t.TempDir()
	write := func(path, format string, args ...any) {
		path = filepath.Join(dir, path)
		testkit.Must(t, os.MkdirAll(filepath.Dir(path), 0o750))
		if err := os.WriteFile(path, fmt.Appendf(nil, format, args...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	slug := func(last string) string { return strings.Repeat("s", catalog.MaxSlug-1) + last }
	write("catalog.yaml", "name: Palmarès\nurl: https://palmares.example\nsite:\n"+
		"  tool: %[1]q\n  review: %[1]q\n  alternatives: %[1]q\n  comparison: %[1]q\n", l.url)
	write("categories.yaml", "- slug: %s\n  label: Tout\n", slug("c"))
	for _, last := range []string{"a", "b"} {
		name := wide(78) + last + mark
		if last == "a" && !alive {
			write("cimetiere/"+slug(last)+".md", "---\nname: %q\ncategory: %s\nreason: deprecie\nretired_at: 2026-01-01\n---\n\n%s\n",
				name, slug("c"), l.note(mark))
			continue
		}
		write("tools/"+slug(last)+".md", "---\nname: %q\ndomain: %s\ncategory: %s\nicp: agentic-engineer\npricing: freemium\n"+
			"price: \"9999999,0%s €/%s\"\nscore: 8.2%[4]s\nverifiability: 8.2%[4]s\ntagline: %[6]q\nobsolescence: 2\ntier: 1\nmainstream: true\n---\n\nTexte %[4]s.\n",
			name, strings.Repeat(strings.Repeat("d", 62)+".", 3)+strings.Repeat("d", 62)+mark, slug("c"), mark, strings.Repeat("œ", 20), wide(199)+mark)
	}
	if alive {
		write("comparatifs/"+slug("x")+".md", "---\ntitle: %q\ntool_a: %s\ntool_b: %s\nwinner: %[2]s\nstatus: published\n---\n\n%[4]s\n",
			wide(159)+mark, slug("a"), slug("b"), l.note(mark))
	}
	r, err := content.Load(t.Context(), dir, content.Options{})
	testkit.Must(t, err)
	for _, f := range r.Faults {
		if !f.Warning {
			t.Fatalf("%s:%d: %.300s", f.File, f.Line, f.Message)
		}
	}
	return r.Contents
}

// events are those of publishing the catalog, of changing every text of it, and of
// retiring a tool.
func (l largest) events(t *testing.T) []Event {
	t.Helper()
	states := []*catalog.Contents{{}, l.load(t, "1", true), l.load(t, "2", true), l.load(t, "3", false)}
	var events []Event
	for i, next := range states[1:] {
		for _, e := range catalog.Diff(states[i], next, "2026-03-04").Events() {
			events = append(events, Event{LogEntry: catalog.LogEntry{Seq: 1<<63 - 1, Edition: 1<<63 - 1, At: noon, Event: e}})
		}
	}
	return events
}

var largestNotes = map[string]func(mark string) string{
	"quotes":               func(mark string) string { return strings.Repeat(`"`, 3999) + mark },
	"quotes and newlines":  func(mark string) string { return "```\n" + strings.Repeat("\"\n", 1999) + mark + "\n```" },
	"two bytes":            func(mark string) string { return strings.Repeat("é", 3999) + mark },
	"four bytes":           func(mark string) string { return wide(1999) + mark },
	"the largest as JSON":  func(mark string) string { return strings.Repeat(`"`, 2666) + wide(1333) + mark },
	"backslashes and tabs": func(mark string) string { return "```\n" + strings.Repeat("\\\t", 1999) + mark + "\n```" },
}

// Whatever content accepts, the item itself is delivered: at worst what it was before
// is left out.
func TestPayload_TheLargestContentFits(t *testing.T) {
	t.Parallel()
	for name, note := range largestNotes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := "https://palmares.example/{slug}/"
			url += wide(500 - len(url))
			seen, biggest, omitted := map[catalog.EventType]bool{}, 0, 0
			for _, e := range (largest{url, note}).events(t) {
				body := e.Payload()
				var got struct{ Data map[string]json.RawMessage }
				testkit.Must(t, json.Unmarshal(body, &got))
				if len(body) > MaxPayload || got.Data["object_omitted"] != nil || string(got.Data["object"]) != "null" && !bytes.Equal(got.Data["object"], e.Object) {
					t.Errorf("%s: %d bytes, object of %d, previous of %d: %.80s", e.Type, len(body), len(e.Object), len(e.Previous), body)
				}
				if got.Data["previous_omitted"] != nil {
					omitted++
				}
				seen[e.Type], biggest = true, max(biggest, len(body))
			}
			if len(seen) < 7 || biggest < 15_000 {
				t.Errorf("%d types of events, the largest of %d bytes: not much of a test", len(seen), biggest)
			}
			t.Logf("the largest payload has %d bytes; %d times previous was left out", biggest, omitted)
		})
	}
}
