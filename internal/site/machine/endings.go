package machine

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/palmares-hq/palmares/internal/address"
	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/layout"
	"github.com/palmares-hq/palmares/internal/params"
	"github.com/palmares-hq/palmares/internal/site/view"
)

var endingTexts = layout.Texts{
	"end.title":     {"Fin annoncée\u00a0: %s", "End of %s"},
	"end.entry":     {"%s s’arrêtera le %s", "%s will end on %s"},
	"end.entry.was": {"%s devait s’arrêter le %s", "%s was to end on %s"},
	"end.source":    {"L’annonce\u00a0: %s", "The announcement: %s"},
	"end.instead":   {"À la place\u00a0: %s", "Instead: %s"},
	"end.past":      {"Retiré\u00a0: %s", "%s was retired"},
	"end.past.on":   {"%s est retiré depuis le %s.", "%s was retired on %s."},
}

// FeedEndings returns the feed of announced ends, the newest announcement first, as far as the change log goes back.
// It leaves out an end that was withdrawn, or whose tool is retired.
func FeedEndings(v *view.View) (*view.File, error) {
	var entries []atomEntry
	for _, announced := range v.Figures.Journal.Endings {
		t, living := v.Catalog.Tool(v.Catalog.ToolSlug(announced.Slug))
		if !living || !t.Ending.Announced() {
			continue
		}
		if len(entries) == feedSize {
			break
		}
		e := entry(v, announced.At, t.Slug, t.Category, "fins", t.FirstSlug(), string(t.Ending.At))
		e.Title = endingSentence(v, t)
		e.Summary.Text = endingDetail(v, t)
		entries = append(entries, e)
	}
	return feed(v, about{feed: address.FeedEndings, page: address.Cemetery}, v.Text.Must("feed.feed-endings"), entries)
}

// endingSentence returns a sentence that says when a tool ends, or should have ended.
func endingSentence(v *view.View, t *catalog.Tool) string {
	text := "end.entry"
	if t.Ending.At < v.Figures.Today {
		text = "end.entry.was"
	}
	return v.Text.Must(text, t.Name, v.Text.Date(t.Ending.At.Time()))
}

// endingDetail returns endingSentence and, on lines of their own, the source of the announcement and the tool to use
// instead, if known.
func endingDetail(v *view.View, t *catalog.Tool) string {
	lines := []string{endingSentence(v, t) + "."}
	if t.Ending.Source != "" {
		lines = append(lines, v.Text.Must("end.source", t.Ending.Source))
	}
	if next, ok := v.Catalog.Tool(t.Ending.Successor); ok {
		lines = append(lines, v.Text.Must("end.instead", next.Name+", "+toolURL(v, next.Slug)))
	}
	return strings.Join(lines, "\n")
}

const calendarType = "text/calendar; charset=utf-8"

// maxCalendar is the most events of the calendar. Calendar programs fetch it whole, some every hour.
const maxCalendar = 1000

// CalendarEndings returns the announced ends as all-day events of a calendar (RFC 5545).
func CalendarEndings(v *view.View) (*view.File, error) {
	c := newCalendar(v, v.Text.Must("feed.feed-endings"))
	for _, t := range v.Catalog.Endings(catalog.Paging{Page: 1, Limit: maxCalendar}).Items {
		c.announced(v, t)
	}
	return c.file(), nil
}

// CalendarWatch returns the ends of a reader's own list of tools, announced and past, as all-day events. It redirects to
// the list's only address. An end keeps its id when the tool is retired, on whatever day that is.
func CalendarWatch(v *view.View, p params.Watch) (*view.File, error) {
	p.Category, p.Typed = "", ""
	if !p.Exact {
		return &view.File{Redirect: v.Path(address.CalendarWatch) + p.In(v.Text.Language)}, nil
	}
	c := newCalendar(v, v.Text.Must("feed.feed-watch"))
	added := make(map[string]bool)
	for _, slug := range p.Slugs() {
		slug = v.Catalog.ToolSlug(slug)
		if added[slug] {
			continue
		}
		added[slug] = true
		if t, ok := v.Catalog.Tool(slug); ok && t.Ending.Announced() {
			c.announced(v, t)
		} else if r, ok := v.Catalog.Retired(slug); ok {
			c.past(v, r)
		}
	}
	return c.file(), nil
}

// newCalendar returns the beginning of a calendar.
func newCalendar(v *view.View, title string) *calendar {
	c := &calendar{stamp: v.Catalog.Edition().PublishedAt.UTC().Format("20060102T150405Z")}
	name := v.Text.Must("feed.title", v.Catalog.Service().Name, title)
	c.line("BEGIN", "VCALENDAR")
	c.line("VERSION", "2.0")
	c.text("PRODID", "-//"+v.Catalog.Service().Name+"//"+strings.ToUpper(v.Text.String()))
	c.line("CALSCALE", "GREGORIAN")
	c.text("NAME", name) // RFC 7986
	c.text("X-WR-CALNAME", name)
	c.line("REFRESH-INTERVAL;VALUE=DURATION", "P1D")
	return c
}

// A calendar is a builder of iCalendar text.
type calendar struct {
	lines []byte
	stamp string // of all events
}

// announced adds the end of a living tool.
func (c *calendar) announced(v *view.View, t *catalog.Tool) {
	c.event("fin-"+t.FirstSlug()+"@"+authority(v), t.Ending.At, v.Text.Must("end.title", t.Name), endingDetail(v, t), toolURL(v, t.Slug))
}

// past adds the end of a retired tool.
func (c *calendar) past(v *view.View, r *catalog.Retired) {
	detail := v.Text.Must("end.past.on", r.Name, v.Text.Date(r.RetiredAt.Time()))
	if next, ok := v.Catalog.Successor(r.Slug); ok {
		detail += "\n" + v.Text.Must("end.instead", next.Name+", "+toolURL(v, next.Slug))
	}
	c.event("fin-"+r.FirstSlug()+"@"+authority(v), r.RetiredAt, v.Text.Must("end.past", r.Name), detail, toolURL(v, r.Slug))
}

// event adds an event of one day.
func (c *calendar) event(id string, on catalog.Date, summary, description, url string) {
	day := on.Time()
	c.line("BEGIN", "VEVENT")
	c.text("UID", id)
	c.line("DTSTAMP", c.stamp)
	c.line("DTSTART;VALUE=DATE", day.Format("20060102"))
	c.line("DTEND;VALUE=DATE", day.Add(24*time.Hour).Format("20060102"))
	c.text("SUMMARY", summary)
	c.text("DESCRIPTION", description)
	c.line("URL", url)
	c.line("TRANSP", "TRANSPARENT") // nobody is busy that day
	c.line("END", "VEVENT")
}

// file returns the whole calendar.
func (c *calendar) file() *view.File {
	c.line("END", "VCALENDAR")
	return &view.File{Type: calendarType, Body: c.lines}
}

var calendarText = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\r\n", `\n`, "\n", `\n`, "\r", "")

// text adds a property whose value is text, which it escapes.
func (c *calendar) text(name, value string) { c.line(name, calendarText.Replace(value)) }

// line adds a property. It folds lines longer than 75 octets: a continuation line begins with a space.
func (c *calendar) line(name, value string) {
	const most = 75
	rest := name + ":" + value
	for room := most; len(rest) > room; room = most - 1 {
		end := room
		for !utf8.RuneStart(rest[end]) {
			end--
		}
		c.lines = append(c.lines, rest[:end]+"\r\n "...)
		rest = rest[end:]
	}
	c.lines = append(c.lines, rest+"\r\n"...)
}
