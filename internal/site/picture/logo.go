package picture

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"

	scaler "golang.org/x/image/draw"
)

// A Logo is a PNG file of the operator, drawn where the name of the service would be.
type Logo struct {
	Hash string // says which it is
	PNG  func() []byte
}

// GoString names the logo: cards that show another are not the same.
func (l *Logo) GoString() string {
	if l == nil {
		return "none"
	}
	return l.Hash
}

// decode returns the drawing; nil where there is none that can be read.
func (l *Logo) decode() image.Image {
	if l == nil {
		return nil
	}
	img, err := png.Decode(bytes.NewReader(l.PNG()))
	if err != nil {
		return nil // the name is drawn
	}
	return img
}

// A place is where a logo goes, and how large it may be there.
type place struct {
	x, middle     int // the left edge, or the middle if it is centred; the middle of its height
	width, height int // at most
	centred       bool
}

// onto draws the logo over a card. It is never enlarged.
func (p place) onto(c canvas, logo image.Image) *image.RGBA {
	card := image.NewRGBA(c.Rect)
	draw.Draw(card, card.Rect, c, image.Point{}, draw.Src)
	size := logo.Bounds().Size()
	scale := min(1, float64(p.width)/float64(size.X), float64(p.height)/float64(size.Y))
	width, height := max(1, int(float64(size.X)*scale)), max(1, int(float64(size.Y)*scale))
	at := image.Pt(p.x, p.middle-height/2)
	if p.centred {
		at.X -= width / 2
	}
	scaler.CatmullRom.Scale(card, image.Rectangle{at, at.Add(image.Pt(width, height))}, logo, logo.Bounds(), draw.Over, nil)
	return card
}
