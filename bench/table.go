package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A spread is the median and the quartiles of some figures.
type spread struct{ Q1, Median, Q3 float64 }

func spreadOf(figures []float64) spread {
	sorted := slices.Sorted(slices.Values(figures))
	return spread{quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)}
}

func (s spread) String() string { return ratio(s.Q1) + " to " + ratio(s.Q3) }

// quantile interpolates between the two nearest figures; 0 if there are none.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := q * float64(len(sorted)-1)
	below := int(at)
	if below == len(sorted)-1 {
		return sorted[below]
	}
	return sorted[below] + (at-float64(below))*(sorted[below+1]-sorted[below])
}

// percentile sorts figures and returns one of them, without interpolation; zero if there are none.
func percentile[T cmp.Ordered](figures []T, percent int) (p T) {
	if len(figures) == 0 {
		return p
	}
	slices.Sort(figures)
	return figures[min(len(figures)*percent/100, len(figures)-1)]
}

// progress prints what tables do not say.
func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// A table is Markdown, printed row by row.
type table struct{ strings.Builder }

func newTable(header ...string) *table {
	t := new(table)
	fmt.Println()
	t.add(header...)
	t.print("|" + strings.Repeat("---|", len(header)))
	return t
}

// add adds a row. Of a cell it takes the first line.
func (t *table) add(cells ...string) {
	for i, c := range cells {
		c, _, _ = strings.Cut(c, "\n")
		cells[i] = strings.ReplaceAll(c, "|", `\|`)
	}
	t.print("| " + strings.Join(cells, " | ") + " |")
}

func (t *table) print(row string) {
	fmt.Println(row)
	fmt.Fprintln(t, row)
}

// writeParts writes parts of a document anew, each between the two comments that name it.
func writeParts(path string, parts map[string]string) {
	text := string(must(os.ReadFile(path)))
	for name, part := range parts {
		begin, end := "<!-- measured: "+name+" -->\n", "<!-- end of "+name+" -->\n"
		before, rest, begins := strings.Cut(text, begin)
		_, after, ends := strings.Cut(rest, end)
		if !begins || !ends {
			check(fmt.Errorf("%s has no part named %s", path, name))
		}
		text = before + begin + "\n" + strings.TrimSpace(part) + "\n\n" + end + after
	}
	check(os.WriteFile(path, []byte(text), 0o644)) //nolint:gosec // one of two documents
	progress("written: %s", path)
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

// micro formats a number of microseconds, without the unit.
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
