package reference_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/locale"
	"github.com/palmares-hq/palmares/internal/site/reference"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func load(t *testing.T) *reference.Library {
	t.Helper()
	lib, err := reference.Load(api.Contract())
	testkit.Must(t, err)
	return lib
}

// said are all texts of an operation, in an order that is the same in each language.
func said(o *reference.Operation) []string {
	all := []string{o.Title, o.Description}
	for _, p := range o.Parameters {
		all = append(all, p.Description)
	}
	for _, h := range o.Headers {
		all = append(all, h.Description)
	}
	for _, out := range o.Outcomes {
		all = append(all, out.Description)
		for _, t := range out.Texts {
			all = append(all, t.When)
		}
	}
	for _, t := range o.Tables {
		all = append(all, t.Description)
		for _, f := range t.Fields {
			all = append(all, f.Description)
		}
	}
	return all
}

var (
	span      = regexp.MustCompile("`[^`]*`")
	badFrench = regexp.MustCompile(`[ \pL][?!;:](\s|$)| »|« |'|\.\.\.| €| %| [?!;:]`)
)

// Every operation says the same in both languages: no text is missing, none is left in the other
// language, and what stands in code is equal. The French is set as French is.
func TestLibrary_Languages(t *testing.T) {
	t.Parallel()
	lib := load(t)
	french, english := lib.All(locale.French), lib.All(locale.English)
	testkit.Equal(t, "operations", len(french), 27)
	testkit.Equal(t, "operations in English", len(english), 27)
	for i, fr := range french {
		en := english[i]
		testkit.Equal(t, "its path", fr.Path, en.Path)
		a, b := said(fr), said(en)
		testkit.Equal(t, fr.ID+": texts", len(a), len(b))
		for j, text := range a {
			single := b[j] == "" // an error with one text says of it nothing more
			if (text == "") != single || text == b[j] && !single {
				t.Errorf("%s: %q is %q in English", fr.ID, text, b[j])
			}
			spans := func(s string) []string { return slices.Sorted(slices.Values(span.FindAllString(s, -1))) }
			testkit.Equal(t, fr.ID+": what is code in: "+text, spans(text), spans(b[j]))
			if bad := badFrench.FindString(span.ReplaceAllString(text, "x")); bad != "" {
				t.Errorf("%s: %q is no French typography: %s", fr.ID, bad, text)
			}
		}
	}
}

// Every field and every parameter is explained.
func TestLibrary_Whole(t *testing.T) {
	t.Parallel()
	for _, o := range load(t).All(locale.English) {
		for _, p := range o.Parameters {
			testkit.Equal(t, o.ID+": "+p.Name+" is explained", p.Description != "", true)
		}
		for _, table := range o.Tables {
			for _, f := range table.Fields {
				if f.Description == "" || f.Type.Name == "" {
					t.Errorf("%s: the field %s of %s is %+v", o.ID, f.Name, table.Name, f)
				}
			}
		}
		for _, out := range o.Outcomes {
			if out.Status != "304" && len(out.Texts) == 0 {
				t.Errorf("%s: %s has no text", o.ID, out.Status)
			}
		}
	}
}

// What a reader is told of types, bounds and fields.
func TestLibrary_Fields(t *testing.T) {
	t.Parallel()
	lib := load(t)
	list, usage := lib.Find(locale.English, "list-tools"), lib.Find(locale.English, "get-usage")
	limit := list.Parameter("limit").Type
	testkit.Equal(t, "limit", []string{limit.Name, limit.Bounds, limit.Default}, []string{"integer", "1–200", "50"})
	names := func(o *reference.Operation) (all []string) {
		for _, table := range o.Tables {
			all = append(all, table.Name)
		}
		return all
	}
	testkit.Equal(t, "tables of the list", names(list), []string{"ToolList", "ToolItem", "PaginationMeta"})
	score := list.Tables[1].Fields[7]
	testkit.Equal(t, "score", score.Name+" "+score.Type.Bounds, "score > 0, ≤ 10")
	testkit.Equal(t, "it may be null", score.Type.Nullable, true)
	var days []string
	for _, f := range usage.Tables[0].Fields {
		if strings.HasPrefix(f.Name, "days") {
			days = append(days, f.Name)
		}
	}
	testkit.Equal(t, "fields of a list without a name", days, []string{"days", "days[].date", "days[].requests"})
	testkit.Equal(t, "what counts", []bool{list.Counted, usage.Counted, list.Keyed, usage.Keyed}, []bool{true, false, false, true})
	if lib.Find(locale.English, "nope") != nil {
		t.Error("there is an operation named nope")
	}
}

// A French text that is missing, and one that has no place, stop the program at its start.
func TestLoad_Faults(t *testing.T) {
	t.Parallel()
	english, french := api.Contract()
	for _, x := range []struct{ old, new, want string }{
		{"      summary: Lister les outils\n", "", "paths./api/v1/tools.get.summary: there is no French text"},
		{"summary: Lister les outils\n", "summary: ''\n", "paths./api/v1/tools.get.summary: there is no French text"},
		{"  schemas:\n", "  schemas:\n    Chose:\n      description: Rien.\n", "components.schemas.Chose: the contract has no such place"},
		{"tags:\n", "info:\n  title: x\ntags:\n", "info: pages show no such text"},
		{"tags:\n", "tags: [\n", "openapi.fr.yaml"},
	} {
		broken := strings.Replace(string(french), x.old, x.new, 1)
		if broken == string(french) {
			t.Fatalf("the French has no %q", x.old)
		}
		_, err := reference.Load(english, []byte(broken))
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("without %q: %v, want %s", x.old, err, x.want)
		}
	}
	if _, err := reference.Load([]byte("openapi: ["), french); err == nil {
		t.Error("a contract that is no YAML is read")
	}
}
