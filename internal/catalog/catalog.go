package catalog

import (
	"slices"
	"strings"
	"time"
)

// ICP is the kind of user a tool is made for (its "ideal customer profile").
type ICP string

// The profiles a tool can be made for.
const (
	VibeCoder       ICP = "vibe-coder"
	AgenticEngineer ICP = "agentic-engineer"
	Mixed           ICP = "mixte"
)

// ICPs lists every profile, in the order the documentation gives them.
func ICPs() []ICP { return []ICP{VibeCoder, AgenticEngineer, Mixed} }

// Pricing is the pricing model of a tool.
type Pricing string

// The pricing models.
const (
	Free     Pricing = "gratuit"
	Freemium Pricing = "freemium"
	Paid     Pricing = "payant"
)

// Pricings lists every pricing model, in the order the documentation gives them.
func Pricings() []Pricing { return []Pricing{Free, Freemium, Paid} }

// Reason is why a tool was retired.
type Reason string

// The reasons for a retirement.
const (
	Dead       Reason = "mort"
	Acquired   Reason = "acquis"
	Deprecated Reason = "deprecie"
	Pivoted    Reason = "pivot"
	Absorbed   Reason = "absorbe"
)

// Reasons lists every reason, in the order the documentation gives them.
func Reasons() []Reason { return []Reason{Dead, Acquired, Deprecated, Pivoted, Absorbed} }

// A Service is the catalog's own identity: its name and address (which make up the credit line),
// the URL patterns of its site, and its operator's words.
type Service struct {
	Name    string
	URL     string
	Site    Site
	Words   Words
	License License // of the data
}

// A Site holds the URL patterns of the pages about an item; each contains SlugPlaceholder.
type Site struct {
	Tool         string
	Review       string
	Alternatives string
	Comparison   string
}

// SlugPlaceholder stands for the item's slug in a Site's patterns.
const SlugPlaceholder = "{slug}"

// Credit returns the line that anyone who reuses the data must show.
func (s Service) Credit() string { return "Source : " + s.Name + " (" + s.URL + ")" }

// ToolURL returns the address of the page about a tool.
func (s Service) ToolURL(slug string) string { return expand(s.Site.Tool, slug) }

// ReviewURL returns the address of the review of a tool.
func (s Service) ReviewURL(slug string) string { return expand(s.Site.Review, slug) }

// ComparisonURL returns the address of the page of a comparison.
func (s Service) ComparisonURL(slug string) string { return expand(s.Site.Comparison, slug) }

func expand(pattern, slug string) string {
	return strings.ReplaceAll(pattern, SlugPlaceholder, slug)
}

// A Category groups tools. Categories keep the order in which the editors list them.
type Category struct {
	Slug    string
	Label   string
	English Translation // of the label

	Synonyms Synonyms // only search knows them
}

// Synonyms are what else people call something, in both languages.
type Synonyms struct{ French, English []string }

// Equal reports whether both are the same, in the same order.
func (s Synonyms) Equal(other Synonyms) bool {
	return slices.Equal(s.French, other.French) && slices.Equal(s.English, other.English)
}

// Equal reports whether both categories are the same.
func (c Category) Equal(other Category) bool {
	return c.Slug == other.Slug && c.Label == other.Label && c.English == other.English && c.Synonyms.Equal(other.Synonyms)
}

// A Tool is one living tool of the catalog.
type Tool struct {
	Slug          string
	Name          string
	Domain        string
	Packages      []string // package URLs, as ParsePackage returns them
	Formerly      []string // former slugs, oldest first, which no other item has; the first may be Slug again
	Category      string   // a Category's slug
	ICP           ICP
	Pricing       Pricing
	Price         string // "20 €/mois"
	Score         Measure
	Verifiability Measure
	Obsolescence  Measure
	Tagline       string
	Tier          int // 1 is the highest
	Mainstream    bool
	Tested        Tested
	Facts         ToolFacts
	Ending        Ending
	Since         Date // when the price began, if the editors state it; else ""
	Next          NextPrice
	Keywords      Synonyms // only search knows them
	Review        Review
	English       ToolEnglish

	// Source is the digest of the file the tool was read from, so that an
	// unchanged file need not be decoded again. Empty on a node.
	Source string

	// The fields below are set when the tool is published, never by hand.

	UpdatedAt Date
	Embedded  bool          // the tool belongs to the embeddings set
	History   []PriceChange // newest first
}

// A Tested records who tested a tool, and when. Only pages show it; the zero value means not
// recorded.
type Tested struct {
	By string
	On Date
}

// A Review is the text of a tool's test: as plain text cut into sections, and as Markdown. A tool
// that was loaded without its text has a Hash and no Sections.
type Review struct {
	Hash     string // of the sections; "" means there is no review
	Sections []Section
	Markdown Markdown
	Opening  string // as Opening cuts the text before the first heading
}

