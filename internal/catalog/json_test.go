package catalog

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func hostileStrings() []string {
	s := []string{
		"", " ", "simple", `"`, `\`, `\"`, `\\`, `\u0041`, "</script><!--", "a&b<c>d", "é", "œuvre €/mois", "日本語", "👩‍💻",
		"\x00", "\x1f", "\x7f", "\b\f\n\r\t\v", "\u2028\u2029", "\ufeff", "\ufffd", "\ufffe", "\U0010ffff",
		"\x80", "\xff", "\xc0\x80", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf4\x90\x80\x80", "\xe2\x82", "a\xe2\x82", "\xe2\x82\"",
		"é\xffé", "\xf0\x9f\x92", strings.Repeat("\xff", 50), strings.Repeat(`\"`, 50), "null", "{}", "e\u0301", "\u202egnp",
	}
	for c := range 256 {
		s = append(s, string([]byte{byte(c)}), string([]byte{'a', byte(c), 'z'}), string([]byte{byte(c), 0xc3, 0xa9, byte(c)}))
	}
	random := rand.New(rand.NewPCG(7, 7))
	for range 2000 {
		b := make([]byte, random.IntN(40))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		s = append(s, string(b))
	}
	return s
}

func TestAppendString_ReadsBackAsEncodingJSONDoes(t *testing.T) {
	t.Parallel()
	for _, s := range hostileStrings() {
		checkAppendString(t, s)
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "é€", "\"\\\x00\x1f\x7f", "\xff\xed\xa0\x80", "\u2028</script>"} {
		f.Add(s)
	}
	f.Fuzz(checkAppendString)
}

func checkAppendString(t *testing.T, s string) {
	t.Helper()
	const before = "avant"
	out := appendString([]byte(before), s)
	if !bytes.HasPrefix(out, []byte(before)) {
		t.Fatalf("%q: what was in the buffer is gone: %q", s, out)
	}
	out = out[len(before):]
	if !utf8.Valid(out) || !json.Valid(out) {
		t.Fatalf("%q gives %q: not JSON in UTF-8", s, out)
	}
	standard, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var got, want string
	decode(t, out, &got)
	decode(t, standard, &want)
	if got != want {
		t.Fatalf("%q reads back as %q, encoding/json's as %q", s, got, want)
	}
	if utf8.ValidString(s) && got != s {
		t.Fatalf("%q reads back as %q", s, got)
	}
}

func TestAppendString_EscapesNoMoreThanJSONDemands(t *testing.T) {
	t.Parallel()
	if got := string(appendString(nil, "L'été <b>& 20 €/mois\u2028")); got != "\"L'été <b>& 20 €/mois\u2028\"" {
		t.Errorf("got %s", got)
	}
	if got := string(appendString(nil, "\"\\\n\t\r\x00")); got != `"\"\\\n\t\u000d\u0000"` {
		t.Errorf("got %s", got)
	}
}

func TestObject_FieldsInTheOrderOfTheCalls(t *testing.T) {
	t.Parallel()
	o := newObject()
	o.string("z", "é")
	o.nullable("y", "")
	o.nullable("x", "a")
	o.int("w", -3)
	o.measure("v", Hundredths(805))
	o.measure("u", 0)
	o.hundredths("t", 1000)
	o.raw("s", []byte("[1]"))
	got := o.close()
	if string(got) != `{"z":"é","y":null,"x":"a","w":-3,"v":8.05,"u":null,"t":10,"s":[1]}` {
		t.Errorf("got %s", got)
	}
	if cap(got) != len(got) {
		t.Errorf("%d bytes kept for %d", cap(got), len(got))
	}
	empty := newObject()
	if got := empty.close(); string(got) != "{}" {
		t.Errorf("no field gives %s", got)
	}
}

// Whatever the editors write, every document is JSON.
func TestDocuments_AreJSONWhateverTheTexts(t *testing.T) {
	t.Parallel()
	for _, s := range hostileStrings()[:45] {
		x := tool("a", named(s), func(t *Tool) {
			t.Domain, t.Tagline, t.Price, t.Embedded = s, s, s, true
			t.History = []PriceChange{{"2026-01-01", Paid, s, Paid, s}}
		}, reviewed(s, s))
		y := tool("b", named(s))
		snap := snapshotOf(x, y, comparison("a-ou-b", "a", "b", func(c *Comparison) { c.Title, c.Note = s, s }),
			retired("c", func(r *Retired) { r.Name, r.Note = s, s }))
		for _, line := range transcript(snap) {
			if !json.Valid([]byte(line.body)) || !utf8.ValidString(line.body) {
				t.Fatalf("%q makes of %s: %q", s, line.question, line.body)
			}
		}
	}
}
