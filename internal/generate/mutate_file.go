package generate

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// errNotGenerated is the fault of a file that Write cannot have written.
var errNotGenerated = errors.New("not a generated tool")

func mutateFile(s *speaker, rng *rand.Rand, path string) (MutateSummary, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return MutateSummary{}, fmt.Errorf("read a tool: %w", err)
	}
	f, err := parseToolFile(string(data))
	if err != nil {
		return MutateSummary{}, fmt.Errorf("%s: %w", path, err)
	}
	changes, err := f.mutate(s, rng)
	if err != nil {
		return MutateSummary{}, fmt.Errorf("%s: %w", path, err)
	}
	if err := os.WriteFile(path, []byte(f.String()), 0o644); err != nil { //nolint:gosec // the directory is the user's choice
		return MutateSummary{}, fmt.Errorf("write a tool: %w", err)
	}
	return changes, nil
}

// A toolFile is a tool's file cut into lines, as far as Mutate must know it.
type toolFile struct {
	front []string // key: value
	body  []string // the review, "" first when there is one
}

func parseToolFile(text string) (*toolFile, error) {
	text, opened := strings.CutPrefix(text, fence)
	front, body, closed := strings.Cut(text, "\n"+fence)
	if !opened || !closed {
		return nil, errNotGenerated
	}
	return &toolFile{front: strings.Split(front, "\n"), body: strings.Split(body, "\n")}, nil
}

func (f *toolFile) String() string {
	return fence + strings.Join(f.front, "\n") + "\n" + fence + strings.Join(f.body, "\n")
}

// field finds a line of the front matter, and its value without quotes.
func (f *toolFile) field(key string) (line int, value string) {
	for i, text := range f.front {
		if value, found := strings.CutPrefix(text, key+": "); found {
			if bare, err := strconv.Unquote(value); err == nil {
				value = bare
			}
			return i, value
		}
	}
	return -1, ""
}

// mutate draws what changes. Something always does: every tool has a tagline.
func (f *toolFile) mutate(s *speaker, rng *rand.Rand) (MutateSummary, error) {
	_, slug := f.field("category")
	c, known := categoryBySlug(slug)
	_, name := f.field("name")
	_, domain := f.field("domain")
	if !known || name == "" {
		return MutateSummary{}, errNotGenerated
	}
	s.begin(rng, c)
	s.know("outil", name)
	s.know("domaine", domain)

	sum := MutateSummary{Tools: 1}
	if rng.IntN(100) < 45 {
		sum.Prices = f.mutatePrice(rng)
	}
	if rng.IntN(100) < 35 {
		sum.Scores = f.mutateScore(rng)
	}
	if rng.IntN(100) < 30 {
		sum.Reviews = f.mutateReview(s)
	}
	if rng.IntN(100) < 15 || sum == (MutateSummary{Tools: 1}) {
		sum.Taglines = f.mutateTagline(s)
	}
	if sum == (MutateSummary{Tools: 1}) {
		return MutateSummary{}, errNotGenerated
	}
	return sum, nil
}

// maxDraws bounds the search for a price near one that somebody wrote by hand.
const maxDraws = 100

// mutatePrice leaves the pricing model alone, and so free tools: their review
// speaks of it. It draws no price that a publication would take for a slip.
func (f *toolFile) mutatePrice(rng *rand.Rand) int {
	_, pricing := f.field("pricing")
	line, old := f.field("price")
	if line < 0 || pricing == string(catalog.Free) {
		return 0
	}
	price := old
	was, _ := catalog.ParsePrice(old)
	for tries := 0; price == old; tries++ {
		if tries == maxDraws {
			return 0
		}
		price = drawPrice(rng, catalog.Pricing(pricing))
		if is, _ := catalog.ParsePrice(price); was.Jumps(is) {
			price = old
		}
	}
	f.front[line] = "price: " + strconv.Quote(price)
	return 1
}

// mutateScore moves a score by a tenth to eight, towards the middle of the scale.
func (f *toolFile) mutateScore(rng *rand.Rand) int {
	line, text := f.field("score")
	old, err := catalog.ParseMeasure(text)
	if line < 0 || err != nil {
		return 0
	}
	step := 10 * (1 + rng.IntN(8))
	if old.Hundredths > 900 || old.Hundredths > 300 && rng.IntN(2) == 0 {
		step = -step
	}
	f.front[line] = "score: " + catalog.Hundredths(int(old.Hundredths)+step).String()
	return 1
}

func (f *toolFile) mutateTagline(s *speaker) int {
	line, old := f.field("tagline")
	if line < 0 {
		return 0
	}
	tagline := old
	for tagline == old {
		tagline = s.phrase("accroche")
	}
	f.front[line] = "tagline: " + scalar(tagline)
	return 1
}

// mutateReview writes the last sentence of a paragraph anew.
func (f *toolFile) mutateReview(s *speaker) int {
	var paragraphs []int
	for i, text := range f.body {
		if text != "" && !strings.HasPrefix(text, "#") && !strings.HasPrefix(text, "- ") {
			paragraphs = append(paragraphs, i)
		}
	}
	if len(paragraphs) == 0 {
		return 0
	}
	line := paragraphs[s.rng.IntN(len(paragraphs))]
	old := f.body[line]
	kept := ""
	if cut := strings.LastIndex(old, ". "); cut >= 0 {
		kept = old[:cut+len(". ")]
	}
	for f.body[line] == old {
		f.body[line] = kept + s.phrase("reprise")
	}
	return 1
}
