package content

import (
	"reflect"
	"testing"
)

// scanCases are front matters that the fast scanner must read as the YAML parser
// does, or decline.
var scanCases = []string{
	"name: Lumen\nscore: 9.1\n",
	"# note\n\nname: Lumen  \nprice: 20 €/mois\n",
	"name: \"Lumen: pro\"\ntagline: 'sans # fin'\n",
	"name: Élan\ntagline: a:b c#d [e] {f}, g\n",
	"a: null\nb: Null\nc: true\nd: 08\ne: 1e3\nf: 2024-01-02\n",
	"a: x\n b\n", "a: x: y\n", "a: x #c\n", "a:\n", "a: \n", "a: 'b''c'\n", "a: \"b\\n\"\n",
	"a: -1\n", "a: x:\n", "a: &x y\n", "a: \"b\" c\n", "a: x\n...\nb: y\n", "a: x\n\n  y\n", "a:   x\n", "a: ''\n", "a: \"\"\n",
	"a: x\nb\n", "a : x\n", "é: x\n", "a:x\n", "a: x\ty\n", "a: x\u00a0y\n", "a: x\u0085y\n", "a: NaN\n", "a: x - y\n", "a: x ? y\n", "a: b, c]\n",
	"a: x%\n", "a: 'x'#y\n", "a: x\n#c\n b\n",
}

func TestScanAgrees(t *testing.T) {
	t.Parallel()
	taken := 0
	for _, text := range scanCases {
		if checkScan(t, text) {
			taken++
		}
	}
	if taken < 10 {
		t.Errorf("the scanner took %d cases only: it no longer saves the parser", taken)
	}
}

func FuzzScan(f *testing.F) {
	for _, text := range scanCases {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d := newDecoder().open("tools/x.md", []byte(text)); d.clean() {
			checkScan(t, string(d.data))
		}
	})
}

// checkScan compares the scanner with the parser and reports whether it took the text.
func checkScan(t *testing.T, text string) bool {
	t.Helper()
	got, ok := scanFlat(text, 2)
	if !ok {
		return false
	}
	d := newDecoder().open("tools/x.md", nil)
	want, ok := d.parseYAML(text, 2)
	if !ok {
		t.Fatalf("%q: the scanner read what the parser refuses: %v", text, d.faults)
	}
	for i := range min(len(got.fields), len(want.fields)) {
		// The parser counts trailing spaces into the column of a plain value.
		want.fields[i].value.pos.column = got.fields[i].value.pos.column
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q:\nscanner %+v\nparser  %+v", text, got, want)
	}
	return true
}
