package content

import (
	"slices"
	"time"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Bounds of incidents.yaml.
const (
	maxIncidents      = 1000
	incidentTextLimit = 4000
)

// momentForm is the layout of a day and time, in UTC.
const momentForm = "2006-01-02 15:04"

var incidentKeys = []key{
	{name: "date", example: "date: 2026-10-03 14:20"},
	{name: "resolved_at", example: "resolved_at: 2026-10-03 15:05", optional: true},
	{name: "title", example: "title:"},
	{name: "text", example: "text:"},
}

const incidentsAdvice = `write a list, each entry "- date: 2026-10-03 14:20" and below it title and text`

// incidents decodes pages/incidents.yaml and returns the incidents, newest first. An empty file is valid and
// has none.
func (d *document) incidents() []catalog.Incident {
	if !d.clean() || !d.within(maxPage) {
		return nil
	}
	root, ok := d.parseYAML(string(d.data), 1)
	switch {
	case !ok || root.kind == nothing:
		return nil
	case root.kind != sequence:
		d.fault(root.pos, "the file must be a list, not %s: %s", root.is(), incidentsAdvice)
		return nil
	case len(root.items) > maxIncidents:
		d.fault(root.items[maxIncidents].pos, "there are %d incidents: at most %d are allowed; remove the oldest", len(root.items), maxIncidents)
		return nil
	}
	var all []catalog.Incident
	for _, item := range root.items {
		o := d.object(item, item.pos, "an incident", incidentKeys)
		i := catalog.Incident{
			At: o.moment("date"), ResolvedAt: o.moment("resolved_at"),
			Title: o.localized("title", "API indisponible", titleLimit),
			Text:  o.localized("text", "Une base de données ne répondait plus.", incidentTextLimit),
		}
		if f, ok := o.get("resolved_at"); ok && !i.ResolvedAt.IsZero() && i.ResolvedAt.Before(i.At) {
			d.fault(f.value.pos, "resolved_at is before date: write when it ended, or remove the line while it lasts")
		}
		all = append(all, i)
	}
	slices.SortStableFunc(all, func(a, b catalog.Incident) int { return b.At.Compare(a.At) })
	return all
}

// moment reads a day and a time, in UTC, and warns of one in the future.
func (o object) moment(name string) time.Time {
	s := o.line(name, 60)
	if s == "" {
		return time.Time{}
	}
	f, _ := o.get(name)
	at, err := time.Parse(momentForm, s)
	switch {
	case err != nil:
		o.fault(f.value.pos, "%s %q is not a moment: write YYYY-MM-DD HH:MM, in UTC, such as 2026-10-03 14:20", name, s)
	case o.latest != "" && catalog.DateOf(at) > o.latest:
		o.warn(f.value.pos, "%s %s is in the future", name, s)
	}
	return at
}
