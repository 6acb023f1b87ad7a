package mail

import (
	"strconv"
	"strings"
)

// A ReportLine is what the operator is told of a report: nothing that a stranger typed.
type ReportLine struct {
	ID     int64
	Slug   string
	Field  string // the end of the name of a text: "report.price"
	Wanted bool   // an answer
}

// ReportDigest tells the operator how many reports came, and which. Lines may be fewer than there are.
func ReportDigest(h Header, lines []ReportLine, total int) Message {
	d := h.draft("report.subject", strconv.Itoa(total))
	d.add(block{Text: d.Many("report.came", total)})
	var facts []fact
	for _, l := range lines {
		text := d.Must("report.line", l.Slug, d.Must("report."+l.Field))
		if l.Wanted {
			text = d.Must("report.wanted", text)
		}
		facts = append(facts, fact{d.Must("report.number", strconv.FormatInt(l.ID, 10)), text})
	}
	d.facts(facts...)
	if more := total - len(lines); more > 0 {
		d.add(block{Text: d.Many("report.more", more)})
	}
	d.text("report.how")
	d.small("report.often")
	return d.message()
}

// ReportAnswer is the operator's answer to whoever sent a report about the tool at link.
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
