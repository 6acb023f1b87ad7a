package webhook_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/webhook"
)

var update = flag.Bool("update", false, "write the examples of events anew")

const schemaDir = "../../schemas/events"

// exampleOf says of which item the example of a type tells: without a line here, of the first.
var exampleOf = map[catalog.EventType]string{
	catalog.ToolCreated:           "boussole",
	catalog.ToolUpdated:           "oeuvre",
	catalog.ToolRetired:           "zebre",
	catalog.ToolRemoved:           "grand-public",
	catalog.ToolRenamed:           "un-jumeau",
	catalog.ToolEnding:            "sans-avis",
	catalog.PriceChanged:          "oeuvre",
	catalog.PriceAnnounced:        "sans-avis",
	catalog.ComparisonPublished:   "boussole-ou-eclair",
	catalog.ComparisonUpdated:     "ame-ou-ame",
	catalog.ComparisonRenamed:     "eclair-contre-oeuvre",
	catalog.ComparisonUnpublished: "oeuvre-ou-zebre",
	catalog.EmbeddingsUpdated:     "eclair",
	catalog.CemeteryAdded:         "silex",
	catalog.CemeteryUpdated:       "feu-pivot",
	catalog.CemeteryRenamed:       "feu-rachete",
	catalog.CemeteryRemoved:       "feu-mort",
	catalog.CatalogUpdated:        catalog.CatalogSlug,
}

const testType = string(webhook.TestEvent)

func eventTypes() []string {
	types := []string{testType}
	for _, t := range webhook.Types() {
		types = append(types, string(t))
	}
	slices.Sort(types)
	return types
}

// files are a content directory's files by path; "" stands for a file that is gone.
type files map[string]string

// secondEdition changes the fixture so that every type of event happens.
var secondEdition = files{
	"tools/boussole.md": "---\nname: Boussole\ndomain: boussole.example\ncategory: code\nicp: mixte\npricing: freemium\n" +
		"price: \"12 €/mois\"\nscore: 8.4\nverifiability: 7\ntagline: Elle montre où regarder\nobsolescence: 0\ntier: 2\n" +
		"mainstream: false\n---\n\nBoussole trouve le fichier avant la question.\n",
	"tools/grand-public.md": "",
	"tools/zebre.md":        "",
	"cimetiere/zebre.md":    "---\nname: Zèbre\ncategory: image\nreason: acquis\nretired_at: 2026-11-10\n---\n\nRacheté, puis fermé.\n",
	"cimetiere/silex.md":    "---\nname: Silex\ncategory: voix\nreason: mort\nretired_at: 2026-11-12\n---\n\nAnnoncé, jamais ouvert.\n",
	"cimetiere/feu-mort.md": "",
	"comparatifs/boussole-ou-eclair.md": "---\ntitle: Boussole ou Éclair\ntool_a: boussole\ntool_b: eclair\nwinner: boussole\n" +
		"status: published\n---\n\nElle se trompe moins.\n",
	"comparatifs/oeuvre-ou-zebre.md": "",
}

var secondEditionReplaced = files{
	"categories.yaml":           "label: Voix|label: Voix et son",
	"cimetiere/feu-pivot.md":    "Vend des fleurs.|Vend des fleurs et des plantes.",
	"tools/oeuvre.md":           "199,90 €/an|209,90 €/an",
	"tools/sans-avis.md":        "\ntier: |\nprice_next: {price: 24 €/mois, from: 2027-01-01, source: https://sans-avis.example/tarifs}\nends_at: 2027-03-31\nends_source: https://sans-avis.example/fin\nsuccessor: oeuvre\ntier: ",
	"tools/eclair.md":           "Attendre 1,5 s.|Attendre 1,2 s.",
	"comparatifs/ame-ou-ame.md": "l'accent l'emporte|l'accent l'emporte encore",
}

var secondEditionRenamed = map[string][2]string{
	"tools": {"jumeau-b", "un-jumeau"}, "comparatifs": {"eclair-ou-oeuvre", "eclair-contre-oeuvre"}, "cimetiere": {"feu-acquis", "feu-rachete"},
}

// A publisher publishes a directory edition by edition and keeps the log.
type publisher struct {
	dir      string
	snapshot *catalog.Snapshot
	log      []webhook.Event
}

