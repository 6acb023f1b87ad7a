package docs

import (
	"html/template"
	"net/url"

	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/site/reference"
)

// An operationLink is a link to the page of an operation.
type operationLink struct {
	*reference.Operation

	Link    string
	Current bool
}

type operationGroup struct {
	Title       string
	Description template.HTML
	Operations  []operationLink
}

type referenceBody struct {
	Groups []operationGroup
	Source string
}

type operationBody struct {
	*reference.Operation

	Groups         []operationGroup
	Lede, More     template.HTML
	Contents       []guide.Heading
	Form           *callForm // nil if no form can call it
	Tried          *tried    // the call that the reader made; nil if none
	Terms          string    // what a call costs
	Parameters     []parameterRow
	Key            template.HTML
	Programs       []shownProgram
	Call           layout.Call
	Said           string // the sentence that introduces the response
	Answer         template.HTML
	Cut            int
	Headers        []headerRow
	Tables         []fieldTable
	Outcomes       []outcomeRow
	Previous, Next *operationLink
	Source         string
}

// A shownProgram is a program in one language, with its output.
type shownProgram struct {
	Name  string
	Parts []template.HTML
}

type callForm struct {
	Action string
	Fields []callField
}

// tried is a call that the reader made, with its answer.
type tried struct {
	Call    layout.Call
	Status  string
	Headers []headerRow
	Body    template.HTML
	Cut     int  // lines that are not shown
	Rest    bool // even more follow: the response is a file, read in part

	sent url.Values
}

type callField struct {
	Name, Value string
	Required    bool
	Options     []menuOption // of a menu; none for a text field
	Chosen      string       // the chosen option
}

type parameterRow struct {
	reference.Parameter

	Where string
	Text  template.HTML
}

type headerRow struct {
	Name, Value string
	Each        bool // the value differs in each response
	Text        template.HTML
}

type fieldTable struct {
	ID   string
	Name string
	Text template.HTML
	Rows []fieldRow
}

type fieldRow struct {
	reference.Field

	Anchor string // the id of the table of its type; "" if it has none
	Text   template.HTML
}

type outcomeRow struct {
	reference.Outcome

	Name  string
	Text  template.HTML
	Shown template.HTML
}

// A menuOption is an option of a menu.
type menuOption struct{ Value, Label string }
