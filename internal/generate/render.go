package generate

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"unicode"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// fence opens and closes a front matter.
const fence = "---\n"

// tagline begins a tool with the sentence about it.
func tagline(s *speaker, rng *rand.Rand, t *tool) string {
	s.begin(rng, t.category)
	s.know("outil", t.Name)
	s.know("domaine", t.Domain)
	return s.phrase("accroche")
}

// renderTool makes a tool's file. The bytes are the speaker's: they hold until
// it begins its next item.
func renderTool(s *speaker, rng *rand.Rand, t *tool) []byte {
	said := tagline(s, rng, t)

	s.add(fence)
	s.field("name", scalar(t.Name))
	s.field("domain", scalar(t.Domain))
	s.packages(t.Packages)
	s.field("category", t.Category)
	s.field("icp", string(t.ICP))
	s.field("pricing", string(t.Pricing))
	s.field("price", strconv.Quote(t.Price))
	if t.Score.Known {
		s.field("score", t.Score.String())
		s.field("verifiability", t.Verifiability.String())
	}
	s.field("tagline", scalar(said))
	s.field("obsolescence", t.Obsolescence.String())
	s.field("tier", strconv.Itoa(t.Tier))
	s.field("mainstream", strconv.FormatBool(t.Mainstream))
	if t.Tested.By != "" {
		s.field("tested", "{by: "+t.Tested.By+", on: "+string(t.Tested.On)+"}")
	}
	s.sources(t.FactList())
	if t.Ending.Announced() {
		s.field("ends_at", string(t.Ending.At))
		s.field("ends_source", t.Ending.Source)
		s.field("successor", t.Ending.Successor)
	}
	s.add(fence)
	if t.reviewed {
		s.review(t.Score, t.Pricing)
	}
	return s.buf
}

// packages writes the packages of an item, one a line.
func (s *speaker) packages(list []string) {
	if len(list) == 0 {
		return
	}
	s.add("packages:\n")
	for _, p := range list {
		s.add("  - " + p + "\n")
	}
}

// sources writes the sources of an item, one a line.
func (s *speaker) sources(facts []catalog.FieldFact) {
	s.add("sources:\n")
	for _, f := range facts {
		if !f.Known() {
			continue
		}
		s.add("  " + string(f.Field) + ": {url: " + f.Source + ", checked: " + string(f.Checked))
		if f.Text != "" {
			s.add(", text: " + strconv.Quote(f.Text))
		}
		if f.Note != "" {
			s.add(", note: " + strconv.Quote(f.Note))
		}
		s.add("}\n")
	}
}

// title begins a comparison with its title.
func title(s *speaker, rng *rand.Rand, c comparison) string {
	winner, loser := c.ranked()
	s.begin(rng, c.a.category)
	s.know("a", c.a.Name)
	s.know("b", c.b.Name)
	s.know("gagnant", winner.Name)
	s.know("perdant", loser.Name)
	return s.phrase("titre de comparatif")
}

func renderComparison(s *speaker, rng *rand.Rand, c comparison) []byte {
	winner, _ := c.ranked()
	titled := title(s, rng, c)
	status := "published"
	if c.draft {
		status = "draft"
	}
	s.add(fence)
	s.field("title", scalar(titled))
	s.field("tool_a", c.a.Slug)
	s.field("tool_b", c.b.Slug)
	s.field("winner", winner.Slug)
	s.field("status", status)
	s.add(fence + "\n")
	s.say("avantage")
	s.add(" ")
	s.say("nuance")
	s.add("\n")
	return s.buf
}

func renderRetired(s *speaker, rng *rand.Rand, r retired) []byte {
	s.begin(rng, r.category)
	s.know("outil", r.Name)
	s.know("repreneur", r.heir)

	s.add(fence)
	s.field("name", scalar(r.Name))
	if r.Domain != "" {
		s.field("domain", scalar(r.Domain))
	}
	s.packages(r.Packages)
	s.field("category", r.Category)
	s.field("reason", string(r.Reason))
	s.field("retired_at", string(r.RetiredAt))
	s.sources(r.FactList())
	s.field("successor", r.Successor)
	s.add(fence + "\n")
	s.say("fin " + string(r.Reason))
	s.add(" ")
	s.sentences("épitaphe", 1+rng.IntN(2))
	s.add("\n")
	return s.buf
}

func renderCatalog() []byte {
	const site = "https://palmares.example"
	s := newSpeaker()
	s.field("name", "Palmarès de synthèse")
	s.field("url", scalar(site))
	s.add("site:\n")
	s.field("  tool", scalar(site+"/outils/"+catalog.SlugPlaceholder))
	s.field("  review", scalar(site+"/avis/"+catalog.SlugPlaceholder))
	s.field("  alternatives", scalar(site+"/alternatives/"+catalog.SlugPlaceholder))
	s.field("  comparison", scalar(site+"/comparatifs/"+catalog.SlugPlaceholder))
	return s.buf
}

func renderCategories() []byte {
	s := newSpeaker()
	for _, c := range categories {
		s.field("- slug", c.slug)
		s.field("  label", scalar(c.label))
	}
	return s.buf
}

func (s *speaker) field(key, value string) {
	s.add(key)
	s.add(": ")
	s.add(value)
	s.add("\n")
}

// scalar writes a text as YAML, plain when nothing in it could be read as
// anything but text. Go's quoted form is YAML's for the texts of a catalog.
func scalar(text string) string {
	for i, r := range text {
		plain := unicode.IsLetter(r) || i > 0 && (unicode.IsDigit(r) || strings.ContainsRune(" .,'-()%;", r))
		if !plain {
			return strconv.Quote(text)
		}
	}
	switch strings.ToLower(text) {
	case "", "true", "false", "yes", "no", "on", "off", "y", "n", "null":
		return strconv.Quote(text)
	}
	if strings.HasSuffix(text, " ") {
		return strconv.Quote(text)
	}
	return text
}
