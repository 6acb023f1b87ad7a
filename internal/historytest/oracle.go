// Package historytest derives the histories of tools from the commits of a repository, which Generate writes. It imports
// nothing of ours, to share no mistake with what it is compared with. Only tests import it.
package historytest

import (
	"archive/tar"
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
)

// An Interval is a value of a tool from one day until another. Days are "" where nobody knows, or for no end.
type Interval struct {
	Field, Value, Pricing, From, Until, Basis string
	Corrected                                 bool
}

// Holds reports whether the value was true on a day.
func (n Interval) Holds(day string) bool {
	return n.From != "" && n.From <= day && (n.Until == "" || day < n.Until)
}

// An Oracle has the tools that the last commit of a repository has, living and retired, by slug.
type Oracle map[string]*Tool

// A Tool is what all commits said of a tool.
type Tool struct {
	Front map[string]string // the front matter of its file in the last commit
	lives []*life
}

type life struct {
	from, until    string // until is its retired_at; "" while the tool lives
	prices, scores []statement
}

// A statement is a value as published on a day. since is the earlier day from which it is said to be true; "" for none.
type statement struct {
	day, since, value string
	corrected         bool
}

func (s statement) from() string { return cmp.Or(s.since, s.day) }

// Read reads a repository in which each commit is the edition of its day. The trailer "Correct: slug" in a commit stands
// for --correct.
func Read(repository string) (Oracle, error) {
	git := func(args ...string) ([]byte, error) {
		cmd := exec.Command("git", args...) //nolint:gosec,noctx // it reads the repository of a test
		cmd.Dir, cmd.Stderr = repository, os.Stderr
		return cmd.Output()
	}
	log, err := git("log", "--reverse", "--format=%H %cs %(trailers:key=Correct,valueonly,separator=%x20)")
	if err != nil {
		return nil, err
	}
	o := Oracle{}
	for line := range strings.Lines(string(log)) {
		words := strings.Fields(line)
		archive, unread := git("archive", words[0])
		files, err := fronts(tar.NewReader(bytes.NewReader(archive)))
		if err = errors.Join(unread, err); err != nil {
			return nil, err
		}
		o = o.after(files, words[1], words[2:])
	}
	return o, nil
}

// fronts returns the front matters of all tools, by slug.
func fronts(files *tar.Reader) (map[string]map[string]string, error) {
	found := make(map[string]map[string]string)
	for {
		file, err := files.Next()
		if errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return nil, err
		}
		slug, isItem := strings.CutSuffix(path.Base(file.Name), ".md")
		text, err := io.ReadAll(files)
		if err != nil {
			return nil, err
		}
		if folder := path.Dir(file.Name); !isItem || folder != "tools" && folder != "cimetiere" {
			continue
		}
		front := make(map[string]string)
		for line := range strings.Lines(strings.Split(string(text), "---\n")[1]) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			front[key] = strings.Trim(value, `"[]`)
		}
		found[slug] = front
	}
}

// after returns the tools after the edition of a day. A tool that came under another slug is the one it names.
func (o Oracle) after(files map[string]map[string]string, day string, correct []string) Oracle {
	next := make(Oracle)
	for slug, front := range files {
		t := cmp.Or(o[slug], &Tool{})
		for old := range strings.SplitSeq(front["formerly"], ", ") {
			if o[slug] == nil && files[old] == nil && o[old] != nil {
				t = o[old]
			}
		}
		t.Front, next[slug] = front, t
		t.publish(day, slices.Contains(correct, slug))
	}
	return next
}

func (t *Tool) publish(day string, correct bool) {
	last := len(t.lives) - 1
	switch retired := t.Front["retired_at"]; {
	case retired != "" && last < 0:
		t.lives = []*life{{until: retired}} // nobody knows when it began
		return
	case retired != "":
		t.lives[last].until = retired
		return
	case last < 0 || t.lives[last].until != "":
		t.lives = append(t.lives, &life{from: day})
		last++
	}
	l := t.lives[last]
	l.prices = state(l.prices, statement{day, t.Front["since"], t.Front["pricing"] + " " + t.Front["price"], false}, correct)
	l.scores = state(l.scores, statement{day, "", t.Front["score"], false}, correct)
}

// state adds what an edition states, unless it is the same as before. A correction replaces the last statement, or
// takes it back.
func state(said []statement, s statement, correct bool) []statement {
	last := len(said) - 1
	switch {
	case last < 0 && s.value == "":
		return nil // no score yet
	case last < 0 || said[last].value != s.value && !correct:
		return append(said, s)
	case said[last].value == s.value:
	case last > 0 && said[last-1].value == s.value:
		said[last-1].corrected = true
		return said[:last]
	default:
		said[last].value, said[last].corrected = s.value, true
	}
	said[last].since = cmp.Or(s.since, said[last].since)
	return said
}

// History returns the intervals of a tool, those of each field newest first.
func (t *Tool) History() (all []Interval) {
	for _, l := range slices.Backward(t.lives) {
		all = append(all, intervals("life", []statement{{day: l.from}}, l.until)...)
		all = append(all, intervals("price", l.prices, l.until)...)
		all = append(all, intervals("score", l.scores, l.until)...)
	}
	return all
}

// intervals returns the statements as intervals before a day, newest first. The last statement of a day counts, and a
// value that follows itself goes on.
func intervals(field string, said []statement, until string) (all []Interval) {
	said = slices.Clone(said)
	for i := len(said) - 2; i >= 0; i-- {
		if said[i].from() >= said[i+1].from() {
			said = slices.Delete(said, i, i+1)
		}
	}
	for i := len(said) - 1; i > 0; i-- {
		if said[i-1].value == said[i].value {
			said[i-1].corrected = said[i-1].corrected || said[i].corrected
			said = slices.Delete(said, i, i+1)
		}
	}
	for _, s := range slices.Backward(said) {
		if until != "" && s.from() >= until {
			continue
		}
		n := Interval{Field: field, Value: s.value, From: s.from(), Until: until, Basis: "published", Corrected: s.corrected}
		if s.since != "" {
			n.Basis = "stated"
		}
		if field == "price" {
			n.Pricing, n.Value, _ = strings.Cut(s.value, " ")
		}
		if until = n.From; field != "score" || s.value != "" {
			all = append(all, n)
		}
	}
	return all
}
