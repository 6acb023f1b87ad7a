package historytest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// An Edition is a commit of a generated repository, and how it is published.
type Edition struct {
	Commit, Day string
	Correct     []string
}

// Options say what Generate writes.
type Options struct {
	Seed            uint64
	Editions, Tools int
}

// Generate writes a repository of a catalog into an empty directory, and returns its editions, the oldest first. Tools
// come, get other prices, scores, names, categories and slugs, are retired, come back and are removed, and slips are corrected.
func Generate(dir string, o Options) ([]Edition, error) {
	g := &generator{
		Rand: rand.New(rand.NewPCG(o.Seed, 41)), dir: dir, //nolint:gosec // the same for the same seed
		day: time.Date(2024, 1, 5, 0, 0, 0, 0, time.UTC), taken: make(map[string]bool),
	}
	if err := g.git("init", "-q", "-b", "main"); err != nil {
		return nil, err
	}
	for range o.Tools {
		g.add(g.slug())
	}
	var editions []Edition
	for i := range o.Editions {
		var correct []string
		if i > 0 {
			if g.IntN(3) > 0 { // else twice a day
				g.day = g.day.AddDate(0, 0, 1+g.IntN(18))
			}
			correct = g.edit(o.Tools)
		}
		commit, err := g.commit(i+1, correct)
		if err != nil {
			return nil, err
		}
		editions = append(editions, Edition{commit, g.today(), correct})
	}
	return editions, nil
}

// A generator has the files as they are, and how tools came to what they have.
type generator struct {
	*rand.Rand
	dir   string
	day   time.Time
	tools []*file
	taken map[string]bool // slugs in use, now or as a former one
	freed []string        // slugs of tools that earlier editions removed
	gone  []string        // slugs of tools that this edition removes: a tool that takes one at once is the same tool
	slips []*file         // whose price or score the last edition moved
}

// A file is a tool's, living or retired.
type file struct {
	slug, name, category, pricing, price, score, since, retired string
	formerly                                                    []string
	from                                                        string // the day from which the price is true
	stated                                                      bool   // a since was written: its prices are no slips
}

func (g *generator) today() string { return g.day.Format(time.DateOnly) }

func (g *generator) slug() string {
	if len(g.freed) > 0 && g.IntN(2) == 0 {
		slug := g.freed[0]
		g.freed = g.freed[1:]
		return slug
	}
	for n := len(g.taken); ; n++ {
		if slug := fmt.Sprintf("outil-%d", n); !g.taken[slug] {
			return slug
		}
	}
}

func (g *generator) add(slug string) {
	g.taken[slug] = true
	f := &file{slug: slug, name: "Outil " + slug, category: g.of("code", "chat", "image")}
	g.offer(f)
	f.score, f.from = g.of("", "7", "8.5", "9.1"), g.today()
	g.tools = append(g.tools, f)
}

func (g *generator) of(values ...string) string { return values[g.IntN(len(values))] }

// offer gives a tool a price, at times the one it has.
func (g *generator) offer(f *file) {
	f.pricing, f.price, _ = strings.Cut(g.of("gratuit 0 €/mois", "freemium 0 €/mois", "freemium 8 €/mois", "payant 8 €/mois",
		"payant 9,90 €/mois", "payant 24 €/mois", "payant 199 €/an", "payant 2400 €/mois", "payant 5 €/crédit"), " ")
}

// edit changes some tools, each in one way, and returns those whose last change was a slip.
func (g *generator) edit(tools int) (correct []string) {
	slips := g.slips
	g.slips = nil
	all := slices.Clone(g.tools)
	for _, i := range g.Perm(len(all))[:1+g.IntN(5)] {
		f := all[i]
		if f.retired != "" {
			g.haunt(f)
			continue
		}
		if slices.Contains(slips, f) {
			continue
		}
		switch g.IntN(12) {
		case 0, 1, 2, 3:
			g.reprice(f)
		case 4, 5:
			if f.score = g.of("", "7", "8.5", "9.1", "9.3"); !f.stated {
				g.slips = append(g.slips, f)
			}
		case 6:
			f.name += "+"
			f.category = g.of("code", "chat", "image")
		case 7, 8:
			g.rename(f)
		case 9, 10:
			f.retired = g.day.AddDate(0, 0, -g.IntN(25)).Format(time.DateOnly)
			if g.IntN(4) == 0 {
				g.rename(f)
			}
		case 11:
			g.remove(f)
		}
	}
	for _, f := range slips {
		if g.IntN(2) > 0 || !slices.Contains(g.tools, f) {
			continue
		}
		was := *f
		if g.offer(f); was.pricing+was.price == f.pricing+f.price || g.IntN(3) == 0 {
			f.score = g.of("7", "8.5", "9.2")
		}
		if was.pricing+was.price+was.score != f.pricing+f.price+f.score {
			correct = append(correct, f.slug)
			g.slips = append(g.slips, f)
		}
	}
	for len(g.tools) < tools {
		g.add(g.slug())
	}
	g.freed, g.gone = append(g.freed, g.gone...), nil
	return correct
}