// publish publishes the directory with its contents edited.
func (p *publisher) publish(t *testing.T, edit func(*catalog.Contents)) {
	t.Helper()
	result, err := content.Load(t.Context(), p.dir, content.Options{})
	testkit.Must(t, err)
	testkit.Must(t, result.Err())
	edit(result.Contents)
	number := p.snapshot.Edition().Number + 1
	e := catalog.Edition{Number: number, ID: "test", PublishedAt: time.Date(2026, 11, 14+int(number), 9, 30, 0, 0, time.UTC)}
	changes := catalog.Diff(p.snapshot.Contents(), result.Contents, e.Date())
	for _, event := range changes.Events() {
		p.log = append(p.log, webhook.Event{LogEntry: catalog.LogEntry{Seq: int64(len(p.log) + 1), Edition: number, At: e.PublishedAt, Event: event}})
	}
	p.snapshot = p.snapshot.Apply(changes.Delta(e))
}

// moved gives a catalog addresses that are nobody's: every operator's contract shows the examples.
func moved(c *catalog.Contents) {
	site := &c.Service.Site
	c.Service.Name = "Catalogue"
	for _, pattern := range []*string{&c.Service.URL, &site.Tool, &site.Review, &site.Alternatives, &site.Comparison} {
		*pattern = strings.Replace(*pattern, "//palmares.", "//catalogue.", 1)
	}
}

// publishTwice publishes the fixture and then what changes of it.
func publishTwice(t *testing.T) *publisher {
	t.Helper()
	p := &publisher{dir: testkit.CopyOf(t, "../testdata/catalog"), snapshot: catalog.Empty()}
	p.publish(t, moved)
	for path, text := range secondEdition {
		if path = filepath.Join(p.dir, path); text == "" {
			testkit.Must(t, os.Remove(path))
		} else {
			testkit.Must(t, os.WriteFile(path, []byte(text), 0o600))
		}
	}
	for path, change := range secondEditionReplaced {
		before, after, _ := strings.Cut(change, "|")
		testkit.Edit(t, filepath.Join(p.dir, path), before, after)
	}
	for folder, slugs := range secondEditionRenamed {
		path := filepath.Join(p.dir, folder, slugs[1]+".md")
		testkit.Must(t, os.Rename(filepath.Join(p.dir, folder, slugs[0]+".md"), path))
		testkit.Edit(t, path, "---\n", "---\nformerly: ["+slugs[0]+"]\n")
	}
	p.publish(t, moved)
	return p
}

// everyShape has events of all types, also such that do not fit.
func everyShape(t *testing.T) []webhook.Event {
	t.Helper()
	p := publishTwice(t)
	// Content with notes as long as these is refused before it gets here.
	for _, note := range []int{9_000, 12_000, 25_000, 0, 25_000, 0} {
		p.publish(t, func(c *catalog.Contents) {
			i := slices.IndexFunc(c.Comparisons, func(x *catalog.Comparison) bool { return x.Slug == "ame-ou-ame" })
			if c.Comparisons[i].Note = strings.Repeat("n", note); note == 0 {
				c.Comparisons = slices.Delete(c.Comparisons, i, i+1)
			}
		})
	}
	return append(p.log, corrected(p.log)...)
}

// corrected are the last events of the types that can correct others, as corrections.
func corrected(log []webhook.Event) []webhook.Event {
	var corrections []webhook.Event
	for _, name := range []catalog.EventType{catalog.ToolUpdated, catalog.PriceChanged, catalog.ComparisonUpdated} {
		for _, e := range slices.Backward(log) {
			if e.Type == name {
				e.Seq, e.Correction = e.Seq+100, e.Seq
				corrections = append(corrections, e)
				break
			}
		}
	}
	return corrections
}

// compileSchemas reads the schemas, closed: an event has no other field than those described.
func compileSchemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	return compile(t, testkit.Closed)
}

func compile(t *testing.T, amend func(any) any) map[string]*jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schemas := make(map[string]*jsonschema.Schema)
	names := append(eventTypes(), "envelope")
	for _, name := range names {
		text := testkit.ReadFile(t, filepath.Join(schemaDir, name+".schema.json"))
		testkit.Must(t, compiler.AddResource("/"+name+".schema.json", amend(decode(t, []byte(text)))))
	}
	for _, name := range names {
		schema, err := compiler.Compile("/" + name + ".schema.json")
		testkit.Must(t, err)
		schemas[name] = schema
	}
	return schemas
}

func decode(t *testing.T, payload []byte) map[string]any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(payload))
	if err != nil {
		t.Fatalf("%v in %s", err, payload)
	}
	return v.(map[string]any)
}

