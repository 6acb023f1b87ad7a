package catalog_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/palmares-hq/palmares/internal/catalog"
	build "github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// found is a finding on one line.
func found(f Finding) string {
	return fmt.Sprint(f.Slug, " ", f.Kinds, " ", f.Detail, " ", f.Instead)
}

// findings shows what there is to say of a tool, with the default for scores.
func findings(t *testing.T, s *Snapshot, slug string) string {
	t.Helper()
	f, ok := s.Findings(slug, AtLeast(LowScore))
	if !ok {
		t.Errorf("there is no tool %s", slug)
	}
	return found(f)
}

func ending(at Date, successor string) func(*Tool) {
	return func(t *Tool) { t.Ending = Ending{At: at, Successor: successor} }
}

func announced(price string, from Date) func(*Tool) {
	return func(t *Tool) {
		t.Next = NextPrice{Pricing: t.Pricing, Price: price, From: from, Source: "https://x.example/tarifs"}
	}
}

// repriced gives a tool a history of prices: days and prices in turn, oldest first, from its first price to the one
// that it has.
func repriced(first string, then ...string) func(*Tool) {
	return func(t *Tool) {
		t.Price = first
		for i := 0; i < len(then); i += 2 {
			t.History = append([]PriceChange{{Date(then[i]), Paid, t.Price, Paid, then[i+1]}}, t.History...)
			t.Price = then[i+1]
		}
	}
}

