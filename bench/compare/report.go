package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
	"time"
)

//go:embed performance.md.tmpl
var page string

// A report is all that a run has found.
type report struct {
	Machine machine
	Pairs   int
	Slice   time.Duration
	Tools   int
	Results []result
	Growth  []growth
	Notes   string // written by hand: what limits each result
}

func (r report) write(root, out string) error {
	notes, err := os.ReadFile(filepath.Join(root, "bench", "compare", "notes.md"))
	if err != nil {
		return fmt.Errorf("reading the notes: %w", err)
	}
	r.Notes = strings.TrimSpace(string(notes))
	if !filepath.IsAbs(out) {
		out = filepath.Join(root, out)
	}
	text, err := r.markdown()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "performance.md"), text, 0o644); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if err := os.WriteFile(filepath.Join(out, "performance.svg"), r.svg(), 0o644); err != nil {
		return fmt.Errorf("writing the plot: %w", err)
	}
	return nil
}

// Repeated returns how many pairs were measured again, in all classes.
func (r report) Repeated() (n int) {
	for _, m := range r.Results {
		n += m.Repeated
	}
	return n
}

func (r report) markdown() ([]byte, error) { return render(page, r) }

// render fills in the template of a report.
func render(page string, r any) ([]byte, error) {
	t, err := template.New("report").Funcs(template.FuncMap{
		"ratio": ratio, "micro": micro, "duration": duration, "thousands": thousands,
		"oneLine": func(err error) string {
			line, _, _ := strings.Cut(err.Error(), "\n")
			return strings.ReplaceAll(line, "|", `\|`)
		},
	}).Parse(page)
	if err != nil {
		return nil, fmt.Errorf("the report's template: %w", err)
	}
	var text bytes.Buffer
	if err := t.Execute(&text, r); err != nil {
		return nil, fmt.Errorf("filling in the report: %w", err)
	}
	return text.Bytes(), nil
}

// ratio formats a ratio with two decimals, or fewer for large ones, where they mean nothing.
func ratio(x float64) string {
	switch {
	case x >= 20:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x >= 5:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// micro formats a number of microseconds.
func micro(x float64) string {
	if x >= 100 {
		return thousands(int(x + 0.5))
	}
	return strconv.FormatFloat(x, 'f', 1, 64)
}

// duration formats a duration in seconds or milliseconds, to about two digits.
func duration(d time.Duration) string {
	switch s := d.Seconds(); {
	case s >= 10:
		return fmt.Sprintf("%.0f s", s)
	case s >= 1:
		return fmt.Sprintf("%.1f s", s)
	case s >= 0.01:
		return fmt.Sprintf("%.0f ms", s*1e3)
	default:
		return fmt.Sprintf("%.1f ms", s*1e3)
	}
}

// thousands formats 12345 as 12,345.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
