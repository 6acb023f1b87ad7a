package content

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/palmares-hq/palmares/internal/theme"
)

// The custom properties of the site's stylesheet that a theme may set. Sizes are not among them: the pages are
// laid out for the sizes of the stylesheet.
var (
	themeColours = strings.Fields(`--paper --leaf --ink --ink-2 --rule --hair --mark --on-mark --palm --pencil
		--salmon --salmon-ink --salmon-hair --slab --on-slab --slab-2 --slab-key --slab-str`)
	themeFonts = []string{"--sans", "--serif", "--mono"}
	themeNames = slices.Concat(themeColours, themeFonts)
)

var (
	fontForm = regexp.MustCompile(`^(?:"[A-Za-z0-9 _-]+"|[A-Za-z][A-Za-z0-9-]*(?: [A-Za-z][A-Za-z0-9-]*)*)$`)
	notFonts = regexp.MustCompile(`^(?i:inherit|initial|unset|revert|revert-layer|default)$`) // words of CSS
	generic  = strings.Fields("sans-serif serif monospace system-ui ui-sans-serif ui-serif ui-monospace ui-rounded")
)

// theme checks theme.css.
func (d *document) theme() {
	all, fault := theme.Declarations(string(d.data))
	set := map[string]theme.Declaration{} // by block and name
	for _, v := range all {
		d.checkDeclaration(v)
		set[v.Block+v.Name] = v
	}
	if fault != nil {
		d.fault(d.positionOf(fault.At), "%s", strings.Replace(fault.Says, "%q", strconv.Quote(cutValue(fault.Text)), 1))
	}
	if d.failed {
		return
	}
	// Readers who chose the dark theme are to see the colours and fonts of readers whose system is dark.
	for _, name := range themeNames {
		if set[theme.SystemBlock+name].Value != set[theme.ChosenBlock+name].Value {
			d.warn(fileStart, "%s differs between the two dark blocks: set it in %s and in %s { %s { … } } alike",
				name, theme.ChosenBlock, theme.SystemMedia, theme.SystemBlock)
		}
	}
	d.checkContrast(set)
}

func (d *document) checkDeclaration(v theme.Declaration) {
	_, isColour := theme.Parse(v.Value)
	switch {
	case slices.Contains(themeFonts, v.Name):
		d.checkFonts(v)
	case !slices.Contains(themeColours, v.Name):
		d.fault(d.positionOf(v.At), "%q is not for a theme to set: %s Allowed: %s", cutValue(v.Name),
			didYouMean(v.Name, themeNames, "remove it."), strings.Join(themeNames, ", "))
	case !isColour:
		d.fault(d.positionOf(v.ValueAt), "%s is %q, which is no colour: write #ffe44d, rgb(255 228 77) or hsl(51 100%% 65%%)", v.Name, cutValue(v.Value))
	}
}

// checkFonts checks a list of font families. No font is ever downloaded: the browser skips a family that
// neither the site nor the reader's system has.
func (d *document) checkFonts(v theme.Declaration) {
	last := ""
	for f := range strings.SplitSeq(v.Value, ",") {
		if last = strings.Trim(f, " "); !fontForm.MatchString(last) || notFonts.MatchString(last) {
			d.fault(d.positionOf(v.ValueAt), "%s names %q, which is no font family: write names, with quotes where they have a space", v.Name, cutValue(last))
			return
		}
	}
	if !slices.Contains(generic, last) {
		d.fault(d.positionOf(v.ValueAt), "%s ends with %q: end it with one of %s, for readers who have none of the others",
			v.Name, cutValue(last), strings.Join(generic, ", "))
	}
}

// checkContrast refuses text colours with too little contrast to their background, in either theme. The fault points
// to the value that was set, with the highest precedence.
func (d *document) checkContrast(set map[string]theme.Declaration) {
	read := theme.Read(string(d.data))
	for _, pair := range theme.Pairs() {
		said := ""
		for _, t := range []struct {
			name, block string
			theme.Colours
		}{{"light", theme.LightBlock, read.Light}, {"dark", theme.ChosenBlock, read.Chosen}, {"dark", theme.SystemBlock, read.System}} {
			text, ground := t.On(pair.Text, pair.Ground)
			ratio := theme.Contrast(text, ground)
			if ratio >= theme.MinContrast || said == t.name {
				continue
			}
			said = t.name
			at := cmp.Or(set[t.block+pair.Text].ValueAt, set[t.block+pair.Ground].ValueAt,
				set[theme.LightBlock+pair.Text].ValueAt, set[theme.LightBlock+pair.Ground].ValueAt)
			// Rounded down: 4.49 is not 4.5.
			d.fault(d.positionOf(at), "%s on %s has a contrast of %.2f in the %s theme (%s on %s): it takes %.1f at least, so make one lighter or darker",
				pair.Text, pair.Ground, math.Floor(ratio*100)/100, t.name, text, ground, theme.MinContrast)
		}
	}
}