// Every rule where it applies and where it just does not. The edition is of 2 March 2026.
func TestFindings_Rules(t *testing.T) {
	t.Parallel()
	alone := build.In("vide") // nothing there to use instead
	for name, c := range map[string]struct {
		edit []func(*Tool)
		want string
	}{
		"nothing":             {nil, "x []  []"},
		"will end":            {[]func(*Tool){ending("2027-03-31", "")}, "x [ending] Ends on 2027-03-31. []"},
		"ends today":          {[]func(*Tool){ending("2026-03-02", "")}, "x [ending] Ends on 2026-03-02. []"},
		"should have ended":   {[]func(*Tool){ending("2026-03-01", "")}, "x [ending] Was to end on 2026-03-01. []"},
		"with a successor":    {[]func(*Tool){ending("2027-03-31", "b")}, "x [ending] Ends on 2027-03-31; its successor is Outil b. [b]"},
		"a lost successor":    {[]func(*Tool){ending("2027-03-31", "perdu")}, "x [ending] Ends on 2027-03-31. []"},
		"dearer":              {[]func(*Tool){repriced("20 €/mois", "2025-11-17", "24 €/mois")}, "x [dearer] 24 €/mois, 20 €/mois until 2025-11-17. []"},
		"a day after":         {[]func(*Tool){repriced("20 €/mois", "2025-03-03", "24 €/mois")}, "x [dearer] 24 €/mois, 20 €/mois until 2025-03-03. []"},
		"a year ago already":  {[]func(*Tool){repriced("20 €/mois", "2025-03-02", "24 €/mois")}, "x []  []"},
		"between two":         {[]func(*Tool){repriced("30 €/mois", "2025-01-01", "20 €/mois", "2025-06-01", "24,50 €/mois")}, "x [dearer] 24,50 €/mois, 20 €/mois until 2025-06-01. []"},
		"up and down":         {[]func(*Tool){repriced("20 €/mois", "2025-06-01", "30 €/mois", "2025-07-01", "24 €/mois")}, "x [dearer] 24 €/mois, 20 €/mois until 2025-06-01. []"},
		"up and back":         {[]func(*Tool){repriced("20 €/mois", "2025-06-01", "30 €/mois", "2025-07-01", "20 €/mois")}, "x []  []"},
		"cheaper":             {[]func(*Tool){repriced("24 €/mois", "2025-06-01", "20 €/mois")}, "x []  []"},
		"by the year":         {[]func(*Tool){repriced("200 €/an", "2025-06-01", "200,01 €/an")}, "x [dearer] 200,01 €/an, 200 €/an until 2025-06-01. []"},
		"another period":      {[]func(*Tool){repriced("20 €/mois", "2025-06-01", "24 €/siège")}, "x []  []"},
		"month and year":      {[]func(*Tool){repriced("20 €/mois", "2025-06-01", "480 €/an")}, "x []  []"},
		"there and back":      {[]func(*Tool){repriced("20 €/mois", "2025-06-01", "9 €/siège", "2025-07-01", "21 €/mois")}, "x [dearer] 21 €/mois, 20 €/mois until 2025-06-01. []"},
		"was free":            {[]func(*Tool){repriced("0 €/mois", "2025-06-01", "24 €/siège")}, "x [dearer] 24 €/siège, 0 €/mois until 2025-06-01. []"},
		"is free":             {[]func(*Tool){repriced("24 €/siège", "2025-06-01", "0 €/mois")}, "x []  []"},
		"no amount then":      {[]func(*Tool){repriced("sur devis", "2025-06-01", "24 €/mois")}, "x []  []"},
		"no amount now":       {[]func(*Tool){repriced("24 €/mois", "2025-06-01", "sur devis")}, "x []  []"},
		"lost its free plan":  {[]func(*Tool){func(t *Tool) { t.History = []PriceChange{{"2025-06-01", Freemium, t.Price, Paid, t.Price}} }}, "x []  []"},
		"dearer soon":         {[]func(*Tool){announced("24 €/mois", "2027-01-01")}, "x [dearer_soon] Will cost 24 €/mois from 2027-01-01; 20 €/mois today. []"},
		"its day has passed":  {[]func(*Tool){announced("24 €/mois", "2026-03-01")}, "x [dearer_soon] Was to cost 24 €/mois from 2026-03-01; 20 €/mois today. []"},
		"cheaper soon":        {[]func(*Tool){announced("19 €/mois", "2027-01-01")}, "x []  []"},
		"another period soon": {[]func(*Tool){announced("240 €/an", "2027-01-01")}, "x []  []"},
		"low":                 {[]func(*Tool){build.Scored(499)}, "x [low_score] Score 4.99, below 5. []"},
		"low enough":          {[]func(*Tool){build.Scored(500)}, "x []  []"},
		"without a score":     {[]func(*Tool){build.Unscored}, "x []  []"},
		"all that lives have": {[]func(*Tool){build.Scored(1), repriced("0 €/an", "2025-06-01", "1 €/an"), ending("2020-12-31", "b")}, "x [ending dearer low_score] Was to end on 2020-12-31; its successor is Outil b. 1 €/an, 0 €/an until 2025-06-01. Score 0.01, below 5. [b]"},
	} {
		s := build.Snapshot(build.Tool("x", append(c.edit, alone)...), build.Tool("b"))
		testkit.Equal(t, name, findings(t, s, "x"), c.want)
	}

	// The model changes first, then the price: it is the price that was until the second day.
	s := build.Snapshot(build.Tool("x", alone, repriced("20 €/mois", "2025-09-01", "24 €/mois"), func(t *Tool) {
		t.History = append(t.History, PriceChange{"2025-06-01", Freemium, "20 €/mois", Paid, "20 €/mois"})
	}))
	testkit.Equal(t, "model, then price", findings(t, s, "x"), "x [dearer] 24 €/mois, 20 €/mois until 2025-09-01. []")

	s = build.Snapshot(build.Tool("b"), build.Retired("feu"), build.Retired("suivi", func(r *Retired) { r.Successor = "b" }))
	testkit.Equal(t, "retired", findings(t, s, "feu"), "feu [retired] Retired on 2025-06-01. [b]")
	testkit.Equal(t, "retired, followed", findings(t, s, "suivi"), "suivi [retired] Retired on 2025-06-01. Its successor is Outil b. [b]")
	_, ok := s.Findings("inconnu", AtLeast(LowScore))
	testkit.Equal(t, "unknown", ok, false)
	_, ok = Empty().Findings("b", AtLeast(LowScore))
	testkit.Equal(t, "before the first edition", ok, false)
}

// The bound is the caller's, for the tool and for those to use instead of it; no bound finds nothing low.
func TestFindings_ScoreMin(t *testing.T) {
	t.Parallel()
	s := build.Snapshot(build.Tool("x", build.Scored(700)), build.Tool("b", build.Scored(750)), build.Tool("c", build.Scored(749)),
		build.Tool("d", build.Unscored))
	for bound, want := range map[Bound]string{
		{}:             "x []  []",
		AtLeast(0):     "x []  []",
		AtLeast(7):     "x []  []",
		AtLeast(7.001): "x [low_score] Score 7, below 7.01. [c b d]",
		AtLeast(7.5):   "x [low_score] Score 7, below 7.5. [b d]",
		AtLeast(10):    "x [low_score] Score 7, below 10. [d]",
	} {
		f, _ := s.Findings("x", bound)
		testkit.Equal(t, "below "+bound.String(), found(f), want)
	}
}

