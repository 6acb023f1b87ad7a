package catalog

// A Fact says where a value of an item was read, and when somebody last looked. The zero Fact says nothing.
type Fact struct {
	Source  string // a URL
	Checked Date
	Text    string // how the source says it, where that is not how the catalog does: "$20/month"
	Note    string
}

// Known reports whether the value has a source.
func (f Fact) Known() bool { return f.Source != "" }

// ToolFacts are the sources of a tool.
type ToolFacts struct{ Price, Score, Domain Fact }

// RetiredFacts are the sources of a retired tool.
type RetiredFacts struct{ RetiredAt Fact }

// An Ending is the announced end of a living tool. The zero Ending says that none is announced.
type Ending struct {
	At        Date
	Source    string // where it was announced; "" for unknown
	Successor string // the slug of the tool to use instead; "" for none
}

// Announced reports whether the tool will end, or should have by now.
func (e Ending) Announced() bool { return e.At != "" }

// A FactField names a value that can have a source, as content and API write it.
type FactField string

// The fields with a source.
const (
	PriceFact     FactField = "price"
	ScoreFact     FactField = "score"
	DomainFact    FactField = "domain"
	RetiredAtFact FactField = "retired_at"
)

// FactFields lists them in the order in which the API has them.
func FactFields() []FactField { return []FactField{PriceFact, ScoreFact, DomainFact, RetiredAtFact} }