// reprice gives a tool another price, at times since an earlier day.
func (g *generator) reprice(f *file) {
	was := *f
	if g.offer(f); was.pricing+was.price == f.pricing+f.price {
		return
	}
	before, err := time.Parse(time.DateOnly, was.from)
	since := before.AddDate(0, 0, 1+g.IntN(10)).Format(time.DateOnly)
	f.from, f.since = g.today(), ""
	if err == nil && since <= g.today() && g.IntN(3) == 0 {
		f.from, f.since, f.stated = since, since, true
	}
	if !f.stated {
		g.slips = append(g.slips, f)
	}
}

// haunt changes a retired tool.
func (g *generator) haunt(f *file) {
	switch g.IntN(6) {
	case 0: // known better
		if day, err := time.Parse(time.DateOnly, f.retired); err == nil {
			f.retired = min(day.AddDate(0, 0, g.IntN(12)-6).Format(time.DateOnly), g.today())
		}
	case 1, 2, 3: // lives again
		f.retired, f.since, f.from = "", "", g.today()
		if g.IntN(2) == 0 {
			g.offer(f)
		}
		if g.IntN(4) == 0 {
			g.rename(f)
		}
	case 4:
		g.rename(f)
	case 5:
		g.remove(f)
	}
}

// rename gives a tool a new slug, at times one that it had.
func (g *generator) rename(f *file) {
	if len(f.formerly) == 10 {
		return
	}
	slug := g.slug()
	if n := len(f.formerly); n > 0 && g.IntN(3) == 0 {
		slug = f.formerly[n-1]
		f.formerly = f.formerly[:n-1]
	}
	g.taken[slug] = true
	f.formerly = append(f.formerly, f.slug)
	f.slug = slug
}

func (g *generator) remove(f *file) {
	g.tools = slices.DeleteFunc(g.tools, func(x *file) bool { return x == f })
	g.gone = append(append(g.gone, f.slug), f.formerly...)
}

func (g *generator) git(args ...string) error {
	_, err := g.output(args...)
	return err
}

// output runs git as of the day, without anybody's configuration.
func (g *generator) output(args ...string) (string, error) {
	cmd := exec.Command("git", args...) //nolint:gosec,noctx // what the generator asks for
	at := g.today() + "T12:00:00Z"
	cmd.Dir = g.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at,
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %q: %w\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

const header = `name: Palmarès
url: https://palmares.example
site:
  tool: "https://palmares.example/outils/{slug}"
  review: "https://palmares.example/avis/{slug}"
  alternatives: "https://palmares.example/alternatives/{slug}"
  comparison: "https://palmares.example/comparatifs/{slug}"
`

const categories = "- {slug: code, label: Code}\n- {slug: chat, label: Chat}\n- {slug: image, label: Image}\n"

// commit writes all files and commits them.
func (g *generator) commit(number int, correct []string) (string, error) {
	files := map[string]string{"catalog.yaml": header, "categories.yaml": categories}
	for _, f := range g.tools {
		folder := "tools"
		if f.retired != "" {
			folder = "cimetiere"
		}
		files[folder+"/"+f.slug+".md"] = f.text()
	}
	for _, folder := range []string{"tools", "cimetiere"} {
		if err := os.RemoveAll(filepath.Join(g.dir, folder)); err != nil {
			return "", err
		}
		if err := os.Mkdir(filepath.Join(g.dir, folder), 0o755); err != nil {
			return "", err
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(g.dir, name), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	message := fmt.Sprintf("Édition %d\n", number)
	if len(correct) > 0 {
		message += "\nCorrect: " + strings.Join(correct, " ") + "\n"
	}
	if err := g.git("add", "-A"); err != nil {
		return "", err
	}
	if err := g.git("commit", "-q", "--allow-empty", "-m", message); err != nil {
		return "", err
	}
	return g.output("rev-parse", "HEAD")
}

func (f *file) text() string {
	var b strings.Builder
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", key, value)
		}
	}
	b.WriteString("---\n")
	line("name", f.name)
	line("category", f.category)
	if len(f.formerly) > 0 {
		line("formerly", "["+strings.Join(f.formerly, ", ")+"]")
	}
	if f.retired != "" {
		line("reason", "mort")
		line("retired_at", f.retired)
		return b.String() + "---\nFermé.\n"
	}
	line("domain", f.slug+".example")
	line("icp", "mixte")
	line("pricing", f.pricing)
	line("price", f.price)
	line("since", f.since)
	line("score", f.score)
	line("tagline", "Un outil inventé")
	line("obsolescence", "2")
	line("tier", "1")
	line("mainstream", "true")
	return b.String() + "---\n"
}
