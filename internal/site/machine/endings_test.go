package machine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	ics "github.com/arran4/golang-ical"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/catalogtest"
	"github.com/palmares-hq/palmares/internal/sitetest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// An announced end is in the calendar and in the feed, in words that no reader of them misreads, until it is
// taken back or its tool retires.
func TestEndings(t *testing.T) {
	t.Parallel()
	const name = "Rabot, lime; scie\\nEND:VEVENT – l’outil dont le nom est bien plus long qu’une ligne de calendrier"
	first := catalogtest.First(catalogtest.Contents(
		catalogtest.Tool("a", catalogtest.Named(name)), catalogtest.Tool("b"), catalogtest.Tool("c"),
	), catalogtest.Edition(1))
	second := catalogtest.Amend(first, func(c *catalog.Contents) {
		catalogtest.Find(c, "a").Ending = catalog.Ending{At: "2031-03-31", Source: "https://a.example/fin", Successor: "b"}
		catalogtest.Find(c, "c").Ending = catalog.Ending{At: "2020-12-31"}
	})
	r := sitetest.New(t, second)
	days := func(path string) []string { return eventsOf(t, r.Get(path), path) }
	testkit.Equal(t, "the days", days("/flux/fins.ics"), []string{
		"2020-12-31 fin-c@palmares.example | Fin annoncée\u00a0: Outil c | Outil c devait s’arrêter le 31\u00a0décembre 2020.",
		"2031-03-31 fin-a@palmares.example | Fin annoncée\u00a0: " + name + " | " + name + " s’arrêtera le 31\u00a0mars 2031.\nL’annonce\u00a0: https://a.example/fin\nÀ la place\u00a0: Outil b, https://palmares.example/outils/b",
	})
	testkit.Equal(t, "in English", days("/en/feeds/endings.ics")[0], "2020-12-31 fin-c@palmares.example | End of Outil c | Outil c was to end on 31\u00a0December 2020.")
	entries := func() (titles []string) {
		for _, e := range r.Feed("/flux/fins.atom").Entries {
			titles = append(titles, e.ID+" "+e.Title)
		}
		return titles
	}
	announced := "tag:palmares.example,2026:fins/a/2031-03-31 " + name + " s’arrêtera le 31\u00a0mars 2031"
	passed := "tag:palmares.example,2026:fins/c/2020-12-31 Outil c devait s’arrêter le 31\u00a0décembre 2020"
	testkit.Equal(t, "announced", entries(), []string{passed, announced})

	third := catalogtest.Amend(second, func(c *catalog.Contents) {
		catalogtest.Find(c, "a").Ending.At = "2032-01-01"
		catalogtest.Retire(c, "c")
	})
	r.Swap(third)
	testkit.Equal(t, "moved", entries(), []string{"tag:palmares.example,2026:fins/a/2032-01-01 " + name + " s’arrêtera le 1er\u00a0janvier 2032"})
	testkit.Equal(t, "days that are left", len(days("/flux/fins.ics")), 1)
	r.Swap(catalogtest.Amend(third, func(c *catalog.Contents) { catalogtest.Find(c, "a").Ending = catalog.Ending{} }))
	testkit.Equal(t, "taken back", len(entries()), 0)
	testkit.Equal(t, "no day", len(days("/flux/fins.ics")), 0)
}

// eventsOf reads a calendar that is written as RFC 5545 wants it.
func eventsOf(t *testing.T, got testkit.Response, path string) []string {
	t.Helper()
	testkit.Equal(t, path, got.Header.Get("Content-Type"), "text/calendar; charset=utf-8")
	for line := range strings.SplitSeq(strings.TrimSuffix(got.Body, "\r\n"), "\r\n") {
		if len(line) > 75 || strings.ContainsAny(line, "\r\n") {
			t.Errorf("%s: the line %q", path, line)
		}
	}
	c, err := ics.ParseCalendar(strings.NewReader(got.Body))
	testkit.Must(t, err)
	var lines []string
	for _, e := range c.Events() {
		value := func(p ics.ComponentProperty) string { return e.GetProperty(p).Value }
		start, err := e.GetAllDayStartAt()
		testkit.Must(t, err)
		end, err := e.GetAllDayEndAt()
		testkit.Must(t, err)
		testkit.Equal(t, "its length", end.Sub(start), 24*time.Hour)
		lines = append(lines, fmt.Sprintf("%s %s | %s | %s", start.Format("2006-01-02"), e.Id(), value(ics.ComponentPropertySummary), value(ics.ComponentPropertyDescription)))
	}
	return lines
}

// The calendar of a list has the ends of its tools, those to come and those that were. An event keeps its id when the end
// moves, when its tool is renamed and when it is retired.
func TestCalendarWatch(t *testing.T) {
	t.Parallel()
	first := catalogtest.First(catalogtest.Contents(
		catalogtest.Tool("a"), catalogtest.Tool("b"), catalogtest.Tool("c"), catalogtest.Tool("d"),
		catalogtest.Retired("feu", func(r *catalog.Retired) { r.Name, r.RetiredAt, r.Successor = "Feu; vif", "2025-06-01", "b" }),
	), catalogtest.Edition(1))
	second := catalogtest.Amend(first, func(c *catalog.Contents) {
		catalogtest.Find(c, "a").Ending = catalog.Ending{At: "2031-03-31", Successor: "b"}
		catalogtest.Find(c, "d").Ending = catalog.Ending{At: "2031-04-30"}
	})
	r := sitetest.New(t, second)
	const list = "/flux/suivi.ics?outils=a,b,feu,jamais"
	past := "2025-06-01 fin-feu@palmares.example | Retiré\u00a0: Feu; vif | Feu; vif est retiré depuis le 1er\u00a0juin 2025.\nÀ la place\u00a0: Outil b, https://palmares.example/outils/b"
	testkit.Equal(t, "the days", eventsOf(t, r.Get(list), list), []string{
		"2031-03-31 fin-a@palmares.example | Fin annoncée\u00a0: Outil a | Outil a s’arrêtera le 31\u00a0mars 2031.\nÀ la place\u00a0: Outil b, https://palmares.example/outils/b",
		past,
	})
	testkit.Equal(t, "in English", eventsOf(t, r.Get("/en/feeds/watch.ics?tools=feu"), "/en")[0],
		"2025-06-01 fin-feu@palmares.example | Feu; vif was retired | Feu; vif was retired on 1\u00a0June 2025.\nInstead: Outil b, https://palmares.example/en/tools/b")
	testkit.Equal(t, "an empty list", len(eventsOf(t, r.Get("/flux/suivi.ics"), "/flux/suivi.ics")), 0)
	third := catalogtest.Amend(second, func(c *catalog.Contents) {
		a := catalogtest.Find(c, "a")
		a.Slug, a.Formerly = "alpha", []string{"a"}
		a.Ending.At = "2032-01-01"
	})
	r.Swap(third)
	moved := eventsOf(t, r.Get(list), list)
	testkit.Equal(t, "moved and renamed", moved[0][:len("2032-01-01 fin-a@")], "2032-01-01 fin-a@")
	r.Swap(catalogtest.Amend(third, func(c *catalog.Contents) {
		catalogtest.Retire(c, "alpha")
		for _, r := range c.Retired {
			if r.Slug == "alpha" {
				r.Formerly = []string{"a"}
			}
		}
	}))
	ended := eventsOf(t, r.Get(list), list)
	if len(ended) != 2 || !strings.Contains(ended[0], " fin-a@palmares.example | Retiré\u00a0: Outil a | ") || ended[1] != past {
		t.Errorf("retired: %q", ended)
	}
}
