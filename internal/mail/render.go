package mail

import (
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	"unicode/utf8"
)

// A block is a part of a message: a paragraph, a link, a code or a list of facts.
type block struct {
	Text  string
	Small bool   // the text is in small print, and its link is not a button
	Label string // the link's label
	Link  string
	Code  string
	Facts []fact
}

type fact struct {
	Name, Value string
	Link        string // of the name; "" for none
}

// content is what a message says, in one language. It is rendered twice, as text and as HTML.
type content struct {
	Language string
	Colon    string // after the name of a fact
	Subject  string
	Name     string // the service's name
	BaseURL  string
	Look     // of the service
	Blocks   []block
}

// width is the maximum length of a line of text in columns, unless a single word is longer.
const width = 76

func (c content) text() string {
	var b strings.Builder
	for _, part := range c.Blocks {
		if part.Text != "" {
			wrap(&b, part.Text, "")
		}
		switch {
		case part.Link != "":
			b.WriteString(part.Link + "\n")
		case part.Code != "":
			b.WriteString("    " + part.Code + "\n")
		case part.Facts != nil:
			for _, f := range part.Facts {
				wrap(&b, f.Name+c.Colon+" "+f.Value, "    ")
				if f.Link != "" {
					b.WriteString("    " + f.Link + "\n")
				}
			}
		}
		b.WriteByte('\n')
	}
	b.WriteString(c.Name + "\n")
	if c.BaseURL != "" {
		b.WriteString(c.BaseURL + "\n")
	}
	return b.String()
}

// wrap writes a paragraph in indented lines of at most width columns. It breaks lines at plain spaces only, so
// non-breaking ones hold.
func wrap(b *strings.Builder, paragraph, indent string) {
	column := 0
	for word := range strings.SplitSeq(paragraph, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
			b.WriteString(indent)
			column = len(indent)
		case column+1+n > width:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	b.WriteByte('\n')
}

//go:embed mail.html
var mailHTML string

var mailTemplate = template.Must(template.New("mail.html").Parse(mailHTML))

func (c content) html() string {
	var b strings.Builder
	if err := mailTemplate.Execute(&b, c); err != nil {
		panic(fmt.Sprintf("embedded template: %v", err))
	}
	return b.String()
}
