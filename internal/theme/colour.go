package theme

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// A Colour is an sRGB colour. A is its opacity: 1 is opaque, and below 1 the ground shows through.
type Colour struct {
	R, G, B uint8
	A       float64
}

var (
	hexForm = regexp.MustCompile(`^#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$`)
	number  = regexp.MustCompile(`[0-9]{1,9}(?:\.[0-9]{1,9})?|\.[0-9]{1,9}`)
	beside  = regexp.MustCompile(` ?([,/]) ?|(\() | (\))`)
	// functionForm matches a function whose numbers are 0, without spaces beside other signs. Browsers agree on these
	// forms alone: either commas or a slash, numbers or percentages.
	functionForm = regexp.MustCompile(`^(?:rgba?\((?:(?:0 0 0|0% 0% 0%)(?:/0%?)?|(?:0,0,0|0%,0%,0%)(?:,0%?)?)\)|` +
		`hsla?\(0(?:deg)?(?: 0% 0%(?:/0%?)?|,0%,0%(?:,0%?)?)\))$`)
)

// Parse parses a colour: #rgb, #rrggbb, rgb() or hsl(), with or without an alpha.
func Parse(s string) (Colour, bool) {
	if hexForm.MatchString(s) {
		return parseHex(s[1:]), true
	}
	if !functionForm.MatchString(number.ReplaceAllString(beside.ReplaceAllString(s, "$1$2$3"), "0")) {
		return Colour{}, false
	}
	name, rest, _ := strings.Cut(strings.TrimSuffix(s, ")"), "(")
	parts := strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == ',' || r == '/' })
	values := [4]float64{3: 1}
	for i, part := range parts {
		values[i] = fraction(part, i == 3)
	}
	if strings.HasPrefix(name, "hsl") {
		return hsl(values), true
	}
	return rgb(parts, values), true
}

// fraction parses a number. It divides a percentage by 100 only if it is an alpha.
func fraction(part string, alpha bool) float64 {
	v, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSuffix(part, "%"), "deg"), 64) // its form was checked
	if alpha && strings.HasSuffix(part, "%") {
		v /= 100
	}
	return v
}

func parseHex(digits string) Colour {
	if len(digits) < 6 {
		var b strings.Builder
		for _, d := range digits {
			b.WriteRune(d)
			b.WriteRune(d)
		}
		digits = b.String()
	}
	v, _ := strconv.ParseUint(digits, 16, 64) // its form was checked
	if len(digits) == 6 {
		v = v<<8 | 0xff
	}
	return Colour{R: uint8(v >> 24), G: uint8(v >> 16), B: uint8(v >> 8), A: float64(v&0xff) / 255} //nolint:gosec // a byte each
}

// rgb converts numbers up to 255, or percentages, to a colour.
func rgb(parts []string, values [4]float64) Colour {
	for i := range 3 {
		if strings.HasSuffix(parts[i], "%") {
			values[i] = values[i] * 255 / 100
		}
	}
	return Colour{channel(values[0]), channel(values[1]), channel(values[2]), min(values[3], 1)}
}

// hsl converts a hue in degrees, and a saturation and a lightness in percent, to a colour.
func hsl(values [4]float64) Colour {
	hue, saturation, lightness := math.Mod(values[0], 360), min(values[1], 100)/100, min(values[2], 100)/100
	at := func(n float64) uint8 {
		k := math.Mod(n+hue/30, 12)
		a := saturation * min(lightness, 1-lightness)
		return channel(255 * (lightness - a*max(-1, min(k-3, 9-k, 1))))
	}
	return Colour{at(0), at(8), at(4), min(values[3], 1)}
}

func channel(v float64) uint8 { return uint8(math.Round(min(max(v, 0), 255))) }

// Over returns the colour as it is seen on an opaque ground.
func (c Colour) Over(ground Colour) Colour {
	mix := func(over, under uint8) uint8 { return channel(float64(over)*c.A + float64(under)*(1-c.A)) }
	return Colour{mix(c.R, ground.R), mix(c.G, ground.G), mix(c.B, ground.B), 1}
}

// String writes the colour as CSS and SVG do, without its alpha: #14161b.
func (c Colour) String() string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// Contrast returns the contrast ratio of two opaque colours, from 1 to 21 (WCAG 2.2).
func Contrast(a, b Colour) float64 {
	light, dark := a.luminance(), b.luminance()
	if light < dark {
		light, dark = dark, light
	}
	return (light + 0.05) / (dark + 0.05)
}

func (c Colour) luminance() float64 {
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}
