package palmares

import (
	"encoding/json"
	"time"
)

// The structs below are the schemas of the contract under their names there. A date is a string, such as 2026-04-14. What
// may be null or left out is a pointer. Fields that a later service adds are ignored, and values that it adds are handed on.

// Icp is the audience of a tool: vibe-coder, agentic-engineer, mixte, or a value that came later.
type Icp string

// The audiences of today.
const (
	VibeCoder       Icp = "vibe-coder"
	AgenticEngineer Icp = "agentic-engineer"
	Mixte           Icp = "mixte"
)

// PricingModel is how a tool is paid for: gratuit, freemium, payant, or a value that came later.
type PricingModel string

// The pricing models of today.
const (
	Gratuit  PricingModel = "gratuit"
	Freemium PricingModel = "freemium"
	Payant   PricingModel = "payant"
)

// RetirementReason is why a tool was retired, one of the constants or a value that came later.
type RetirementReason string

// The reasons of today.
const (
	Mort     RetirementReason = "mort"
	Acquis   RetirementReason = "acquis"
	Deprecie RetirementReason = "deprecie"
	Pivot    RetirementReason = "pivot"
	Absorbe  RetirementReason = "absorbe"
)

// HistoryField is what an interval is of: price, score, life, or a value that came later.
type HistoryField string

// FactField is what a fact is of: price, score, domain, retired_at, or a value that came later.
type FactField string

// ToolItem is an active tool of the catalogue.
type ToolItem struct {
	Slug            string       `json:"slug"`
	Name            string       `json:"name"`
	Domain          string       `json:"domain"` // the web domain of the tool
	Category        string       `json:"category"`
	ICP             Icp          `json:"icp"`
	Pricing         PricingModel `json:"pricing"`
	Price           string       `json:"price"`
	Score           *float64     `json:"score"`
	Verifiability   *float64     `json:"verifiability"`
	Tagline         string       `json:"tagline"`          // the tool in one sentence, in French
	CanonicalURL    string       `json:"canonical_url"`    // the tool's page on the catalogue's site
	AvisURL         *string      `json:"avis_url"`         // the review of the tool. null when there is none
	AlternativesURL string       `json:"alternatives_url"` // the page of alternatives to the tool
	UpdatedAt       string       `json:"updated_at"`       // the date on which what is published of the tool last changed
}

// PaginationMeta is the page's position in the whole list.
type PaginationMeta struct {
	Total   int      `json:"total"` // the number of items that match, all pages together
	Page    int      `json:"page"`  // the page requested
	Limit   int      `json:"limit"` // the number of items on a full page, as requested
	Pages   int      `json:"pages"` // the number of pages; 0 when nothing matches
	Match   string   `json:"match,omitempty"`
	Ignored []string `json:"ignored,omitempty"`
}

// ComparisonItem is a comparison, as the list shows it.
type ComparisonItem struct {
	Slug         string `json:"slug"`
	Title        string `json:"title"`         // the title of the comparison, in French
	Winner       string `json:"winner"`        // the name of the winning tool
	UpdatedAt    string `json:"updated_at"`    // the date on which what is published of the comparison last changed
	CanonicalURL string `json:"canonical_url"` // the comparison's page on the catalogue's site
}

// Comparison is a full comparison. Both tools are active and have a score.
type Comparison struct {
	Slug       string       `json:"slug"`
	ToolA      ComparedTool `json:"tool_a"`
	ToolB      ComparedTool `json:"tool_b"`
	Winner     string       `json:"winner"`      // the name of the winning tool, which is one of the two
	WinnerNote string       `json:"winner_note"` // why the winner wins, in French
}

// ComparedTool is one side of a comparison.
type ComparedTool struct {
	Name  string  `json:"name"`
	Score float64 `json:"score"`
}

// PriceItem is the current price of a tool, as the list shows it.
type PriceItem struct {
	Slug    string       `json:"slug"`
	Name    string       `json:"name"`
	Pricing PricingModel `json:"pricing"`
	Price   string       `json:"price"`
}

// Price is the current price of a tool and its history.
type Price struct {
	Slug           string        `json:"slug"`
	CurrentPricing PricingModel  `json:"current_pricing"`
	CurrentPrice   string        `json:"current_price"`
	PriceHistory   []PriceChange `json:"price_history"` // the changes, newest first; empty when there were none
}

// PriceChange is one change of the price, the pricing model, or both. An entry always changes something.
type PriceChange struct {
	ChangedAt  string       `json:"changed_at"` // the date on which the change was published
	OldPricing PricingModel `json:"old_pricing"`
	OldPrice   string       `json:"old_price"`
	NewPricing PricingModel `json:"new_pricing"`
	NewPrice   string       `json:"new_price"`
}