// Every event of real publications is as its schema says, also one that does not fit.
func TestPayloadsSatisfyTheirSchemas(t *testing.T) {
	t.Parallel()
	schemas := compileSchemas(t)
	seen := make(map[string]bool)
	shapes := make(map[string]bool)
	for _, e := range everyShape(t) {
		payload := e.Payload()
		if len(payload) > webhook.MaxPayload {
			t.Errorf("%s %s: %d bytes", e.Type, e.Slug, len(payload))
		}
		v := decode(t, payload)
		if err := schemas[string(e.Type)].Validate(v); err != nil {
			t.Errorf("%v\n%.1000s", err, payload)
		}
		if v["type"] != string(e.Type) || v["timestamp"] != e.At.Format(time.RFC3339) {
			t.Errorf("%.200s is not %s of %s", payload, e.Type, e.At)
		}
		data := v["data"].(map[string]any)
		seen[string(e.Type)] = true
		if e.Slug == "ame-ou-ame" {
			shapes[strings.Join(slices.Sorted(maps.Keys(data)), " ")] = true
		}
	}
	if err := schemas[testType].Validate(decode(t, testPayload())); err != nil {
		t.Error(err)
	}
	for _, name := range eventTypes() {
		if name != testType && !seen[name] {
			t.Errorf("no %s happened: let secondEdition make one", name)
		}
	}
	for _, want := range []string{
		"edition object seq slug",
		"changed edition object previous seq slug",
		"changed edition object previous_omitted seq slug",
		"changed edition object object_omitted previous_omitted seq slug",
		"edition object object_omitted seq slug",
		"changed correction edition object object_omitted previous_omitted seq slug",
	} {
		if !shapes[want] {
			t.Errorf("no payload has the data %q: %q", want, slices.Sorted(maps.Keys(shapes)))
		}
	}
}

// samples are those of all types of the log.
func samples(t *testing.T) []webhook.Event {
	t.Helper()
	var list []webhook.Event
	for _, name := range webhook.Types() {
		e, ok := webhook.Sample(name, time.Date(2026, 11, 16, 9, 30, 0, 0, time.UTC))
		if !ok || e.Type != name {
			t.Fatalf("no sample of %s: %+v; let it happen in sampleContents of sample.go", name, e)
		}
		list = append(list, e)
	}
	return list
}

// A sample of each type is as its schema says, has all that the type can have, and says
// that it is a test, which no real event does.
func TestSamplesSatisfyTheirSchemas(t *testing.T) {
	t.Parallel()
	schemas := compileSchemas(t)
	for _, e := range samples(t) {
		v := decode(t, e.Payload())
		if err := schemas[string(e.Type)].Validate(v); err != nil {
			t.Errorf("%v\n%s", err, e.Payload())
		}
		data := v["data"].(map[string]any)
		if data["test"] != true || !strings.HasPrefix(e.Slug, "exemple-") && e.Slug != catalog.CatalogSlug {
			t.Errorf("this passes for a real event: %s", e.Payload())
		}
		example := decode(t, readExample(t, string(e.Type)))["data"].(map[string]any)
		for field, value := range example {
			if got, there := data[field]; !there || (got == nil) != (value == nil) {
				t.Errorf("%s has no %s, as its example does: %s", e.Type, field, e.Payload())
			}
		}
		if _, marked := example["test"]; marked {
			t.Errorf("the example of %s is a test", e.Type)
		}
	}
	if _, ok := webhook.Sample("tool.eaten", time.Now()); ok {
		t.Error("there is a sample of a type that there is not")
	}
}

func readExample(t *testing.T, name string) []byte {
	t.Helper()
	return []byte(testkit.ReadFile(t, filepath.Join(schemaDir, "examples", name+".json")))
}

func testPayload() []byte {
	return webhook.TestPayload("ep_kfbs2jw2gdnkq7ma", time.Date(2026, 11, 16, 9, 30, 0, 0, time.UTC), "6RPXJ4KDKQZQW3FZ2A7C5VNE4M")
}

// The examples in schemas/events/examples are payloads, byte for byte but for the
// white space.
func TestGolden_Examples(t *testing.T) {
	t.Parallel()
	payloads := map[string][]byte{testType: testPayload()}
	for _, e := range publishTwice(t).log {
		of, chosen := exampleOf[e.Type]
		if e.Edition == 2 && (of == e.Slug || !chosen && payloads[string(e.Type)] == nil) {
			payloads[string(e.Type)] = e.Payload()
		}
	}
	for _, name := range eventTypes() {
		var want bytes.Buffer
		if err := json.Indent(&want, payloads[name], "", "  "); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want.WriteByte('\n')
		path := filepath.Join(schemaDir, "examples", name+".json")
		if *update {
			testkit.Must(t, os.WriteFile(path, want.Bytes(), 0o644))
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s is not the payload (go test ./internal/webhook -run Golden -update): %v\n%s", path, err, want.Bytes())
		}
	}
}

