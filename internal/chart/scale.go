package chart

import (
	"html/template"
	"strings"
)

// Scale draws a ruler of ten with a score on it, in hundredths: 910 is 9.1. It stands beside the
// number, so that those who do not see it lose nothing.
func Scale(hundredths int) template.HTML {
	score := number(float64(min(max(hundredths, 0), 1000)) / 10)
	var ticks strings.Builder
	for i := 1; i < 10; i++ {
		ticks.WriteString(at("M", float64(i*10)-.5, 0) + "h1v8h-1z")
	}
	return template.HTML(`<svg class="scale" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">` + //nolint:gosec // numbers only
		`<path class="base" d="M0 0h100v8H0z"/><path class="val" d="M0 0h` + score + `v8H0z"/>` +
		`<path class="tick" d="` + ticks.String() + `"/></svg>`)
}
