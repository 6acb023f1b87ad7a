package api_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/account"
	"github.com/palmares-hq/palmares/internal/api"
	"github.com/palmares-hq/palmares/internal/catalog"
)

// keyed are the headers of a good key, to anyKey.
var keyed = []string{"Authorization", "Bearer good"}

// embeddings serves a snapshot to whoever shows a key.
func embeddings(t testing.TB, s *catalog.Snapshot) *client {
	t.Helper()
	return serve(t, api.Options{Catalog: shelve(s), Callers: anyKey})
}

var (
	isChunk = object(map[string]field{
		"id": isSlug, "text": isText,
		"metadata": object(map[string]field{
			"slug": isSlug, "section": isSlug, "position": isInteger, "canonical_url": matching(`https://.+#[a-z0-9-]+`), "tool": isText,
			"category": isSlug, "score": isNumber, "verifiability": isNumber, "updated_at": isDate,
		}),
	})
	isEmbeddings = object(map[string]field{
		"slug": isSlug, "name": isText, "canonical_url": isURL, "hash": matching("sha256-[0-9a-f]{64}"), "updated_at": isDate,
		"chunk_count": isInteger, "chunks": array(1, isChunk),
	})
)

// A document is the body of GET /api/embeddings/{slug}.
type document struct {
	Slug, Name, Hash string
	CanonicalURL     string `json:"canonical_url"`
	UpdatedAt        string `json:"updated_at"`
	ChunkCount       int    `json:"chunk_count"`
	Chunks           []struct {
		ID, Text string
		Metadata struct {
			Slug, Section, Tool, Category string
			Position                      int
			CanonicalURL                  string `json:"canonical_url"`
			UpdatedAt                     string `json:"updated_at"`
			Score, Verifiability          float64
		}
	}
}

// Section 2.9: every field, with its type and what is said of it, on every tool of the set.
func TestSpec_Embeddings(t *testing.T) {
	t.Parallel()
	c := embeddings(t, fixture(t))
	set := catalog.EmbeddingsSet(fixture(t).Contents().Tools)
	if len(set) < 5 {
		t.Fatalf("only %d tools in the set", len(set))
	}
	for _, in := range set {
		got := c.get(t, "/api/embeddings/"+in.Slug, keyed...).wantStatus(t, http.StatusOK)
		var raw any
		d := json.NewDecoder(strings.NewReader(string(got.text)))
		d.UseNumber()
		if err := d.Decode(&raw); err != nil {
			t.Fatal(err)
		}
		if !isEmbeddings(raw) {
			t.Errorf("%s does not have the fields of the specification: %s", in.Slug, got.text)
		}
		var doc document
		got.into(t, &doc)
		review := "https://palmares.example/avis/" + in.Slug
		if doc.Slug != in.Slug || doc.Name != in.Name || doc.CanonicalURL != review || doc.UpdatedAt != "2026-11-15" || doc.ChunkCount != len(doc.Chunks) {
			t.Errorf("%s: %s", in.Slug, got.text)
		}
		seen := map[string]bool{}
		for i, k := range doc.Chunks {
			m := k.Metadata
			if m.Slug != in.Slug || m.Section != k.ID || m.Position != i || m.CanonicalURL != review+"#"+k.ID || m.Tool != in.Name ||
				m.Category != in.Category || m.UpdatedAt != doc.UpdatedAt || !strings.HasPrefix(k.Text, in.Name+" — ") || seen[k.ID] ||
				m.Score != float64(in.Score.Hundredths())/100 || m.Verifiability != float64(in.Verifiability.Hundredths())/100 {
				t.Errorf("%s, chunk %d: %+v", in.Slug, i, k)
			}
			seen[k.ID] = true
		}
		got.wantHeader(t, "Cache-Control", "private, no-cache")
		got.wantHeader(t, "X-RateLimit-Tier", "free")
		got.wantHeader(t, "X-Attribution", creditHeader)
	}
}