// A tool that came in during the year had no price before, as far as the log says so.
func TestFindings_ANewToolIsNotDearer(t *testing.T) {
	t.Parallel()
	at := func(number int64, day Date) Edition {
		return Edition{Number: number, ID: fmt.Sprint("e", number), PublishedAt: day.Time().Add(time.Hour)}
	}
	next := func(s *Snapshot, day Date, items ...any) *Snapshot {
		e := at(s.Edition().Number+1, day)
		changes := Diff(s.Contents(), build.Contents(items...), e.Date())
		d := changes.Delta(e)
		d.Log = changes.LogEntries(e, s.LastChange())
		return s.Apply(d)
	}
	price := func(slug, price string) *Tool {
		return build.Tool(slug, build.Priced(Paid, price), build.In("catégorie de "+slug))
	}
	s := next(Empty(), "2025-01-10", price("vieux", "20 €/mois"))
	s = next(s, "2025-06-01", price("vieux", "20 €/mois"), price("neuf", "20 €/mois"))
	s = next(s, "2025-09-01", price("vieux", "24 €/mois"), price("neuf", "24 €/mois"))
	const dearer = " [dearer] 24 €/mois, 20 €/mois until 2025-09-01. []"
	for _, c := range []struct {
		day        Date
		old, newer string
	}{
		{"2026-01-09", "vieux []  []", "neuf []  []"}, // neither was there a year ago
		{"2026-01-10", "vieux" + dearer, "neuf []  []"},
		{"2026-05-31", "vieux" + dearer, "neuf []  []"},
		{"2026-06-01", "vieux" + dearer, "neuf" + dearer},
		{"2026-08-31", "vieux" + dearer, "neuf" + dearer},
		{"2026-09-01", "vieux []  []", "neuf []  []"}, // it was that price already
	} {
		s := next(s, c.day, price("vieux", "24 €/mois"), price("neuf", "24 €/mois"))
		testkit.Equal(t, string(c.day), findings(t, s, "vieux"), c.old)
		testkit.Equal(t, string(c.day), findings(t, s, "neuf"), c.newer)
		again := Empty().Apply(s.Whole())
		testkit.Equal(t, "read anew", findings(t, again, "neuf"), c.newer)
	}
}

// The successor comes first, over a chain of those that ended or will, and then the closest alternatives. None of them will end
// or has a low score.
func TestFindings_Instead(t *testing.T) {
	t.Parallel()
	follows := func(slug string) func(*Retired) { return func(r *Retired) { r.Successor = slug } }
	items := []any{
		build.Retired("feu", follows("ancien")), build.Retired("ancien", follows("fin-a")),
		build.Tool("fin-a", ending("2027-01-01", "fin-b"), build.In("image")), build.Tool("fin-b", ending("2027-02-01", "loin"), build.In("image")),
		build.Tool("loin", build.In("voix")),
		build.Tool("rond-a", ending("2027-01-01", "rond-b")), build.Tool("rond-b", ending("2027-01-01", "rond-a")),
		build.Tool("sans-suite", ending("2027-01-01", "bout")), build.Tool("bout", ending("2027-01-01", "")),
		build.Tool("vers-bas", ending("2027-01-01", "bas")), build.Tool("bas", build.Scored(499)),
		build.Tool("vers-proche", ending("2027-01-01", "p2")),
		build.Tool("p1", build.Scored(700)), build.Tool("p2", build.Scored(690)), build.Tool("p3", build.Scored(720)),
		build.Tool("p4", build.Scored(670)), build.Tool("p5", build.Scored(740)), build.Tool("p6", build.Scored(650)),
		build.Tool("bien"),
	}
	s := build.Snapshot(items...)
	closest := "[bien p1 p2 p3 p4]" // to a tool of 7
	for slug, want := range map[string]string{
		"feu":         "feu [retired] Retired on 2025-06-01. Its successor is Feu ancien. [loin p5 p3 bien p1]",
		"fin-a":       "fin-a [ending] Ends on 2027-01-01; its successor is Outil fin-b. [loin]",
		"rond-a":      "rond-a [ending] Ends on 2027-01-01; its successor is Outil rond-b. " + closest,
		"sans-suite":  "sans-suite [ending] Ends on 2027-01-01; its successor is Outil bout. " + closest,
		"vers-bas":    "vers-bas [ending] Ends on 2027-01-01; its successor is Outil bas. " + closest,
		"vers-proche": "vers-proche [ending] Ends on 2027-01-01; its successor is Outil p2. [p2 bien p1 p3 p4]",
		"bas":         "bas [low_score] Score 4.99, below 5. [p6 p4 p2 bien p1]",
		"bien":        "bien []  []",
	} {
		testkit.Equal(t, slug, findings(t, s, slug), want)
	}
}

