package site

import (
	"strings"

	"github.com/palmares-hq/palmares/internal/site/guide"
	"github.com/palmares-hq/palmares/internal/site/reference"
)

// rawReference is the list of all operations as Markdown.
func rawReference(r *request) (string, []byte, error) {
	b := &linesWriter{base: r.base()}
	b.line("# ", r.Must("reference.title"))
	b.line()
	b.line(r.Must("reference.description"))
	for _, g := range r.reference.Groups(r.Language) {
		b.line()
		b.line("## ", g.Title)
		b.line()
		b.line(plainLine(g.Description))
		b.line()
		for _, o := range g.Operations {
			b.link(o.Title, r.path("operation source", o.Slug), "`GET "+o.Path+"`")
		}
	}
	b.line()
	b.link("OpenAPI", "/api/v1/openapi.json", r.Must("reference.openapi"))
	return markdownType, []byte(b.text.String()), nil
}

// rawOperation is the page of an operation as Markdown.
func rawOperation(r *request) (string, []byte, error) {
	o, err := r.operation()
	if err != nil {
		return "", nil, err
	}
	s, err := r.sample(o)
	if err != nil {
		return "", nil, err
	}
	b := &linesWriter{base: r.base()}
	b.line("# ", o.Title)
	b.line()
	b.line("`GET ", o.Path, "`")
	b.line()
	b.line(strings.TrimSpace(o.Description))
	b.line()
	b.line(r.terms(o))
	r.writeParameters(b, o)
	r.writePrograms(b, o, s)
	r.writeFields(b, o)
	r.writeOutcomes(b, o)
	return markdownType, []byte(b.text.String()), nil
}

func (r *request) writeParameters(b *linesWriter, o *reference.Operation) {
	b.line()
	b.line("## ", r.Must("reference.parameters"))
	b.line()
	for _, p := range o.Parameters {
		where := r.Must("reference.in." + p.In)
		if p.Required {
			where += ", " + r.Must("reference.required")
		}
		b.line("- `", p.Name, "` (", where, ", ", r.typeText(p.Type), ")", r.Must("reference.colon"), plainLine(p.Description))
	}
}

// writePrograms writes the programs with what they print, for readers to run.
func (r *request) writePrograms(b *linesWriter, o *reference.Operation, s sampled) {
	b.line()
	b.line("## ", r.Must("reference.programs"))
	b.line()
	if o.Keyed {
		b.line(r.Must("reference.key"))
		b.line()
		b.sample(r.keySample())
	}
	for _, p := range r.programs(o, s) {
		b.sample(p)
	}
}

// sample writes a fenced block.
func (w *linesWriter) sample(s guide.Sample) {
	info := s.Language
	switch {
	case s.Output:
		info += " output"
	case s.Shown:
		info += " shown"
	}
	w.line("```", info)
	w.text.WriteString(s.Text)
	w.line("```")
	w.line()
}

func (r *request) writeFields(b *linesWriter, o *reference.Operation) {
	b.line("## ", r.Must("reference.fields"))
	for _, t := range o.Tables {
		b.line()
		b.line("### ", t.Name)
		b.line()
		b.line(plainLine(t.Description))
		b.line()
		for _, f := range t.Fields {
			b.line("- `", f.Name, "` (", r.typeText(f.Type), ")", r.Must("reference.colon"), plainLine(f.Description))
		}
	}
}

func (r *request) writeOutcomes(b *linesWriter, o *reference.Operation) {
	b.line()
	b.line("## ", r.Must("reference.outcomes"))
	for _, out := range o.Outcomes {
		b.line()
		b.line("### ", out.Status, " ", statusName(out.Status))
		b.line()
		b.line(plainLine(out.Description))
		for _, t := range out.Texts {
			b.line()
			if t.When != "" {
				b.line(t.When)
				b.line()
			}
			b.sample(guide.Sample{Language: "json", Shown: true, Text: r.errorBody(t)})
		}
	}
}

// typeText says in words what a value can be.
func (r *request) typeText(t reference.Type) string {
	parts := []string{r.Must("reference.type." + t.Name)}
	if t.Table != "" {
		parts[0] = t.Table
	}
	if t.List {
		parts[0] = r.Must("reference.list") + " " + parts[0]
	}
	if t.Bounds != "" {
		parts = append(parts, t.Bounds)
	}
	if len(t.Values) > 0 {
		parts = append(parts, "`"+strings.Join(t.Values, "`, `")+"`")
	}
	if t.Default != "" {
		parts = append(parts, r.Must("reference.default", "`"+t.Default+"`"))
	}
	if t.Nullable {
		parts = append(parts, r.Must("reference.null"))
	}
	return strings.Join(parts, ", ")
}

// plainLine is Markdown on one line: the items of a list follow one another.
func plainLine(markdown string) string { return strings.Join(strings.Fields(markdown), " ") }
