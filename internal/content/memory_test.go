//go:build !race

// The race detector has allocations of its own.

package content

import (
	"runtime"
	"strings"
	"testing"
)

// flooded is what one file may allocate, however it is nested and however long. The largest costs
// 112 MB, of a list of 256 KiB; without bounds, 40,000 brackets cost 3 GB.
const flooded = 160 << 20

// floods are parts of YAML that nest, or that a parser compares with all that came before.
var floods = map[string]string{
	"brackets": "[", "braces": "{", "keys in braces": "{a: ", "lists in brackets": "[a, ", "dashes": "- ",
	"question marks": "? ", "keys in a line": "a: ", "lists of keys": "- a: ", "tags": "!a ", "anchors": "&a ",
	"aliases": "*a ", "keys": "a: b\n", "keys and comments": "a: b # c\n", "entries": "- b\n", "JSON": `{"a":[`,
	"quotes": `"a" `, "documents": "--- a\n", "keys and lists": "a:\n- b\n", "entries in brackets": "a, ",
}

// allocated counts the bytes that a function allocates. No other test may run meanwhile.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Files that are read as YAML, of the largest size, are refused for little memory.
func TestYAML_MemoryIsBounded(t *testing.T) { //nolint:paralleltest // it measures the memory of all
	c := newDecoder()
	refused := func(what, file, text string, decode func(*document)) {
		d := c.open(file, []byte(text))
		if n := allocated(func() { decode(d) }); n > flooded {
			t.Errorf("%s of %s: %d MB were allocated", file, what, n>>20)
		}
		if !d.failed {
			t.Errorf("%s of %s is let through", file, what)
		}
	}
	for what, part := range floods {
		front := "name: " + strings.Repeat(part, (maxFrontMatter-10)/len(part))
		refused(what, "tools/x.md", "---\n"+front+"\n---\n", func(d *document) { d.tool("x") })
		refused(what, "catalog.yaml", strings.Repeat(part, maxPage/len(part)), func(d *document) { d.service() })
	}
	for _, part := range []string{"a:\n", "-\n", "- a:\n", "?\n"} {
		var b strings.Builder
		for i := 0; b.Len() < maxPage-2000; i++ {
			b.WriteString(strings.Repeat(" ", i) + part)
		}
		refused(part+" nested by indentation", "categories.yaml", b.String(), func(d *document) { d.categories() })
	}
	for _, file := range []string{"catalog.yaml", "categories.yaml", "pages/incidents.yaml", "tools/x.md"} {
		d := c.open(file, []byte("---\n"+strings.Repeat("# un commentaire\n", maxFile/20)+"---\n"))
		switch file {
		case "catalog.yaml":
			d.service()
		case "categories.yaml":
			d.categories()
		case "tools/x.md":
			d.tool("x")
		default:
			d.incidents()
		}
		if len(d.faults) == 0 || !strings.Contains(d.faults[0].Message, "bytes long") {
			t.Errorf("%s of %d bytes: %v", file, len(d.data), d.faults)
		}
	}
}
