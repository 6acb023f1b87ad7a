package preview

import (
	_ "embed"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/testkit"
)

//go:embed testdata/needs.txt
var needs string

// People find in the example catalog what it has for their need, in their words: its synonyms are those of its editors.
func TestPreview_NeedsOfTheExample(t *testing.T) {
	t.Parallel()
	if testkit.Raced {
		t.Skip("one reader looks at every page")
	}
	p := startPreview(t, exampleCatalog)
	asked := 0
	for line := range strings.Lines(needs) {
		typed, wanted, found := strings.Cut(strings.TrimSpace(line), " | ")
		if !found {
			continue
		}
		asked++
		var list struct {
			Data []struct{ Slug string }
			Meta struct{ Match string }
		}
		must(t, json.Unmarshal([]byte(p.get("/api/v1/tools?limit=3&q="+url.QueryEscape(typed), "").Body), &list))
		wants := func(item struct{ Slug string }) bool { return slices.Contains(strings.Fields(wanted), item.Slug) }
		switch {
		case wanted == "-" && list.Meta.Match == "all":
			t.Errorf("%q finds %v with all words", typed, list.Data)
		case wanted != "-" && !slices.ContainsFunc(list.Data, wants):
			t.Errorf("%q finds %v, want one of %s", typed, list.Data, wanted)
		}
	}
	if asked < 70 {
		t.Errorf("%d needs", asked)
	}
}