// Names cannot change how the sentence around them is shown.
func TestFindings_Plain(t *testing.T) {
	t.Parallel()
	s := build.Snapshot(build.Tool("x", ending("2027-01-01", "b")), build.Tool("b", build.Named("Mar\u202eteau\u200b\n")),
		build.Retired("feu", func(r *Retired) { r.Successor = "b" }))
	testkit.Equal(t, "ending", findings(t, s, "x"), "x [ending] Ends on 2027-01-01; its successor is Marteau . [b]")
	testkit.Equal(t, "retired", findings(t, s, "feu"), "feu [retired] Retired on 2025-06-01. Its successor is Marteau . [b]")
}

// As JSON each recognised input has a row, in the order of the inputs, and all others are named, with what they may mean:
// the tools that they name equally well, or else the nearest.
func TestFindingsJSON(t *testing.T) {
	t.Parallel()
	s := build.Snapshot(
		named("rabot", "Rabot", "rabot.example", "pkg:npm/rabot", "pkg:npm/commun"), named("tenon", "Tenon", "tenon.example", "pkg:npm/commun"),
		build.Tool("bas", build.Scored(420), func(t *Tool) { t.Formerly = []string{"bas-d-avant"} }), gone("feu", "Feu", "feu.example"),
	)
	const (
		rabot = `{"slug":"rabot","findings":[],"detail":null,"instead":[],"input":%q,"matched_by":%q}`
		bas   = `{"slug":"bas","findings":["low_score"],"detail":"Score 4.2, below 5.","instead":["rabot","tenon"],"input":%q,"matched_by":%q}`
		feu   = `{"slug":"feu","findings":["retired"],"detail":"Retired on 2025-06-01.","instead":["rabot","tenon"],"input":%q,"matched_by":%q}`
	)
	row := fmt.Sprintf
	for _, c := range []struct {
		inputs         string
		slugs          bool
		rows           []string
		unknown, nears string
	}{
		{"rabot,feu,bas", true, []string{row(rabot, "rabot", "slug"), row(feu, "feu", "slug"), row(bas, "bas", "slug")}, ``, ``},
		{"bas-d-avant,bas", true, []string{row(bas, "bas-d-avant", "slug"), row(bas, "bas", "slug")}, ``, ``},
		{"rabot.example", true, nil, `"rabot.example"`, `"rabot.example":["rabot"]`},
		{"Rabot", true, nil, `"Rabot"`, `"Rabot":["rabot"]`},
		{"Rabot,rabot.example,pkg:npm/rabot@1,bas-d-avant,https://feu.example/", false, []string{
			row(rabot, "Rabot", "name"), row(rabot, "rabot.example", "domain"), row(rabot, "pkg:npm/rabot@1", "package"),
			row(bas, "bas-d-avant", "slug"), row(feu, "https://feu.example/", "domain"),
		}, ``, ``},
		{
			"rabo,pkg:npm/commun@2,pkg:npm/rabo,xylophone,rabot", false,
			[]string{row(rabot, "rabot", "slug")},
			`"rabo","pkg:npm/commun@2","pkg:npm/rabo","xylophone"`, `"rabo":["rabot"],"pkg:npm/commun@2":["rabot","tenon"]`,
		},
		{"a\"b,rab\xff", false, nil, `"a\"b","rab�"`, ``},
		{"", false, nil, ``, ``},
	} {
		var inputs []string
		if c.inputs != "" {
			inputs = strings.Split(c.inputs, ",")
		}
		d, known := s.FindingsJSON(FindingsQuery{Inputs: inputs, Slugs: c.slugs, ScoreMin: AtLeast(LowScore)})
		testkit.Equal(t, "known of "+c.inputs, known, len(c.rows))
		testkit.Equal(t, c.inputs, string(d.Body), fmt.Sprintf(`{"data":[%s],"asked":%d,"known":%d,"unknown":[%s],"near":{%s}}`,
			strings.Join(c.rows, ","), len(inputs), len(c.rows), c.unknown, c.nears))
	}
}

