package generate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// MutateOptions say what Mutate changes.
type MutateOptions struct {
	Tools int // how many tools change
	Seed  uint64
}

// A MutateSummary counts the tools that Mutate changed and what of them; one tool may have several changes.
type MutateSummary struct{ Tools, Prices, Scores, Taglines, Reviews int }

// Mutate changes as many tools of a generated catalog as asked, in place, as a day's work of the editors would:
// prices, scores, taglines, a sentence of a review in French. The same files and options give the same result.
// Comparisons keep their winner even if the scores no longer agree.
func Mutate(ctx context.Context, dir string, o MutateOptions) (sum MutateSummary, err error) {
	all, err := os.ReadDir(filepath.Join(dir, toolsDir)) // sorted
	if err != nil {
		return sum, fmt.Errorf("list the tools: %w", err)
	}
	all = slices.DeleteFunc(all, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), catalog.EnglishPage) })
	if o.Tools < 0 || o.Tools > len(all) {
		return sum, fmt.Errorf("tools to change: %d, but %s holds %d", o.Tools, dir, len(all))
	}
	rng := newRand(o.Seed, 0)
	for _, i := range rng.Perm(len(all))[:o.Tools] {
		path := filepath.Join(dir, toolsDir, all[i].Name())
		if err := sum.mutate(rng, path); err != nil || ctx.Err() != nil {
			return sum, fmt.Errorf("%s: %w", path, errors.Join(err, ctx.Err()))
		}
	}
	return sum, nil
}

var (
	fieldLine    = regexp.MustCompile(`(?m)^(name|category|pricing|price|score|tagline): (.*)$`)
	ofPrice      = regexp.MustCompile(`(?m)^(?:since|price_next): .*\n`)      // what holds for one price alone
	lastSentence = regexp.MustCompile(`(?m)^(?:[^#\-\n].*\. )?([^#\-\n].*)$`) // of a paragraph
)

// mutate draws what changes of a file. Something always does: every tool has a tagline.
func (m *MutateSummary) mutate(rng *rand.Rand, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	front, body, _ := strings.Cut(string(data), "\n"+fence)
	fields := map[string]string{}
	for _, field := range fieldLine.FindAllStringSubmatch(front, -1) {
		fields[field[1]] = field[2]
	}
	if !slices.Contains(categories, fields["category"]) || fields["tagline"] == "" {
		return errors.New("not a generated tool")
	}
	set := func(field, value string, count *int) {
		if value != fields[field] {
			front = strings.Replace(front, "\n"+field+": "+fields[field], "\n"+field+": "+value, 1)
			*count++
		}
	}
	before, price := *m, newPrice(rng, catalog.Pricing(fields["pricing"]))
	was, _ := catalog.ParsePrice(strings.Trim(fields["price"], `"`))
	if is, _ := catalog.ParsePrice(price); rng.IntN(100) < 60 && !was.Jumps(is) { // a publication would take it for a slip
		set("price", strconv.Quote(price), &m.Prices)
		front = ofPrice.ReplaceAllString(front, "")
	}
	if score, err := catalog.ParseMeasure(fields["score"]); err == nil && rng.IntN(100) < 35 {
		step := one(rng, []int{-1, 1}) * 10 * (1 + rng.IntN(8))
		set("score", catalog.Hundredths(max(100, min(int(score.Hundredths)+step, 980))).String(), &m.Scores)
	}
	name, _ := strconv.Unquote(fields["name"])
	s := newSpeaker(rng, fields["category"], map[string]string{"tool": name})
	if ends := lastSentence.FindAllStringSubmatchIndex(body, -1); ends != nil && rng.IntN(100) < 30 {
		end := one(rng, ends)
		for old := body; body == old; {
			body = old[:end[2]] + s.phrase("again").french + old[end[3]:]
		}
		m.Reviews++
	}
	for m.Taglines == before.Taglines && (*m == before || rng.IntN(100) < 15) {
		set("tagline", both(s.short("tagline")), &m.Taglines)
	}
	m.Tools++
	return os.WriteFile(path, []byte(front+"\n"+fence+body), 0o644) //nolint:gosec // the user chose it
}