// The list shows the set in its order, and of each tool what its document does.
func TestEmbeddings_List(t *testing.T) {
	t.Parallel()
	contents := many(100_000)
	c := embeddings(t, catalog.Empty().Apply(catalog.Diff(&catalog.Contents{}, contents, firstDay).Delta(firstEdition)))
	got := c.get(t, "/api/embeddings", keyed...).wantStatus(t, http.StatusOK)
	var listed struct{ Data []document }
	got.into(t, &listed)
	want := byTheRule(contents.Tools)[:300]
	if len(listed.Data) != len(want) {
		t.Fatalf("%d tools are listed, want %d", len(listed.Data), len(want))
	}
	for i, slug := range want {
		var doc document
		c.get(t, "/api/embeddings/"+slug, keyed...).wantStatus(t, http.StatusOK).into(t, &doc)
		doc.Chunks = nil
		if !reflect.DeepEqual(listed.Data[i], doc) {
			t.Errorf("number %d is %+v, want %+v", i, listed.Data[i], doc)
		}
	}
	got.wantHeader(t, "X-Total-Count", "")
	got.wantHeader(t, "Cache-Control", "private, no-cache")
	c.get(t, "/api/embeddings", append(keyed, "If-None-Match", got.header.Get("ETag"))...).wantStatus(t, http.StatusNotModified)
	c.get(t, "/api/embeddings?page=x&limit=1", keyed...).wantHeader(t, "ETag", got.header.Get("ETag")) // it has no parameters
	c.get(t, "/api/embeddings").wantStatus(t, http.StatusUnauthorized)
	c.get(t, "/api/embeddings/", keyed...).wantStatus(t, http.StatusNotFound)
}

// many is a catalog of n tools, of which rather more than 300 may be in the set.
func many(n int) *catalog.Contents {
	c := &catalog.Contents{
		Service: catalog.Service{Name: "Palmarès", URL: "https://palmares.example", Site: catalog.Site{
			Tool: "https://palmares.example/outils/{slug}", Review: "https://palmares.example/avis/{slug}",
			Alternatives: "https://palmares.example/alternatives/{slug}", Comparison: "https://palmares.example/comparatifs/{slug}",
		}},
		Categories: []catalog.Category{{Slug: "code", Label: "Code"}},
	}
	for i := range n {
		x := i * 7919 % n // so that neither slugs nor ranks are in order
		t := &catalog.Tool{
			Slug: fmt.Sprintf("outil-%06d", x), Name: fmt.Sprintf("Outil %d", x), Domain: "outil.example", Category: "code",
			ICP: catalog.Mixed, Pricing: catalog.Paid, Price: "5 €/mois", Tagline: "Un outil.", Tier: 3,
			Score: catalog.Hundredths(1 + i%799), Verifiability: catalog.Hundredths(500),
		}
		switch i % 1000 {
		case 1: // 100 of the highest tier, with few scores, so that there are ties
			t.Tier, t.Score = 1, catalog.Hundredths(100+i/1000%7)
		case 2: // 100 more with 8 and more
			t.Score = catalog.Hundredths(800 + i/1000%9)
		case 3, 4: // 200 that are mainstream and of the second tier: half of them are cut
			t.Tier, t.Mainstream = 2, true
		case 5: // all that it takes, but for one thing each
			t.Tier, t.Score = 1, 0
		case 6:
			t.Tier, t.Verifiability = 1, 0
		case 7:
			t.Tier, t.Score = 1, catalog.Hundredths(1000)
		case 8:
			t.Tier, t.Score = 2, catalog.Hundredths(799)
		case 9:
			t.Mainstream, t.Score = true, catalog.Hundredths(799)
		}
		if i%1000 < 10 && i%1000 != 7 {
			t.Review = catalog.NewReview(t.Name, []catalog.Section{{ID: catalog.SummaryID, Heading: "Résumé", Text: "Un essai."}})
		}
		c.Tools = append(c.Tools, t)
	}
	c.Sort()
	return c
}

// byTheRule is the set, put together from the words of the decision.
func byTheRule(tools []*catalog.Tool) []string {
	groups := make([][]*catalog.Tool, 3)
	for _, t := range tools {
		if !t.Review.Exists() || !t.Score.Known() || !t.Verifiability.Known() {
			continue
		}
		switch {
		case t.Tier == 1:
			groups[0] = append(groups[0], t)
		case t.Score.Hundredths() >= 800:
			groups[1] = append(groups[1], t)
		case t.Tier == 2 && t.Mainstream:
			groups[2] = append(groups[2], t)
		}
	}
	var set []string
	for _, g := range groups {
		slices.SortFunc(g, func(a, b *catalog.Tool) int {
			return cmp.Or(cmp.Compare(b.Score.Hundredths(), a.Score.Hundredths()), cmp.Compare(a.Slug, b.Slug))
		})
		for _, t := range g {
			set = append(set, t.Slug)
		}
	}
	return set
}