// RetiredTool is a tool that has left the catalogue.
type RetiredTool struct {
	Slug      string           `json:"slug"`
	Name      string           `json:"name"`
	Reason    RetirementReason `json:"reason"`
	RetiredAt string           `json:"retired_at"` // the date of the retirement
	Note      string           `json:"note"`       // what happened, in French
}

// EndingItem is the announced end of an active tool.
type EndingItem struct {
	Slug      string  `json:"slug"`
	Name      string  `json:"name"`
	EndsAt    string  `json:"ends_at"`   // the day on which the tool will end
	Source    *string `json:"source"`    // where the end was announced; null where that is not known
	Successor *string `json:"successor"` // the slug of the tool to use instead; null where there is none
}

// RetiredDetail is a retired tool, with what it was at its end.
type RetiredDetail struct {
	Slug        string           `json:"slug"`
	Name        string           `json:"name"`
	Category    string           `json:"category"`
	Domain      *string          `json:"domain"` // the domain of the tool; null where it is not known
	Reason      RetirementReason `json:"reason"`
	RetiredAt   string           `json:"retired_at"` // the day of the retirement
	Note        string           `json:"note"`       // why the tool was retired, in French
	Successor   *string          `json:"successor"`  // the slug of the tool to use instead; null where there is none
	Entered     *string          `json:"entered"`
	LastPricing *string          `json:"last_pricing"` // the last pricing model; null where it is not known
	LastPrice   *string          `json:"last_price"`   // the last price; null where it is not known
	LastScore   *float64         `json:"last_score"`   // the last score; null where there is none
}

// History is what was true of a tool, and when.
type History struct {
	Slug string     `json:"slug"`
	Name string     `json:"name"`
	Data []Interval `json:"data"`
}

// Interval is a value, and the days on which it was true.
type Interval struct {
	Field     HistoryField `json:"field"`
	Value     any          `json:"value"` // the text of a price, the number of a score; null for a life
	Pricing   PricingModel `json:"pricing,omitempty"`
	Cents     *int         `json:"cents,omitempty"`  // the amount of a price, in cents
	Period    string       `json:"period,omitempty"` // what a price is for, in French
	From      *string      `json:"from"`             // the first day, in UTC; null where the log no longer says
	Until     *string      `json:"until"`            // the day after the last, in UTC; null while it lasts
	Basis     string       `json:"basis"`            // what from rests on
	Corrected bool         `json:"corrected"`
}

// ToolOfDay is a tool as it was on a day.
type ToolOfDay struct {
	Slug     string   `json:"slug"`
	Name     string   `json:"name"`
	Category string   `json:"category"`
	Pricing  *string  `json:"pricing"` // the pricing model of that day; null where it is not known
	Price    *string  `json:"price"`
	Cents    *int     `json:"cents"`  // its amount, in cents; null where it is not known
	Period   *string  `json:"period"` // what the price is for, in French; null where it is not known
	Score    *float64 `json:"score"`
}

// Finding is what there is to say of one tool.
type Finding struct {
	Slug      string   `json:"slug"`
	Findings  []string `json:"findings"`
	Detail    *string  `json:"detail"`
	Instead   []string `json:"instead"`
	Input     string   `json:"input"` // what you asked for, as you wrote it
	MatchedBy string   `json:"matched_by"`
}

// FindingList is what there is to say of some tools.
type FindingList struct {
	Data    []Finding           `json:"data"`
	Asked   int                 `json:"asked"` // the number of inputs: known and the length of unknown together
	Known   int                 `json:"known"`
	Unknown []string            `json:"unknown"` // the inputs that name no tool, or several
	Near    map[string][]string `json:"near"`
}

// Bill is what some tools cost, month by month.
type Bill struct {
	Months     []BillMonth         `json:"months"` // the months, from the first to the last
	NotMonthly []string            `json:"not_monthly"`
	Freemium   []string            `json:"freemium"`
	Asked      int                 `json:"asked"`   // how many items were asked for
	Known      int                 `json:"known"`   // how many of them name exactly one tool
	Unknown    []string            `json:"unknown"` // the items that name no tool, or several
	Near       map[string][]string `json:"near"`
}

// BillMonth is a month of a bill.
type BillMonth struct {
	Month string     `json:"month"` // the month
	Cents *int64     `json:"cents"`
	Items []BillItem `json:"items"`
}

// BillItem is what a tool costs in a month.
type BillItem struct {
	Slug      string `json:"slug"`
	Cents     *int64 `json:"cents"`
	Announced bool   `json:"announced"` // whether it is a price that is announced, and not yet the tool's
}

// SideBySide shows some tools side by side.
type SideBySide struct {
	Tools       []SideBySideTool `json:"tools"` // the tools, in the order in which they were named
	Differ      []string         `json:"differ"`
	Comparisons []ComparisonItem `json:"comparisons"`
}

