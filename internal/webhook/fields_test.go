package webhook_test

import (
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/webhook"
)

// The invented items of samples have every field that real ones have.
func TestSample_FillsEveryField(t *testing.T) {
	t.Parallel()
	c := webhook.SampleContents(true)
	const noEvent = "no event has it"
	place := func(edit string, except map[string]string) catalogtest.Place {
		return catalogtest.Place{Lacks: "has no value in a sample", Edit: edit + " in internal/webhook/sample.go", Except: except}
	}
	for _, tool := range c.Tools {
		catalogtest.WantFields[catalog.Tool](t, place("sampleTool", catalogtest.Except[catalog.Tool](catalogtest.Except[catalog.Tool](map[string]string{
			"UpdatedAt": "decided by Diff", "Embedded": "decided by Diff", "History": "decided by Diff",
			"Review.Markdown.Compressed": "made at publication",
			"Packages":                   noEvent, "Since": noEvent, "Keywords.French": noEvent, "Keywords.English": noEvent, "Tested.By": "only pages show it", "Tested.On": "only pages show it",
		}, "English", "events are French"), "Facts", noEvent)), func(f catalogtest.Field) bool {
			return !f.IsZero(tool) || (strings.HasPrefix(f.Name, "Ending.") || strings.HasPrefix(f.Name, "Next.")) && tool.Slug != "exemple-boussole" || // which will end
				f.Name == "Formerly" && tool.Slug != "exemple-plume"
		})
	}
	for _, comparison := range c.Comparisons {
		catalogtest.WantFields[catalog.Comparison](t, place("sampleContents", catalogtest.Except[catalog.Comparison](map[string]string{
			"UpdatedAt": "decided by Diff", "Draft": "drafts make no event", "Source": "there is no file",
		}, "English", "events are French")), func(f catalogtest.Field) bool { return !f.IsZero(comparison) || f.Name == "Formerly" })
	}
	for _, retired := range c.Retired {
		catalogtest.WantFields[catalog.Retired](t, place("sampleContents", catalogtest.Except[catalog.Retired](catalogtest.Except[catalog.Retired](map[string]string{
			"Source": "there is no file", "Successor": noEvent, "Domain": noEvent, "Packages": noEvent,
		}, "English", "events are French"), "Facts", noEvent)),
			func(f catalogtest.Field) bool { return !f.IsZero(retired) || f.Name == "Formerly" })
	}
}
