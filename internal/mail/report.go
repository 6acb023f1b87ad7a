package mail

import (
	"strconv"
	"strings"
)

// A ReportLine is what the operator learns of a report from a mail: nothing that a stranger typed.
type ReportLine struct {
	ID     int64
	Slug   string
	Field  string // names a text after "report.", such as price
	Wanted bool   // the reader wants an answer
}

// ReportDigest tells the operator how many reports arrived, and lists them. lines may be fewer than total; the
// message then says how many more there are.
func ReportDigest(h Header, lines []ReportLine, total int) Message {
	d := h.draft("report.subject", strconv.Itoa(total))
	d.add(block{Text: d.Many("report.came", total)})
	var facts []fact
	for _, l := range lines {
		text := d.Must("report.line", l.Slug, d.Must("report."+l.Field))
		if l.Wanted {
			text = d.Must("report.wanted", text)
		}
		facts = append(facts, fact{Name: d.Must("report.number", strconv.FormatInt(l.ID, 10)), Value: text})
	}
	d.facts(facts...)
	if more := total - len(lines); more > 0 {
		d.add(block{Text: d.Many("report.more", more)})
	}
	d.text("report.how")
	d.small("report.often")
	return d.message()
}

// ReportAnswer composes the operator's answer to the person who reported an error about the tool at link.
func ReportAnswer(h Header, link, answer string) Message {
	d := h.draft("report.answer-subject")
	d.text("report.answer", h.Service.name())
	for line := range strings.SplitSeq(answer, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			d.add(block{Text: line})
		}
	}
	d.button("report.tool", link)
	d.small("report.once")
	return d.message()
}
