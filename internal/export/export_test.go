package export_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/export"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// hostile has what is hard to write: formulas, quotes, separators, line breaks, nothing.
func hostile() *catalog.Snapshot {
	tool := catalogtest.Tool
	items := []any{
		tool("somme", catalogtest.Named("=2+5"), catalogtest.Scored(910), catalogtest.Priced(catalog.Paid, "1999,90 €/an")),
		tool("plus", catalogtest.Named("+33 1"), catalogtest.Unscored),
		tool("moins", catalogtest.Named("-1"), catalogtest.Tagline("@SUM(A1)")),
		tool("tabule", catalogtest.Named("\tx"), catalogtest.Tagline("\ry")),
		tool("guillemets", catalogtest.Named(`l'« œuvre », dite "A;B", 2;3`), catalogtest.Tagline("deux\nlignes\r\nou trois")),
		tool("nombre", catalogtest.Named("1,5"), catalogtest.Embeddable(850)),
		catalogtest.Comparison("somme-ou-plus", "somme", "plus"),
		catalogtest.Retired("omega", func(r *catalog.Retired) { r.Note = "Fini.\nÀ jamais ; \"oui\"" }),
	}
	return catalogtest.Snapshot(items...)
}

func written(t testing.TB, f export.File, s *catalog.Snapshot) (text string, rows int) {
	t.Helper()
	var b bytes.Buffer
	rows, err := export.Write(&b, f, s, nil)
	testkit.Must(t, err)
	return b.String(), rows
}

// flat is a line of JSON as the cells of its row: objects become names with a dot, arrays are left out.
func flat(t testing.TB, line string) (names, cells []string, texts []bool) {
	t.Helper()
	var walk func(prefix string, d *json.Decoder)
	walk = func(prefix string, d *json.Decoder) {
		for d.More() {
			name, err := d.Token()
			testkit.Must(t, err)
			path := prefix + fmt.Sprint(name)
			value, err := d.Token()
			testkit.Must(t, err)
			switch v := value.(type) {
			case json.Delim:
				if v == '[' {
					for depth := 1; depth > 0; {
						token, err := d.Token()
						testkit.Must(t, err)
						switch token {
						case json.Delim('['), json.Delim('{'):
							depth++
						case json.Delim(']'), json.Delim('}'):
							depth--
						}
					}
					continue
				}
				walk(path+".", d)
				_, err := d.Token()
				testkit.Must(t, err)
				continue
			case nil:
				cells, texts = append(cells, ""), append(texts, false)
			case string:
				cells, texts = append(cells, v), append(texts, true)
			default:
				cells, texts = append(cells, fmt.Sprint(v)), append(texts, false)
			}
			names = append(names, path)
		}
	}
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	_, err := d.Token()
	testkit.Must(t, err)
	walk("", d)
	return names, cells, texts
}

// rowsOf are the lines of a table as CSV has them: each fact and each interval is a row of its own.
func rowsOf(t testing.TB, table export.Table, lines []string) (rows []string) {
	t.Helper()
	if table.Name != "facts" && table.Name != "history" {
		return lines
	}
	for _, line := range lines {
		var item struct {
			Slug, Name string
			Facts      []map[string]any
			Data       []map[string]any
		}
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		testkit.Must(t, d.Decode(&item))
		for _, interval := range item.Data {
			for _, ofPrice := range []string{"pricing", "cents", "period"} {
				if _, has := interval[ofPrice]; !has {
					interval[ofPrice] = nil
				}
			}
		}
		for _, fact := range append(item.Facts, item.Data...) {
			fact["slug"], fact["name"] = item.Slug, item.Name
			row, err := json.Marshal(fact)
			testkit.Must(t, err)
			rows = append(rows, string(row))
		}
	}
	return rows
}

