package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"

	"golang.org/x/term"

	"github.com/palmares-hq/palmares/internal/catalog"
	"github.com/palmares-hq/palmares/internal/content"
)

// A console is the terminal of a command: it prints results on out and everything else on err, and reads
// answers from in.
type console struct {
	in, out, err *os.File
}

// errReported makes the program exit with status 1 without printing anything: the command has printed its
// errors itself.
var errReported = errors.New("reported")

func newConsole(in, out, err *os.File) *console { return &console{in, out, err} }

// confirm asks a question and returns true only for y or yes. Without a terminal it returns true at once: a
// script means what it says.
func (c *console) confirm(ctx context.Context, question string) (bool, error) {
	if !isTerminal(c.in) {
		return true, nil
	}
	fmt.Fprintf(c.err, "%s [y/N] ", question)
	answered := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(c.in).ReadString('\n') // at the end of the input, what was typed before it
		answered <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case answer := <-answered:
		return answer == "y" || answer == "yes", nil
	case <-ctx.Done(): // Ctrl-C
		fmt.Fprintln(c.err)
		return false, fmt.Errorf("not answered: %w", context.Cause(ctx))
	}
}

// color reports whether f is a terminal that wants colours (https://no-color.org).
func (c *console) color(f *os.File) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(f)
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// progress returns a function that draws a progress bar, and one that erases it. Without a terminal, neither
// does anything.
func (c *console) progress(what string) (draw func(done, total int), wipe func()) {
	if !isTerminal(c.err) {
		return func(int, int) {}, func() {}
	}
	const width = 32
	last := -1
	draw = func(done, total int) {
		if total == 0 {
			return
		}
		filled := done * width / total
		percent := done * 100 / total
		if percent == last {
			return
		}
		last = percent
		fmt.Fprintf(c.err, "\r%s [%s%s] %3d%%  %d of %d\x1b[K", what,
			strings.Repeat("█", filled), strings.Repeat("·", width-filled), percent, done, total)
	}
	return draw, func() { fmt.Fprint(c.err, "\r\x1b[K") }
}

// json prints a value for scripts.
func (c *console) json(v any) error {
	e := json.NewEncoder(c.out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("printing: %w", err)
	}
	return nil
}

// table prints rows in columns.
func (c *console) table(rows [][]string) error {
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("printing: %w", err)
	}
	return nil
}

// loadValid reads a content directory for a command that needs it to be without faults. If there are any, it
// prints them as check does and returns errReported.
func (c *console) loadValid(ctx context.Context, dir string) (*catalog.Contents, error) {
	if err := directory(dir); err != nil {
		return nil, err
	}
	draw, wipe := c.progress("Reading")
	result, err := content.Load(ctx, dir, content.Options{Progress: draw})
	wipe()
	if err != nil {
		return nil, fmt.Errorf("reading: %w", err)
	}
	if err := result.Err(); err != nil {
		faults(c.out, dir, result.Faults)
		fmt.Fprintln(c.err, err)
		return nil, errReported
	}
	return result.Contents, nil
}

// directory returns an error unless path is a directory that exists, so that a mistyped path is not reported as
// a fault in the content.
func directory(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: no such directory: name the one that holds catalog.yaml", path)
	case err != nil:
		return fmt.Errorf("the content directory cannot be read: %w", err)
	case !info.IsDir():
		return fmt.Errorf("%s is a file: name the directory that holds catalog.yaml", path)
	}
	return nil
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// counted writes a number of things: 1 tool, 2 tools.
func counted(n int, one, many string) string { return strconv.Itoa(n) + " " + plural(n, one, many) }

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