// SideBySideTool is a tool among others, active or retired.
type SideBySideTool struct {
	Slug            string   `json:"slug"`
	Name            string   `json:"name"`
	Domain          *string  `json:"domain"`
	Category        string   `json:"category"`
	ICP             *string  `json:"icp"`     // the tool's audience, as in ToolItem; null for a retired tool
	Pricing         *string  `json:"pricing"` // the pricing model, as in ToolItem; null for a retired tool
	Price           *string  `json:"price"`
	Score           *float64 `json:"score"`
	Verifiability   *float64 `json:"verifiability"`
	Tagline         *string  `json:"tagline"`          // the tool in one sentence, in French; null for a retired tool
	CanonicalURL    string   `json:"canonical_url"`    // the tool's page on the catalogue's site
	AvisURL         *string  `json:"avis_url"`         // the review of the tool. null when there is none
	AlternativesURL string   `json:"alternatives_url"` // the page of alternatives to the tool
	UpdatedAt       *string  `json:"updated_at"`
	MonthlyCents    *int     `json:"monthly_cents"`
	EndsAt          *string  `json:"ends_at"`    // the day on which the tool will end; null where no end is announced
	RetiredAt       *string  `json:"retired_at"` // the day on which the tool was retired; null for an active tool
	Successor       *string  `json:"successor"`
}

// Ending is the end of a tool, announced or past.
type Ending struct {
	EndsAt    string  `json:"ends_at"`   // the day on which the tool will end
	Source    *string `json:"source"`    // where the end was announced; null where that is not known
	Successor *string `json:"successor"` // the slug of the tool to use instead; null where there is none
}

// Fact is where one value comes from, and when somebody last looked.
type Fact struct {
	Field   FactField `json:"field"`
	Value   any       `json:"value"` // the value as the API has it; null where there is none
	Checked *string   `json:"checked"`
	Source  *string   `json:"source"` // the page that says it; null where that is not known
	Note    *string   `json:"note"`   // a remark, in French; null where there is none
}

// Facts is what is known of the sources of a tool, active or retired.
type Facts struct {
	Slug    string  `json:"slug"`
	Name    string  `json:"name"`
	Retired bool    `json:"retired"` // whether the tool has left the catalogue
	Facts   []Fact  `json:"facts"`   // one per field, always in the same order
	Ending  *Ending `json:"ending"`
}

// FactStats is how well one field is sourced.
type FactStats struct {
	Field   FactField        `json:"field"`
	Total   int              `json:"total"`   // how many values there are
	Sourced int              `json:"sourced"` // how many of them have a source
	Oldest  *string          `json:"oldest"`  // the day of the oldest check; null where there is none
	Median  *string          `json:"median"`  // half of the checks are of this day or older; null where there is none
	Months  []FactStatsMonth `json:"months"`
}

// FactStatsMonth is how many values were last checked in a month.
type FactStatsMonth struct {
	Month string `json:"month"` // the month, YYYY-MM
	Count int    `json:"count"` // how many values were last checked in it
}

// FactStatsList is how well the catalogue is sourced.
type FactStatsList struct {
	Data []FactStats `json:"data"`
}

// Change is one change. What Object and Previous are depends on Type, as for webhooks.
type Change struct {
	Type      string     `json:"type"`      // what happened
	Timestamp time.Time  `json:"timestamp"` // when it was published, in UTC
	Data      ChangeData `json:"data"`
}

// ChangeData is what a change happened to.
type ChangeData struct {
	Seq         int64           `json:"seq"`     // it grows, and is used again only after a restore
	Edition     int64           `json:"edition"` // the number of the edition that brought the event
	Slug        string          `json:"slug"`
	Changed     []string        `json:"changed,omitempty"`
	Correction  *int64          `json:"correction,omitempty"` // the seq of the event that this one corrects
	RenamedFrom string          `json:"renamed_from,omitempty"`
	RenamedTo   string          `json:"renamed_to,omitempty"`
	Object      json.RawMessage `json:"object"`             // the item as of that edition; null when it is gone
	Previous    json.RawMessage `json:"previous,omitempty"` // what it was before; absent when it is new
}

// ChangeList is a page of changes.
type ChangeList struct {
	Data []Change `json:"data"`
	Next string   `json:"next"`
	More bool     `json:"more"`
}

// Category is a group of tools.
type Category struct {
	Slug      string  `json:"slug"`
	Label     string  `json:"label"`      // the name of the category, in French
	ToolCount int     `json:"tool_count"` // the number of active tools in the category
	AvgScore  float64 `json:"avg_score"`  // of those that have a score; 0 when none has
}