// Exists reports whether the tool has a review.
func (r Review) Exists() bool { return r.Hash != "" }

// A Section is one part of a review, under one heading.
type Section struct {
	ID      string // the heading's anchor
	Heading string
	Text    string // plain text, no markup
}

// A PriceChange is one entry of a tool's price history.
type PriceChange struct {
	ChangedAt  Date
	OldPricing Pricing
	OldPrice   string
	NewPricing Pricing
	NewPrice   string
}

// A Comparison sets two tools head to head. Tools are named by slug.
type Comparison struct {
	Slug      string
	Formerly  []string // as Tool.Formerly
	Title     string
	ToolA     string
	ToolB     string
	Winner    string // ToolA or ToolB
	Note      string // why the winner wins
	English   ComparisonEnglish
	Draft     bool   // drafts are checked but never published
	Source    string // as Tool.Source
	UpdatedAt Date   // decided when published
}

// A Retired is a retired tool. The API calls their list the cemetery.
type Retired struct {
	Slug      string
	Name      string
	Domain    string   // "" where it is not known
	Packages  []string // as Tool.Packages
	Formerly  []string // as Tool.Formerly
	Category  string
	Reason    Reason
	RetiredAt Date
	Note      string
	Successor string // the slug of the tool to use instead; "" for none
	Facts     RetiredFacts
	English   RetiredEnglish
	Source    string // as Tool.Source
}

// Contents is one state of the whole catalog: what the editors' files say, or
// what the database holds. Every list of items is sorted by slug.
type Contents struct {
	Service     Service
	Categories  []Category
	Tools       []*Tool
	Comparisons []*Comparison
	Retired     []*Retired
	Files       []*OperatorFile // by name
	Incidents   []Incident      // the newest first
}

// Sort sorts tools, comparisons and retired tools by slug, and files by name.
func (c *Contents) Sort() {
	slices.SortFunc(c.Tools, func(a, b *Tool) int { return strings.Compare(a.Slug, b.Slug) })
	slices.SortFunc(c.Comparisons, func(a, b *Comparison) int { return strings.Compare(a.Slug, b.Slug) })
	slices.SortFunc(c.Retired, func(a, b *Retired) int { return strings.Compare(a.Slug, b.Slug) })
	slices.SortFunc(c.Files, func(a, b *OperatorFile) int { return strings.Compare(a.Name, b.Name) })
}

// An Edition is one published state of the catalog. Numbers only grow. The ID is random: it
// distinguishes editions of the same number, which exist after a database is restored from a
// backup.
type Edition struct {
	Number      int64
	ID          string
	PublishedAt time.Time
}

// Date returns the day of the edition, in UTC.
func (e Edition) Date() Date { return DateOf(e.PublishedAt) }

// MaxSlug is the maximum length of a slug.
const MaxSlug = 80

// ValidSlug reports whether s is made of lower-case words (letters a to z and
// digits) joined by single hyphens, 80 characters at most.
func ValidSlug(s string) bool {
	if s == "" || len(s) > MaxSlug {
		return false
	}
	hyphen := true // a hyphen may not come first
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
			hyphen = false
		case c == '-' && !hyphen:
			hyphen = true
		default:
			return false
		}
	}
	return !hyphen
}

// A Fact is the source of a value, and when it was last checked. The zero Fact means that there is
// no source.
type Fact struct {
	Source  string // a URL
	Checked Date
	Text    string // the value in the source's words, if they differ from the catalog's: "$20/month"
	Note    string
}

// Known reports whether the value has a source.
func (f Fact) Known() bool { return f.Source != "" }

// ToolFacts holds the sources of a tool's values.
type ToolFacts struct{ Price, Score, Domain Fact }

// RetiredFacts holds the sources of a retired tool's values.
type RetiredFacts struct{ RetiredAt Fact }

// An Ending is the announced end of a living tool. The zero Ending means that none is announced.
type Ending struct {
	At        Date
	Source    string // where it was announced; "" for unknown
	Successor string // the slug of the tool to use instead; "" for none
}

// Announced reports whether an end was announced, even if the day has passed.
func (e Ending) Announced() bool { return e.At != "" }

// A NextPrice is the announced price of a living tool. The zero NextPrice means that none is announced.
type NextPrice struct {
	Pricing Pricing
	Price   string
	From    Date
	Source  string // where it was announced
}

// Announced reports whether a price was announced, even if its day has passed.
func (n NextPrice) Announced() bool { return n.From != "" }

// A FactField names a value that can have a source, in content files and in the API.
type FactField string

// The fields with a source.
const (
	PriceFact     FactField = "price"
	ScoreFact     FactField = "score"
	DomainFact    FactField = "domain"
	RetiredAtFact FactField = "retired_at"
)

// FactFields lists the fields in the order of the API.
func FactFields() []FactField { return []FactField{PriceFact, ScoreFact, DomainFact, RetiredAtFact} }