// The nearest tools are looked up for the first ten unknown inputs only: each look-up goes through all names.
func TestFindingsJSON_NearIsBounded(t *testing.T) {
	t.Parallel()
	s := build.Snapshot(build.Tool("rabot", build.Named("Rabot")))
	var inputs []string
	for i := range 100 {
		inputs = append(inputs, fmt.Sprint("rabot", strings.Repeat("x", i%2+1), " ", i))
	}
	d, _ := s.FindingsJSON(FindingsQuery{Inputs: inputs})
	testkit.Equal(t, "inputs with a near tool", strings.Count(string(d.Body), `:["rabot"]`), 10)
}

// Over many editions of a catalog, the findings are what somebody would say who has kept every edition: what a tool
// cost a year ago is looked up in the edition of that day, not in its history.
func TestFindings_AgreeWithTheNaiveReference(t *testing.T) {
	t.Parallel()
	kinds := map[FindingKind]int{}
	if testkit.Raced {
		t.Skip("one reader compares editions with what a naive one finds")
	}
	seeds := testkit.Size(2, 4)
	for seed := range seeds {
		w := build.NewWorld(uint64(seed), 40)
		s := Empty()
		var kept []keptEdition
		for n := range int64(14) {
			w.Change(12)
			e := Edition{Number: n + 1, ID: fmt.Sprint("e", n), PublishedAt: time.Date(2024, 1, 31, 8, 0, 0, 0, time.UTC).AddDate(0, 0, 61*int(n))}
			changes := Diff(s.Contents(), movingPrices(w.Contents(), n), e.Date())
			d := changes.Delta(e)
			d.Log = changes.LogEntries(e, s.LastChange())
			s = s.Apply(d)
			kept = append(kept, keptEdition{e.Date(), s.Contents()})
			for _, bound := range []Bound{AtLeast(LowScore), AtLeast(7.6)} {
				for _, slug := range append(s.FactSlugs(nil), "inconnu") {
					want, known := naiveFinding(s, kept, slug, bound)
					got, ok := s.Findings(slug, bound)
					testkit.Equal(t, fmt.Sprint(seed, " ", e.Date(), " ", slug), found(got), found(want))
					testkit.Equal(t, slug, ok, known)
					for _, kind := range got.Kinds {
						kinds[kind]++
					}
				}
			}
			if t.Failed() {
				return
			}
			if first := slices.Collect(s.RecentChanges()); first[len(first)-1].Seq != 1 {
				t.Fatal("the log no longer says when tools came in")
			}
			build.WantSame(t, s, Empty().Apply(s.Whole()))
		}
	}
	for _, kind := range FindingKinds() {
		if kinds[kind] < 5*seeds {
			t.Errorf("only %d are %s", kinds[kind], kind)
		}
	}
}

// movingPrices gives a third of the tools a price for a month that moves with the editions.
func movingPrices(c *Contents, n int64) *Contents {
	return build.Edited(c, func(c *Contents) {
		for i, t := range c.Tools {
			if i%3 == 0 {
				t.Price = fmt.Sprint((int64(len(t.Name))+n/3)%4, " €/mois")
				t.Next = NextPrice{Pricing: t.Pricing, Price: "3 €/mois", From: "2025-06-01", Source: "https://tarifs.example"}
			}
		}
	})
}

type keptEdition struct {
	day Date
	*Contents
}