func TestDecided_EmbeddingsSet(t *testing.T) {
	t.Parallel()
	contents := many(100_000)
	candidates := byTheRule(contents.Tools)
	if len(candidates) != 400 {
		t.Fatalf("%d candidates, want 400", len(candidates))
	}
	want := candidates[:300]
	var ordered []string
	for _, t := range catalog.EmbeddingsSet(contents.Tools) {
		ordered = append(ordered, t.Slug)
	}
	if !slices.Equal(ordered, want) {
		t.Errorf("the set in order:\ngot  %q\nwant %q", ordered, want)
	}

	snapshot := catalog.Empty().Apply(catalog.Diff(&catalog.Contents{}, contents, firstDay).Delta(firstEdition))
	c := embeddings(t, snapshot)
	for _, slug := range want {
		c.get(t, "/api/embeddings/"+slug, keyed...).wantStatus(t, http.StatusOK)
	}
	outside := func(slug string) {
		t.Helper()
		c.get(t, "/api/embeddings/"+slug, keyed...).
			wantError(t, http.StatusNotFound, `the tool "`+slug+`" is not in the embeddings set, which has 300 tools at most`)
	}
	for _, slug := range candidates[300:] {
		outside(slug)
	}
	// Of the rest a sample, and every tool that lacks one thing.
	inSet := make(map[string]bool)
	for _, slug := range want {
		inSet[slug] = true
	}
	served := 0
	for i, tool := range contents.Tools {
		in := inSet[tool.Slug]
		if _, err := snapshot.Embeddings(tool.Slug); (err == nil) != in {
			t.Errorf("%s: served %t, want %t", tool.Slug, err == nil, in)
		}
		if in {
			served++
		} else if i%2000 == 0 || tool.Tier == 1 && i%10 == 0 {
			outside(tool.Slug)
		}
	}
	if served != catalog.EmbeddingsSize {
		t.Errorf("%d tools are served", served)
	}
}

// The hash moves with the ids and the texts of the chunks, and with nothing else.
func TestDecided_EmbeddingsHash(t *testing.T) {
	t.Parallel()
	s := fixture(t)
	read := func(s *catalog.Snapshot) (doc document) {
		t.Helper()
		embeddings(t, s).get(t, keyedRoute, keyed...).wantStatus(t, http.StatusOK).into(t, &doc)
		return doc
	}
	base := read(s)
	sections := func(n *catalog.Contents) []catalog.Section { return slices.Clone(tool(n, "oeuvre").Review.Sections) }
	review := func(n *catalog.Contents, s []catalog.Section) {
		o := tool(n, "oeuvre")
		o.Review = catalog.NewReview(o.Name, s)
	}
	for what, x := range map[string]struct {
		moves bool
		edit  func(*catalog.Contents)
	}{
		"nothing":       {false, func(*catalog.Contents) {}},
		"score":         {false, func(n *catalog.Contents) { tool(n, "oeuvre").Score = catalog.Hundredths(901) }},
		"verifiability": {false, func(n *catalog.Contents) { tool(n, "oeuvre").Verifiability = catalog.Hundredths(0) }},
		"category":      {false, func(n *catalog.Contents) { tool(n, "oeuvre").Category = "code" }},
		"price":         {false, func(n *catalog.Contents) { tool(n, "oeuvre").Price = "1 €/mois" }},
		"tagline":       {false, func(n *catalog.Contents) { tool(n, "oeuvre").Tagline = "Autre" }},
		"site":          {false, func(n *catalog.Contents) { n.Service.Site.Review = "https://autre.example/{slug}" }},
		"another tool":  {false, func(n *catalog.Contents) { tool(n, "ame").Score = catalog.Hundredths(1) }},
		"same review":   {false, func(n *catalog.Contents) { review(n, sections(n)) }},
		"a text":        {true, func(n *catalog.Contents) { x := sections(n); x[0].Text += "."; review(n, x) }},
		"an id":         {true, func(n *catalog.Contents) { x := sections(n); x[0].ID = "autre"; review(n, x) }},
		"a heading":     {true, func(n *catalog.Contents) { x := sections(n); x[0].Heading += " bis"; review(n, x) }},
		"the order":     {true, func(n *catalog.Contents) { x := sections(n); slices.Reverse(x); review(n, x) }},
		"one less":      {true, func(n *catalog.Contents) { review(n, sections(n)[1:]) }},
		"the name": {true, func(n *catalog.Contents) { // each text begins with it
			tool(n, "oeuvre").Name = "Ouvrage"
			review(n, sections(n))
		}},
	} {
		got := read(amend(s, x.edit))
		if moved := got.Hash != base.Hash; moved != x.moves {
			t.Errorf("%s: the hash moved: %t, want %t", what, moved, x.moves)
		}
		same := got.ChunkCount == base.ChunkCount
		for i := range min(got.ChunkCount, base.ChunkCount) {
			same = same && got.Chunks[i].ID == base.Chunks[i].ID && got.Chunks[i].Text == base.Chunks[i].Text
		}
		if same == x.moves {
			t.Errorf("%s: ids and texts are the same: %t", what, same)
		}
	}
}

