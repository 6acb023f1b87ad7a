package docs

import (
	"strings"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/site/reference"
	"github.com/palmares-hq/palmares/internal/site/view"
)

// ListMarkdown returns the list of all operations as Markdown.
func (r *Reference) ListMarkdown(v *view.View) (*view.File, error) {
	b := &view.Lines{Base: v.Base()}
	b.Line("# ", v.Text.Must("reference.title"))
	b.Line()
	b.Line(v.Text.Must("reference.description"))
	for _, g := range r.library.Groups(v.Text.Language) {
		b.Line()
		b.Line("## ", g.Title)
		b.Line()
		writeProse(b, "", "", g.Description)
		b.Line()
		for _, o := range g.Operations {
			b.Link(o.Title, v.Path(address.OperationSource, o.Slug), "`GET "+o.Path+"`")
		}
	}
	b.Line()
	b.Link("OpenAPI", "/api/v1/openapi.json", v.Text.Must("reference.openapi"))
	return b.File(view.MarkdownType), nil
}

// Markdown returns the page of an operation as Markdown.
func (r *Reference) Markdown(v *view.View, slug string) (*view.File, error) {
	o, err := r.find(v, slug)
	if err != nil {
		return nil, err
	}
	s, err := r.sample(v, o)
	if err != nil {
		return nil, err
	}
	b := &view.Lines{Base: v.Base()}
	b.Line("# ", o.Title)
	b.Line()
	b.Line("`GET ", o.Path, "`")
	b.Line()
	b.Line(strings.TrimSpace(o.Description))
	b.Line()
	b.Line(terms(v, o))
	writeParameters(v, b, o)
	r.writePrograms(v, b, o, s)
	writeFields(v, b, o)
	writeOutcomes(v, b, o)
	return b.File(view.MarkdownType), nil
}

func writeParameters(v *view.View, b *view.Lines, o *reference.Operation) {
	b.Line()
	b.Line("## ", v.Text.Must("reference.parameters"))
	b.Line()
	for _, p := range o.Parameters {
		where := v.Text.Must("reference.in." + p.In)
		if p.Required {
			where += ", " + v.Text.Must("reference.required")
		}
		writeProse(b, "- `"+p.Name+"` ("+where+", "+typeText(v, p.Type)+")"+v.Text.Must("reference.colon"), "  ", p.Description)
	}
}

// writePrograms writes the programs with their output.
func (r *Reference) writePrograms(v *view.View, b *view.Lines, o *reference.Operation, s sampled) {
	b.Line()
	b.Line("## ", v.Text.Must("reference.programs"))
	b.Line()
	if o.Keyed {
		b.Line(v.Text.Must("reference.key"))
		b.Line()
		writeSample(b, r.keySample())
	}
	for _, p := range programs(v, o, s) {
		writeSample(b, p)
	}
}

// writeSample writes a fenced block.
func writeSample(b *view.Lines, s guide.Sample) {
	info := s.Language
	switch {
	case s.Output:
		info += " output"
	case s.Shown:
		info += " shown"
	}
	b.Line("```", info)
	b.Write(s.Text)
	b.Line("```")
	b.Line()
}

func writeFields(v *view.View, b *view.Lines, o *reference.Operation) {
	b.Line("## ", v.Text.Must("reference.fields"))
	for _, t := range o.Tables {
		b.Line()
		b.Line("### ", t.Name)
		b.Line()
		writeProse(b, "", "", t.Description)
		b.Line()
		for _, f := range t.Fields {
			writeProse(b, "- `"+f.Name+"` ("+typeText(v, f.Type)+")"+v.Text.Must("reference.colon"), "  ", f.Description)
		}
	}
}

func writeOutcomes(v *view.View, b *view.Lines, o *reference.Operation) {
	b.Line()
	b.Line("## ", v.Text.Must("reference.outcomes"))
	for _, out := range o.Outcomes {
		b.Line()
		b.Line("### ", out.Status, " ", statusName(out.Status))
		b.Line()
		writeProse(b, "", "", out.Description)
		for _, t := range out.Texts {
			b.Line()
			if t.When != "" {
				b.Line(t.When)
				b.Line()
			}
			writeSample(b, guide.Sample{Language: "json", Shown: true, Text: errorBody(v, t)})
		}
	}
}

// typeText returns the type of a value in words.
func typeText(v *view.View, t reference.Type) string {
	parts := []string{v.Text.Must("reference.type." + t.Name)}
	if t.Table != "" {
		parts[0] = t.Table
	}
	if t.List {
		parts[0] = v.Text.Must("reference.list") + " " + parts[0]
	}
	if t.Bounds != "" {
		parts = append(parts, t.Bounds)
	}
	if len(t.Values) > 0 {
		parts = append(parts, "`"+strings.Join(t.Values, "`, `")+"`")
	}
	if t.Default != "" {
		parts = append(parts, v.Text.Must("reference.default", "`"+t.Default+"`"))
	}
	if t.Nullable {
		parts = append(parts, v.Text.Must("reference.null"))
	}
	return strings.Join(parts, ", ")
}

// writeProse writes a text of the contract after lead, each paragraph and each list item on one line. It puts indent
// before all lines but the first, so that the text can continue a list item.
func writeProse(b *view.Lines, lead, indent, markdown string) {
	first := true
	for block := range strings.SplitSeq(strings.TrimSpace(markdown), "\n\n") {
		lines := unwrapped(block)
		switch isItem := len(lines) > 0 && strings.HasPrefix(lines[0], "- "); {
		case first:
			b.Line(lead, lines[0])
			lines = lines[1:]
		case !isItem || indent == "":
			b.Line()
		}
		for _, line := range lines {
			b.Line(indent, line)
		}
		first = false
	}
}

// unwrapped joins the wrapped lines of a block: it returns one line per list item, or one for a paragraph.
func unwrapped(block string) []string {
	lines := []string{""}
	for line := range strings.Lines(block) {
		text := strings.TrimSpace(line)
		if strings.HasPrefix(text, "- ") && lines[0] != "" {
			lines = append(lines, text)
			continue
		}
		last := &lines[len(lines)-1]
		*last = strings.TrimSpace(*last + " " + text)
	}
	return lines
}