func naiveFinding(s *Snapshot, kept []keptEdition, slug string, bound Bound) (f Finding, ok bool) {
	now := kept[len(kept)-1]
	living, dead := map[string]*Tool{}, map[string]*Retired{}
	for _, t := range now.Tools {
		living[t.Slug] = t
	}
	for _, r := range now.Retired {
		dead[r.Slug] = r
	}
	fits := func(t *Tool) bool {
		score := float64(t.Score.Hundredths) / 100
		least := float64(bound.Hundredths) / 100
		return t.Slug != slug && t.Ending == Ending{} && (!t.Score.Known || score >= least)
	}
	var sentences []string
	say := func(kind FindingKind, sentence string, values ...any) {
		f.Kinds, sentences = append(f.Kinds, kind), append(sentences, fmt.Sprintf(sentence, values...))
	}
	f.Slug = slug
	var others []*Tool
	var successor string
	r, t := dead[slug], living[slug]
	switch {
	case r != nil:
		others, successor = naiveBest(now.Contents, r.Category), r.Successor
		if say(FindingRetired, "Retired on %s.", r.RetiredAt); living[successor] != nil {
			sentences = append(sentences, "Its successor is "+living[successor].Name+".")
		}
	case t != nil:
		others, successor = s.Alternatives(slug), t.Ending.Successor
		verb, next := "Ends", ""
		if t.Ending.At < now.day {
			verb = "Was to end"
		}
		if living[successor] != nil {
			next = "; its successor is " + living[successor].Name
		}
		if t.Ending.At != "" {
			say(FindingEnding, "%s on %s%s.", verb, t.Ending.At, next)
		}
		if was, until := naiveYearAgo(kept, slug); until != "" {
			say(FindingDearer, "%s, %s until %s.", t.Price, was, until)
		}
		was, _ := ParsePrice(t.Price)
		to, announced := ParsePrice(t.Next.Price)
		if announced && to.Cents > was.Cents && (was.Cents == 0 || was.Period == to.Period) {
			will := "Will"
			if t.Next.From < now.day {
				will = "Was to"
			}
			say(FindingSoon, "%s cost %s from %s; %s today.", will, to, t.Next.From, t.Price)
		}
		if t.Score.Known && t.Score.Hundredths < bound.Hundredths {
			say(FindingLowScore, "Score %s, below %s.", t.Score, bound)
		}
	default:
		return Finding{}, false
	}
	for range living { // no chain is longer
		if next := living[successor]; next != nil && next.Ending.At != "" {
			successor = next.Ending.Successor
		}
	}
	if next := living[successor]; next != nil {
		others = append([]*Tool{next}, others...)
	}
	for _, t := range others {
		if len(f.Kinds) > 0 && len(f.Instead) < 5 && fits(t) && !slices.Contains(f.Instead, t.Slug) {
			f.Instead = append(f.Instead, t.Slug)
		}
	}
	f.Detail = strings.Join(sentences, " ")
	return f, true
}

// naiveBest are the best tools of a category.
func naiveBest(c *Contents, category string) (best []*Tool) {
	for _, t := range c.Tools {
		if t.Category == category && (!t.Score.Known || t.Score.Hundredths >= 600) {
			best = append(best, t)
		}
	}
	slices.SortFunc(best, func(a, b *Tool) int {
		return cmp.Or(cmp.Compare(b.Score.Hundredths, a.Score.Hundredths), cmp.Compare(a.Slug, b.Slug))
	})
	return best[:min(len(best), MaxAlternatives)]
}

// naiveYearAgo is what a tool cost in the edition of a year ago and the day of the first edition in which it cost something
// else, if it has been there ever since and costs more now.
func naiveYearAgo(kept []keptEdition, slug string) (was string, until Date) {
	now := kept[len(kept)-1]
	t := now.day.Time()
	day := DateOf(time.Date(t.Year()-1, t.Month(), t.Day(), 0, 0, 0, 0, time.UTC))
	is := build.Find(now.Contents, slug).Price
	slugs := make([]string, len(kept)) // that it had in each edition
	for i := range slices.Backward(kept) {
		if slugs[i] = slug; i > 0 {
			slug = cmp.Or(formerNames(bearersOf(kept[i-1].Contents, true), bearersOf(kept[i].Contents, true))[slug], slug)
		}
	}
	for i, e := range kept {
		if i+1 < len(kept) && kept[i+1].day <= day || e.day > day && was == "" {
			continue // it was not the edition of that day
		}
		at := slices.IndexFunc(e.Tools, func(t *Tool) bool { return t.Slug == slugs[i] })
		if at < 0 {
			return "", ""
		}
		switch price := e.Tools[at].Price; {
		case was == "":
			was = price
		case price != was && until == "":
			until = e.day
		}
	}
	var before, after Price
	fmt.Sscanf(strings.Replace(was, "€/", "", 1), "%d %s", &before.Cents, &before.Period)
	fmt.Sscanf(strings.Replace(is, "€/", "", 1), "%d %s", &after.Cents, &after.Period)
	if was == "" || after.Cents <= before.Cents || before.Period != after.Period && before.Cents != 0 {
		return "", ""
	}
	return was, until
}
