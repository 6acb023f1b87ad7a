package mcp_test

import (
	"encoding/json"
	"testing"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/mcp"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// Whom the editors name comes first, of whatever category, and each tool is said to be what it is.
func TestAlternatives_BeginWithSuccessors(t *testing.T) {
	t.Parallel()
	ends := func(successor string) func(*catalog.Tool) {
		return func(t *catalog.Tool) {
			t.Ending = catalog.Ending{At: "2027-03-31", Source: "https://fin.example", Successor: successor}
		}
	}
	succeeded := func(by string) func(*catalog.Retired) { return func(r *catalog.Retired) { r.Successor = by } }
	s := catalogtest.Snapshot(
		catalogtest.Tool("burin", catalogtest.In("image"), catalogtest.Scored(450)),
		catalogtest.Tool("ciseau", ends("burin")),
		catalogtest.Tool("gouge", ends("ciseau")),
		catalogtest.Tool("lime", ends("gouge")),
		catalogtest.Tool("rabot", ends("varlope")),
		catalogtest.Tool("scie", catalogtest.Scored(900)),
		catalogtest.Tool("tenon", catalogtest.Unscored),
		catalogtest.Tool("varlope", catalogtest.In("image"), ends("")),
		catalogtest.Retired("herminette", succeeded("burin")),
		catalogtest.Retired("plane", succeeded("ciseau")),
		catalogtest.Retired("racloir", succeeded("varlope")),
		catalogtest.Retired("trusquin"),
	)
	const (
		same = "The same score. Costs the same. Made for the same audience."
		best = "One of the best scores in its category."
		bare = "Of its category, without a score."
	)
	type row struct{ Slug, Why string }
	for _, c := range []struct {
		slug, api string
		want      []row
	}{
		{"ciseau", "/api/v1/findings?slugs=ciseau", []row{
			{"burin", "The announced successor. Of the category image instead of code. Score 4.5, 2.5 lower. Costs the same. Made for the same audience."},
			{"gouge", "Ends on 2027-03-31 itself. " + same},
		}},
		{"gouge", "/api/v1/findings?slugs=gouge", []row{
			{"burin", "The last of its successors: the first, ciseau, is replaced in turn. Of the category image instead of code. Score 4.5, 2.5 lower. Costs the same. Made for the same audience."},
			{"ciseau", "The announced successor. Ends on 2027-03-31 itself. " + same},
		}},
		{"lime", "/api/v1/findings?slugs=lime", []row{
			{"burin", "The last of its successors: the first, gouge, is replaced in turn. Of the category image instead of code. Score 4.5, 2.5 lower. Costs the same. Made for the same audience."},
			{"gouge", "The announced successor. Ends on 2027-03-31 itself. " + same},
		}},
		{"rabot", "/api/v1/findings?slugs=rabot", []row{
			{"varlope", "The announced successor. Ends on 2027-03-31 itself. Of the category image instead of code. " + same},
			{"ciseau", "Ends on 2027-03-31 itself. " + same},
		}},
		{"scie", "/api/v1/tools?category=code", []row{
			{"ciseau", "Ends on 2027-03-31 itself. Score 7, 2 lower. Costs the same. Made for the same audience."},
		}},
		{"herminette", "/api/v1/findings?slugs=herminette", []row{
			{"burin", "The successor that its retirement names."}, {"scie", best}, {"tenon", bare},
		}},
		{"plane", "/api/v1/findings?slugs=plane", []row{
			{"burin", "The last of its successors: the first, ciseau, is replaced in turn."},
			{"ciseau", "The successor that its retirement names. Ends on 2027-03-31 itself."},
			{"scie", best},
			{"tenon", bare},
		}},
		{"racloir", "/api/v1/findings?slugs=racloir", []row{
			{"varlope", "The successor that its retirement names. Ends on 2027-03-31 itself."}, {"scie", best}, {"tenon", bare},
		}},
		{"trusquin", "/api/v1/findings?slugs=trusquin", []row{{"scie", best}, {"tenon", bare}}},
	} {
		arguments, err := json.Marshal(map[string]any{"slug": c.slug, "limit": max(len(c.want), 2)})
		testkit.Must(t, err)
		shown, err := mcp.Show(s, "", "alternatives", arguments)
		testkit.Must(t, err)
		var got struct {
			API   string `json:"api"`
			Tools []row  `json:"tools"`
		}
		testkit.Must(t, json.Unmarshal(shown, &got))
		testkit.Equal(t, c.slug+": api", got.API, c.api)
		if len(got.Tools) > len(c.want) {
			got.Tools = got.Tools[:len(c.want)]
		}
		testkit.Equal(t, c.slug, got.Tools, c.want)
	}
}
