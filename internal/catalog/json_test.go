package catalog

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAppendString_ReadsBackAsEncodingJSONDoes(t *testing.T) {
	t.Parallel()
	texts := []string{
		"", " ", `"`, `\`, `\"`, `\\`, `\u0041`, "</script><!--", "a&b<c>d", "œuvre €/mois", "日本語", "👩‍💻",
		"\b\f\n\r\t\v", "\u2028\u2029", "\ufeff", "\ufffd", "\ufffe", "\U0010ffff", "\xc0\x80", "\xed\xa0\x80",
		"\xed\xbf\xbf", "\xf4\x90\x80\x80", "a\xe2\x82", "\xe2\x82\"", "é\xffé", "\xf0\x9f\x92",
		strings.Repeat("\xff", 50), strings.Repeat(`\"`, 50), "e\u0301", "\u202egnp",
	}
	for c := range 256 {
		texts = append(texts, string([]byte{'a', byte(c), 'z'}), string([]byte{byte(c), 0xc3, 0xa9, byte(c)}))
	}
	random := rand.New(rand.NewPCG(7, 7))
	for range 2000 {
		b := make([]byte, random.IntN(40))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		texts = append(texts, string(b))
	}
	for _, s := range texts {
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
	out, ok := bytes.CutPrefix(appendString([]byte(before), s), []byte(before))
	if !ok || !utf8.Valid(out) || !json.Valid(out) {
		t.Fatalf("%q gives %q: not JSON in UTF-8 after what was in the buffer", s, out)
	}
	standard, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var got, want string
	for text, into := range map[*string][]byte{&got: out, &want: standard} {
		if err := json.Unmarshal(into, text); err != nil {
			t.Fatal(err)
		}
	}
	if got != want || utf8.ValidString(s) && got != s {
		t.Fatalf("%q reads back as %q, encoding/json's as %q", s, got, want)
	}
}

func TestAppendString_EscapesNoMoreThanJSONDemands(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"L'été <b>& 20 €/mois\u2028": "\"L'été <b>& 20 €/mois\u2028\"",
		"\"\\\n\t\r\x00":             `"\"\\\n\t\u000d\u0000"`,
	} {
		if got := string(appendString(nil, s)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
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
	o.measure("u", Measure{})
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