func TestDecided_EmbeddingsErrors(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	free, pro := sign(t, s.db, account.Developer), sign(t, s.db, account.Pro)
	const missing = "this operation needs an API key: send Authorization: Bearer <API_KEY>; a key is free" + whereKeys
	for _, slug := range []string{"oeuvre", "nope", "sans-avis", "feu-mort", "%00"} {
		for _, headers := range [][]string{nil, {"If-None-Match", "*"}} {
			got := s.get(t, "/api/embeddings/"+slug, headers...)
			got.wantError(t, http.StatusUnauthorized, missing)
			got.wantHeader(t, "WWW-Authenticate", `Bearer realm="palmares"`)
		}
		s.from(t, home, http.MethodHead, "/api/embeddings/"+slug).wantStatus(t, http.StatusUnauthorized)
		got := s.get(t, "/api/embeddings/"+slug, "Authorization", "Bearer no")
		got.wantError(t, http.StatusUnauthorized, badKeyText)
		got.wantHeader(t, "WWW-Authenticate", badKeyScheme)
	}
	if n := s.looks.Load(); n != 0 {
		t.Errorf("%d looks at the database for keys that are none", n)
	}

	for _, h := range []holder{free, pro} {
		for slug, text := range map[string]string{
			"nope":               `no tool has the slug "nope"`,
			"OEUVRE":             `no tool has the slug "OEUVRE"`,
			"feu-mort":           `the tool "feu-mort" was retired on 2024-02-29 (mort): see /api/v1/cimetiere`,
			"sans-avis":          `the tool "sans-avis" is not in the embeddings set, which has 300 tools at most`,
			"sans-verifiabilite": `the tool "sans-verifiabilite" is not in the embeddings set, which has 300 tools at most`,
			"eclipse":            `the tool "eclipse" is not in the embeddings set, which has 300 tools at most`,
		} {
			s.get(t, "/api/embeddings/"+slug, h.bearer()...).wantError(t, http.StatusNotFound, text)
		}
		s.get(t, keyedRoute, h.bearer()...).wantStatus(t, http.StatusOK)
	}
	s.spend(t, free, 1000)
	for _, slug := range []string{"oeuvre", "nope", "sans-avis", "feu-mort"} {
		s.get(t, "/api/embeddings/"+slug, free.bearer()...).wantError(t, http.StatusTooManyRequests, developerOver)
	}
	tag := s.get(t, keyedRoute, pro.bearer()...).header.Get("ETag") // it is cached
	s.get(t, keyedRoute, append(free.bearer(), "If-None-Match", tag)...).wantStatus(t, http.StatusNotModified)
	s.get(t, keyedRoute, append(free.bearer(), "If-None-Match", "*")...).wantError(t, http.StatusTooManyRequests, developerOver)
	s.get(t, keyedRoute, pro.bearer()...).wantStatus(t, http.StatusOK)
}
