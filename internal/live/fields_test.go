package live

import (
	"bytes"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
)

// Every field of an item is in the disk copy.
func TestCopy_HasEveryField(t *testing.T) {
	t.Parallel()
	d := catalog.Delta{
		Tools:       []*catalog.Tool{catalogtest.Full[catalog.Tool]("plein")},
		Comparisons: []*catalog.Comparison{catalogtest.Full[catalog.Comparison]("a-ou-b")},
		Retired:     []*catalog.Retired{catalogtest.Full[catalog.Retired]("feu")},
	}
	var b bytes.Buffer
	if err := encode(&b, d, nil); err != nil {
		t.Fatal(err)
	}
	got, err := decode(&b, int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	place := catalogtest.Place{
		Lacks: "is not read back from the disk copy as it was written",
		Edit:  "its type in internal/catalog: gob must know it; and magic in internal/live/diskcopy.go",
	}
	catalogtest.WantFields[catalog.Tool](t, place, func(f catalogtest.Field) bool { return f.Same(got.Tools[0], d.Tools[0]) })
	catalogtest.WantFields[catalog.Comparison](t, place, func(f catalogtest.Field) bool { return f.Same(got.Comparisons[0], d.Comparisons[0]) })
	catalogtest.WantFields[catalog.Retired](t, place, func(f catalogtest.Field) bool { return f.Same(got.Retired[0], d.Retired[0]) })
}
