package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/vector"

	"github.com/palmares-hq/palmares/internal/theme"
)

// Colours are the colours of a picture, all opaque. The zero value is the light theme of the stylesheet.
type Colours struct {
	Paper, Ink   theme.Colour
	Ink2         theme.Colour // for what matters less
	Mark, OnMark theme.Colour // the highlighter, and what is written on it
}

// ColoursOf returns the colours that a theme gives to pictures.
func ColoursOf(c theme.Colours) Colours {
	onMark, mark := c.On("--on-mark", "--mark")
	return Colours{Paper: c.Opaque("--paper"), Ink: c.Opaque("--ink"), Ink2: c.Opaque("--ink-2"), Mark: mark, OnMark: onMark}
}

// PriceColours returns the colours that a theme gives to pictures about prices.
func PriceColours(c theme.Colours) Colours {
	all := ColoursOf(c)
	all.Ink, all.Paper = c.On("--salmon-ink", "--salmon")
	all.Ink2 = all.Ink
	return all
}

// A ramp is a gradient from a background to a colour, in 64 steps. Four ramps make the palette of a card, so that a
// pixel is one byte and encoding the PNG costs less than drawing it.
type ramp uint8

const (
	inkOnPaper ramp = iota
	inkOnMark
	ink2OnPaper
	markOnPaper
)

const steps = 64

func (c Colours) orDefault() Colours {
	if c == (Colours{}) {
		return ColoursOf(theme.Default().Light)
	}
	return c
}

func (c Colours) palette() color.Palette {
	var p color.Palette
	for _, r := range []struct{ ground, over theme.Colour }{
		inkOnPaper: {c.Paper, c.Ink}, inkOnMark: {c.Mark, c.OnMark}, ink2OnPaper: {c.Paper, c.Ink2}, markOnPaper: {c.Paper, c.Mark},
	} {
		for step := range steps {
			mix := func(a, b uint8) uint8 {
				return uint8(math.Round(float64(a) + (float64(b)-float64(a))*float64(step)/(steps-1)))
			}
			p = append(p, color.RGBA{mix(r.ground.R, r.over.R), mix(r.ground.G, r.over.G), mix(r.ground.B, r.over.B), 0xff})
		}
	}
	return p
}

// A canvas is an image with a palette of ramps.
type canvas struct{ *image.Paletted }

func newCanvas(width, height int, c Colours) canvas {
	return canvas{image.NewPaletted(image.Rect(0, 0, width, height), c.orDefault().palette())}
}

// fill draws a shape in the colour of a ramp. It assumes that the pixels below it have the background of the ramp or
// belong to it.
func (c canvas) fill(r ramp, shape outline) {
	low, high := shape.bounds()
	box := image.Rect(int(math.Floor(low.x)), int(math.Floor(low.y)), int(math.Ceil(high.x)), int(math.Ceil(high.y)))
	box = box.Intersect(c.Rect)
	if box.Empty() {
		return
	}
	z := vector.NewRasterizer(box.Dx(), box.Dy())
	z.DrawOp = draw.Src
	x := func(p point) float32 { return float32(p.x - float64(box.Min.X)) }
	y := func(p point) float32 { return float32(p.y - float64(box.Min.Y)) }
	for _, s := range shape {
		a := s.args
		switch s.op {
		case sfnt.SegmentOpMoveTo:
			z.ClosePath()
			z.MoveTo(x(a[0]), y(a[0]))
		case sfnt.SegmentOpLineTo:
			z.LineTo(x(a[0]), y(a[0]))
		case sfnt.SegmentOpQuadTo:
			z.QuadTo(x(a[0]), y(a[0]), x(a[1]), y(a[1]))
		case sfnt.SegmentOpCubeTo:
			z.CubeTo(x(a[0]), y(a[0]), x(a[1]), y(a[1]), x(a[2]), y(a[2]))
		}
	}
	z.ClosePath()
	mask := image.NewAlpha(image.Rect(0, 0, box.Dx(), box.Dy()))
	z.Draw(mask, mask.Rect, image.Opaque, image.Point{})
	for row := range box.Dy() {
		to := c.Pix[c.PixOffset(box.Min.X, box.Min.Y+row):]
		for i, alpha := range mask.Pix[row*mask.Stride : row*mask.Stride+box.Dx()] {
			if step := alpha / (256 / steps); step > 0 {
				to[i] = max(to[i]%steps*same(to[i], r), step) + uint8(r)*steps
			}
		}
	}
}

// same returns 1 if a pixel belongs to the ramp already, else 0: it then counts as background.
func same(pixel uint8, r ramp) uint8 {
	if ramp(pixel/steps) == r {
		return 1
	}
	return 0
}

// box fills a rectangle.
func (c canvas) box(r ramp, x, y, width, height float64) {
	c.fill(r, rectangle(x, y, width, height))
}

// tint fills a rectangle of whole pixels with one step of a ramp.
func (c canvas) tint(r ramp, step uint8, x, y, width, height float64) {
	for row := int(y); row < int(y+height); row++ {
		for i := c.PixOffset(int(x), row); i < c.PixOffset(int(x+width), row); i++ {
			c.Pix[i] = uint8(r)*steps + step
		}
	}
}

// border draws a line of some width inside the edges of a rectangle.
func (c canvas) border(x, y, width, height, line float64) {
	c.box(inkOnPaper, x, y, width, line)
	c.box(inkOnPaper, x, y+height-line, width, line)
	c.box(inkOnPaper, x, y, line, height)
	c.box(inkOnPaper, x+width-line, y, line, height)
}

func rectangle(x, y, width, height float64) outline {
	return outline{
		{op: sfnt.SegmentOpMoveTo, args: [3]point{{x, y}}},
		{op: sfnt.SegmentOpLineTo, args: [3]point{{x + width, y}}},
		{op: sfnt.SegmentOpLineTo, args: [3]point{{x + width, y + height}}},
		{op: sfnt.SegmentOpLineTo, args: [3]point{{x, y + height}}},
	}
}

// quad is the shape between four points.
func quad(a, b, c, d point) outline {
	return outline{
		{op: sfnt.SegmentOpMoveTo, args: [3]point{a}},
		{op: sfnt.SegmentOpLineTo, args: [3]point{b}},
		{op: sfnt.SegmentOpLineTo, args: [3]point{c}},
		{op: sfnt.SegmentOpLineTo, args: [3]point{d}},
	}
}

func encode(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	// A better compression takes at least twice the time and saves a tenth of the bytes.
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&b, img); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