// The three formats of a table say the same: each cell is the field of the line, but for what disarms a formula and
// for the decimal comma of French.
func TestFormats_SayTheSame(t *testing.T) {
	t.Parallel()
	for _, s := range []*catalog.Snapshot{hostile(), catalogtest.Fixture(t)} {
		for _, table := range export.Tables() {
			lines, rows := written(t, export.File{Table: table.Name, Format: export.JSONL}, s)
			testkit.Equal(t, "rows of "+table.Name, rows, table.Rows(s, export.JSONL))
			all := slices.Collect(strings.Lines(lines))
			testkit.Equal(t, "lines of "+table.Name, len(all), rows)
			for _, format := range []export.Format{export.CSV, export.French} {
				text, rows := written(t, export.File{Table: table.Name, Format: format}, s)
				testkit.Equal(t, "rows of "+table.Name, rows, table.Rows(s, format))
				bare, marked := strings.CutPrefix(text, "\ufeff")
				testkit.Equal(t, "a byte order mark", marked, format == export.French)
				separator := byte(',')
				if marked {
					separator = ';'
				}
				records := parse(t, bare, separator)
				testkit.Equal(t, "records of "+text, len(records), rows+1)
				last := ""
				for i, line := range rowsOf(t, table, all) {
					names, cells, texts := flat(t, line)
					want, got := make([]string, 0, len(names)), records[i+1]
					for at, cell := range cells {
						switch {
						case texts[at] && cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])):
							cell = "'" + cell
						case !texts[at] && format == export.French:
							cell = strings.ReplaceAll(cell, ".", ",")
						}
						want = append(want, cell)
					}
					order := columnNames(table)
					byName := map[string]string{}
					for at, name := range names {
						byName[name] = want[at]
					}
					testkit.Equal(t, "columns of "+table.Name, sorted(names), sorted(order))
					for at, name := range order {
						if cell := got[at]; cell != byName[name] {
							t.Errorf("%s of %s is %q, want %q", name, line, cell, byName[name])
						}
					}
					testkit.Equal(t, "header", records[0], order)
					if got[0] < last || got[0] == last && len(table.Key) == 1 {
						t.Errorf("%s comes after %s", got[0], last)
					}
					last = got[0]
				}
			}
		}
	}
}

// parse reads CSV by the letter of RFC 4180: Go's own reader drops carriage returns.
func parse(t testing.TB, text string, separator byte) (records [][]string) {
	t.Helper()
	for text != "" {
		var record []string
		for end := false; !end; {
			var cell string
			if strings.HasPrefix(text, `"`) {
				at := 1
				for ; text[at] != '"' || text[at+1] == '"'; at++ {
					if text[at] == '"' {
						at++
					}
				}
				cell, text = strings.ReplaceAll(text[1:at], `""`, `"`), text[at+1:]
			} else {
				at := strings.IndexAny(text, string(separator)+"\r\n")
				cell, text = text[:at], text[at:]
			}
			record = append(record, cell)
			switch {
			case text[0] == separator:
				text = text[1:]
			case strings.HasPrefix(text, "\r\n"):
				text, end = text[2:], true
			default:
				t.Fatalf("%q stands after the cell %q", text[0], cell)
			}
		}
		records = append(records, record)
	}
	return records
}

