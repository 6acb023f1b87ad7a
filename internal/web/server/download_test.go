package server

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/palmares-hq/palmares/internal/testkit"
	"github.com/palmares-hq/palmares/internal/web"
)

// Whoever takes 16 KB a second of a download gets all of it, if that is within a quarter of an hour, and may be silent for
// less than 30 seconds meanwhile. Whoever falls further behind is cut, and the handler ends.
func TestLimits_SlowDownloads(t *testing.T) {
	t.Parallel()
	const piece, second = 64 << 10, time.Second
	pace := web.Pace{Rate: 16 << 10, Slack: 30 * second, Whole: 15 * time.Minute}
	for name, tt := range map[string]struct {
		size  int
		each  int           // bytes that are read at a time
		every time.Duration // and how long that is put off
		cut   time.Duration // 0: never
		codes string
	}{
		"at once":           {4 << 20, piece, 0, 0, "identity"},
		"at once, gzip":     {4 << 20, piece, 0, 0, "gzip"},
		"slow":              {4 << 20, piece, 4 * second, 0, "identity"},
		"slow, gzip":        {4 << 20, piece, 4 * second, 0, "gzip"},
		"much, then silent": {4 << 20, 6 * piece, 24 * second, 0, "identity"}, // as the kernel takes it
		"silent too long":   {4 << 20, 16 * piece, 31 * second, pace.Slack, "identity"},
		"not at all":        {1 << 20, piece, time.Hour, pace.Slack, "identity"},
		"not at all, gzip":  {1 << 20, piece, time.Hour, pace.Slack, "gzip"},
		"drop by drop":      {1 << 20, 1 << 10, second, pace.Slack, "identity"},
		"half as fast":      {4 << 20, piece, 8 * second, 54 * second, "identity"}, // each piece leaves it 4 s further behind
		"slow for too long": {18 << 20, piece, 4 * second, pace.Whole, "identity"},
		"too long, gzip":    {18 << 20, piece, 4 * second, pace.Whole, "gzip"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := make([]byte, tt.size)
			random := rand.NewChaCha8([32]byte{1})
			_, _ = random.Read(text)
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			_, err := z.Write(text)
			testkit.Must(t, err)
			testkit.Must(t, z.Close())
			response := web.NewPacked("application/octet-stream", "tag", len(text), packed.Bytes())
			type end struct {
				took time.Duration
				err  error
			}
			var ends sync.Map // by the name of the test
			handler := func(w http.ResponseWriter, r *http.Request) {
				began := time.Now()
				err := response.Choose(r.Header, nil).Stream(w, r, pace)
				ends.Store(r.Header.Get("From"), end{time.Since(began), err})
			}
			inNoTime(t, handler, func(t *testing.T, w *rawClient) {
				w.send(t, "GET / HTTP/1.1\r\nHost: x\r\nFrom: "+t.Name()+"\r\nAccept-Encoding: "+tt.codes+"\r\n\r\n")
				resp, err := http.ReadResponse(w.in, nil)
				testkit.Must(t, err)
				testkit.Equal(t, "coding", resp.Header.Get("Content-Encoding"), strings.TrimPrefix(tt.codes, "identity"))
				var got []byte
				for part := make([]byte, tt.each); err == nil; {
					time.Sleep(tt.every)
					var n int
					n, err = io.ReadFull(resp.Body, part)
					got = append(got, part[:n]...)
				}
				synctest.Wait()
				last, _ := ends.Load(t.Name())
				e, _ := last.(end)
				if (e.err != nil) != (tt.cut > 0) || tt.cut > 0 && (e.took < tt.cut || e.took > tt.cut+2*second) {
					t.Errorf("the handler ends after %v with %v, want %v", e.took, e.err, tt.cut)
				}
				want := text
				if tt.codes == "gzip" {
					want = packed.Bytes()
				}
				if whole := bytes.Equal(got, want); whole != (tt.cut == 0) {
					t.Errorf("%d bytes of %d arrive", len(got), len(want))
				}
			})
		})
	}
}
