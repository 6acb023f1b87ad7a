package mail

import (
	_ "embed"
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"unicode/utf8"
)

// A Service is who writes: the name that the operator gave it, and its address.
type Service struct {
	Name    string // the host of BaseURL when ""
	BaseURL string
}

func (s Service) name() string {
	if s.Name != "" {
		return s.Name
	}
	if u, err := url.Parse(s.BaseURL); err == nil && u.Host != "" {
		return u.Host
	}
	return "API"
}

// A draft is a letter in one language.
type draft struct {
	subject string
	blocks  []block
}

// A block is a part of a draft: a paragraph, a link, a code or a list of facts.
type block struct {
	Text  string
	Small bool   // the text stands back; a link follows it, which is no button
	Label string // of the link
	Link  string
	Code  string
	Facts []fact
}

type fact struct{ Name, Value string }

// width is the most columns that a line of text has, unless a word is longer.
const width = 76

// A writer writes drafts, each as text and as HTML.
type writer struct {
	service  Service
	language string
	colon    string // after the name of a fact
}

func (w writer) text(d draft) string {
	var b strings.Builder
	for _, part := range d.blocks {
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
				wrap(&b, f.Name+w.colon+" "+f.Value, "    ")
			}
		}
		b.WriteByte('\n')
	}
	b.WriteString(w.service.name() + "\n")
	if w.service.BaseURL != "" {
		b.WriteString(w.service.BaseURL + "\n")
	}
	return b.String()
}

// wrap writes a paragraph in lines that begin with the indent. It breaks them at plain spaces only.
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

//go:embed letter.html
var letterHTML string

var letterTemplate = template.Must(template.New("letter.html").Parse(letterHTML))

func (w writer) html(d draft) string {
	var b strings.Builder
	err := letterTemplate.Execute(&b, struct {
		Language, Colon, Subject, Name, BaseURL string
		Blocks                                  []block
	}{w.language, w.colon, d.subject, w.service.name(), w.service.BaseURL, d.blocks})
	if err != nil {
		panic(fmt.Sprintf("embedded template: %v", err))
	}
	return b.String()
}
