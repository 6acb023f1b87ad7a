package guide

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// A Sample is a fenced block of a guide.
type Sample struct {
	Language string
	File     string // the name under which it is saved; "" for none
	Output   bool   // it is what the sample before it prints
	Shown    bool   // it is only shown: neither code to run nor output
	Text     string // with a line break at its end
}

// parseInfo parses the info string of a fenced block: a language, then "file=NAME", "output" or "shown".
func parseInfo(info string) (Sample, error) {
	var s Sample
	for i, word := range strings.Fields(info) {
		file, isFile := strings.CutPrefix(word, "file=")
		switch {
		case i == 0:
			s.Language = word
		case isFile:
			s.File = file
		case word == "output":
			s.Output = true
		case word == "shown":
			s.Shown = true
		default:
			return s, fmt.Errorf("a fenced block says %q", info)
		}
	}
	if s.Language == "" {
		return s, errors.New("a fenced block has no language")
	}
	if _, ok := lexers[s.Language]; !ok {
		return s, fmt.Errorf("a fenced block is in %q, a language that has no colours", s.Language)
	}
	return s, nil
}

var fence = regexp.MustCompile("(?ms)^```([^\n]+)\n(.*?)^```$")

// Samples returns the fenced blocks of a Markdown text, in order.
func Samples(markdown string) ([]Sample, error) {
	var samples []Sample
	for _, m := range fence.FindAllStringSubmatch(markdown, -1) {
		s, err := parseInfo(m[1])
		if err != nil {
			return nil, err
		}
		s.Text = m[2]
		samples = append(samples, s)
	}
	return samples, nil
}
