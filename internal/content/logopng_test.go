package content_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/palmares-hq/palmares/internal/content"
	"github.com/palmares-hq/palmares/internal/testkit"
)

func drawing(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	testkit.Must(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))))
	return b.Bytes()
}

// chunk is a part of a PNG file.
func chunk(name, data string) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, name...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

func TestLogoPNG(t *testing.T) {
	t.Parallel()
	sound := drawing(t, 300, 60)
	const header = 8 + 25 // the signature and the first part
	with := func(more []byte) []byte {
		return bytes.Join([][]byte{sound[:header], more, sound[header:]}, nil)
	}
	noise := image.NewRGBA(image.Rect(0, 0, 200, 200))
	random := rand.New(rand.NewPCG(1, 2))
	for x := range 200 {
		for y := range 200 {
			noise.SetRGBA(x, y, color.RGBA{uint8(random.Uint32()), uint8(random.Uint32()), uint8(random.Uint32()), 255})
		}
	}
	var large bytes.Buffer
	testkit.Must(t, png.Encode(&large, noise))
	damaged := bytes.Clone(sound)
	damaged[header+12] ^= 0xff

	for name, tt := range map[string]struct {
		data []byte
		want string // "" is let through
	}{
		"sound":      {sound, ""},
		"smallest":   {drawing(t, 32, 32), ""},
		"largest":    {drawing(t, 1024, 1024), ""},
		"resolution": {with(chunk("pHYs", strings.Repeat("\x00", 9))), ""},
		"low":        {drawing(t, 300, 31), "300 × 31 pixels: each side must have 32 to 1024"},
		"wide":       {drawing(t, 1025, 60), "1025 × 60 pixels: each side must have 32 to 1024"},
		"an SVG":     {[]byte("<svg/>"), "not a PNG file"},
		"empty":      {nil, "not a PNG file"},
		"a JPEG":     {[]byte("\xff\xd8\xff\xe0"), "not a PNG file"},
		"cut off":    {sound[:len(sound)-5], "cut off"},
		"no end":     {sound[:len(sound)-12], "cut off"},
		"long part":  {with([]byte("\xff\xff\xff\xffIDAT")), "cut off"},
		"damaged":    {damaged, "not a PNG file that can be read"},
		"animated":   {with(chunk("acTL", "\x00\x00\x00\x02\x00\x00\x00\x00")), `a part "acTL"`},
		"a comment":  {with(chunk("tEXt", "Author\x00Ada")), `a part "tEXt"`},
		"a tail":     {append(bytes.Clone(sound), "<script>"...), "8 bytes follow the end"},
		"heavy":      {large.Bytes(), "at most 65536 are allowed"},
	} {
		dir := t.TempDir()
		testkit.Must(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "base"))))
		testkit.Must(t, os.Mkdir(filepath.Join(dir, "pages"), 0o755))
		testkit.Must(t, os.WriteFile(filepath.Join(dir, "pages", "logo.png"), tt.data, 0o600))
		result := load(t, dir, content.Options{})
		said := messages(result)
		switch {
		case tt.want == "" && (said != "" || len(result.Contents.Files) != 1 || !bytes.Equal(result.Contents.Files[0].Picture(), tt.data)):
			t.Errorf("%s is refused, or another file: %s", name, said)
		case tt.want != "" && (!strings.Contains(said, "pages/logo.png:1:1: ") || !strings.Contains(said, tt.want)):
			t.Errorf("%s: %s", name, said)
		}
	}
}
