package reference

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// printed maps the id of an operation to what its programs print: a field of the response, or "list.field" for that
// field of each item of a list.
var printed = map[string]string{
	"listTools": "data.name", "getTool": "tagline",
	"listComparisons": "data.title", "getComparison": "winner",
	"listPrices": "data.price", "getPrice": "current_price",
	"getFactStats": "data.field", "getFacts": "facts.field", "listEndings": "data.ends_at", "listFindings": "data.slug", "compareTools": "tools.name",
	"listRetiredTools": "data.name", "getRetiredTool": "name", "listToolsOfDay": "data.slug", "getHistory": "data.field", "getBill": "months.month",
	"listCategories": "data.label", "getStats": "tools_total", "listChanges": "data.type",
	"getDataPackage": "resources.path",
	"listEmbeddings": "data.hash", "getEmbeddings": "chunks.id", "getUsage": "used",
	"getIndex": "operations.path", "getDescription": "openapi",
}

// linePrinted is the field that programs print from each line of a JSON lines response.
const linePrinted = "slug"

// choosePrinted sets the field that the programs print. It fails unless the schema of the response has that field.
func (o *Operation) choosePrinted(schema *openapi3.SchemaRef) error {
	o.printed = strings.Split(printed[o.ID], ".")
	of := schema.Value
	for _, name := range o.printed {
		if of.Items != nil {
			of = of.Items.Value
		}
		if of.Properties[name] == nil {
			return fmt.Errorf("the programs of %s print %q, which is not in its answer", o.ID, printed[o.ID])
		}
		of = of.Properties[name].Value
	}
	o.number = of.Type.Is(openapi3.TypeInteger)
	return nil
}

// A Program is a program that calls an operation, in a language that the guides highlight.
type Program struct{ Language, Text string }

// Programs returns sample programs, in several languages, that call the operation at a URL. They read the key, if one
// is needed, from the environment variable KEY.
func (o *Operation) Programs(url string) []Program {
	return []Program{
		{"sh", o.shell(url)}, {"go", o.golang(url)}, {"ts", o.typescript(url)}, {"python", o.python(url)},
	}
}

// Printed returns the output of the programs for a response, one value per line; "" if the response is not JSON.
func (o *Operation) Printed(answer []byte) string {
	var body map[string]any
	var b strings.Builder
	if o.Lines {
		for line := range strings.Lines(string(answer)) {
			if json.Unmarshal([]byte(line), &body) != nil {
				return ""
			}
			fmt.Fprintln(&b, body[o.field()])
		}
		return b.String()
	}
	if json.Unmarshal(answer, &body) != nil {
		return ""
	}
	items, isList := body[o.printed[0]].([]any)
	if !isList {
		items = []any{body}
	}
	for _, item := range items {
		fields, _ := item.(map[string]any)
		fmt.Fprintln(&b, fields[o.field()])
	}
	return b.String()
}

func (o *Operation) list() bool    { return len(o.printed) > 1 }
func (o *Operation) field() string { return o.printed[len(o.printed)-1] }

func (o *Operation) shell(url string) string {
	if o.Keyed {
		return "curl -s -H \"Authorization: Bearer $KEY\" '" + url + "'\n"
	}
	return "curl -s '" + url + "'\n"
}

func (o *Operation) golang(url string) string {
	imports, request := `"encoding/json" "fmt" "log" "net/http"`, "\tresp, err := http.Get(\""+url+"\")\n"
	if o.Keyed {
		imports = `"encoding/json" "fmt" "log" "net/http" "os"`
		request = "\treq, err := http.NewRequest(http.MethodGet, \"" + url + "\", nil)\n" +
			"\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n" +
			"\treq.Header.Set(\"Authorization\", \"Bearer \"+os.Getenv(\"KEY\"))\n" +
			"\tresp, err := http.DefaultClient.Do(req)\n"
	}
	kind := "string"
	if o.number {
		kind = "int"
	}
	name := exported(o.field())
	field := name + " " + kind + " `json:\"" + o.field() + "\"`\n"
	answer, show := "\t\t"+field, "\tfmt.Println(answer."+name+")\n"
	if o.list() {
		items := exported(o.printed[0])
		answer = "\t\t" + items + " []struct {\n\t\t\t" + field + "\t\t} `json:\"" + o.printed[0] + "\"`\n"
		show = "\tfor _, item := range answer." + items + " {\n\t\tfmt.Println(item." + name + ")\n\t}\n"
	}
	read := "\tvar answer struct {\n" + answer + "\t}\n" +
		"\tif err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {\n\t\tlog.Fatal(err)\n\t}\n" + show
	if o.Lines {
		read = "\tfor lines := json.NewDecoder(resp.Body); lines.More(); {\n\t\tvar item struct {\n\t\t\t" + field + "\t\t}\n" +
			"\t\tif err := lines.Decode(&item); err != nil {\n\t\t\tlog.Fatal(err)\n\t\t}\n\t\tfmt.Println(item." + name + ")\n\t}\n"
	}
	return "package main\n\nimport (\n\t" + strings.ReplaceAll(imports, " ", "\n\t") + "\n)\n\nfunc main() {\n" +
		request + "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n\tdefer resp.Body.Close()\n" +
		"\tif resp.StatusCode != http.StatusOK {\n\t\tlog.Fatal(resp.Status)\n\t}\n" +
		read + "}\n"
}

// exported converts tools_total to ToolsTotal, and id to ID.
func exported(name string) string {
	if name == "id" {
		return "ID"
	}
	var b strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

func (o *Operation) typescript(url string) string {
	kind := "string"
	if o.number {
		kind = "number"
	}
	headers := ""
	if o.Keyed {
		headers = ", {\n  headers: { Authorization: `Bearer ${process.env.KEY}` },\n}"
	}
	answer, show := "{ "+o.field()+": "+kind+" }", "console.log(answer."+o.field()+");\n"
	if o.list() {
		answer = "{ " + o.printed[0] + ": " + answer + "[] }"
		show = "for (const item of answer." + o.printed[0] + ") console.log(item." + o.field() + ");\n"
	}
	read := "const answer: " + answer + " = await response.json();\n" + show
	if o.Lines {
		read = "for (const line of (await response.text()).trim().split(\"\\n\")) {\n" +
			"  const item: " + answer + " = JSON.parse(line);\n  console.log(item." + o.field() + ");\n}\n"
	}
	return "const response = await fetch(\"" + url + "\"" + headers + ");\n" +
		"if (!response.ok) throw new Error(`${response.status}: ${(await response.json()).error}`);\n" +
		read
}

func (o *Operation) python(url string) string {
	imports, ask := "import json\nfrom urllib.request import urlopen\n\n", "with urlopen(\""+url+"\") as response:\n"
	if o.Keyed {
		imports = "import json\nimport os\nfrom urllib.request import Request, urlopen\n\n"
		ask = "request = Request(\n    \"" + url + "\",\n" +
			"    headers={\"Authorization\": f\"Bearer {os.environ['KEY']}\"},\n)\nwith urlopen(request) as response:\n"
	}
	show := "print(answer[\"" + o.field() + "\"])\n"
	if o.list() {
		show = "for item in answer[\"" + o.printed[0] + "\"]:\n    print(item[\"" + o.field() + "\"])\n"
	}
	if o.Lines {
		return imports + ask + "    for line in response:\n        print(json.loads(line)[\"" + o.field() + "\"])\n"
	}
	return imports + ask + "    answer = json.load(response)\n" + show
}
