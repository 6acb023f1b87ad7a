package content

import (
	"bytes"
	"encoding/binary"
	"image/png"
	"slices"

	"github.com/palmares-hq/palmares/internal/catalog"
)

// Bounds of logo.png, in pixels. A social card draws the logo, never larger than its own size.
const (
	minLogoSide = 32
	maxLogoSide = 1024
)

// pngChunks are the chunks that a logo may have: those needed to draw it. Others animate it or carry metadata
// about its author, which nobody sees and which mails would pass on.
var pngChunks = []string{"IHDR", "PLTE", "tRNS", "IDAT", "IEND", "gAMA", "cHRM", "sRGB", "sBIT", "bKGD", "pHYs"}

const pngSignature = "\x89PNG\r\n\x1a\n"

// logoPNG decodes logo.png. It returns nil when the file has errors.
func (d *document) logoPNG(name string) *catalog.OperatorFile {
	if !d.within(maxLogo) || !d.pngFrame() {
		return nil
	}
	size, err := png.DecodeConfig(bytes.NewReader(d.data))
	if err != nil {
		d.fault(fileStart, "not a PNG file that can be read: export it again (%v)", err)
		return nil
	}
	for _, side := range []int{size.Width, size.Height} {
		if side < minLogoSide || side > maxLogoSide {
			d.fault(fileStart, "the picture is %d × %d pixels: each side must have %d to %d; export it in another size",
				size.Width, size.Height, minLogoSide, maxLogoSide)
			return nil
		}
	}
	if _, err := png.Decode(bytes.NewReader(d.data)); err != nil {
		d.fault(fileStart, "not a PNG file that can be read: export it again (%v)", err)
		return nil
	}
	return catalog.NewOperatorPicture(name, d.data)
}

// pngFrame reports whether the file is a PNG of allowed parts and nothing else.
func (d *document) pngFrame() bool {
	rest, ok := bytes.CutPrefix(d.data, []byte(pngSignature))
	if !ok {
		d.fault(fileStart, "not a PNG file: export the logo as PNG")
		return false
	}
	const frame = 12 // the length, the name and the checksum of a part
	for {
		if len(rest) < frame || uint64(binary.BigEndian.Uint32(rest)) > uint64(len(rest)-frame) { //nolint:gosec // it is not negative
			d.fault(fileStart, "the PNG file is cut off: export it again")
			return false
		}
		name := string(rest[4:8])
		rest = rest[frame+binary.BigEndian.Uint32(rest):]
		switch {
		case !slices.Contains(pngChunks, name):
			d.fault(fileStart, "the PNG file has a part %q, which draws nothing: export it without animation, profile and metadata", name)
			return false
		case name == "IEND" && len(rest) > 0:
			d.fault(fileStart, "%d bytes follow the end of the PNG file: export it again", len(rest))
			return false
		case name == "IEND":
			return true
		}
	}
}
