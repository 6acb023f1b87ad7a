package mail

import (
	"bytes"
	"image/png"

	"github.com/palmares-hq/palmares/internal/theme"
)

// A Look is what mails look like: the colours of the operator, and the logo.
type Look struct {
	Light, Dark Colours
	Logo        *Logo // nil writes the name
}

// Colours are those of a mail in a theme.
type Colours struct{ Paper, Ink, Mark, OnMark theme.Colour }

// A Logo is at the head of a mail.
type Logo struct {
	Width, Height int // as it is shown
	png           []byte
}

// The most that a logo takes of a mail, in pixels.
const (
	logoWidth  = 240
	logoHeight = 48
)

// NewLook reads what a mail looks like from the operator's theme.css and logo.png. Both may be empty.
func NewLook(css string, logo []byte) Look {
	colours := theme.Read(css)
	return Look{Light: coloursOf(colours.Light), Dark: coloursOf(colours.System), Logo: newLogo(logo)}
}

func coloursOf(c theme.Colours) Colours {
	onMark, mark := c.On("--on-mark", "--mark")
	return Colours{Paper: c.Opaque("--paper"), Ink: c.Opaque("--ink"), Mark: mark, OnMark: onMark}
}

// newLogo measures a logo. One that cannot be read is none.
func newLogo(data []byte) *Logo {
	size, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	width, height := float64(size.Width), float64(size.Height)
	scale := min(1, logoWidth/width, logoHeight/height)
	return &Logo{Width: max(1, int(width*scale)), Height: max(1, int(height*scale)), png: data}
}