// CategoryList has every category.
type CategoryList struct {
	Data []Category `json:"data"`
}

// Stats is the whole catalogue, in numbers.
type Stats struct {
	ToolsTotal       int     `json:"tools_total"`  // the number of active tools
	ToolsTested      int     `json:"tools_tested"` // the number of active tools that have a score
	ToolsAvgScore    float64 `json:"tools_avg_score"`
	ToolsRetired     int     `json:"tools_retired"`     // the number of retired tools
	ComparatifsTotal int     `json:"comparatifs_total"` // the number of published comparisons
}

// Usage is an account's usage.
type Usage struct {
	Plan      string       `json:"plan"`
	Limit     *int         `json:"limit"`     // the requests the plan allows per UTC day; null without a limit
	Used      int          `json:"used"`      // today's requests
	Remaining *int         `json:"remaining"` // the requests left today; null without a limit
	Reset     time.Time    `json:"reset"`     // when the next day begins, in ISO 8601
	Days      []UsageDay   `json:"days"`
	Keys      []UsageOfKey `json:"keys"`
}

// UsageDay is the requests of one day.
type UsageDay struct {
	Date     string `json:"date"`     // the day
	Requests int    `json:"requests"` // the number of requests counted on this day
}

// UsageOfKey is one key's usage.
type UsageOfKey struct {
	ID   string     `json:"id"` // the id of the key, which is not the key itself
	Name *string    `json:"name"`
	Days []UsageDay `json:"days"`
}

// DataPackage is a Data Package of version 1. Its other members are those of the Frictionless specifications.
type DataPackage struct {
	Edition       int64          `json:"edition"` // the number of the edition that the package describes
	ChangesCursor string         `json:"changes_cursor"`
	Attribution   string         `json:"attribution"` // the credit line to show wherever the data is reused
	Resources     []DataResource `json:"resources"`   // the files
}

// DataResource is a file of the package.
type DataResource struct {
	Name   string          `json:"name"`
	Path   string          `json:"path"` // where it is, from the package on
	Rows   int             `json:"rows"` // how many rows it has
	Schema json.RawMessage `json:"schema,omitempty"`
}

// EmbeddingsList is the embeddings set, in its order.
type EmbeddingsList struct {
	Data []EmbeddingsItem `json:"data"`
}

// EmbeddingsItem is a tool in the embeddings set, without its chunks.
type EmbeddingsItem struct {
	Slug         string `json:"slug"`
	Name         string `json:"name"`
	CanonicalURL string `json:"canonical_url"` // the review page of the tool
	Hash         string `json:"hash"`
	UpdatedAt    string `json:"updated_at"`
	ChunkCount   int    `json:"chunk_count"` // the number of chunks
}

// EmbeddingsDocument is the review of a tool in chunks.
type EmbeddingsDocument struct {
	Slug         string  `json:"slug"`
	Name         string  `json:"name"`
	CanonicalURL string  `json:"canonical_url"` // the review page of the tool
	Hash         string  `json:"hash"`
	UpdatedAt    string  `json:"updated_at"`
	ChunkCount   int     `json:"chunk_count"` // the number of chunks
	Chunks       []Chunk `json:"chunks"`      // the sections of the review, in page order
}

// Chunk is one section of a review.
type Chunk struct {
	ID       string        `json:"id"`
	Text     string        `json:"text"`
	Metadata ChunkMetadata `json:"metadata"`
	Hash     string        `json:"hash,omitempty"` // of the text alone; in the download only
}

// ChunkMetadata is what to store with the vector of a chunk.
type ChunkMetadata struct {
	Slug          string  `json:"slug"`
	Section       string  `json:"section"`
	Position      int     `json:"position"`      // the position of the chunk among those of its tool, starting at 0
	CanonicalURL  string  `json:"canonical_url"` // the review page of the tool, at the section
	Tool          string  `json:"tool"`          // the name of the tool
	Category      string  `json:"category"`
	Score         float64 `json:"score"`
	Verifiability float64 `json:"verifiability"`
	UpdatedAt     string  `json:"updated_at"` // the updated_at of the document
}

// Index is the operations of the API, and where to read more.
type Index struct {
	OpenAPI    string             `json:"openapi"` // the URL of the OpenAPI description
	Docs       string             `json:"docs"`    // the URL of the guides and of the reference
	Operations []IndexedOperation `json:"operations"`
}

// IndexedOperation is one operation.
type IndexedOperation struct {
	Name        string `json:"name"`
	Path        string `json:"path"`        // the path; fill in what is between braces
	URL         string `json:"url"`         // the URL, or only the path where the service does not know its own address
	Description string `json:"description"` // what it is for
	NeedsKey    bool   `json:"needs_key"`   // whether it needs an API key
}
