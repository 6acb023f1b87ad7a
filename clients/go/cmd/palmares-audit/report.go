package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// formats are the forms of a report. Those that are for programs leave the last line to the standard error.
var formats = map[string]struct {
	write   func(w io.Writer, v verdict, colours bool) error
	program bool
}{
	"text":     {writeText, false},
	"json":     {writeJSON, true},
	"markdown": {writeMarkdown, false},
	"github":   {writeGitHub, false},
	"gitlab":   {writeGitLab, true},
	"sarif":    {writeSARIF, true},
}

// last returns the last line of a report.
func (v verdict) last() string {
	c := v.direct
	if v.all {
		t := v.transitive
		c = counts{c.all + t.all, c.known + t.known, c.ambiguous + t.ambiguous, c.failing}
	}
	several := ""
	if c.ambiguous > 0 {
		several = fmt.Sprintf(" %d ambiguous,", c.ambiguous)
	}
	form := "2 January"
	if v.catalogue.day[:4] != v.today[:4] {
		form = "2 January 2006"
	}
	return fmt.Sprintf("%s: %d known,%s %d not in the catalogue of %s",
		plural(c.all, "dependency", "dependencies"), c.known, several, c.unknown(), v.catalogue.day.time().Format(form))
}

// before returns what is said before the last line.
func (v verdict) before() (lines []string) {
	for _, f := range v.ambiguous {
		lines = append(lines, "ambiguous: "+printable(f.id)+": "+f.detail)
	}
	if v.accepted > 0 {
		lines = append(lines, plural(v.accepted, "finding is", "findings are")+" in the baseline")
	}
	if t := v.transitive; t.all > 0 && !v.all {
		all := plural(t.all, "transitive dependency", "transitive dependencies")
		lines = append(lines, fmt.Sprintf("%s beside them: %d known; they fail with --all only", all, t.known))
	}
	return lines
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// marks says what else there is to know of a finding.
func (f finding) marks() string {
	switch {
	case f.ignored != nil:
		return "ignored until " + f.ignored.Until.words() + ": " + printable(f.ignored.Reason)
	case !f.asked:
		return "not asked for"
	case !f.fails:
		return "transitive"
	}
	return ""
}

func (f finding) sentence() string {
	return printable(fmt.Sprintf("%s (%s): %s", f.row.Name, strings.TrimPrefix(f.id, "name:"), f.detail))
}

func (f finding) place() string { return fmt.Sprintf("%s:%d", printable(f.file), f.line) }

func writeText(w io.Writer, v verdict, colours bool) error {
	var rows [][3]string
	var wide [3]int
	for _, f := range v.findings {
		row := [3]string{f.kind, printable(f.row.Name), f.place()}
		for i, cell := range row {
			wide[i] = max(wide[i], utf8.RuneCountInString(cell))
		}
		rows = append(rows, row)
	}
	var b strings.Builder
	for n, f := range v.findings {
		for i, cell := range rows[n] {
			pad := strings.Repeat(" ", wide[i]-utf8.RuneCountInString(cell)+2)
			if i == 0 && colours {
				colour := "33" // yellow
				if f.fails {
					colour = "31" // red
				}
				cell = "\x1b[" + colour + "m" + cell + "\x1b[0m"
			}
			b.WriteString(cell + pad)
		}
		b.WriteString(printable(f.detail))
		if mark := f.marks(); mark != "" {
			b.WriteString(" (" + mark + ")")
		}
		b.WriteString("\n")
	}
	for _, line := range v.before() {
		b.WriteString(line + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cell escapes a text for a table in Markdown.
var cell = strings.NewReplacer(`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`, "]", `\]`,
	"@", "&#64;")

func writeMarkdown(w io.Writer, v verdict, _ bool) error {
	var b strings.Builder
	if len(v.findings) > 0 {
		b.WriteString("| | tool | what | where |\n|---|---|---|---|\n")
	}
	for _, f := range v.findings {
		kind := cell.Replace(f.kind)
		if f.fails {
			kind = "**" + kind + "**"
		}
		detail := f.detail
		if mark := f.marks(); mark != "" {
			detail += " (" + mark + ")"
		}
		for _, text := range []string{f.row.Name, detail, f.place()} {
			kind += " | " + cell.Replace(printable(text))
		}
		b.WriteString("| " + kind + " |\n")
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	for _, line := range v.before() {
		b.WriteString(cell.Replace(line) + "\n\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var (
	message  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func writeGitHub(w io.Writer, v verdict, _ bool) error {
	var b strings.Builder
	for _, f := range v.findings {
		level := "notice"
		switch {
		case f.ignored != nil:
			continue
		case f.fails:
			level = "error"
		case f.asked:
			level = "warning"
		}
		fmt.Fprintf(&b, "::%s file=%s,line=%d,title=%s::%s\n", level, property.Replace(printable(f.file)), f.line,
			property.Replace("palmares: "+f.kind), message.Replace(f.sentence()))
	}
	for _, line := range v.before() {
		b.WriteString(line + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// fingerprint is the same for a finding wherever in the file it is.
func (f finding) fingerprint() string {
	sum := sha256.Sum256([]byte(f.kind + "\x00" + f.id + "\x00" + f.row.Slug + "\x00" + string(f.row.EndsAt) + "\x00" + f.file))
	return hex.EncodeToString(sum[:16])
}

func writeGitLab(w io.Writer, v verdict, _ bool) error {
	type lines struct {
		Begin int `json:"begin"`
	}
	type location struct {
		Path  string `json:"path"`
		Lines lines  `json:"lines"`
	}
	type issue struct {
		Description string   `json:"description"`
		CheckName   string   `json:"check_name"`
		Fingerprint string   `json:"fingerprint"`
		Severity    string   `json:"severity"`
		Location    location `json:"location"`
	}
	issues := []issue{}
	for _, f := range v.findings {
		if f.ignored != nil {
			continue
		}
		severity := "info"
		if f.fails {
			severity = "major"
		}
		at := location{printable(f.file), lines{f.line}}
		issues = append(issues, issue{f.sentence(), "palmares/" + f.kind, f.fingerprint(), severity, at})
	}
	return encode(w, issues)
}

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
