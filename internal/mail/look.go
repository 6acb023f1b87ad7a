package mail

import (
	"bytes"
	"image/png"

	"github.com/palmares-hq/palmares/internal/theme"
)

// A Look is what mails look like: the colours of the operator, and the logo.
type Look struct {
	Light, Dark Colours
	Logo        *Logo // nil if the name is written instead
}

// Colours are the colours of a mail in one theme.
type Colours struct{ Paper, Ink, Mark, OnMark theme.Colour }

// A Logo is the picture at the head of a mail.
type Logo struct {
	Width, Height int // the size at which it is shown, in pixels
	png           []byte
}

// The largest size of a logo in a mail, in pixels.
const (
	logoWidth  = 240
	logoHeight = 48
)

// NewLook returns the look that the operator's theme.css and logo.png ask for. Both may be empty.
func NewLook(css string, logo []byte) Look {
	colours := theme.Read(css)
	return Look{Light: coloursOf(colours.Light), Dark: coloursOf(colours.System), Logo: newLogo(logo)}
}

func coloursOf(c theme.Colours) Colours {
	onMark, mark := c.On("--on-mark", "--mark")
	return Colours{Paper: c.Opaque("--paper"), Ink: c.Opaque("--ink"), Mark: mark, OnMark: onMark}
}

// newLogo returns a logo scaled down to fit; nil if data is no readable PNG.
func newLogo(data []byte) *Logo {
	size, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	width, height := float64(size.Width), float64(size.Height)
	scale := min(1, logoWidth/width, logoHeight/height)
	return &Logo{Width: max(1, int(width*scale)), Height: max(1, int(height*scale)), png: data}
}