func examples(t *testing.T) map[string]map[string]any {
	t.Helper()
	all := make(map[string]map[string]any)
	for _, name := range eventTypes() {
		all[name] = decode(t, readExample(t, name))
	}
	return all
}

// optional is what an example may do without.
func optional(name, path string) bool {
	if name == testType && path == "data.challenge" { // a test of an endpoint that is known to be its owner's
		return true
	}
	// Events that were published before comparisons had slugs are delivered as they are.
	return strings.HasSuffix(path, ".tool_a.slug") || strings.HasSuffix(path, ".tool_b.slug")
}

// A schema accepts the example of its own type and no other, and rejects it whatever is taken out of
// it, put into it or changed.
func TestSchemas_AcceptNothingElse(t *testing.T) {
	t.Parallel()
	schemas := compileSchemas(t)
	for name, example := range examples(t) {
		for of, schema := range schemas {
			if err := schema.Validate(example); (err == nil) != (of == name || of == "envelope") {
				t.Errorf("%s against the schema of %s: %v", name, of, err)
			}
		}
		wrong := func(what string) {
			t.Helper()
			if schemas[name].Validate(example) == nil {
				t.Errorf("%s %s is accepted", name, what)
			}
		}
		var spoil func(path string, o map[string]any)
		spoil = func(path string, o map[string]any) {
			for _, key := range slices.Sorted(maps.Keys(o)) {
				value := o[key]
				delete(o, key)
				if err := schemas[name].Validate(example); (err == nil) != optional(name, path+key) {
					t.Errorf("%s without %s: %v", name, path+key, err)
				}
				o[key] = []any{[]any{}}
				wrong("with a list of lists as " + path + key)
				o[key] = value
				if inner, ok := value.(map[string]any); ok {
					spoil(path+key+".", inner)
				}
			}
			o["more"] = true
			wrong("with " + path + "more")
			delete(o, "more")
		}
		spoil("", example)
		if err := schemas[name].Validate(example); err != nil {
			t.Errorf("%s was not put back: %v", name, err)
		}
	}
}

// Version 1 grows: the schemas take an event with fields that they do not know, wherever it has them.
func TestSchemas_LeaveRoomToGrow(t *testing.T) {
	t.Parallel()
	schemas := compile(t, func(v any) any { return v })
	for name, example := range examples(t) {
		var grow func(v any)
		grow = func(v any) {
			if o, ok := v.(map[string]any); ok {
				for _, inner := range o {
					grow(inner)
				}
				o["more"] = true
			}
		}
		grow(example)
		if err := schemas[name].Validate(example); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The API's description has every event, with a schema that accepts it and no other.
func TestContract_Webhooks(t *testing.T) {
	t.Parallel()
	var doc map[string]any
	testkit.Must(t, yaml.Unmarshal([]byte(testkit.ReadFile(t, "../api/openapi.yaml")), &doc))
	webhooks, _ := doc["x-webhooks"].(map[string]any)
	if got := slices.Sorted(maps.Keys(webhooks)); !slices.Equal(got, eventTypes()) {
		t.Fatalf("x-webhooks has %q, want %q", got, eventTypes())
	}
	testkit.Closed(doc)
	// References are only followed from where OpenAPI 3.0 knows operations.
	paths := make(map[string]any)
	for name, item := range webhooks {
		paths["/"+name] = item
	}
	doc["paths"] = paths
	encoded, err := json.Marshal(doc)
	testkit.Must(t, err)
	contract, err := openapi3.NewLoader().LoadFromData(encoded)
	testkit.Must(t, err)
	testkit.Must(t, contract.Validate(t.Context()))
	check := func(payload []byte, of, name string) {
		t.Helper()
		var value any
		testkit.Must(t, json.Unmarshal(payload, &value))
		schema := contract.Paths.Find("/" + name).Post.RequestBody.Value.Content["application/json"].Schema.Value
		if err := schema.VisitJSON(value, openapi3.EnableFormatValidation()); (err == nil) != (of == name) {
			t.Errorf("%.300s against x-webhooks/%s: %v", payload, name, err)
		}
	}
	log := append(everyShape(t), samples(t)...)
	for name := range webhooks {
		check(testPayload(), testType, name)
		for _, e := range log {
			check(e.Payload(), string(e.Type), name)
		}
	}
	for name, want := range examples(t) {
		got, err := json.Marshal(contract.Paths.Find("/" + name).Post.RequestBody.Value.Content["application/json"].Example)
		testkit.Must(t, err)
		if !reflect.DeepEqual(decode(t, got), want) {
			t.Errorf("the example of x-webhooks/%s is not schemas/events/examples/%s.json: %s", name, name, got)
		}
	}
}
