package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// sample is a report with one class of every kind.
func sample() report {
	r := report{Pairs: 8, Slice: time.Second, Tools: 5000, Notes: "A note."}
	for i, c := range classes {
		m := result{class: c, OurCPU: 25, BaseCPU: 30}
		m.Rate = spread{0.9, 0.95, 1.01}
		if far(m) {
			m.Rate = spread{c.Goal * 0.9, c.Goal * 1.2, c.Goal * 1.3}
		}
		m.CPU = m.Rate
		if i == 1 {
			m.Err = errors.New("it | did not <start>\nsecond line")
		}
		r.Results = append(r.Results, m)
	}
	for i, tools := range growthSizes {
		r.Growth = append(r.Growth, growth{
			Tools: tools, FirstPage: 55 + float64(i), DeepPage: 58, One: 25,
			First: time.Duration(tools * 190_000), Change: time.Duration(90_000_000 + tools*20_000),
			Fetch: 3 * time.Millisecond, Build: time.Duration(2_000_000 + tools*300), HeapMB: 5,
		})
	}
	return r
}

func TestSVGIsWellFormed(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]report{"all": sample(), "nothing": {}, "no growth": {Results: sample().Results}} {
		text := string(r.svg())
		d := xml.NewDecoder(strings.NewReader(text))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, text)
			}
		}
		if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%s: a place is no number:\n%s", name, text)
		}
	}
	text := string(sample().svg())
	for i, c := range classes {
		if there := strings.Contains(text, ">"+c.label()); there != (i != 1) {
			t.Errorf("%q is in the plot: %v", c.label(), there)
		}
	}
}

func TestTextIsEscaped(t *testing.T) {
	t.Parallel()
	var d drawing
	d.text(1, 2, "end", ink, "bold", "a < b & c > d")
	if got := d.body.String(); !strings.Contains(got, ">a &lt; b &amp; c &gt; d</text>") {
		t.Error(got)
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	text, err := sample().markdown()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| one tool, anonymous, exact quota | bare + INCR | ≥ 0.95 | **0.95** (0.90 to 1.01) | 0.95 (0.90 to 1.01) | 25.0 / 30.0 µs | yes, within the noise |\n",
		"| not measured: it \\| did not <start> | | | no |\n",
		"| one tool, bare + INCR | bare net/http |  | **0.95** (0.90 to 1.01) | 0.95 (0.90 to 1.01) | 25.0 / 30.0 µs |  |\n",
		"| first publication | 190 ms | 1.9 s | 19 s |\n",
		"A note.",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
	// A line that is empty within a table would end it.
	if strings.Contains(string(text), "|\n\n|") {
		t.Errorf("a table is torn:\n%s", text)
	}
}

func TestGoals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		median float64
		met    bool
		close  string
	}{{0.95, true, ", within the noise"}, {0.94, false, ", within the noise"}, {1.2, true, ""}, {0.5, false, ""}} {
		r := result{class: class{Goal: 0.95}, Rate: spread{Median: c.median}}
		if r.Met() != c.met || r.Closeness() != c.close {
			t.Errorf("%v: met %v%s", c.median, r.Met(), r.Closeness())
		}
	}
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err         error
		long, short bool // it is an error
	}{
		{nil, false, false},
		{errors.New("no"), true, true},
		{fmt.Errorf("one: %w", errUncharged), true, false},
	} {
		r := report{Results: []result{{class: classes[0], Err: tt.err}}}
		if (r.verdict(false) != nil) != tt.long || (r.verdict(true) != nil) != tt.short {
			t.Errorf("%v: %v, in CI %v", tt.err, r.verdict(false), r.verdict(true))
		}
	}
}
