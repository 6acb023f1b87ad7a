package content

import (
	"net/url"
	"strings"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Maximum lengths of what is said about a source, in characters.
const (
	urlLimit      = 500
	factTextLimit = 120
	factNoteLimit = 200
)

const sourceExample = "price: {url: https://lumen.example/tarifs, checked: 2025-06-30}"

var (
	toolSourceKeys = []key{
		{name: "price", example: sourceExample, optional: true},
		{name: "score", example: strings.Replace(sourceExample, "price", "score", 1), optional: true},
		{name: "domain", example: strings.Replace(sourceExample, "price", "domain", 1), optional: true},
	}
	retiredSourceKeys = []key{
		{name: "retired_at", example: strings.Replace(sourceExample, "price", "retired_at", 1), optional: true},
	}
	factKeys = []key{
		{name: "url", example: "url: https://lumen.example/tarifs"},
		{name: "checked", example: "checked: 2025-06-30"},
		{name: "text", example: `text: "$20/month"`, optional: true},
		{name: "note", example: "note: hors taxes", optional: true},
	}
)

// sources returns the group of a file's sources, with its keys checked. Without sources it is empty, so that
// looking one up finds nothing.
func (o object) sources(keys []key) object {
	f, ok := o.get("sources")
	if !ok {
		return object{document: o.document, keys: keys}
	}
	return o.object(f.value, f.pos, "sources", keys)
}

func (o object) toolFacts() catalog.ToolFacts {
	s := o.sources(toolSourceKeys)
	facts := catalog.ToolFacts{Price: s.fact("price"), Score: s.fact("score"), Domain: s.fact("domain")}
	if _, scored := o.get("score"); !scored {
		if f, sourced := s.get("score"); sourced {
			o.fault(f.pos, "sources has one for score, which this tool does not have: remove it, or write the score")
		}
	}
	return facts
}

// fact reads a source and the day on which it was checked, which must not be in the future.
func (o object) fact(name string) catalog.Fact {
	f, ok := o.get(name)
	if !ok {
		return catalog.Fact{}
	}
	g := o.object(f.value, f.pos, "the source of "+name, factKeys)
	fact := catalog.Fact{
		Source: g.address("url"), Checked: g.date("checked"),
		Text: g.text("text", factTextLimit), Note: g.text("note", factNoteLimit),
	}
	if o.latest != "" && fact.Checked > o.latest {
		checked, _ := g.get("checked")
		o.fault(checked.value.pos, "checked %s is in the future: write the day on which somebody looked at the source", fact.Checked)
	}
	return fact
}

// address reads the absolute http or https URL of an external page.
func (o object) address(name string) string {
	s := o.line(name, urlLimit)
	if s == "" {
		return ""
	}
	f, _ := o.get(name)
	u, err := url.Parse(s)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		o.fault(f.value.pos, "%s %q is not an absolute URL: begin it with https:// and a host name", name, s)
	case u.User != nil || strings.ContainsAny(s, " \"<>\\^`{|}"):
		o.fault(f.value.pos, "%s %q holds a user name or a character that URLs do not have: remove it", name, s)
	default:
		return s
	}
	return ""
}

// ending reads the announced end of a tool. The source and the successor need the day.
func (o object) ending() catalog.Ending {
	e := catalog.Ending{At: o.date("ends_at"), Source: o.address("ends_source"), Successor: o.slug("successor")}
	if _, ends := o.get("ends_at"); ends {
		return e
	}
	for _, name := range []string{"ends_source", "successor"} {
		if f, said := o.get(name); said {
			o.fault(f.pos, "%s is of a tool that will end: add the day, such as \"ends_at: 2027-03-31\", or remove this line", name)
		}
	}
	return e
}

// date reads a day of the calendar.
func (o object) date(name string) catalog.Date {
	s := o.line(name, 60)
	if s == "" {
		return ""
	}
	date, err := catalog.ParseDate(s)
	if err != nil {
		f, _ := o.get(name)
		o.fault(f.value.pos, "%s %q is not a day of the calendar: write YYYY-MM-DD, such as 2025-06-30", name, s)
	}
	return date
}
