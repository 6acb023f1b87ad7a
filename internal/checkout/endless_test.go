package checkout_test

import (
	"bytes"
	"compress/zlib"
	"crypto/rand"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/palmares-hq/palmares/internal/checkout"
	"github.com/palmares-hq/palmares/internal/gittest"
	"github.com/palmares-hq/palmares/internal/testkit"
)

// A liar is a server that speaks git's protocol (version 2) and ends neither a list nor a pack.
type liar struct {
	refs func(w io.Writer) // after the one of main
	pack func(w io.Writer) // by side-band: 1 is the pack, 2 what is shown to somebody who waits
}

func (l liar) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	switch {
	case q.Method == http.MethodGet:
		w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
		io.WriteString(w, packet("# service=git-upload-pack\n")+"0000"+packet("version 2\n")+packet("ls-refs\n")+packet("fetch=shallow\n")+"0000")
	case bytes.Contains(body, []byte("command=ls-refs")):
		w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
		io.WriteString(w, packet(tipOfLiar+" refs/heads/main\n"))
		if l.refs != nil {
			l.refs(w)
		}
		io.WriteString(w, "0000")
	default:
		w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
		io.WriteString(w, packet("packfile\n"))
		l.pack(w)
		io.WriteString(w, "0000")
	}
}

var tipOfLiar = strings.Repeat("ab", 20)

// packet is a line of the protocol.
func packet(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }

// withoutEnd says something again and again, for as long as somebody listens.
func withoutEnd(say func(w io.Writer) error) func(w io.Writer) {
	return func(w io.Writer) {
		for say(w) == nil {
		}
	}
}

// inPack writes bytes of a pack.
func inPack(w io.Writer, data []byte) error {
	for len(data) > 0 {
		n := min(len(data), 60_000)
		if _, err := io.WriteString(w, packet("\x01"+string(data[:n]))); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// packHead begins a pack of so many objects.
func packHead(objects uint32) []byte {
	return binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), objects)
}

// packed is an object as a pack has it: its kind, its size, and it itself.
func packed(kind byte, size int, base, data []byte) []byte {
	b := []byte{kind<<4 | byte(size&15)}
	for size >>= 4; size > 0; size >>= 7 {
		b[len(b)-1] |= 0x80
		b = append(b, byte(size&0x7f))
	}
	return append(append(b, base...), deflated(data)...)
}

func deflated(data []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write(data)
	_ = z.Close()
	return b.Bytes()
}

// deltaBomb is a pack of 20 KB: a file of 16 MB, and another that has it 1,024 times.
func deltaBomb() []byte {
	const copies, size = 1024, 0xffffff
	file := make([]byte, size)
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", size)
	h.Write(file)
	delta := binary.AppendUvarint(binary.AppendUvarint(nil, size), copies*size)
	for range copies {
		delta = append(delta, 0xf0, 0xff, 0xff, 0xff) // copy that much from the beginning
	}
	pack := packHead(2)
	pack = append(pack, packed(3, size, nil, file)...)
	pack = append(pack, packed(7, len(delta), h.Sum(nil), delta)...)
	sum := sha1.Sum(pack)
	return append(pack, sum[:]...)
}

// What a server sends without an end, or what grows without one once it is here, ends by the bounds of the mirror.
func TestMirror_ServersWithoutEnd(t *testing.T) {
	t.Parallel()
	noise := make([]byte, 64<<10)
	_, _ = rand.Read(noise)
	blob := packed(3, len(noise), nil, noise)
	for name, test := range map[string]struct {
		server liar
		within time.Duration
		says   string
	}{
		"branches": {liar{refs: withoutEnd(func(w io.Writer) error {
			_, err := io.WriteString(w, packet(tipOfLiar+" refs/heads/"+hex.EncodeToString(noise[:30])+"\n"))
			return err
		})}, time.Second, "the server took longer than 1s"},
		"a pack": {liar{pack: func(w io.Writer) {
			_ = inPack(w, packHead(1<<20))
			withoutEnd(func(w io.Writer) error { return inPack(w, blob) })(w)
		}}, testkit.Patience, "the repository has more than 8 MB"},
		"what is shown while one waits": {liar{pack: withoutEnd(func(w io.Writer) error {
			_, err := io.WriteString(w, packet("\x02Counting \x1b[2J objects\r"))
			return err
		})}, time.Second, "the server took longer than 1s"},
		"a file made of copies": {liar{pack: func(w io.Writer) { _ = inPack(w, deltaBomb()) }}, testkit.Patience, "the repository was not read: "}, // out of memory, or too slow
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := gittest.New(t).Serve()
			server.Instead(test.server)
			dir := filepath.Join(t.TempDir(), "mirror")
			m, err := checkout.OpenMirror(dir, checkout.Remote{URL: server.URL, Branch: "main", CAFile: server.CAFile}, limits, test.within)
			testkit.Must(t, err)
			tip, err := m.Tip(t.Context())
			if err == nil {
				_, err = m.Fetch(t.Context(), tip)
			}
			wants(t, name, err, test.says)
			if size := sizeOf(t, dir); size > limits.Bytes {
				t.Errorf("%d bytes are left", size)
			}
		})
	}
}