func columnNames(t export.Table) (names []string) {
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return names
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// A line is the object that an event carries, and the API's body.
func TestLines_AreTheObjectsOfEvents(t *testing.T) {
	t.Parallel()
	s := catalogtest.Fixture(t)
	objects := map[string]string{} // by type and slug
	for e := range s.RecentChanges() {
		objects[string(e.Type)+" "+e.Slug] = strings.TrimSuffix(string(e.Object), "}")
	}
	for name, event := range map[string]string{"tools": "tool.created", "comparatifs": string(catalog.ComparisonPublished)} {
		text, rows := written(t, export.File{Table: name, Format: export.JSONL}, s)
		if rows == 0 {
			t.Errorf("%s has no rows", name)
		}
		for line := range strings.Lines(text) {
			var item struct{ Slug string }
			testkit.Must(t, json.Unmarshal([]byte(line), &item))
			if object := objects[event+" "+item.Slug]; object == "" || !strings.HasPrefix(line, object) {
				t.Errorf("%s: the line %s is not the object %s", name, line, object)
			}
		}
	}
	for line := range strings.Lines(first(written(t, export.File{Table: "pricing", Format: export.JSONL}, s))) {
		var got, want map[string]any
		testkit.Must(t, json.Unmarshal([]byte(line), &got))
		slug := got["slug"].(string)
		d, _ := s.PriceJSON(slug)
		testkit.Must(t, json.Unmarshal(d.Body, &want))
		tool, _ := s.Tool(slug)
		price, _ := catalog.ParsePrice(tool.Price)
		want["name"], want["price_cents"], want["price_period"] = tool.Name, float64(price.Cents), price.Period
		testkit.Equal(t, "the line of "+slug, got, want)
	}
	for line := range strings.Lines(first(written(t, export.Embeddings, s))) {
		var got struct {
			Slug   string
			Chunks []struct{ Text, Hash string }
		}
		testkit.Must(t, json.Unmarshal([]byte(line), &got))
		for _, c := range got.Chunks {
			testkit.Equal(t, "hash", c.Hash, "sha256-"+fmt.Sprintf("%x", sha256.Sum256([]byte(c.Text))))
		}
		d, err := s.EmbeddingsJSON(got.Slug)
		testkit.Must(t, err)
		without := line
		for _, c := range got.Chunks {
			without = strings.ReplaceAll(without, `,"hash":"`+c.Hash+`","metadata"`, `,"metadata"`)
		}
		testkit.Equal(t, "the document", strings.TrimSpace(without), string(d.Body))
	}
}

func first(text string, _ int) string { return text }

// Two nodes make the same bytes and the same tag, one from deltas, the other from the whole; the tag stays as long
// as the rows do, and the cursor moves.
func TestMake_IsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	s := catalogtest.Fixture(t)
	next := catalogtest.Amend(s, func(c *catalog.Contents) { c.Retired[0].Note += " Vraiment." })
	whole := catalog.Empty().Apply(next.Whole())
	for _, f := range append(export.Files(), export.Embeddings) {
		var made []*export.Artifact
		for _, from := range []*catalog.Snapshot{s, next, whole} {
			m, err := export.Make(f, from, nil, nil)
			testkit.Must(t, err)
			made = append(made, m)
		}
		testkit.Equal(t, "tag of "+f.Name(), made[1].Tag, made[2].Tag)
		testkit.Equal(t, "bytes of "+f.Name(), made[1].Gzip, made[2].Gzip)
		testkit.Equal(t, "cursor", made[1].Cursor, made[2].Cursor)
		if changed := made[0].Tag != made[1].Tag; changed != (f.Table == "cimetiere") || made[0].Cursor == made[1].Cursor {
			t.Errorf("%s: the tag changed: %t, the cursors are %v and %v", f.Name(), changed, made[0].Cursor, made[1].Cursor)
		}
		z, err := gzip.NewReader(bytes.NewReader(made[0].Gzip))
		testkit.Must(t, err)
		text, err := io.ReadAll(z)
		testkit.Must(t, err)
		want, rows := written(t, f, s)
		testkit.Equal(t, f.Name(), string(text), want)
		testkit.Equal(t, "size and rows", [2]int{made[0].Size, made[0].Rows}, [2]int{len(want), rows})
	}
}

// The package lists every file, with a field for each column.
func TestPackage(t *testing.T) {
	t.Parallel()
	s := catalogtest.Fixture(t)
	text, err := export.Package(s)
	testkit.Must(t, err)
	var p struct {
		Cursor    string `json:"changes_cursor"`
		Resources []struct {
			Name, Path string
			Schema     struct {
				Fields      []struct{ Name, Type string }
				ForeignKeys []struct{ Reference struct{ Resource string } }
			}
		}
	}
	testkit.Must(t, json.Unmarshal(text, &p))
	testkit.Equal(t, "cursor", p.Cursor, s.Cursor().String())
	names := map[string]bool{}
	for i, f := range export.Files() {
		r := p.Resources[i]
		testkit.Equal(t, "path", r.Path, f.Name())
		table, _ := export.TableOf(f.Table)
		if fields := len(r.Schema.Fields); fields != len(table.Columns) && f.Format != export.JSONL {
			t.Errorf("%s has %d fields, want %d", f.Name(), fields, len(table.Columns))
		}
		names[r.Name] = true
	}
	testkit.Equal(t, "resources", len(names), len(export.Files()))
	for _, r := range p.Resources {
		for _, key := range r.Schema.ForeignKeys {
			if !names[key.Reference.Resource] {
				t.Errorf("%s refers to %s", r.Name, key.Reference.Resource)
			}
		}
	}
}
